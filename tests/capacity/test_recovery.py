"""How long a search waits for what a run has left in the service."""

import time
from pathlib import Path

import numpy as np
import pytest
import sites

from loadstone import record
from loadstone.capacity.forecast import lengths
from loadstone.capacity.recovery import Recovery, work_s
from loadstone.judge import Measurement, OperationSeries
from loadstone.measure import Job, sut_of
from loadstone.measure.engine import RustEngine
from loadstone.scenario import load_scenario

NONE = np.zeros(5)


def seen(answered: float, under_way: float) -> Measurement:
    """Five seconds with so many answers each, and operations under way that grew to `under_way`."""
    page = OperationSeries("Page", 1.0, np.full(5, answered), {}, NONE, NONE, {})
    waiting = np.linspace(0, under_way, 5)
    return Measurement(0, 5, 0, (page,), NONE, NONE, NONE, NONE, NONE, 1, in_flight=waiting)


def job(scenario_file: Path | str) -> Job:
    scenario = load_scenario(scenario_file)
    return Job(scenario, sut_of(scenario), RustEngine(), ["loadstone"])


def test_the_work_that_is_left_is_what_waits_at_the_pace_that_was_seen() -> None:
    assert work_s(seen(60, 160)) == pytest.approx(160 / 60)
    assert work_s(seen(100, 1)) == 0.01, "of a healthy service its response time"
    assert work_s(seen(0, 3)) == float("inf")
    assert work_s(seen(0, 0)) == 0


def test_the_next_run_waits_for_it_and_no_longer_than_clients_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    recovery = Recovery(job(sites.scenario(tmp_path / "site.toml", 1, ramp_up_s=1, steady_s=5)))
    recovery.wait()
    for left in (seen(60, 160), seen(0, 3)):
        monkeypatch.setattr(record, "measurement_of", lambda _folder, left=left: left)
        recovery.after(Path())
        recovery.wait()
    assert slept[0] == 0
    assert slept[1:] == pytest.approx([160 / 60, recovery.most_s], abs=0.5)


def test_the_longest_wait_is_announced_and_only_for_a_service_that_stays_up(tmp_path: Path) -> None:
    there = job(sites.scenario(tmp_path / "site.toml", 1, ramp_up_s=1, steady_s=5))
    ours = job("olio")
    assert lengths(there).recovery_s == there.scenario.file.load.timeout_s > 0
    assert lengths(ours).recovery_s == 0
