"""Dollars against arithmetic done by hand."""

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadstone.availability.deployments import DEPLOYMENTS
from loadstone.cost.bill import GB, owned, rented, transferred
from loadstone.cost.book import parse, shipped
from loadstone.cost.cases import measured_cases, parse_instance, typed_cases
from loadstone.cost.plan import Bill, Month, bill
from loadstone.cost.record import cost_record
from loadstone.errors import LoadstoneError
from loadstone.nodes.integrity import NODE_TYPES
from loadstone.nodes.load import Load, demands
from loadstone.nodes.measured import read_measured
from loadstone.plan import compared
from loadstone.plan.compared_record import nodes_record
from loadstone.plan.named import Hazards
from loadstone.record import write_json
from loadstone.stages.cost import Inputs
from loadstone.stages.nodes import Nodes

PAPER = shipped().named("aws-2008")
TODAY = shipped().named("aws-2026")
HARDWARE = parse(
    "book,provider,region,kind,sku,vcpu,memory_gib,unit,from_gb,to_gb,price_usd,as_of,source,power_w,life_months\n"
    "ours,us,hall,owned,big,16,64,machine,,,3600,2026,Q,250,36\n"
    "ours,us,hall,owned,brief,16,64,machine,,,1200,2026,Q,0,24\n"
    "ours,us,hall,power,grid,,,kWh,,,0.20,2026,B,,\n",
    "hardware.csv",
)
HAZARDS = Hazards(Fraction(1, 31_557_600), Fraction(1, 15), Fraction(1, 3600), Fraction(999, 1000))


def capacity(tmp_path: Path, **changes: Any) -> Path:
    content: dict[str, Any] = {"format": 1, "kind": "capacity", "name": "olio", "runs": []}
    for sla, users, high in (("SLA-1", 500, 600), ("SLA-2", 250, None)):
        content[sla] = {"users": users, "low": users, "high": high, "throughput_ops_per_s": users / 5.0}
        content[sla]["bytes_in_per_op"] = 20480.0
    (tmp_path / "capacity.json").write_text(json.dumps(content | changes))
    return tmp_path


def planned(folder: Path, users: float) -> None:
    per_sla = {
        demand.sla: compared.options(
            demand.load, demand.per_node, [NODE_TYPES["native"]], HAZARDS, list(DEPLOYMENTS)
        )
        for demand in demands(Load(users=users), read_measured(folder), "SLA-1")
    }
    write_json(
        folder / Nodes.FILE,
        nodes_record({"load_users": users, "target_share": 0.999}, "SLA-1", per_sla, {}, []).content(),
    )


def dollars(each: Bill) -> list[Decimal]:
    return list(each.without_egress.value.values())


def test_configuration_four_of_the_paper() -> None:
    """Two instances at $0.80 an hour, 24 hours on 30 days, for 500 users at SLA-1 and 250 at SLA-2."""
    cases = typed_cases({"SLA-1": 500.0, "SLA-2": 250.0}, [parse_instance("c1.xlarge:2", PAPER)])
    bills = {sla: bill(case, PAPER, Month()) for sla, case in cases.items()}
    assert dollars(bills["SLA-1"]) == [Decimal("2.304")] * 3
    assert dollars(bills["SLA-2"]) == [Decimal("4.608")] * 3
    record = cost_record(Inputs(), bills, [])
    each = record.per_user["SLA-1"]
    assert (each.users, each.usd_per_month.named()) == (500, {"1": 2.304, "12": 2.304, "36": 2.304})
    (line,) = record.lines
    assert (line.quantity, line.price_usd, line.usd_per_month.over_1) == (1440, 0.8, 1152)
    assert line.row == "aws-2008 c1.xlarge us-east-1 2008-10 P08"


def test_an_owned_machine_is_dear_for_a_month_and_cheap_over_its_life() -> None:
    bought, power = owned(HARDWARE.machine("big"), 2, 1, Decimal(720), HARDWARE.of_kind("power")[0])
    assert list(bought.usd_per_month.values()) == [7200, 600, 200]
    assert power.quantity == 180  # kWh: one of the two is a cold spare
    assert list(power.usd_per_month.values()) == [36, 36, 36]


def test_a_machine_that_dies_within_the_horizon_is_bought_again() -> None:
    (bought,) = owned(HARDWARE.machine("brief"), 1, 1, Decimal(720), None)
    assert list(bought.usd_per_month.values()) == [1200, 100, Decimal(2400) / 36]


def test_power_needs_a_price() -> None:
    with pytest.raises(LoadstoneError, match="draws 250 W and ours has no price of power"):
        owned(HARDWARE.machine("big"), 1, 1, Decimal(720), None)


@pytest.mark.parametrize(
    ("gigabytes", "usd"),
    [
        (0, "0"), (100, "0"), (101, "0.09"), (10_240, "912.60"), (10_241, "912.685"),
        (51_200, "4394.20"), (153_600, "11562.20"), (153_601, "11562.25"),
    ],
)  # fmt: skip
def test_each_tier_prices_only_what_falls_into_it(gigabytes: int, usd: str) -> None:
    lines = transferred(TODAY.of_kind("egress"), gigabytes * GB, "egress")
    assert sum(line.usd_per_month[1] for line in lines) == Decimal(usd)
    assert sum(line.quantity for line in lines) == gigabytes


@given(st.decimals(0, 10**7, places=3), st.decimals(0, 10**7, places=3))
def test_more_bytes_never_cost_less(some: Decimal, more: Decimal) -> None:
    def usd(size: Decimal) -> Decimal:
        return sum(
            (line.usd_per_month[1] for line in transferred(TODAY.of_kind("egress"), size * GB, "e")),
            Decimal(0),
        )

    assert usd(some) <= usd(some + more)


def test_tiers_with_a_gap_or_an_end_are_refused() -> None:
    tiers = TODAY.of_kind("egress")
    with pytest.raises(LoadstoneError, match="have no price above 100 GB"):
        transferred([tiers[0], tiers[2]], 200 * GB, "egress")
    with pytest.raises(LoadstoneError, match="have no price above 10240 GB"):
        transferred(tiers[:2], 20_000 * GB, "egress")
    with pytest.raises(LoadstoneError, match="have no price above 0 GB"):
        transferred(tiers[1:], GB, "egress")


def test_a_capacity_with_its_interval_and_its_bytes(tmp_path: Path) -> None:
    measured = read_measured(capacity(tmp_path))
    case = measured_cases(measured, [parse_instance("c1.xlarge:2", PAPER)])["SLA-1"]
    priced = bill(case, PAPER, Month())
    without, with_egress = priced.without_egress, priced.with_egress
    assert with_egress is not None
    assert without.cheap is not None
    assert without.cheap[1] == Decimal(1152) / 600
    assert without.dear == without.value
    # 100 operations/s of 20 KiB for 30 days: 5,062.5000 GB of 2**30 bytes at the first tier's 0.17.
    gigabytes = Decimal(100 * 20_480 * 720 * 3600) / 2**30
    assert with_egress.value[36] == (1152 + gigabytes * Decimal("0.17")) / 500
    assert priced.warnings == ("ingress is not included: the bytes per operation were not measured",)
    half = bill(case, PAPER, Month(duty=Decimal("0.5"))).with_egress
    assert half is not None
    assert half.value[1] - without.value[1] == pytest.approx((with_egress.value[1] - without.value[1]) / 2)


def test_planned_nodes_in_the_cloud_and_bought(tmp_path: Path) -> None:
    planned(capacity(tmp_path), 5000)
    measured = read_measured(tmp_path)
    cases = measured_cases(
        measured, [parse_instance("m7i.xlarge", TODAY), parse_instance("m5.large:1", TODAY)]
    )
    assert [[machines.count for machines in case.machines] for case in cases.values()] == [[10, 1], [20, 1]]
    assert cases["SLA-1"].cheap is not None
    assert cases["SLA-1"].cheap.machines[0].count == 9  # ceil(5000 / 600)
    assert cases["SLA-2"].cheap is None  # its high end is not known
    bought = measured_cases(measured, [parse_instance("big", HARDWARE)])["SLA-1"].machines[0]
    assert (bought.count, bought.powered) == (11, 10)  # one cold spare, repaired in an hour
    assert (
        bill(
            measured_cases(measured, [parse_instance("big", HARDWARE)])["SLA-1"], HARDWARE, Month()
        ).with_egress
        is None
    )


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    measured = read_measured(capacity(tmp_path))
    with pytest.raises(LoadstoneError, match=r"there is no .*nodes\.json"):
        measured_cases(measured, [parse_instance("m7i.xlarge", TODAY)])
    (tmp_path / "nodes.json").write_text('{"kind": "nodes"}')
    with pytest.raises(LoadstoneError, match=r'must be an object with "format": 1'):
        measured_cases(measured, [parse_instance("m7i.xlarge", TODAY)])
    (tmp_path / "nodes.json").write_text(
        '{"format": 1, "kind": "nodes", "inputs": {}, "tiers": [], "one_more": [], "growth": [], '
        '"service": {"total": 1, "bottleneck": [], "interval": {}}}'
    )
    with pytest.raises(LoadstoneError, match="is a plan in tiers"):
        measured_cases(measured, [parse_instance("m7i.xlarge", TODAY)])
    with pytest.raises(LoadstoneError, match="no dollars can rest on this measurement"):
        measured_cases(read_measured(capacity(tmp_path, **{"SLA-1": None, "SLA-2": None})), [])
    with pytest.raises(LoadstoneError, match=r"how many `c1\.xlarge` is not known"):
        typed_cases({"SLA-1": 5.0}, [parse_instance("c1.xlarge", PAPER)])


@pytest.mark.parametrize(
    "text", ["", ":2", "c1.xlarge:", "c1.xlarge:0", "c1.xlarge:-1", "c1.xlarge:1.5", "a b:2"]
)
def test_machines_are_written_as_sku_and_count(text: str) -> None:
    with pytest.raises(LoadstoneError, match=r"cost-input"):
        parse_instance(text, PAPER)


@given(st.integers(1, 999_999), st.decimals("0.000000001", 999, places=9))
def test_money_is_exact(count: int, hours: Decimal) -> None:
    line = rented(PAPER.machine("c1.xlarge"), count, hours)
    assert Fraction(line.usd_per_month[1]) == Fraction(8, 10) * count * Fraction(hours)
