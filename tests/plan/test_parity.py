"""`loadstone nodes` and `loadstone plan` beside each other: one deployment, one downtime, one choice."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from loadstone.availability.deployments import (
    ARA_CLOUD,
    ARA_ON_PREM,
    PF_CLOUD,
    PF_ON_PREM,
    PF_ON_PREM_REPAIR,
)
from loadstone.nodes.quantities import parse_duration, parse_rate
from loadstone.plan import compared
from loadstone.plan.candidate import Candidate, best
from loadstone.plan.inputs import Inputs
from loadstone.plan.named import Hazards
from loadstone.plan.part import Part, alone_s, base
from loadstone.plan.read import read_plan

FILE = """
format = 1
name = "parity"
prices = "p.csv"
[load]
users = 1
[target]
availability = "three nines"
[node]
users = 1
[failures]
crash = "1/year"
[[option]]
name = "one"
deployment = "{built}"
instance = "{machine}"
"""
PRICES = """\
book,provider,region,kind,sku,vcpu,memory_gib,unit,from_gb,to_gb,price_usd,as_of,source,power_w,life_months
b,p,r,instance,vm,1,1,hour,,,1,2026,s,,
b,p,r,owned,box,1,1,machine,,,1200,2026,s,0,12
"""
BUILT = {
    ARA_CLOUD: ("active", "vm"),
    ARA_ON_PREM: ("active", "box"),
    PF_CLOUD: ("active", "vm"),
    PF_ON_PREM: ("passive", "box"),
    PF_ON_PREM_REPAIR: ("passive", "box"),
}
"""How a plan file says each deployment: `deployment` and `instance`."""
GRID = [
    (deployment, *rest)
    for deployment in BUILT
    for rest in itertools.product((1, 4, 25), ("1/year", "1/month"), ("15s", "30min"), ("1h", "2d"))
    if deployment == PF_ON_PREM_REPAIR or rest[-1] == "1h"
]


def hazards(deployment: str, crash: str, failover: str, repair: str) -> Hazards:
    mended = deployment == PF_ON_PREM_REPAIR
    return Hazards(
        parse_rate(crash), 1 / parse_duration(failover), 1 / parse_duration(repair) if mended else None,
        Fraction(999, 1000),
    )  # fmt: skip


def inputs(folder: Path, deployment: str, num: int, rates: Hazards) -> Inputs:
    """The same deployment as a plan file says it."""
    built, machine = BUILT[deployment]
    (folder / "p.csv").write_text(PRICES)
    (folder / "plan.toml").write_text(FILE.format(built=built, machine=machine))
    found = read_plan(folder / "plan.toml")
    [tier] = found.tiers
    way = replace(
        tier.ways[0],
        crash=replace(tier.ways[0].crash, value=float(rates.crash)),
        failover_s=1 / rates.failover,
        repair_s=1 / rates.repair if rates.repair else None,
    )
    return replace(found, users=replace(found.users, value=float(num)), tiers=(replace(tier, ways=(way,)),))


def part(planned: Inputs, deployment: str, num: int, extra: int) -> Part:
    pool = {ARA_CLOUD: None, PF_CLOUD: None, ARA_ON_PREM: 0}.get(deployment, extra)
    active = num + extra if deployment in (ARA_CLOUD, ARA_ON_PREM) else num
    return Part(0, planned.tiers[0].ways[0], num, active, pool)


@pytest.mark.parametrize(("deployment", "num", "crash", "failover", "repair"), GRID)
def test_the_same_nodes_are_down_as_long(
    deployment: str, num: int, crash: str, failover: str, repair: str, tmp_path: Path
) -> None:
    rates = hazards(deployment, crash, failover, repair)
    planned = inputs(tmp_path, deployment, num, rates)
    for extra in (0,) if deployment == PF_CLOUD else (0, 1, 3):
        ours = compared.downtime(num, extra, deployment, rates)
        theirs = alone_s(planned, base(planned), part(planned, deployment, num, extra))
        assert theirs == pytest.approx(ours, rel=3e-7), f"{extra} extra"


CHOSEN = [(deployment, "2d") for deployment in BUILT]


@pytest.mark.parametrize(("deployment", "repair"), [*CHOSEN, (PF_ON_PREM_REPAIR, "1h")])
def test_the_same_nodes_are_chosen(deployment: str, repair: str, tmp_path: Path) -> None:
    """Four nodes that crash once a year: an hour's repair alone holds three nines, without a spare."""
    num = 4
    rates = hazards(deployment, "1/year", "15s", repair)
    planned = inputs(tmp_path, deployment, num, rates)
    found = best(planned, base(planned), [planned.tiers[0].ways])
    assert isinstance(found, Candidate)
    assert found.nodes - num == compared.option(num, "native", deployment, rates).extra
