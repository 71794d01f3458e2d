"""Figures of a run under way, sent as a collector of OpenTelemetry reads them."""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import loadstone
from loadstone.cli import app
from loadstone.cli.otlp import Otlp, Words, exporter, sending
from loadstone.errors import LoadstoneError
from loadstone.judge.histogram import bucket_of
from loadstone.measure.conduct import Silent

pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="the extra `otlp` is not installed")

PLAN = {"name": "shop", "operations": [{"name": "Home", "limit_s": 0.5}, {"name": "Buy", "limit_s": 2.0}]}


def window(second: int) -> dict[str, Any]:
    home = {"operation": 0, "ok": 3, "failed": [0, 1, 0, 0, 0, 0, 0], "late": 1, "dropped": 0}
    home["response"] = {"bucket": [2000, bucket_of(2e6)], "count": [2, 1]}
    home["first_byte"] = {"bucket": [1000, 2000], "count": [1, 2]}
    buy = {"operation": 1, "ok": 0, "failed": [0] * 7, "late": 0, "dropped": 2}
    buy["response"] = {"bucket": [], "count": []}
    told = {"second": second, "users": 7, "in_flight": 2, "requests": 5, "bytes_in": 900, "bytes_out": 80}
    return told | {"operations": [home, buy]}


class Collector:
    """Takes what is sent, or answers as it is told."""

    def __init__(self, status: int = 200) -> None:
        from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

        self.taken: list[Any] = []
        self.paths: set[str] = set()
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.paths.add(self.path)
                if status == 200:
                    collector.taken.append(ExportMetricsServiceRequest.FromString(body))
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def last(self) -> dict[str, Any]:
        """Of the last request: points by name of the metric."""
        (resource,) = self.taken[-1].resource_metrics
        attributes = {one.key: one.value.string_value for one in resource.resource.attributes}
        assert attributes == {"service.name": "loadstone", "loadstone.scenario": "shop"}
        return {one.name: one for scope in resource.scope_metrics for one in scope.metrics}


@pytest.fixture
def collector() -> Iterator[Collector]:
    found = Collector()
    yield found
    found.server.shutdown()
    found.server.server_close()


def named(points: Any) -> dict[tuple[str, ...], float]:
    return {
        tuple(sorted(of.value.string_value for of in one.attributes)): one.as_int or one.as_double
        for one in points
    }


def test_every_figure_is_sent_and_the_last_ones_at_the_end(collector: Collector) -> None:
    with sending(Silent(), collector.address) as watched:
        watched.started(PLAN, Path())
        for second in range(3):
            watched.window(window(second))
        watched.ended()
    assert collector.paths == {"/v1/metrics"} and (watched.failed, watched.sent) == (0, len(collector.taken))
    found = collector.last()
    assert found["loadstone.second"].gauge.data_points[0].as_int == 3
    assert found["loadstone.users"].gauge.data_points[0].as_int == 7
    requests = found["loadstone.requests"].sum
    assert requests.data_points[0].as_int == 15 and requests.is_monotonic
    assert requests.aggregation_temporality == 2, "cumulative"
    operations = named(found["loadstone.operations"].sum.data_points)
    assert operations["Home", "ok"] == 9 and operations["Home", "reset"] == 3 and operations["Buy", "ok"] == 0
    assert named(found["loadstone.operations.late"].sum.data_points)["Home",] == 3
    assert named(found["loadstone.operations.dropped"].sum.data_points)["Buy",] == 6
    assert named(found["loadstone.operation.limit"].gauge.data_points) == {("Home",): 0.5, ("Buy",): 2.0}
    home, buy = found["loadstone.response"].histogram.data_points
    assert (home.count, sum(home.bucket_counts), buy.count) == (9, 9, 0)
    by_bound = dict(zip(home.explicit_bounds, home.bucket_counts, strict=False))
    assert (by_bound[0.0025], by_bound[2.5]) == (6, 3)
    assert home.sum == pytest.approx(3 * (2 * 0.002 + 2.0), rel=0.01)
    assert 0 < home.start_time_unix_nano < home.time_unix_nano
    home, buy = found["loadstone.first_byte"].histogram.data_points
    by_bound = dict(zip(home.explicit_bounds, home.bucket_counts, strict=False))
    assert (home.count, by_bound[0.001], by_bound[0.0025], buy.count) == (9, 3, 6, 0)


@pytest.mark.parametrize("status", [None, 400, 503])
def test_a_collector_that_is_lost_harms_nothing(
    status: int | None, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loadstone.cli.otlp._SEND_S", 0.3)
    if status is None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = f"http://127.0.0.1:{taken.getsockname()[1]}"
    else:
        address = Collector(status).address
    notes: list[str] = []

    class Noting(Silent):
        def note(self, text: str) -> None:
            notes.append(text)

    with sending(Noting(), address) as watched:
        watched.started(PLAN, Path())
        watched.window(window(0))
        until = time.monotonic() + 120
        while not watched.failed and time.monotonic() < until:
            time.sleep(0.02)
        for second in range(1, 50):
            watched.window(window(second))
    assert len(notes) == 1 and "the run goes on" in notes[0]
    said = capfd.readouterr().err
    assert said.startswith("warning: --otlp:") and said.count("\n") == 1, said


def test_one_that_never_answers_does_not_hold_the_run_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loadstone.cli.otlp._FLUSH_S", 0.1)
    held = threading.Event()

    class Stuck:
        def export(self, metrics_data: Any) -> Any:
            held.wait()

        def shutdown(self) -> None:
            pass

    watched = Otlp(Silent(), Stuck(), Words())
    watched.started(PLAN, Path())
    for second in range(200):
        watched.window(window(second))
    assert watched.close() == "the collector did not take the last figures in time"
    held.set()


@pytest.mark.parametrize(
    "address", ["", "127.0.0.1:4318", "ftp://here", "http://", "http://a:99999", "http://a?b"]
)
def test_addresses_that_are_none_are_refused(address: str) -> None:
    with pytest.raises(LoadstoneError) as error:
        exporter(address)
    assert error.value.slug == "bad-address"


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.metric_exporter", None)
    with pytest.raises(LoadstoneError, match=r"loadstone\[otlp\]") as error:
        exporter("http://127.0.0.1:4318")
    assert error.value.slug == "otlp-missing"


def test_a_run_sends_what_it_measures(collector: Collector, tmp_path: Path) -> None:
    words = "--users 5 --window 1 --set load.ramp_up_s=0 --set load.ramp_down_s=0 --set name=shop"
    place = [
        "--set",
        "pacing.think=0.05",
        "--url",
        collector.address,
        "--set",
        "operation.Page.step.1.expect.status=501",
    ]
    line = ["run", "page", *words.split(), *place, "--out", str(tmp_path / "r"), "--otlp", collector.address]
    done = CliRunner().invoke(app, line)
    assert (tmp_path / "r/run.json").is_file(), done.output
    found = collector.last()
    ended = loadstone.open(tmp_path / "r").seconds().aggregate("sum(ok + failed), count(DISTINCT second)")
    assert sum(named(found["loadstone.operations"].sum.data_points).values()) == ended.fetchall()[0][0] > 0
    assert found["loadstone.second"].gauge.data_points[0].as_int == ended.fetchall()[0][1]
