"""Load by the engine as figures, against a small server of our own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from types import SimpleNamespace
from typing import Any

import pytest

from loadstone.errors import LoadstoneError
from loadstone.measure import Interrupt, RustEngine
from loadstone.ssh import Ssh
from loadstone.study import bench as bench_module
from loadstone.study.balancers import site_users
from loadstone.study.balancers.description import FILE, load_description
from loadstone.study.balancers.site import load_bench_site
from loadstone.study.bench import Bench
from loadstone.study.offered import CAUSES, Target, flat_out, follow, offer, steady


class Site:
    """Answers every request with a page, or with what `status` says; counts them by path."""

    def __init__(self) -> None:
        self.status = 200
        self.paths: list[str] = []
        lock, site = Lock(), self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                with lock:
                    site.paths.append(self.path)
                self.send_response(site.status)
                self.send_header("Content-Length", "166")
                self.end_headers()
                self.wfile.write(b"x" * 166)

            def log_message(self, *_: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.target = Target("127.0.0.1", self.server.server_address[1])


@pytest.fixture
def site() -> Iterator[Site]:
    one = Site()
    Thread(target=one.server.serve_forever, daemon=True).start()
    yield one
    one.server.shutdown()
    one.server.server_close()


def test_exactly_so_many_requests_over_connections_that_are_kept(site: Site) -> None:
    found = offer(RustEngine(), flat_out(site.target, users=7, requests=200, seed=1), 1)
    assert (found.ok, found.failed, found.connects) == (200, {}, 7)
    assert site.paths == ["/?study"] * 200
    assert found.requests_per_s == pytest.approx(200 / found.ended_s)
    figures = found.figures()
    assert figures["response_us"]["p50"] <= figures["response_us"]["p99"] <= figures["response_us"]["max"]
    assert figures["generator_share"] > 0


def test_wrong_answers_are_counted_by_cause(site: Site) -> None:
    site.status = 503
    found = offer(RustEngine(), flat_out(site.target, users=2, requests=10, seed=1), 1)
    assert (found.ok, found.failed) == (0, {"status": 10})
    assert set(found.failed) <= set(CAUSES)
    assert "examples" in found.figures()
    assert found.figures()["response_us"]["mean"] is None


def test_users_pause_in_a_steady_load(site: Site) -> None:
    looks: list[int] = []
    plan = steady(site.target, users=4, pause_s=0.05, seconds=1.2, seed=1)
    found = follow(RustEngine().start(json.dumps(plan)), 1, looks.append)
    # Four users with pauses of at least 25 ms ask no more often than this.
    assert 4 <= found.ok <= 4 * (1.2 + 0.1) / 0.025
    assert looks and looks == sorted(looks)


def test_nobody_there_is_an_error() -> None:
    closed = Site()
    closed.server.server_close()
    with pytest.raises(LoadstoneError) as refused:
        offer(RustEngine(), flat_out(closed.target, users=2, requests=10, seed=1), 1)
    assert refused.value.slug == "sut-unreachable"


def test_a_lost_agent_is_an_error() -> None:
    class Lame:
        def next(self, timeout_s: float) -> None:
            return None

        def stop(self) -> None: ...

        def summary(self) -> dict[str, Any]:
            return {
                "outcome": "complete",
                "ended_s": 1.0,
                "threads": 1,
                "examples": [],
                "agents": {"one": {}},
            }

    with pytest.raises(LoadstoneError) as refused:
        follow(Lame(), 2)
    assert refused.value.slug == "agents"


def test_an_interrupted_search_is_no_result(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    wanted = load_description().full.site
    assert wanted is not None
    monkeypatch.setattr(site_users, "find", lambda *_: SimpleNamespace(outcome="interrupted"))
    monkeypatch.setattr(bench_module, "limit_host", lambda *_: [])
    ssh = Ssh(tmp_path / "config", {"front": "198.18.0.1"}, tmp_path)
    bench = Bench(load_bench_site(FILE.with_name("balancers-lab.toml")), ssh, lambda _: RustEngine())
    with pytest.raises(LoadstoneError) as refused:
        site_users.users(bench, 3, wanted, 1, tmp_path / "runs", Interrupt())
    assert refused.value.slug == "study-interrupted"
