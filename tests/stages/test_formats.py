"""Formats before the present one of each record."""

from __future__ import annotations

from typing import Any

import pytest

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind
from loadstone.stages.capacity import Capacity
from loadstone.stages.cost import Cost
from loadstone.stages.run import Check, Run

KIND = Kind("report-json", "a record", 1 << 20)
MONTHS = {"1": 1.5, "12": 2, "36": 3}
ENDS = {"1": [1, 2], "12": [None, 2], "36": [None, None]}


def cost(**changes: Any) -> dict[str, Any]:
    """A cost.json of format 1."""
    return {
        "format": 1, "kind": "cost", "inputs": {"from": "runs/a"}, "lines": [], "warnings": [],
        "per_user": {"SLA-1": {"users": 500} | MONTHS, "SLA-2": {"users": 250} | MONTHS},
        "per_user_interval": {"SLA-1": ENDS, "SLA-2": ENDS},
        "per_user_with_egress": {"SLA-1": {"users": 500} | MONTHS},
        "per_user_with_egress_interval": {"SLA-1": ENDS},
    } | changes  # fmt: skip


def test_cost_of_format_1_has_the_same_figures() -> None:
    found = Cost.of(cost(), KIND, "cost.json")
    first, second = found.per_user["SLA-1"], found.per_user["SLA-2"]
    assert (first.users, second.users) == (500, 250)
    for dollars in (first.usd_per_month, first.usd_per_month_with_egress, second.usd_per_month):
        assert dollars is not None and dollars.named() == MONTHS
    for ends in (first.usd_per_month_interval, first.usd_per_month_with_egress_interval):
        assert ends is not None and ends.named() == ENDS
    assert second.usd_per_month_with_egress is None and second.usd_per_month_with_egress_interval is None
    assert found.inputs.folder == "runs/a"
    written = found.content()
    assert written["format"] == 3 and Cost.of(written, KIND, "cost.json") == found


@pytest.mark.parametrize(
    "changes",
    [
        {"per_user": None},
        {"per_user": []},
        {"per_user": {"SLA-1": 3}},
        {"per_user": {"SLA-1": {"users": 1, "1": 1}}},
        {"per_user_interval": 3},
        {"per_user_interval": {"SLA-1": {"1": [1], "12": [1, 2], "36": [1, 2]}}},
        {"per_user_with_egress": {"SLA-1": "much"}},
    ],
)
def test_a_broken_cost_of_format_1_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(LoadstoneError, match=r"per_user"):
        Cost.of(cost(**changes), KIND, "cost.json")


def test_optional_parts_of_format_1_may_be_absent() -> None:
    content = {key: value for key, value in cost().items() if not key.startswith("per_user_")}
    assert Cost.of(content, KIND, "cost.json").per_user["SLA-1"].usd_per_month_interval is None


def run(valid: bool, checks: list[dict[str, Any]]) -> Run:
    """A run.json of format 1."""
    worst = {"operation": "Home", "window_start_s": 5, "share": 0.95}
    content = {
        "format": 1, "kind": "run", "operations": {},
        "load": {"ramp_up_s": 5, "steady_s": 20, "ramp_down_s": 1},
        "sla": {
            "window_s": 20, "SLA-1": {"percent": 90, "met": True, "worst": worst},
            "SLA-2": {"percent": 99, "met": False, "worst": worst},
        },
        "validity": {"valid": valid, "checks": checks},
    }  # fmt: skip
    return Run.of(content, KIND, "run.json")


def check(**changes: Any) -> dict[str, Any]:
    """A check of format 1 that passed."""
    return {"name": "mix", "passed": True, "about": "load", "required": True} | changes


def test_a_run_of_format_1_met_its_slas_or_missed_them() -> None:
    found = run(True, [check()])
    first, second = found.goals["SLA-1"], found.goals["SLA-2"]
    assert (first.verdict, second.verdict, second.limit, second.measured) == ("met", "missed", 0.99, 0.95)
    assert (first.operation, first.window_start_s, first.low) == ("Home", 5, None)
    assert found.validity.state == "valid" and found.sla.content() == {"window_s": 20}
    written = found.content()
    assert written["format"] == 3 and Run.of(written, KIND, "run.json") == found


@pytest.mark.parametrize(
    ("checks", "verdicts", "state"),
    [
        ([check(passed=False, required=False)], ["open"], "valid"),
        ([check(passed=False)], ["missed"], "invalid"),
        ([check(passed=False), check(passed=False, about="service")], ["missed", "missed"], "failed"),
        ([check(passed=False, about=who) for who in ("service", "generator")], ["missed"] * 2, "invalid"),
        ([{"name": "mix", "passed": True}], ["met"], "invalid"),
    ],
)  # fmt: skip
def test_whether_a_run_of_format_1_was_valid_follows_from_its_checks(
    checks: list[dict[str, Any]], verdicts: list[str], state: str
) -> None:
    found = run(False, checks).validity if state != "valid" else run(True, checks).validity
    assert [one.verdict for one in found.checks] == verdicts and found.state == state


@pytest.mark.parametrize(
    "broken", [{"sla": 3}, {"sla": {"SLA-1": 3}}, {"validity": 3}, {"validity": {"checks": [3]}}]
)
def test_a_broken_run_of_format_1_is_refused(broken: dict[str, Any]) -> None:
    content = {"format": 1, "kind": "run", "load": {"ramp_up_s": 5, "steady_s": 20, "ramp_down_s": 1}}
    whole = content | {"operations": {}, "sla": {}, "validity": {"valid": True, "checks": []}}
    Run.of(dict(whole), KIND, "run.json")
    with pytest.raises(LoadstoneError, match=next(iter(broken)) + "|goals"):
        Run.of(whole | broken, KIND, "run.json")


def capacity(**changes: Any) -> dict[str, Any]:
    """A capacity.json of format 1."""
    held = {"users": 20, "low": 20, "high": 40, "noisy": [], "limited_by": None}
    rows = [
        {"folder": "runs/0001-20", "users": 20, "valid": True, "verdict": {"SLA-1": "uncertain"}},
        {"folder": "runs/0002-20", "users": 20, "valid": False, "verdict": {"SLA-1": "invalid"}},
        {"folder": "runs/0003-20", "users": 20, "valid": True, "verdict": {"SLA-1": "pass"}},
        {"folder": "runs/0004-40", "users": 40, "valid": False, "verdict": {"SLA-1": "fail"}},
    ]
    return {
        "format": 1, "kind": "capacity", "outcome": "complete", "SLA-1": held, "SLA-2": None, "runs": rows
    } | changes  # fmt: skip


def test_a_search_of_format_1_keeps_what_it_knew() -> None:
    found = Capacity.of(capacity(), KIND, "capacity.json")
    held = found.named()["SLA-1"]
    assert (held.load, held.low, held.high, held.verdict, held.ended_by) == (20, 20, 40, "met", "tolerance")
    assert [row.evidence for row in found.runs] == [True, False, True, True]
    assert [(load.load, load.runs, load.verdict["SLA-1"]) for load in found.loads] == [
        (20, 2, "met"), (40, 1, "missed")
    ]  # fmt: skip
    assert Capacity.of(found.content(), KIND, "capacity.json") == found


def test_a_search_of_format_1_that_decided_nothing_has_no_users() -> None:
    nothing = {"users": 0, "low": 0, "high": None, "noisy": [20]}
    found = Capacity.of(capacity(**{"SLA-1": nothing, "outcome": "max-runs"}), KIND, "").named()["SLA-1"]
    assert (found.load, found.low, found.high, found.verdict) == (None, None, None, "open")
    assert found.ended_by == "max-runs"
    least = {"users": 0, "low": 0, "high": 1}
    assert Capacity.of(capacity(**{"SLA-1": least}), KIND, "").named()["SLA-1"].verdict == "missed"


def test_users_of_format_1_that_no_valid_run_held_are_withheld() -> None:
    rows = [row | {"valid": False} for row in capacity()["runs"]]
    found = Capacity.of(capacity(runs=rows), KIND, "").named()["SLA-1"]
    assert (found.load, found.low, found.verdict) == (None, 20, "open")


def test_a_check_may_name_every_operation_of_a_large_scenario() -> None:
    listed = ", ".join(f"an-operation-with-a-name-of-some-length-{number} 12" for number in range(1000))
    check = Check(name="enough-operations", verdict="open", measured=listed, expected="100 of each", hint="")
    assert check.measured == listed
