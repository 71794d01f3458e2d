"""The checks, on simulated users: good runs pass, each fault is caught by its own check."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import folders
import pytest
import simulated

LONG = {"users": 100, "ramp_up_s": 20.0, "steady_s": 100.0}


def quick(rng: Any, name: str) -> float:
    return float(rng.uniform(0.01, 0.05))


def checks(result: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {check["name"]: check for check in result["validity"]["checks"]}


@pytest.mark.parametrize("kind", ["cycle", "think"])
@pytest.mark.parametrize("mean_s", [0.5, 2.0])
def test_a_good_run_is_valid(tmp_path: Path, kind: str, mean_s: float) -> None:
    plan = simulated.plan(**LONG, kind=kind, mean_s=mean_s)
    result = folders.made(tmp_path / "run", plan, simulated.windows(plan, quick))
    assert result["validity"]["state"] == "valid", result["validity"]["checks"]
    assert all(check["verdict"] == "met" for check in checks(result).values())


CROWD = {"users": 60, "ramp_up_s": 20.0, "steady_s": 240.0, "mean_s": 5.0}
COME_AND_GO = [[80.0, 300], [160.0, 60]]
WALK = {
    "Home": {"Search": 0.9, "Buy": 0.1},
    "Search": {"Search": 0.8, "Buy": 0.2},
    "Buy": {"Home": 0.05, "Search": 0.95},
}
"""Who begins at Home comes back there seldom."""


def crowd(kind: str, profile: list[list[float]], users: int = 60) -> dict[str, Any]:
    plan = simulated.plan(**{**CROWD, "users": users}, kind=kind, mix=WALK)
    plan["load"]["profile"] = profile
    return plan


@pytest.mark.parametrize("kind", ["cycle", "think"])
@pytest.mark.parametrize(
    "profile", [COME_AND_GO, [[80.0, 300]], [[40.0 * step, 60 + 60 * step] for step in range(1, 5)]]
)
def test_users_that_join_later_are_no_fault(tmp_path: Path, kind: str, profile: list[list[float]]) -> None:
    """Their walks are young, and what they are in at the end began with nobody before them."""
    plan = crowd(kind, profile)
    for seed in range(1, 6):
        result = folders.made(tmp_path / f"{seed}", plan, simulated.windows(plan, quick, seed))
        flow = {name: checks(result)[name]["verdict"] for name in ("littles-law", "mix", "pace")}
        assert set(flow.values()) == {"met"}, (seed, result["validity"]["checks"])


def test_a_crowd_of_which_some_hang_breaks_littles_law(tmp_path: Path) -> None:
    plan = crowd("think", COME_AND_GO)
    fewer = crowd("think", [[80.0, 250], [160.0, 50]], users=50)
    windows = simulated.windows(fewer, quick)
    for window, whole in zip(windows, simulated.windows(plan, quick), strict=True):
        window["users"] = whole["users"]
    check = checks(folders.made(tmp_path / "run", plan, windows))["littles-law"]
    assert check["verdict"] == "missed" and check["about"] == "overload"


def test_the_summary_is_that_of_the_simulation(tmp_path: Path) -> None:
    plan = simulated.plan(**LONG, kind="think")
    result = folders.made(tmp_path / "run", plan, simulated.windows(plan, quick))
    home = result["operations"]["Home"]
    assert result["throughput_ops_per_s"] == pytest.approx(100 / (1.9865 + 0.03), rel=0.03)
    assert home["response_ms"]["p50"] == pytest.approx(30, rel=0.05)
    assert home["response_ms"]["max"] <= 50.1
    assert home["pace_mean_s"] == pytest.approx(1.9865, rel=0.05)
    assert result["generator"] == {
        "cpu_share": pytest.approx(0.1),
        "threads": 1,
        "wake_lag_ms_p99": 0.05,
        "read_later": None,
    }


def test_users_that_hang_break_littles_law(tmp_path: Path) -> None:
    plan = simulated.plan(**LONG)
    windows = simulated.windows({**plan, "load": {**plan["load"], "users": 90}}, quick)
    for window in windows:
        window["users"] = min(100, window["users"] * 100 // 90)
    check = checks(folders.made(tmp_path / "run", plan, windows))["littles-law"]
    assert check["verdict"] == "missed" and check["about"] == "overload"


def test_users_that_hang_are_seen_in_a_short_run_too(tmp_path: Path) -> None:
    plan = simulated.plan(users=400, ramp_up_s=5.0, steady_s=5.0)
    windows = simulated.windows({**plan, "load": {**plan["load"], "users": 200}}, quick)
    for window in windows:
        window["users"] *= 2
    result = folders.made(tmp_path / "run", plan, windows)
    assert checks(result)["littles-law"]["verdict"] == "missed"
    assert not checks(result)["mix"]["required"], "the mix of so short a run cannot be judged"


def test_a_strayed_mix_is_caught(tmp_path: Path) -> None:
    plan = simulated.plan(**LONG)
    other = copy.deepcopy(plan)
    other["mix"]["Home"] = {"Home": 0.35, "Search": 0.65}
    result = folders.made(tmp_path / "run", plan, simulated.windows(other, quick))
    assert checks(result)["mix"]["verdict"] == "missed"
    assert "Home 53" in checks(result)["mix"]["measured"] or "Search 46" in checks(result)["mix"]["measured"]


def test_a_service_slower_than_the_pace_is_caught(tmp_path: Path) -> None:
    plan = simulated.plan(**LONG, limit_s=5.0)
    result = folders.made(tmp_path / "run", plan, simulated.windows(plan, lambda rng, name: 1.0))
    check = checks(result)["pace"]
    assert check["verdict"] == "missed" and check["about"] == "overload"
    goal = result["goals"]["SLA-2"]
    assert (goal["measured"], goal["verdict"]) == (1.0, "met"), "every answer came within its limit"
    assert result["validity"]["state"] == "valid", "slow is not wrong"


@pytest.mark.parametrize("seed", range(1, 6))
def test_what_chance_explains_is_not_missed(tmp_path: Path, seed: int) -> None:
    plan = simulated.plan(users=2, ramp_up_s=1.0, steady_s=30.0)
    result = folders.made(tmp_path / "run", plan, simulated.windows(plan, quick, seed=seed))
    assert not [check for check in checks(result).values() if check["verdict"] == "missed"]
    assert result["validity"]["state"] == "valid"


def test_a_run_of_a_handful_of_operations_is_inconclusive(tmp_path: Path) -> None:
    plan = simulated.plan(users=2, ramp_up_s=1.0, steady_s=4.0)
    result = folders.made(tmp_path / "run", plan, simulated.windows(plan, quick))
    assert sum(each["count"] for each in result["operations"].values()) < 20
    assert result["validity"]["state"] == "inconclusive"


def spoil_cpu(window: dict[str, Any]) -> None:
    window["cpu_user_s"] = 0.75


def spoil_wake_lag(window: dict[str, Any]) -> None:
    window["wake_lag"] = {"bucket": [50, simulated.bucket(11_000)], "count": [800, 200]}
    if window["second"] % 3 == 0:
        _make_late(window["operations"][0])


def _make_late(cell: dict[str, Any]) -> None:
    """One answer comes 2 ms after its limit of a second: too few to matter, unless starts were late."""
    cell["late"] += 1
    cell["response"]["count"][0] -= 1
    cell["response"]["bucket"].append(simulated.bucket(1_002_000))
    cell["response"]["count"].append(1)


def spoil_status(window: dict[str, Any]) -> None:
    if window["second"] % 10 == 0:
        window["operations"][0]["failed"][4] += 1


def spoil_marker(window: dict[str, Any]) -> None:
    if window["second"] == 50:
        window["operations"][0]["failed"][5] += 1


@pytest.mark.parametrize(
    ("spoil", "name", "about"),
    [
        (spoil_cpu, "generator-cpu", "generator"),
        (spoil_wake_lag, "late-starts", "generator"),
        (spoil_status, "error-rate", "service"),
        (spoil_marker, "wrong-bodies", "service"),
    ],
)
def test_each_fault_is_caught_by_its_check(tmp_path: Path, spoil: Any, name: str, about: str) -> None:
    plan = simulated.plan(**{**LONG, "users": 20})
    windows = simulated.windows(plan, quick)
    for window in windows:
        spoil(window)
    result = folders.made(tmp_path / "run", plan, windows)
    failed = [
        check["name"]
        for check in checks(result).values()
        if check["required"] and check["verdict"] == "missed"
    ]
    assert failed == [name]
    assert checks(result)[name]["about"] == about and checks(result)[name]["hint"]
    assert result["validity"]["state"] == ("invalid" if about == "generator" else "failed")


def test_the_scenarios_own_checks_allow_for_chance(tmp_path: Path) -> None:
    plan = simulated.plan(**LONG)
    own = [
        {"name": "requests", "count": "requests", "per": "Home", "min": 1, "max": 1},
        {"name": "too many asked", "count": "requests", "per": "Search", "min": 1.5},
        {"name": "users per rate", "measure": "users-per-throughput", "max": 2.05},
        {"name": "too quick asked", "measure": "users-per-throughput", "max": 1.5},
        {"name": "failed", "measure": "failed-share", "max": 0.001},
        {"name": "dropped", "measure": "dropped-share", "max": 0},
    ]
    found = checks(folders.made(tmp_path / "run", plan, simulated.windows(plan, quick), own))
    assert {check["name"]: found[check["name"]]["verdict"] == "met" for check in own} == {
        "requests": True,
        "too many asked": False,
        "users per rate": True,
        "too quick asked": False,
        "failed": True,
        "dropped": True,
    }


@pytest.mark.parametrize(("ramp_up_s", "state"), [(150.0, "invalid"), (20.0, "valid")])
def test_counts_per_operation_invalidate_runs_of_full_length_only(
    tmp_path: Path, ramp_up_s: float, state: str
) -> None:
    plan = simulated.plan(users=10, ramp_up_s=ramp_up_s, steady_s=300.0)
    own = [{"name": "requests", "count": "requests", "per": "Home", "min": 2}]
    result = folders.made(tmp_path / "run", plan, simulated.windows(plan, quick), own)
    assert checks(result)["requests"]["verdict"] == ("missed" if state == "invalid" else "open")
    assert result["validity"]["state"] == state


def test_a_run_that_never_reached_its_steady_state_is_invalid(tmp_path: Path) -> None:
    plan = simulated.plan()
    result = folders.made(tmp_path / "run", plan, simulated.windows(plan, quick)[:5])
    assert result["steady"] == {"start_s": 10.0, "end_s": 10.0}
    assert result["validity"]["state"] != "valid" and result["goals"]["SLA-1"]["verdict"] != "met"
    assert result["throughput_ops_per_s"] is None


def stalled(plan: dict[str, Any], seconds: float, at_s: float) -> list[dict[str, Any]]:
    """A run whose service answers nothing for some seconds from `at_s` on, seen as the engine sees it."""
    windows = simulated.windows(plan, quick)
    for window in windows:
        if at_s <= window["second"] < at_s + seconds:
            waiting = sum(operation["ok"] for operation in window["operations"])
            window["in_flight"] = waiting * (window["second"] + 1 - at_s)
            window["operations"] = []
    return windows


def test_a_stall_at_the_end_is_no_good_end(tmp_path: Path) -> None:
    plan = simulated.plan(users=100, ramp_up_s=20.0, steady_s=300.0)
    end = folders.made(tmp_path / "end", plan, stalled(plan, 6, 314))
    assert end["goals"]["SLA-2"]["verdict"] == "met", "its operations are in no window"
    assert checks(end)["littles-law"]["verdict"] == "met", "two per cent are within its tolerance"
    check = checks(end)["unanswered"]
    assert (check["verdict"], check["about"], end["validity"]["state"]) == ("missed", "overload", "valid")
    short = folders.made(tmp_path / "short", plan, stalled(plan, 1, 319))
    assert checks(short)["unanswered"]["verdict"] == "met", (
        "one second may still be answered within the limit"
    )
