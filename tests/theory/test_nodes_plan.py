"""From a load to a plan: ceilings, intervals, choices, and what the folder says."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadstone.availability.deployments import ARA_CLOUD, DEPLOYMENTS, PF_ON_PREM, PF_ON_PREM_REPAIR
from loadstone.availability.search import smallest
from loadstone.errors import LoadstoneError
from loadstone.nodes.choices import parse_deployments, parse_node_type
from loadstone.nodes.integrity import NODE_TYPES
from loadstone.nodes.load import Load, demands
from loadstone.nodes.measured import read_measured
from loadstone.nodes.quantities import parse_rate
from loadstone.nodes.shown import despite
from loadstone.nodes.sizing import PerNode, nodes_needed
from loadstone.plan import compared
from loadstone.plan.named import Hazards

HAZARDS = Hazards(parse_rate("1/year"), Fraction(1, 15), Fraction(1, 3600), Fraction(999, 1000))
CAPACITY: dict[str, Any] = {
    "format": 1,
    "kind": "capacity",
    "name": "olio",
    "SLA-1": {
        "users": 500,
        "low": 500,
        "high": 640,
        "throughput_ops_per_s": 100.5,
        "bytes_in_per_op": 20000.0,
    },
    "SLA-2": {"users": 250, "low": 250, "high": None, "throughput_ops_per_s": 50.25},
    "runs": [],
    "warnings": ["not compliant: short window (20 s instead of 300 s)"],
}
LOAD = {"users": 200, "ramp_up_s": 5, "steady_s": 60, "ramp_down_s": 0}


def folder(tmp_path: Path, content: object, name: str = "capacity.json") -> Path:
    (tmp_path / name).write_text(json.dumps(content))
    return tmp_path


@given(st.integers(0, 3000), st.integers(0, 3000))
def test_smallest_is_smallest(edge: int, most: int) -> None:
    asked: list[int] = []

    def holds(n: int) -> bool:
        asked.append(n)
        return n >= edge

    assert smallest(holds, most) == (edge if edge <= most else None)
    assert max(asked) <= max(1, 2 * edge)


def test_nodes_needed_is_exact() -> None:
    # In floating point 402 / 40.2 is 10.000000000000002 and would ask for an eleventh node.
    assert nodes_needed(Fraction(402), Fraction("40.2")) == 10
    assert nodes_needed(Fraction("402.0001"), Fraction("40.2")) == 11


@pytest.mark.parametrize("deployment", DEPLOYMENTS)
def test_the_answer_is_the_smallest_that_meets_the_target(deployment: str) -> None:
    found = compared.option(20, "native", deployment, HAZARDS)
    assert found.extra is not None
    assert found.downtime_s_per_year is not None
    assert found.downtime_s_per_year <= HAZARDS.allowed_s()
    if found.extra:
        assert compared.downtime(20, found.extra - 1, deployment, HAZARDS) > HAZARDS.allowed_s()


@pytest.mark.parametrize("deployment", DEPLOYMENTS)
def test_a_stricter_target_never_takes_fewer(deployment: str) -> None:
    totals = []
    for nines in range(1, 6):
        stricter = Hazards(HAZARDS.crash, HAZARDS.failover, HAZARDS.repair, 1 - Fraction(1, 10**nines))
        total = compared.option(10, "native", deployment, stricter).total
        totals.append(10**9 if total is None else total)
    assert totals == sorted(totals)


def test_the_interval_turns_round() -> None:
    measured = PerNode("users", Fraction(500), Fraction(400), Fraction(640))
    (found,) = compared.options(
        Fraction(5000), measured, [NODE_TYPES["native"]], HAZARDS, [PF_ON_PREM_REPAIR]
    )
    # Eight nodes hold three nines without a spare: a mended one returns to service within the hour.
    assert (found.num, found.num_range, found.total_range) == (10, (8, 13), (8, 14))


def test_the_fewest_nodes_are_chosen_and_ties_go_to_the_first() -> None:
    found = compared.options(
        Fraction(10),
        PerNode("users", Fraction(1)),
        list(NODE_TYPES.values()),
        HAZARDS,
        list(DEPLOYMENTS),
    )
    assert len(found) == 15
    chosen = compared.fewest(found)
    assert chosen is not None
    assert (chosen.deployment, chosen.node_type, chosen.total) == (ARA_CLOUD, "native", 10)


def test_a_capacity_is_read_at_both_slas(tmp_path: Path) -> None:
    measured = read_measured(folder(tmp_path, CAPACITY))
    first, second = demands(Load(users=5000), measured, "SLA-2")
    assert (first.sla, first.per_node) == ("SLA-2", PerNode("users", Fraction(250), Fraction(250), None))
    assert (second.sla, second.per_node.high) == ("SLA-1", Fraction(640))
    by_throughput = demands(Load(ops_per_s=402.0), measured, "SLA-1")[0].per_node
    assert by_throughput == PerNode("operations/s", Fraction("100.5"), Fraction("100.5"), Fraction("128.64"))
    told = "SLA-2: nothing was found to break it; the node may carry more than 250 users"
    assert measured.warnings == [*CAPACITY["warnings"], told]


def test_one_run_is_a_lower_bound(tmp_path: Path) -> None:
    run = {
        "format": 1, "kind": "run", "name": "olio", "load": LOAD, "throughput_ops_per_s": 40.1,
        "bytes": {"in_per_op": 20000.0, "out_per_op": 900.0}, "operations": {},
        "sla": {"SLA-1": {"percent": 90, "met": True}, "SLA-2": {"percent": 99, "met": False}},
        "validity": {"valid": True, "checks": []},
    }  # fmt: skip
    measured = read_measured(folder(tmp_path, run, "run.json"))
    assert list(measured.at) == ["SLA-1"]
    assert (measured.at["SLA-1"].high, measured.at["SLA-1"].bytes_out_per_op) == (None, 900)
    assert [warning.split()[0:2] for warning in measured.warnings] == [["one", "run,"]]
    with pytest.raises(LoadstoneError, match="200 users do not hold SLA-2"):
        demands(Load(users=10), measured, "SLA-2")


@pytest.mark.parametrize(
    ("held", "why"),
    [
        (None, "neither that any number of users holds SLA-1 nor that any breaks it"),
        ({"users": None, "low": None, "high": None}, "neither that any number of users holds SLA-1"),
        ({"users": 0, "low": 0, "high": None}, "neither that any number of users holds SLA-1"),
        ({"users": 0, "low": 0, "high": 64}, "64 users break SLA-1, and of fewer nothing"),
    ],
)
def test_a_search_that_decided_nothing_gives_no_nodes(
    tmp_path: Path, held: dict[str, Any] | None, why: str
) -> None:
    measured = read_measured(folder(tmp_path, CAPACITY | {"SLA-1": held}))
    for each in (measured, despite(measured)):
        with pytest.raises(LoadstoneError, match=why) as caught:
            demands(Load(users=5000), each, "SLA-1")
        assert caught.value.slug == "withheld"
        assert "SLA-2 can be used: --sla SLA-2" in (caught.value.hint or "")
    assert [one.sla for one in demands(Load(users=5000), measured, "SLA-2")] == ["SLA-2"]
    assert why in measured.marks()["withheld"]["SLA-1"]


@pytest.mark.parametrize(
    ("state", "verdict", "why"),
    [
        ("invalid", "met", "the run is invalid"),
        ("failed", "met", "the service failed in this run"),
        ("inconclusive", "met", "saw too little"),
        ("valid", "open", "leaves open whether 200 users hold SLA-1"),
    ],
)
def test_a_run_that_shows_nothing_is_withheld_unless_asked_for(
    tmp_path: Path, state: str, verdict: str, why: str
) -> None:
    goals = {sla: {"name": sla, "verdict": verdict, "limit": 0.9} for sla in ("SLA-1", "SLA-2")}
    run = {
        "format": 2, "kind": "run", "name": "olio", "load": LOAD, "goals": goals, "operations": {}, "sla": {},
        "validity": {"state": state, "checks": []},
    }  # fmt: skip
    measured = read_measured(folder(tmp_path, run, "run.json"))
    assert measured.at == {}
    with pytest.raises(LoadstoneError, match=why) as caught:
        demands(Load(users=5000), measured, "SLA-1")
    assert "--anyway" in (caught.value.hint or "")
    taken = despite(measured)
    assert demands(Load(users=5000), taken, "SLA-1")[0].per_node.value == 200
    assert why in taken.marks()["anyway"][0]
    assert any(why in warning for warning in taken.warnings)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"format": 99}, 'must be an object with "format": 3'),
        ({"SLA-1": 7}, "`SLA-1` should be an object"),
        ({"SLA-1": {"users": "many"}}, "`SLA-1.load` should be a valid number"),
        ({"SLA-1": {"users": -5}}, "`SLA-1.load` is -5"),
        ({"SLA-1": {"users": True}}, "`SLA-1.load` should be a valid number"),
        ({"name": 3}, "`name` should be a valid string"),
    ],
)
def test_a_wrong_field_is_named(tmp_path: Path, change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(LoadstoneError) as caught:
        read_measured(folder(tmp_path, CAPACITY | change))
    assert complaint in str(caught.value)
    assert "capacity.json" in str(caught.value)
    assert caught.value.slug == "measured"


def test_no_record_and_no_json(tmp_path: Path) -> None:
    with pytest.raises(LoadstoneError, match=r"no capacity.json and no run.json"):
        read_measured(tmp_path)
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(LoadstoneError, match=r"error\[measured\]: not JSON"):
        read_measured(tmp_path)


@pytest.mark.parametrize(
    ("load", "complaint"),
    [
        (Load(), "give the load exactly once"),
        (Load(users=1, ops_per_s=1, users_per_node=1), "give the load exactly once"),
        (Load(users=1), "nothing says what one node carries"),
        (Load(users=1, ops_per_s_per_node=3), "the load is in users, but what one node carries is not"),
        (Load(ops_per_s=-1, ops_per_s_per_node=3), "`-1` is not a number above zero"),
        (Load(users=float("nan"), users_per_node=3), "`nan` is not a number above zero"),
    ],
)
def test_loads_that_make_no_sense(load: Load, complaint: str) -> None:
    with pytest.raises(LoadstoneError, match=complaint):
        demands(load, None, "SLA-1")


def test_node_types_and_deployments_by_name() -> None:
    assert parse_node_type("TX").throughput == Fraction(71, 100)
    assert parse_deployments(["pf on-premises", "ARA Cloud"]) == [ARA_CLOUD, PF_ON_PREM]
    assert parse_deployments(None) == list(DEPLOYMENTS)
    for wrong in ("irl", "tx:", "tx:0", "tx:1/0", "tx:nan"):
        with pytest.raises(LoadstoneError, match="nodes-input"):
            parse_node_type(wrong)
    with pytest.raises(LoadstoneError, match="did you mean `ARA cloud`"):
        parse_deployments(["ARA clod"])


def test_a_load_in_the_wrong_unit_is_refused_before_it_is_solved() -> None:
    with pytest.raises(LoadstoneError, match="needs 1,000,000,000 nodes, more than 100,000"):
        compared.options(
            Fraction(10**9), PerNode("users", Fraction(1)), [NODE_TYPES["native"]], HAZARDS, ["PF cloud"]
        )
