"""Dollars of servers that came and went, against machine-hours and arithmetic done by hand."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadstone.cost.book import parse, shipped
from loadstone.cost.cases import elastic_cases, parse_instance
from loadstone.cost.elastic import fixed, shares
from loadstone.cost.plan import Month, bill
from loadstone.cost.record import elastic_record
from loadstone.errors import LoadstoneError
from loadstone.judge.elastic import spent
from loadstone.nodes.appliance import parse_appliance
from loadstone.nodes.measured import read_measured, read_requests_per_user, read_shown
from loadstone.nodes.shown import ElasticRun
from loadstone.stages.run_elasticity import Elasticity

TODAY = shipped().named("aws-2026")
HEAD = "book,provider,region,kind,sku,vcpu,memory_gib,unit,from_gb,to_gb,price_usd,as_of,source,term_months\n"
TERMS = parse(
    f"{HEAD}ours,us,hall,instance,big,2,8,hour,,,1.00,2026,Q,\nours,us,hall,instance,big,2,8,hour,,,0.50,2026,Q,12\n",
    "terms.csv",
)
LENGTH_S = 3600.0
MOST = 4


def record(told: list[dict[str, Any]], windows: list[dict[str, Any]] | None = None) -> Elasticity:
    """As `judge.elastic` makes it of the events `told`."""
    spent_s = spent(told, LENGTH_S)
    return Elasticity.model_validate(
        {
            "service": "app",
            "policy": "target-utilisation",
            "least": 1,
            "most": MOST,
            "servers": [{"at_s": one["at_s"], "servers": one["servers"]} for one in told],
            "started": [
                {"host": "web", "asked_s": one["asked_s"], "serving_s": one["at_s"]}
                for one in told
                if one["kind"] == "server-added"
            ],
            "removed": sum(one["kind"] == "server-removed" for one in told),
            "windows": windows or [],
            "machine_h": spent_s / 3600,
            "fixed_machine_h": MOST * LENGTH_S / 3600,
            "saved_share": 1 - spent_s / (MOST * LENGTH_S),
        }
    )


TOLD = [
    {"kind": "servers", "at_s": 0.0, "servers": 1},
    {"kind": "server-added", "asked_s": 900.0, "at_s": 960.0, "servers": 2},
    {"kind": "server-removed", "at_s": 2700.0, "servers": 1},
]
"""One server for the hour, a second one for half of it."""


def test_a_server_is_paid_from_when_it_was_asked_for() -> None:
    assert shares(record(TOLD)) == ((1, Decimal(1)), (1, Decimal("0.5")))


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 500), st.integers(0, 60)), max_size=20))
def test_the_shares_are_the_machine_hours(steps: list[tuple[bool, int, int]]) -> None:
    told: list[dict[str, Any]] = [{"kind": "servers", "at_s": 0.0, "servers": 1}]
    at, servers = 0.0, 1
    for grows, after_s, start_s in steps:
        at += after_s
        if grows and servers < MOST and at + start_s < LENGTH_S:
            servers += 1
            told.append({"kind": "server-added", "asked_s": at, "at_s": at + start_s, "servers": servers})
            at += start_s
        elif not grows and servers > 1 and at < LENGTH_S:
            servers -= 1
            told.append({"kind": "server-removed", "at_s": at, "servers": servers})
    found = record(told)
    paid = shares(found)
    assert sum(count for count, _ in paid) == max(one["servers"] for one in told)
    assert all(0 < share <= 1 for _, share in paid)
    assert float(sum(count * share for count, share in paid)) == pytest.approx(found.machine_h)


def run_folder(folder: Path, **changes: Any) -> Path:
    """A run of 100 users and then of 300, half of its time each."""
    windows = [
        {"start_s": 0, "end_s": 1800, "users": 100, "servers": 1, "within": {}, "kept": {"SLA-1": True}},
        {"start_s": 1800, "end_s": 3600, "users": 300, "servers": 2, "within": {}, "kept": {"SLA-1": False}},
    ]
    content = {
        "format": 2, "kind": "run", "operations": {}, "sla": {}, "throughput_ops_per_s": 40.0,
        "load": {"users": 20, "ramp_up_s": 0, "steady_s": 3600, "ramp_down_s": 0},
        "goals": {"SLA-1": {"name": "SLA-1", "verdict": "met", "limit": 0.9}},
        "bytes": {"in_per_op": 1024.0, "out_per_op": 0.0},
        "validity": {"state": "valid", "checks": []},
        "elasticity": record(TOLD, windows).model_dump(mode="json"),
    }  # fmt: skip
    (folder / "run.json").write_text(json.dumps(content | changes))
    return folder


def elastic(folder: Path) -> ElasticRun:
    measured = read_shown(run_folder(folder))
    assert isinstance(measured, ElasticRun)
    return measured


def test_a_run_is_priced_by_its_own_servers_and_its_mean_users(tmp_path: Path) -> None:
    measured = elastic(tmp_path)
    assert measured.warnings == ["users are the mean of the run's; there were 300 at most"]
    wanted = [parse_instance(machine, TODAY) for machine in ("m7i.large", "m5.large:1")]
    case = elastic_cases(measured, wanted)["SLA-1"]
    price, other = (TODAY.machine(sku).price_usd for sku in ("m7i.large", "m5.large"))
    priced, kept = bill(case, TODAY, Month()), fixed(case, TODAY, Month())
    assert priced.total_without_egress.value[12] == 720 * (Decimal("1.5") * price + other)
    assert kept.total_without_egress.value[12] == 720 * (4 * price + other)
    assert priced.without_egress.users == 200
    # 40 operations/s of 1 KiB, whatever the number of users says.
    gigabytes = Decimal(40 * 1024 * 720 * 3600) / 2**30
    (egress,) = [line for line in priced.lines if line.transfer and line.row.kind == "egress"]
    assert float(egress.quantity) == pytest.approx(float(gigabytes))
    told = elastic_record(measured.servers, priced, kept)
    assert (told.most, told.mean, told.windows, told.broken) == (4, 1.5, 2, {"SLA-1": 1})
    assert told.usd_saved_per_month.over_1 == pytest.approx(float(720 * Decimal("2.5") * price))


def test_committed_servers_that_run_most_of_the_time(tmp_path: Path) -> None:
    """From 12 months on a commitment at half the price pays for what runs more than half of the time."""
    case = elastic_cases(elastic(tmp_path), [parse_instance("big", TERMS)])["SLA-1"]
    spent = bill(case, TERMS, Month()).total_without_egress.value
    kept = fixed(case, TERMS, Month()).total_without_egress.value
    assert (spent[1], spent[12]) == (720 + 360, 360 + 360)
    assert (kept[1], kept[12]) == (4 * 720, 4 * 360)


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    measured = elastic(tmp_path)
    for wrong in (["m7i.large:2"], ["m7i.large", "m5.large"]):
        with pytest.raises(LoadstoneError, match="without a count"):
            elastic_cases(measured, [parse_instance(each, TODAY) for each in wrong])


def test_requests_of_a_user_are_those_of_the_mean(tmp_path: Path) -> None:
    """Not of the 20 users that the run began with."""
    assert read_requests_per_user(run_folder(tmp_path, requests_per_s=80.0), "SLA-1") == Fraction(80, 200)


def test_no_plan_rests_on_it(tmp_path: Path) -> None:
    ran, image = run_folder(tmp_path), tmp_path / "image"
    with pytest.raises(LoadstoneError, match="its servers came and went"):
        read_measured(ran)
    image.mkdir()
    node = {"type": "appliance", "start_s": 0.1, "memory_mib": 32}
    run_folder(image, elasticity=None, node=node)
    with pytest.raises(LoadstoneError, match="its servers came and went"):
        parse_appliance(f"from={image},against={ran}", None)
