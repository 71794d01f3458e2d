"""A service that goes away: before the run, in the middle, and as a process of ours."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import folders
import pytest
import simulated

from loadstone.cli.run import conclude
from loadstone.errors import LoadstoneError
from loadstone.measure import External, Interrupt, Silent, measure
from loadstone.measure.builtin import Process
from loadstone.measure.service import Remote, Service
from loadstone.stages.run import Run

PLAN = simulated.plan(users=5, ramp_up_s=2.0, steady_s=30.0)


def quick(rng: Any, name: str) -> float:
    return float(rng.uniform(0.01, 0.05))


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


class Deadly(Silent):
    """Does something at the fifth second."""

    def __init__(self, deed: Any) -> None:
        self._deed = deed

    def window(self, window: Mapping[str, Any]) -> None:
        if window["second"] == 5:
            self._deed()


class Dying(simulated.SimulatedEngine):
    """Users whose connections are refused from the sixth second on."""

    def start(self, plan_json: str) -> simulated.SimulatedRun:
        windows = simulated.windows(PLAN, quick)
        for window in windows[6:]:
            for operation in window["operations"]:
                operation["failed"][0], operation["ok"] = operation["ok"], 0
        return simulated.SimulatedRun(windows)


def run(folder: Path, service: Service, engine: Any, deed: Any) -> Run:
    return measure(folder, folders.beginning(PLAN), service, engine, Interrupt(), Deadly(deed))


def test_nobody_listens(listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    listener.close()
    with (
        pytest.raises(LoadstoneError) as caught,
        External(f"http://127.0.0.1:{port}", "127.0.0.1", port).running(),
    ):
        pass
    assert caught.value.slug == "sut-unreachable" and caught.value.exit_code == 3


def test_a_site_that_stops_listening_ends_the_run(tmp_path: Path, listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    service = Remote("http://127.0.0.1", "127.0.0.1", port)
    result = run(tmp_path / "run", service, Dying(lambda _: quick), listener.close)
    assert result.outcome == "sut-died"
    assert 6 <= result.steady.end_s < 20
    assert result.operations["Home"].failed["refused"] > 0
    with pytest.raises(LoadstoneError) as caught:
        conclude(result, ["SLA-1"])
    assert caught.value.exit_code == 3


def test_a_site_that_refuses_but_listens_is_measured_to_the_end(
    tmp_path: Path, listener: socket.socket
) -> None:
    service = Remote("http://127.0.0.1", "127.0.0.1", listener.getsockname()[1])
    result = run(tmp_path / "run", service, Dying(lambda _: quick), lambda: None)
    assert result.outcome == "complete" and result.validity.state == "failed"


def test_a_process_of_ours_that_dies_ends_the_run(tmp_path: Path) -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", "input()"], **pipes) as process:

        def kill() -> None:
            process.kill()
            process.wait()

        service = Process(process, "http://127.0.0.1:1")
        engine = simulated.SimulatedEngine(lambda _: quick)
        result = run(tmp_path / "run", service, engine, kill)
    assert result.outcome == "sut-died"
    assert [event.content() for event in result.events] == [{"kind": "sut-died", "second": 5}]


def test_a_service_that_never_took_a_connection(tmp_path: Path) -> None:
    class Unreachable(simulated.SimulatedEngine):
        def start(self, plan_json: str) -> simulated.SimulatedRun:
            return simulated.SimulatedRun(simulated.windows(PLAN, quick)[:3], outcome="unreachable")

    service = Remote("http://127.0.0.1", "127.0.0.1", 1)
    result = run(tmp_path / "run", service, Unreachable(lambda _: quick), lambda: None)
    assert result.outcome == "sut-unreachable"
    with pytest.raises(LoadstoneError, match="never took a connection"):
        conclude(result, ["SLA-1"])
