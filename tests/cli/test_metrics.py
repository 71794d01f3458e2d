"""Figures of a run under way, read as Prometheus reads them."""

from __future__ import annotations

import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from loadstone.cli.metrics import Metrics, listening, served
from loadstone.errors import LoadstoneError
from loadstone.judge.histogram import bucket_of
from loadstone.measure.conduct import Silent

PLAN = {"name": "shop", "operations": [{"name": 'Ho"me', "limit_s": 0.5}, {"name": "Buy", "limit_s": 2.0}]}


def window(second: int, **changes: Any) -> dict[str, Any]:
    """2 ms, and 2 s: buckets 2000 and 2,000,000 µs are exact to 0.1 %."""
    home = {"operation": 0, "ok": 3, "failed": [0, 1, 0, 0, 0, 0, 0], "late": 1, "dropped": 0}
    home["response"] = {"bucket": [2000, bucket_of(2e6)], "count": [2, 1]}
    home["first_byte"] = {"bucket": [1000, 2000], "count": [1, 2]}
    buy = {"operation": 1, "ok": 0, "failed": [0] * 7, "late": 0, "dropped": 2}
    buy["response"] = {"bucket": [], "count": []}
    told = {"second": second, "users": 7, "in_flight": 2, "requests": 5, "bytes_in": 900, "bytes_out": 80}
    return told | {"operations": [home, buy]} | changes


def figures(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_every_figure_can_be_read() -> None:
    metrics = Metrics(Silent())
    metrics.started(PLAN, Path())
    for second in range(2):
        metrics.window(window(second))
    found = figures(metrics.text())
    home = ("operation", 'Ho"me')
    assert found["loadstone_run_info", (("scenario", "shop"),)] == 1
    assert found["loadstone_second", ()] == 2 and found["loadstone_users", ()] == 7
    assert found["loadstone_requests_total", ()] == 10 and found["loadstone_bytes_in_total", ()] == 1800
    assert found["loadstone_operations_total", (home, ("result", "ok"))] == 6
    assert found["loadstone_operations_total", (home, ("result", "reset"))] == 2
    assert found["loadstone_operations_late_total", (home,)] == 2
    assert found["loadstone_operations_dropped_total", (("operation", "Buy"),)] == 4
    assert found["loadstone_operation_limit_seconds", (("operation", "Buy"),)] == 2
    buckets = [
        found["loadstone_response_seconds_bucket", (("le", le), home)]
        for le in ("0.001", "0.0025", "1.0", "2.5", "+Inf")
    ]
    assert buckets == [0, 4, 4, 6, 6]
    assert found["loadstone_response_seconds_count", (home,)] == 6
    assert found["loadstone_response_seconds_sum", (home,)] == pytest.approx(2 * (2 * 0.002 + 2.0), rel=0.01)
    buckets = [
        found["loadstone_first_byte_seconds_bucket", (("le", le), home)]
        for le in ("0.001", "0.0025", "1.0", "+Inf")
    ]
    assert buckets == [2, 6, 6, 6]
    assert found["loadstone_first_byte_seconds_sum", (home,)] == pytest.approx(2 * 0.005, rel=0.01)
    assert found["loadstone_first_byte_seconds_count", (("operation", "Buy"),)] == 0


def test_they_are_served_while_the_run_goes_on() -> None:
    metrics = Metrics(Silent())
    listener = listening("127.0.0.1:0")
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    with served(metrics, listener):
        assert urllib.request.urlopen(f"{url}/metrics", timeout=120).read() == b"# no run has begun\n"
        metrics.started(PLAN, Path())
        metrics.window(window(0))
        with urllib.request.urlopen(f"{url}/metrics", timeout=120) as answer:
            assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
            assert figures(answer.read().decode())["loadstone_second", ()] == 1
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{url}/", timeout=120)
    assert listener.fileno() == -1


def test_without_a_host_it_is_loopback() -> None:
    with listening(":0") as listener:
        assert listener.getsockname()[0] == "127.0.0.1"


@pytest.mark.parametrize(
    "address", ["9464x", "127.0.0.1", "example.org:9464", "127.0.0.1:99999", "192.0.2.1:0"]
)
def test_addresses_that_are_none_are_refused(address: str) -> None:
    with pytest.raises(LoadstoneError) as error:
        listening(address)
    assert error.value.slug == "bad-address"


def test_a_port_in_use_is_refused() -> None:
    with listening("127.0.0.1:0") as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(LoadstoneError, match="nothing can listen on"):
            listening(address)
