"""Every figure and table of the study this stage follows, from tests/theory/data/published_nodes.toml."""

import dataclasses
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from loadstone.availability import closed
from loadstone.availability.criterion import FIRST_YEAR
from loadstone.availability.deployments import ARA_CLOUD, ARA_ON_PREM, PF_ON_PREM, PF_ON_PREM_REPAIR
from loadstone.nodes.integrity import NODE_TYPES, shares
from loadstone.nodes.quantities import parse_duration, parse_rate, parse_target, spell_duration
from loadstone.nodes.sizing import nodes_needed
from loadstone.plan import compared
from loadstone.plan.named import Hazards

PUBLISHED: dict[str, Any] = tomllib.loads(
    (Path(__file__).parent / "data" / "published_nodes.toml").read_text()
)
YEAR = parse_duration(PUBLISHED["year"])
FAILOVERS = ("15s", "1min", "30min")


def hazards(crash: str, failover: str, repair: str | None = None) -> Hazards:
    return Hazards(
        crash=parse_rate(crash, YEAR),
        failover=1 / parse_duration(failover),
        repair=1 / parse_duration(repair) if repair else None,
        target=parse_target(PUBLISHED["target"]),
        year_s=YEAR,
        criterion=FIRST_YEAR,
        without_spares="never-returns",
    )


def cells(table: str) -> list[Any]:
    """`(crash rate, node type, failover, value)` of a table with one value a failover time."""
    return [
        pytest.param(crash, node, failover, value, id=f"{crash}-{node}-{failover}")
        for crash, row in PUBLISHED[table].items()
        for node, values in row.items()
        for failover, value in zip(FAILOVERS, values, strict=True)
    ]


def num(node: str) -> int:
    return nodes_needed(Fraction(10), Fraction(1), NODE_TYPES[node].throughput)


@pytest.mark.parametrize("node", NODE_TYPES)
def test_nodes_needed(node: str) -> None:
    assert num(node) == PUBLISHED["needed"][node]


@pytest.mark.parametrize(("crash", "node", "failover", "extra"), cells("ara_cloud"))
def test_ara_cloud(crash: str, node: str, failover: str, extra: int) -> None:
    assert compared.option(num(node), node, ARA_CLOUD, hazards(crash, failover)).extra == extra


@pytest.mark.parametrize(("crash", "node", "failover", "availability"), cells("ara_cloud_without_extra"))
def test_ara_cloud_without_extra(crash: str, node: str, failover: str, availability: float) -> None:
    rates = hazards(crash, failover)
    down = closed.ara_cloud(num(node), 0, float(rates.crash), float(rates.failover), float(YEAR))
    assert 1 - down / float(YEAR) == pytest.approx(availability, abs=0.51e-7)


@pytest.mark.parametrize("table", ["ara_on_prem", "ara_on_prem_literally"])
@pytest.mark.parametrize("node", NODE_TYPES)
def test_ara_on_premises(table: str, node: str) -> None:
    for crash, row in PUBLISHED[table].items():
        assert compared.option(num(node), node, ARA_ON_PREM, hazards(crash, "15s")).extra == row[node], crash


@pytest.mark.parametrize(("crash", "node", "failover", "pool"), cells("pf_on_prem"))
def test_pf_on_premises(crash: str, node: str, failover: str, pool: int) -> None:
    option = compared.option(num(node), node, PF_ON_PREM, hazards(crash, failover))
    assert option.extra == (None if pool < 0 else pool)


@pytest.mark.parametrize(("crash", "node", "failover", "pool"), cells("pf_on_prem_repair"))
def test_pf_on_premises_with_repair(crash: str, node: str, failover: str, pool: int) -> None:
    option = compared.option(num(node), node, PF_ON_PREM_REPAIR, hazards(crash, failover, "1h"))
    assert option.extra == (None if pool < 0 else pool)


@pytest.mark.parametrize("node", NODE_TYPES)
def test_slow_failover_has_a_ceiling(node: str) -> None:
    option = compared.option(num(node), node, PF_ON_PREM, hazards(PUBLISHED["six_a_year"], "30min"))
    assert option.availability == pytest.approx(PUBLISHED["pf_ceiling"][node], abs=0.51e-5)
    assert option.note is not None
    assert f"ceiling of {PUBLISHED['pf_ceiling'][node]}" in option.note


def test_one_node_in_the_cloud() -> None:
    for crash, row in PUBLISHED["one_cloud_node"].items():
        for failover, availability in zip((15.0, 60.0, 1800.0), row, strict=True):
            down = closed.pf_cloud(1, float(parse_rate(crash, YEAR)), 1 / failover, float(YEAR))
            assert 1 - down / float(YEAR) == pytest.approx(availability, abs=0.51e-8), (crash, failover)


def test_one_node_on_premises() -> None:
    for crash, availability in PUBLISHED["one_on_prem_node"].items():
        down = closed.ara_on_premises(1, 0, float(parse_rate(crash, YEAR)), float(YEAR))
        assert 1 - down / float(YEAR) == pytest.approx(availability, abs=0.51e-4), crash


def test_clusters_without_spares() -> None:
    table, year = PUBLISHED["cluster"], float(YEAR)
    once, half = (float(parse_rate(rate, YEAR)) for rate in ("1/year", PUBLISHED["six_a_year"]))
    for i, nodes in enumerate(table["num"]):
        assert 1 - closed.ara_cloud(nodes, 0, once, 1 / 15, year) / year == pytest.approx(
            table["cloud"][i], abs=0.51e-7
        )
        assert 1 - closed.ara_on_premises(nodes, 0, once, year) / year == pytest.approx(
            table["on_prem"][i], abs=0.51e-5
        )
        on_prem_183d = 1 - closed.ara_on_premises(nodes, 0, half, year) / year
        assert on_prem_183d == pytest.approx(table["on_prem_183d"][i], abs=0.51e-5)


@pytest.mark.parametrize(
    "curve", PUBLISHED["corrupt"]["curve"], ids=lambda curve: f"{curve['node']}-{curve['agrees']}"
)
def test_share_of_a_month_corrupt(curve: dict[str, Any]) -> None:
    node = NODE_TYPES[curve["node"]]
    if "corrupts" in curve:
        node = dataclasses.replace(node, corrupts=curve["corrupts"])
    spent = [100 * shares(node, float(parse_rate(rate))).corrupt for rate in PUBLISHED["corrupt"]["faults"]]
    assert spent == pytest.approx(curve["given"], abs=0.51e-5)
    # The figure is read to one or two digits; 6 % for 5.52 % and 0.2 % for 0.18 % are its own roundings.
    agrees = all(
        abs(ours - figure) <= 0.09 * figure for ours, figure in zip(spent, curve["published"], strict=True)
    )
    close = all(
        abs(ours - figure) <= 0.03 * figure
        for ours, figure in zip(spent[-1:], curve["published"][-1:], strict=True)
    )
    assert (agrees and close) == curve["agrees"]


def test_exact_tx_is_more_corrupt_than_ilr_and_less_down() -> None:
    month = float(parse_rate("1/month"))
    tx, ilr = shares(NODE_TYPES["tx"], month), shares(NODE_TYPES["ilr"], month)
    assert tx.corrupt > 1.4 * ilr.corrupt
    assert (tx.down, ilr.down) == (pytest.approx(4.5e-7, rel=0.01), pytest.approx(4.3e-6, rel=0.01))


def test_the_length_of_the_year_decides_downtime_and_counts() -> None:
    allowed = {text: float(parse_duration(text)) / 1000 for text in ("365d", "365.25d")}
    assert [spell_duration(seconds) for seconds in allowed.values()] == ["8.76 h", "8.77 h"]
    # At 1/183d only the 365-day year gives the printed pool of extra nodes.
    longer = dataclasses.replace(hazards("1/183d", "15s"), year_s=parse_duration("365.25d"))
    assert compared.option(15, "tx", ARA_ON_PREM, longer).extra != 152


@pytest.mark.parametrize(
    ("column", "low", "high"), [("1/year", 0.99508, 1.00694), ("1/183d", 1.98967, 1.99469)]
)
def test_a_column_of_ara_on_premises_fixes_the_crashes_a_year(column: str, low: float, high: float) -> None:
    """How sharp the reading is: crashes per node and year outside the window miss a cell."""
    row = PUBLISHED["ara_on_prem"][column]

    def met(crashes: float) -> bool:
        rates = dataclasses.replace(hazards("1/year", "15s"), crash=Fraction(crashes) / YEAR)
        return all(compared.option(num(node), node, ARA_ON_PREM, rates).extra == row[node] for node in row)

    assert [met(crashes) for crashes in (low - 2e-5, low + 2e-5, high - 2e-5, high + 2e-5)] == [
        False,
        True,
        True,
        False,
    ]


def test_five_nines_of_one_cloud_node_at_a_minute_end_at_5_26_crashes_a_year() -> None:
    year = float(YEAR)
    down = [closed.pf_cloud(1, crashes / year, 1 / 60, year) / year for crashes in (5.25, 5.27)]
    assert down[0] < 1e-5 < down[1]
