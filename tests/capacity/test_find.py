"""The search with run folders: simulated users, a queue whose capacity is known."""

from __future__ import annotations

import json
import random
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import simulated

from loadstone import report
from loadstone.capacity import Forecast, Limits, Options, Probes, Search, find, lengths, resumable
from loadstone.capacity.steadiness import Steadiness
from loadstone.cli.capacity import table
from loadstone.errors import LoadstoneError
from loadstone.intake import Kind
from loadstone.judge import Measurement
from loadstone.measure import External, Interrupt, Job, Silent, measure_scenario
from loadstone.nodes.measured import read_measured
from loadstone.report import answer
from loadstone.scenario import load_scenario
from loadstone.stages.capacity import Capacity
from loadstone.stages.run import NoiseFigures, Run

CAPACITY = 70
KIND = Kind("run-folder", "a record of a search")


def queue(users: int) -> simulated.Respond:
    """A service that answers at once up to its capacity, and too late to one in three beyond."""

    def respond(rng: random.Random, _name: str) -> float:
        if users > CAPACITY and rng.random() < 1 / 3:
            return rng.uniform(1.05, 1.2)
        return rng.uniform(0.01, 0.03)

    return respond


@pytest.fixture
def job(queued: Callable[..., Job]) -> Job:
    return queued(queue)


def silent(_number: int, _search: Search, _left: Forecast) -> Silent:
    return Silent()


OPTIONS = Options(Limits(20, 1000, 0.05))


def test_the_capacity_is_found_and_every_run_kept(job: Job, tmp_path: Path) -> None:
    folder = tmp_path / "capacity"
    found = find(job, folder, OPTIONS, Interrupt(), silent).content()
    assert found == json.loads((folder / "capacity.json").read_text())
    assert found["outcome"] == "complete"
    assert found["binding"] == {"goal": "SLA-1", "operation": "Home", "load": found["SLA-1"]["high"]} or (
        found["binding"]["operation"] == "Search"
    )
    for sla in ("SLA-1", "SLA-2"):
        held = found[sla]
        assert held["last_passing"]["load"] == held["low"] == held["load"]
        for end in (held["last_passing"], held["first_failing"]):
            shown = {row["folder"] for row in found["runs"] if row["load"] == end["load"]}
            assert set(end["runs"]) <= shown and end["runs"]
        assert held["verdict"] == "met" and held["ended_by"] == "tolerance"
        assert held["low"] <= CAPACITY < held["high"] <= 1.05 * held["low"] + 1
        assert held["limited_by"]["share_at_high"] == pytest.approx(2 / 3, abs=0.05)
        assert held["bytes_in_per_op"] == 10 * held["bytes_out_per_op"] > 0
        assert held["throughput_ops_per_s"] == pytest.approx(held["low"] / 2, rel=0.1)
    for row in found["runs"]:
        summary = json.loads((folder / row["folder"] / "run.json").read_text())
        assert summary["load"]["users"] == row["load"]
    resets = (tmp_path / "resets").read_text().splitlines()
    assert len(resets) == len(found["runs"]), "the data is reset before every run"
    seeds = [
        json.loads((folder / row["folder"] / "workload.json").read_text())["seed"] for row in found["runs"]
    ]
    assert seeds == list(range(1, len(seeds) + 1))
    assert "not compliant: short window (30 s instead of 300 s)" in found["warnings"]
    assert not found["compliant"] and found["log10_accounts"] == 3
    assert all(row["trend"] == "steady" and len(row["response_s"]) == 3 for row in found["runs"])
    time = found["time"]
    assert (
        time["worst_s"] == 60 * (45 + 30) and 0 < time["expected_s"] < time["worst_s"] and time["left_s"] == 0
    )


def test_probes_say_where_to_begin_and_are_no_evidence(job: Job, tmp_path: Path) -> None:
    folder = tmp_path / "capacity"
    short = replace(job, scenario=load_scenario(tmp_path / "queue.toml", {"load.steady_s": "20"}))
    watched: list[int] = []

    def watch(_number: int, users: int) -> Silent:
        watched.append(users)
        return Silent()

    options = Options(Limits(10, 1000, 0.05))
    found = find(job, folder, options, Interrupt(), silent, Probes(short, watch)).content()
    assert watched == [row["load"] for row in found["probes"]] == [10, 20, 40, 80]
    assert [row["held"] for row in found["probes"]] == [True, True, True, False]
    assert all((folder / row["folder"] / "run.json").is_file() for row in found["probes"])
    # Between 40 and 80 by ratio, then a step of 10 %.
    assert [row["load"] for row in found["runs"]][:2] == [57, 63]
    assert found["SLA-1"]["low"] <= CAPACITY < found["SLA-1"]["high"] <= 1.05 * found["SLA-1"]["low"] + 1
    points = found["scaling"]["points"]
    assert [point["load"] for point in points if point.get("short")] == [10, 20, 40]
    runs = {row["load"] for row in found["runs"] if row["state"] == "valid" and row["trend"] == "steady"}
    assert {point["load"] for point in points if not point.get("short")} == runs
    # Users of this service do in proportion whatever their number: half an operation a second each.
    assert found["scaling"]["alone"]["value"] == pytest.approx(0.5, rel=0.1)
    assert found["scaling"]["straight"] and found["scaling"]["curve"][-1]["load"] == max(runs)
    without = find(job, tmp_path / "without", options, Interrupt(), silent).content()
    assert without["probes"] == []
    assert len(found["runs"]) < len(without["runs"])


def test_a_generator_without_room_ends_the_probes(job: Job, tmp_path: Path) -> None:
    other = Job(job.scenario, job.sut, Small(queue), job.command)
    probes = Probes(other, lambda _number, _users: Silent())
    found = find(other, tmp_path / "capacity", OPTIONS, Interrupt(), silent, probes).content()
    assert [row["load"] for row in found["probes"]] == [20, 40]
    assert found["outcome"] == "generator" and 48 <= found["SLA-1"]["low"] <= 50


class Busy(simulated.SimulatedEngine):
    """A generator at its end above 30 users."""

    def start(self, plan_json: str) -> simulated.SimulatedRun:
        plan = json.loads(plan_json)
        windows = simulated.windows(plan, queue(0), plan["seed"])
        for window in windows:
            window["cpu_user_s"] = 0.1 if plan["load"]["users"] <= 30 else 0.9
        return simulated.SimulatedRun(windows)


def test_a_busy_generator_bounds_the_search_and_is_named(job: Job, tmp_path: Path) -> None:
    other = Job(job.scenario, job.sut, Busy(queue), job.command)
    found = find(other, tmp_path / "capacity", OPTIONS, Interrupt(), silent).content()
    assert found["outcome"] == "generator"
    assert found["SLA-1"]["low"] in (28, 29, 30) and found["SLA-1"]["high"] is None
    assert [row["load"] for row in found["runs"]][:3] == [20, 40, 40]
    assert any("generator is the limit" in warning for warning in found["warnings"])


class Small(simulated.SimulatedEngine):
    """A generator without room for more than 50 users."""

    def start(self, plan_json: str) -> simulated.SimulatedRun:
        if json.loads(plan_json)["load"]["users"] > 50:
            raise LoadstoneError("plan-refused", "too few open files")
        return super().start(plan_json)


def test_more_users_than_the_generator_has_room_for_bound_the_search(job: Job, tmp_path: Path) -> None:
    other = Job(job.scenario, job.sut, Small(queue), job.command)
    found = find(other, tmp_path / "capacity", OPTIONS, Interrupt(), silent).content()
    assert found["outcome"] == "generator"
    assert 48 <= found["SLA-1"]["low"] <= 50 and found["SLA-1"]["high"] is None
    with pytest.raises(LoadstoneError, match=r"error\[plan-refused\]"):
        options = Options(Limits(60, 1000, 0.05))
        find(other, tmp_path / "none", options, Interrupt(), silent)


def test_a_search_that_decided_nothing_knows_no_users(job: Job, tmp_path: Path) -> None:
    """Nothing was late, and still too little was seen to be sure."""
    folder = tmp_path / "capacity"
    short = replace(job, scenario=load_scenario(tmp_path / "queue.toml", {"load.steady_s": "4"}))
    options = Options(Limits(2, 1000, repeats=1, runs=1))
    found = find(short, folder, options, Interrupt(), silent).content()
    for sla in ("SLA-1", "SLA-2"):
        held = found[sla]
        assert held["load"] is None and held["low"] is None and held["high"] is None
        assert held["verdict"] == "open" and held["ended_by"] == "max-runs"
        assert held["last_passing"] is None and held["throughput_ops_per_s"] is None
    chapter = report.read_chapter(folder)
    assert "not decided" in report.sentence(chapter)
    assert "valid" not in [badge.words for badge in answer.badges(chapter)]
    assert read_measured(folder).at == {}, "nothing may be computed from it"


def test_ctrl_c_keeps_the_interval_so_far(job: Job, tmp_path: Path) -> None:
    interrupt = Interrupt()

    class Impatient(Silent):
        def __init__(self, number: int) -> None:
            self._number = number

        def window(self, window: Mapping[str, Any]) -> None:
            interrupt.requested |= self._number == 4 and window["second"] == 20

    found = find(
        job, tmp_path / "capacity", OPTIONS, interrupt, lambda n, _search, _left: Impatient(n)
    ).content()
    assert found["outcome"] == "interrupted"
    assert (found["SLA-1"]["low"], found["SLA-1"]["high"]) == (40, 80)
    assert found["runs"][-1]["outcome"] == "interrupted"
    assert not found["runs"][-1]["evidence"]
    assert found["runs"][-1]["verdict"] == {"SLA-1": "open", "SLA-2": "open"}
    assert found["SLA-1"]["ended_by"] == "interrupted"


def test_a_search_that_ctrl_c_ended_is_gone_on_with(job: Job, tmp_path: Path) -> None:
    whole = find(job, tmp_path / "whole", OPTIONS, Interrupt(), silent).content()
    interrupt = Interrupt()

    class Impatient(Silent):
        def __init__(self, number: int) -> None:
            self._number = number

        def window(self, window: Mapping[str, Any]) -> None:
            interrupt.requested |= self._number == 4 and window["second"] == 20

    folder = tmp_path / "parts"
    find(job, folder, OPTIONS, interrupt, lambda number, _search, _left: Impatient(number))
    made: list[int] = []
    lefts: list[Forecast] = []

    def watch(number: int, _search: Search, left: Forecast) -> Silent:
        made.append(number)
        lefts.append(left)
        return Silent()

    found = find(job, folder, OPTIONS, Interrupt(), watch, resume=True).content()
    run_s = lengths(job).run_s
    assert lefts[0].worst_s == pytest.approx((60 - 3) * run_s), "a run takes as long as it always did"
    assert made[0] == 5, "three runs count, and the folder of the fourth stays"
    assert found["outcome"] == "complete" and len(found["runs"]) == 4 + len(made)
    assert [row["evidence"] for row in found["runs"][:4]] == [True] * 3 + [False], "listed, and no evidence"
    assert [row["load"] for row in found["runs"][:4]] == [row["load"] for row in whole["runs"][:4]]
    for sla in ("SLA-1", "SLA-2"):
        assert found[sla]["low"] <= CAPACITY < found[sla]["high"] <= 1.05 * found[sla]["low"] + 1
    with pytest.raises(LoadstoneError) as refused:
        find(job, folder, OPTIONS, Interrupt(), silent)
    assert refused.value.slug == "folder-in-use"


def test_a_search_that_ran_out_of_runs_is_gone_on_with(job: Job, tmp_path: Path) -> None:
    folder = tmp_path / "capacity"
    few = Options(replace(OPTIONS.limits, runs=3))
    ran_out = find(job, folder, few, Interrupt(), silent)
    assert ran_out.outcome == "max-runs"
    found = find(job, folder, OPTIONS, Interrupt(), silent, resume=True)
    assert found.outcome == "complete" and found.runs[:3] == ran_out.runs
    assert found.started_at == ran_out.started_at
    whole = find(job, tmp_path / "whole", OPTIONS, Interrupt(), silent)
    assert [row.load for row in found.runs] == [row.load for row in whole.runs]


def test_a_search_of_another_load_is_not_gone_on_with(job: Job, tmp_path: Path) -> None:
    folder = tmp_path / "capacity"
    with pytest.raises(LoadstoneError, match="holds no search") as missing:
        find(job, folder, OPTIONS, Interrupt(), silent, resume=True)
    assert missing.value.slug == "search-resume"
    few = Options(replace(OPTIONS.limits, runs=2))
    find(job, folder, few, Interrupt(), silent)
    kept = (folder / "capacity.json").read_bytes()
    other = load_scenario(tmp_path / "queue.toml", {"load.steady_s": "45", "sla.window_s": "45"})
    with pytest.raises(LoadstoneError, match=r"another load: load.steady_s: 30.0 there, 45.0 now") as refused:
        find(replace(job, scenario=other), folder, OPTIONS, Interrupt(), silent, resume=True)
    assert refused.value.slug == "search-resume"
    assert (folder / "capacity.json").read_bytes() == kept


def test_a_search_whose_runs_are_gone_is_not_gone_on_with(job: Job, tmp_path: Path) -> None:
    folder = tmp_path / "capacity"
    few = Options(replace(OPTIONS.limits, runs=2))
    before = find(job, folder, few, Interrupt(), silent)
    assert resumable(before, folder)
    for file in (folder / before.runs[1].folder).iterdir():
        if file.is_file() and file.name != "run.json":
            file.unlink()
    assert not resumable(before, folder)
    with pytest.raises(LoadstoneError, match="only summaries were kept") as refused:
        find(job, folder, OPTIONS, Interrupt(), silent, resume=True)
    assert refused.value.slug == "search-resume"


def test_a_service_that_goes_away_keeps_the_interval_so_far(job: Job, tmp_path: Path) -> None:
    port = int(job.scenario.target.url.rsplit(":", 1)[1]) if job.scenario.target.url else 0
    sut = External(
        "http://127.0.0.1", "127.0.0.1", port, reset=f"test $(wc -l < {tmp_path / 'resets'}) -lt 2"
    )
    (tmp_path / "resets").write_text("")
    counting = Job(job.scenario, sut, job.engine, job.command)

    class Counting(Silent):
        def ended(self) -> None:
            with (tmp_path / "resets").open("a") as file:
                file.write("run\n")

    with pytest.raises(LoadstoneError, match=r"error\[reset-failed\]"):
        find(counting, tmp_path / "capacity", OPTIONS, Interrupt(), lambda *_: Counting())
    kept = json.loads((tmp_path / "capacity" / "capacity.json").read_text())
    assert kept["outcome"] == "reset-failed"
    assert kept["SLA-1"]["low"] == 40


@pytest.mark.parametrize("local", [True, False], ids=["here", "elsewhere"])
def test_what_broke_while_the_machine_was_slow_does_not_count(
    local: bool, queued: Callable[..., Job], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[int] = []
    slow = {2, 3, 4}

    def respond_of(users: int) -> simulated.Respond:
        runs.append(users)
        # On the slow machine it carries half as many.
        return queue(2 * users if len(runs) in slow else users)

    def with_noise(*args: Any, **options: Any) -> Run:
        made = measure_scenario(*args, **options)
        memory_us = 400.0 if len(runs) in slow else 200.0
        speed = {"compute_us": 60.0, "memory_us": memory_us}
        noise = NoiseFigures(control_ms={}, foreign_cpu_share=0.0 if local else None, **speed)
        return made.model_copy(update={"noise": noise})

    monkeypatch.setattr(sys.modules["loadstone.capacity.find"], "measure_scenario", with_noise)
    found = find(queued(respond_of), tmp_path / "capacity", OPTIONS, Interrupt(), silent)
    broken = [row for row in found.runs if row.slowed and row.verdict["SLA-1"] == "missed"]
    if not local:
        assert not broken, "how fast this machine was says nothing of another"
        return
    assert broken and min(row.load for row in broken) <= CAPACITY, "the machine did disturb the search"
    assert found.outcome == "complete"
    for held in found.sla_1, found.sla_2:
        assert held.low is not None and held.high is not None
        assert held.low <= CAPACITY < held.high <= 1.05 * held.low + 1
    assert {number for number, row in enumerate(found.runs, 1) if row.slowed} <= slow
    assert "valid, slow machine" in table(found, tmp_path)
    assert "valid, slow machine" in report.page([report.read_chapter(tmp_path / "capacity")])
    (told,) = [one for one in found.warnings if "what they broke does not count" in one]
    assert f"of {len(found.runs)} runs the machine was slow" in told


def test_a_service_that_still_gets_better_wants_a_longer_ramp_up(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def steadiness(measurement: Measurement) -> Steadiness:
        return Steadiness("better" if measurement.users.max() > CAPACITY else "steady")

    monkeypatch.setattr("loadstone.capacity.ledger.steadiness", steadiness)
    options = Options(Limits(40, 80, 0.05, repeats=2))
    found = find(job, tmp_path / "capacity", options, Interrupt(), silent)
    assert found.outcome == "noisy" and found.sla_1.high is None
    (told,) = [one for one in found.warnings if "still got better" in one]
    better = sum(row.trend == "better" for row in found.runs)
    assert told.startswith(f"in {better} runs at loads that stayed open") and "load.ramp_up_s" in told


def test_a_used_folder_is_refused(job: Job, tmp_path: Path) -> None:
    (tmp_path / "capacity").mkdir()
    (tmp_path / "capacity" / "capacity.json").write_text("{}")
    with pytest.raises(LoadstoneError, match=r"error\[folder-in-use\]"):
        find(job, tmp_path / "capacity", OPTIONS, Interrupt(), silent)


def test_a_service_that_hangs_has_too_many_users_and_no_share_to_show(job: Job, tmp_path: Path) -> None:
    def hanging(users: int) -> simulated.Respond:
        return queue(users) if users <= 20 else lambda _rng, _name: 1e6

    other = Job(job.scenario, job.sut, simulated.SimulatedEngine(hanging), job.command)
    options = Options(Limits(20, 1000, 0.05, runs=2))
    found = find(other, tmp_path / "capacity", options, Interrupt(), silent).content()
    assert found["SLA-1"]["high"] == 40
    assert found["SLA-1"]["limited_by"] == {
        "operation": None,
        "share_at_high": None,
        "resource": None,
        "checks": ["operations"],
    }
    shown = table(Capacity.of(found, KIND, ""), tmp_path)
    assert "SLA-1: 20 users hold it, 40 break it, where not one operation ended" in shown


def test_ctrl_c_between_runs_ends_the_search_at_once(job: Job, tmp_path: Path) -> None:
    def impatient(number: int, _search: Search, _left: Forecast) -> Silent:
        if number == 3:  # made while the next run is still being prepared
            signal.raise_signal(signal.SIGTERM)
        return Silent()

    found = find(job, tmp_path / "capacity", OPTIONS, Interrupt(), impatient).content()
    assert found["outcome"] == "interrupted"
    assert (found["SLA-1"]["low"], found["SLA-1"]["high"]) == (40, None)
    assert [row["load"] for row in found["runs"]] == [20, 40]
    assert found == json.loads((tmp_path / "capacity" / "capacity.json").read_text())


def test_a_reset_that_ctrl_c_cut_short_is_no_failed_reset(job: Job, tmp_path: Path) -> None:
    interrupt = Interrupt()

    class Between(Silent):
        def ended(self) -> None:
            (tmp_path / "stop").touch()

    sut = External(
        "http://127.0.0.1",
        "127.0.0.1",
        int(job.sut.port) if isinstance(job.sut, External) else 0,
        reset=f"! test -e {tmp_path / 'stop'} || {{ kill -INT $PPID; exit 130; }}",
    )
    other = Job(job.scenario, sut, job.engine, job.command)
    found = find(other, tmp_path / "capacity", OPTIONS, interrupt, lambda *_: Between()).content()
    assert found["outcome"] == "interrupted"
    assert found["SLA-1"]["low"] == 20 and len(found["runs"]) == 1
