"""The machine's noise: which verdicts it could have changed, and what a busy machine makes of a run."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
import scripted_site
import simulated

from loadstone.goals import Goal
from loadstone.judge import Histogram, Measurement, OperationSeries, Rules
from loadstone.judge.noise import Noise
from loadstone.judge.noise_checks import late_starts_matter, noise_checks, pushed
from loadstone.measure import Interrupt, Job, Silent, measure_scenario, sut_of
from loadstone.measure.engine import RustEngine
from loadstone.observe import Observer
from loadstone.scenario import load_scenario
from loadstone.stages.run import Run

SECONDS = 100
QUIET = Histogram(np.array([50.0, 100.0]), np.array([9_990.0, 10.0]))
"""Of 10,000 exchanges ten took twice as long."""
NOISY = Histogram(np.array([50.0, 60_000.0]), np.array([9_000.0, 1_000.0]))
"""A tenth of them took 60 ms."""


def operation(late: float, late_ms: float, limit_s: float = 0.1) -> OperationSeries:
    """1,000 operations of two requests; `late` of them took `late_ms`, the others half of the limit."""
    answers = np.full(SECONDS, 10.0)
    values = np.array([5e5 * limit_s, 1e3 * late_ms])
    return OperationSeries(
        "Home",
        limit_s,
        ok=answers,
        failed={},
        late=np.full(SECONDS, late / SECONDS),
        dropped=np.zeros(SECONDS),
        counters={"requests": 2 * answers},
        response=Histogram(values, np.array([1_000 - late, late])),
    )


def measured_as(one: OperationSeries, noise: Noise) -> Measurement:
    zeros = np.zeros(SECONDS)
    return Measurement(
        start_s=0, end_s=SECONDS, settled_s=0, operations=(one,), users=zeros, requests=zeros, bytes_in=zeros,
        bytes_out=zeros, cpu_s=zeros, threads=1, noise=noise,
    )  # fmt: skip


def rules_of(pace_mean_s: dict[str, float], goals: tuple[Goal, ...] = ()) -> Rules:
    return Rules(simulated.plan(), float(SECONDS), 1000, mix={}, pace_mean_s=pace_mean_s, goals=goals)


def found(one: OperationSeries, noise: Noise, goals: tuple[Goal, ...] = ()) -> dict[str, str]:
    """Verdicts by the check's name."""
    return {check.name: check.verdict for check in noise_checks(measured_as(one, noise), rules_of({}, goals))}


def noise(control: Histogram = QUIET, foreign: float = 0.0, busy: float = 1.0, step_s: float = 0.0) -> Noise:
    steps = np.zeros(SECONDS)
    steps[5] = step_s
    full = np.full(SECONDS, 1.0)
    return Noise(control, 0.3, busy * full, 0 * full, foreign * full, steps)


def test_a_quiet_machine_changes_nothing() -> None:
    # 15 % late: SLA-1 is missed, and it is the service's doing.
    assert found(operation(150, 150), noise()) == {
        "noise": "met", "foreign-cpu": "met", "clock-steps": "met",
    }  # fmt: skip


def test_delays_matter_where_a_missed_verdict_could_be_theirs() -> None:
    """A tenth of all exchanges was held up for 60 ms, and answers are late by 50 ms."""
    assert found(operation(150, 150), noise(NOISY))["noise"] == "missed"
    assert found(operation(150, 1_500), noise(NOISY))["noise"] == "met", "no delay is as long as that"
    assert found(operation(900, 150), noise(NOISY))["noise"] == "met", "they are too few to explain so many"
    assert found(operation(5, 150), noise(NOISY))["noise"] == "met", "both SLAs are met anyway"


def test_processors_matter_where_the_machine_was_full() -> None:
    assert found(operation(150, 500), noise(foreign=0.5))["foreign-cpu"] == "missed"
    assert found(operation(150, 500), noise(foreign=0.5, busy=0.8))["foreign-cpu"] == "met", "some were free"
    assert found(operation(5, 500), noise(foreign=0.5))["foreign-cpu"] == "met", "the limits are ample"
    assert found(operation(150, 500), noise(foreign=0.05))["foreign-cpu"] == "met", "5 % of 500 ms"
    assert found(operation(150, 103), noise(foreign=0.05))["foreign-cpu"] == "missed", "5 % of 103 ms"


def test_a_goal_of_ones_own_is_protected_too() -> None:
    """15 % of the answers take 150 ms: a goal of 120 ms is missed; a tenth of the exchanges is slow."""
    one = replace(operation(150, 150, limit_s=1.0), under={0.12: np.full(SECONDS, 8.5)})
    one = replace(
        one, response=Histogram(np.array([5e4, 1.5e5]), np.array([850.0, 150.0])), late=np.zeros(SECONDS)
    )
    goal = Goal("Home p90 < 120 ms", "response", 0.12, share=0.9, operation="Home")
    assert found(one, noise(NOISY))["noise"] == "met"
    assert found(one, noise(NOISY), (goal,))["noise"] == "missed"
    assert found(one, noise(), (goal,))["noise"] == "met", "of a quiet machine it is the service's doing"


def test_late_starts_that_make_less_load_matter() -> None:
    lag = Histogram(np.array([15_000.0]), np.array([1_000.0]))
    measurement = replace(measured_as(operation(5, 150), noise()), wake_lag=lag)
    assert late_starts_matter(measurement, rules_of({"Home": 0.05})), "a pause of 50 ms became one of 65 ms"
    assert not late_starts_matter(measurement, rules_of({"Home": 5.0}))


def test_steal_counts_as_what_others_took() -> None:
    full = np.full(SECONDS, 1.0)
    stolen = replace(noise(), steal_share=0.3 * full, foreign_share=np.nan * full)
    assert found(operation(150, 500), stolen)["foreign-cpu"] == "missed"


def test_the_bound_holds_whatever_delays_have_to_do_with_each_other() -> None:
    """Delays drawn for 1,000 operations never push more of them than the bound says."""
    rng = np.random.default_rng(7)
    for shared in (False, True):
        draws = rng.choice(NOISY.values_us, p=NOISY.counts / NOISY.count, size=(1_000, 2))
        if shared:
            draws[:, 1] = draws[:, 0]
        delays = draws.sum(axis=1)
        needed = 50_000.0
        seen = float((delays - 2 * 50 >= needed).sum())
        bound = pushed(operation(1_000, 150), NOISY, Histogram(np.zeros(1), np.ones(1)), 0.0)
        # A Poisson count of 200 has a deviation of 14.
        assert 0 < seen <= bound + 5 * bound**0.5


def test_a_step_of_the_clock_is_seen_and_matters_to_dates_only() -> None:
    stepped = noise(step_s=3.0)
    assert list(stepped.steps) == [3.0]
    assert found(operation(5, 150), stepped)["clock-steps"] == "met"


BUSY = """
format = 1
name = "busy"
[target]
url = "http://127.0.0.1:{port}"
[load]
users = 200
ramp_up_s = 0
steady_s = 3
ramp_down_s = 0
timeout_s = 60
[pacing]
think = 10
[sla]
window_s = 3
[[operation]]
name = "Page"
limit_s = {limit_s}
step = [{{ get = "/page" }}]
"""


@contextmanager
def hogs() -> Iterator[None]:
    """Two of them for every processor."""
    command = [sys.executable, "-c", "while True: pass"]
    processes = [subprocess.Popen(command) for _ in range(2 * (psutil.cpu_count() or 1))]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()


@contextmanager
def idler() -> Iterator[int]:
    """A process that stands for the service: what this one starts would count as the service's own."""
    with subprocess.Popen(["sleep", "600"]) as process:
        try:
            yield process.pid
        finally:
            process.kill()


def measured(folder: Path, limit_s: float) -> Run:
    with idler() as service, scripted_site.site(lambda _path, _number: scripted_site.OK) as port:
        folder.mkdir()
        (folder / "s.toml").write_text(BUSY.format(port=port, limit_s=limit_s))
        scenario = load_scenario(folder / "s.toml")
        job = Job(scenario, sut_of(scenario, processes={"sut": service}), RustEngine(), ["test"])
        with hogs():
            return measure_scenario(
                job, folder / "run", load=None, seed=1, interrupt=Interrupt(), progress=Silent()
            )


def verdicts(run: Run) -> dict[str, Any]:
    return {check.name: check.verdict for check in run.validity.checks if check.about == "generator"}


@pytest.mark.long
def test_a_machine_that_is_busy_with_other_work_spoils_tight_limits_only(tmp_path: Path) -> None:
    tight, ample = measured(tmp_path / "tight", 0.0005), measured(tmp_path / "ample", 30.0)
    for run in (tight, ample):
        assert run.noise is not None and run.noise.foreign_cpu_share is not None
        assert run.noise.foreign_cpu_share > 0.3 and run.noise.control_ms.p99 is not None
        assert run.noise.control_cpu_cores is not None and run.noise.control_cpu_cores < 0.1
        assert run.noise.compute_us and run.noise.memory_us, "how fast the machine was"
    assert tight.goals["SLA-1"].verdict == "missed"
    assert tight.validity.state == "invalid" and "missed" in verdicts(tight).values()
    assert ample.goals["SLA-1"].verdict != "missed" and set(verdicts(ample).values()) == {"met"}
    assert ample.validity.state != "invalid", ample.validity


def test_the_observer_tells_foreign_work_from_its_own() -> None:
    with idler() as service, hogs():
        observer = Observer({"sut": service})
        time.sleep(0.5)
        host = observer.sample()["host"]
    assert host["foreign_cores"] > 0.5 * host["cpu_cores"] > 0
    assert abs(host["clock_step_s"]) < 0.005
