"""Agents are judged one by one; a run of a number of operations by what it made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import folders
import pytest
import simulated

from loadstone import record
from loadstone.intake import Kind
from loadstone.report.folder import Run
from loadstone.report.run_tables import agents as agents_table
from loadstone.report.table import Table
from loadstone.stages import run as stages

KIND = Kind("run-folder", "a record of a run")

LONG = {"users": 100, "ramp_up_s": 20.0, "steady_s": 100.0}
BUSY = {"bucket": [20_000], "count": [10]}  # bucket 20,000: some 400 ms
QUICK = {"bucket": [50], "count": [100]}


def quick(rng: Any, name: str) -> float:
    return float(rng.uniform(0.01, 0.05))


def own(requests: int, cpu_s: float, wake_lag: dict[str, list[int]]) -> dict[str, Any]:
    return {"users": 50, "in_flight": 0, "requests": requests, "cpu_s": cpu_s, "wake_lag": wake_lag}


def made(folder: Path, two: dict[str, Any], lost_at: int | None = None) -> dict[str, Any]:
    """A run of agents `one`, as good as can be, and `two`."""
    plan = simulated.plan(**LONG)
    journal = record.begin(folder, folders.beginning(plan))
    started = [
        {"host": host, "clock_offset_s": 0.25, "clock_error_s": 0.0001, "threads": 1}
        for host in ("one", "two")
    ]
    journal.event("agents", agents=started, note="")
    for window in simulated.windows(plan, quick):
        agents = {"one": own(30, 0.1, QUICK)}
        if lost_at is None or window["second"] < lost_at:
            agents["two"] = two
        journal.window({**window, "agents": agents})
        if window["second"] == lost_at:
            journal.event("agent-lost", agent="two", second=lost_at, reason="its host burnt", note="")
    journal.event("end", outcome="complete", at=record.now(), ended_s=122.0, threads=2, examples=[])
    journal.close()
    return record.recover(folder).content()


def checks(result: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {check["name"]: check for check in result["validity"]["checks"]}


def test_good_agents(tmp_path: Path) -> None:
    result = made(tmp_path / "run", own(10, 0.2, QUICK))
    assert result["validity"]["state"] == "valid", result["validity"]["checks"]
    one, two = result["agents"]
    assert one == {
        "host": "one", "clock_offset_s": 0.25, "clock_error_s": 0.0001, "threads": 1, "users": 50,
        "requests": 3000, "share": pytest.approx(one["share"]), "cpu_share": pytest.approx(0.1),
        "wake_lag_ms_p99": 0.05, "lost_at_s": None,
    }  # fmt: skip
    assert two["share"] == pytest.approx(one["share"] / 3)
    assert result["events"] == []


def test_the_bottleneck_is_named(tmp_path: Path) -> None:
    """Together they are busy for 54 % of their time: a sum would pass."""
    check = checks(made(tmp_path / "run", own(10, 0.98, QUICK)))["generator-cpu"]
    assert check["verdict"] == "missed"
    assert check["measured"] == "two: 98 % of its threads (1)"


def test_the_late_one_is_named(tmp_path: Path) -> None:
    check = checks(made(tmp_path / "run", own(10, 0.1, BUSY)))["late-starts"]
    assert check["verdict"] == "met", "answers are far within their limits, from the intended start"
    assert check["measured"].startswith("two: 100.00 %")


@pytest.mark.parametrize("second", [10, 70])
def test_a_lost_one_spoils_the_run(tmp_path: Path, second: int) -> None:
    result = made(tmp_path / "run", own(10, 0.2, QUICK), lost_at=second)
    check = checks(result)["agents"]
    assert check["verdict"] == "missed" and check["about"] == "load"
    assert check["measured"] == f"two lost: after {second} s, its host burnt"
    assert result["validity"]["state"] == "invalid"
    two = result["agents"][1]
    assert two["lost_at_s"] == second
    assert two["requests"] == 10 * max(0, second - 20)
    if second > 20:
        assert two["cpu_share"] == pytest.approx(0.2), "of the time that it lived"
    else:
        assert two["cpu_share"] is None


def test_the_table_of_agents(tmp_path: Path) -> None:
    result = made(tmp_path / "run", own(10, 0.2, QUICK), lost_at=70)

    def told(content: dict[str, Any]) -> Table | None:
        return agents_table(Run(tmp_path / "run", stages.Run.of(content, KIND, "run.json")))

    table = told(result)
    assert table is not None
    row = table.markdown().splitlines()[-1]
    assert row.startswith("| two | 50 | 500 |") and row.endswith("| 250 | 0.100 | 20 % | 0.05 | 70 |")
    assert told({**result, "agents": []}) is None
    old = {key: value for key, value in result.items() if key != "agents"}
    assert told(old) is None, "a folder of before there were agents"


def operations(folder: Path, wanted: int, ended_s: float) -> dict[str, Any]:
    plan = simulated.plan(users=5, ramp_up_s=0.0, steady_s=10.0, ramp_down_s=0.0)
    plan["load"]["operations"] = wanted
    windows = simulated.windows(plan, quick)
    journal = record.begin(folder, folders.beginning(plan))
    for window in windows:
        journal.window(window)
    journal.event("end", outcome="complete", at=record.now(), ended_s=ended_s, threads=1, examples=[])
    journal.close()
    return record.recover(folder).content()


def test_operations_are_counted_and_divided_by_their_time(tmp_path: Path) -> None:
    result = operations(tmp_path / "run", 10, 9.876543)
    count = sum(operation["count"] for operation in result["operations"].values())
    assert result["steady"] == {"start_s": 0.0, "end_s": 9.876543}
    assert result["throughput_ops_per_s"] == pytest.approx(count / 9.876543)
    assert checks(result)["operations"]["verdict"] == "met"
    law = checks(result)["littles-law"]
    assert not law["required"] and "not judged" in law["measured"]


def test_operations_that_were_not_made(tmp_path: Path) -> None:
    check = checks(operations(tmp_path / "run", 10_000, 10.0))["operations"]
    assert check["verdict"] == "missed" and check["required"]
    assert check["expected"] == "10000 within 10 s"
