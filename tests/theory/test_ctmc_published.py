"""The published figures of replicated services by the general solver, and the closed forms beside it."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from loadstone.availability import closed, spent
from loadstone.availability.criterion import FIRST_YEAR
from loadstone.availability.deployments import pf_on_prem_repair
from loadstone.availability.down import down_s
from loadstone.ctmc.solve import solve
from loadstone.nodes.integrity import NodeType
from loadstone.nodes.texts import ACTIVE, PASSIVE, node_time_s

YEAR = 365 * 86_400.0
CRASHES = {"1/year": 1 / YEAR, "1/183 d": 1 / (183 * 86_400.0)}
SINGLE = json.loads((Path(__file__).parent / "data" / "single_chains.json").read_text())


def bounds(text: str, of: str, time: float, **constants: float) -> tuple[float, float]:
    """The integral until `time`; its two bounds agree to a millionth."""
    values = {name: repr(value) for name, value in constants.items()}
    model = {"prism": {"text": text, "constants": values}}
    [figure] = solve(model, [{"ask": "until", "of": of, "time": time}], "model", precision=1e-6)["answers"]
    assert figure["low"] <= figure["high"] <= figure["low"] * (1 + 1e-6)
    return figure["low"], figure["high"]


def meets(target: float, low: float, high: float) -> bool:
    allowed = (1 - target) * YEAR
    assert high < allowed or low > allowed, "the bounds do not decide"
    return high < allowed


@pytest.mark.parametrize("row", SINGLE["active"], ids=lambda row: "-".join(map(str, row)))
def test_fewest_extra_active_nodes(row: tuple[int, str, float | None, int]) -> None:
    num, crashes, wait_s, extra = row
    replace = 1 / wait_s if wait_s else 0.0

    def enough(count: int) -> bool:
        found = bounds(ACTIVE, "down", YEAR, num=num, extra=count, crash=CRASHES[crashes], replace=replace)
        return meets(0.999, *found)

    assert enough(extra) and (extra == 0 or not enough(extra - 1))


@pytest.mark.parametrize("row", SINGLE["passive"], ids=lambda row: "-".join(map(str, row)))
def test_fewest_spares(row: tuple[int, str, float, float | None, int]) -> None:
    num, crashes, failover_s, mend_s, spares = row
    rates = {"crash": CRASHES[crashes], "failover": 1 / failover_s, "mend": 1 / mend_s if mend_s else 0.0}

    def enough(count: int) -> bool:
        return meets(0.999, *bounds(PASSIVE, "down", YEAR, num=num, pool=count, **rates))

    assert enough(spares) and not enough(spares - 1)


@pytest.mark.parametrize("row", SINGLE["single"], ids=lambda row: "-".join(map(str, row)))
def test_availability_of_a_few_nodes(row: tuple[int, str, float | None, float, int]) -> None:
    num, crashes, wait_s, share, digits = row
    crash = float(crashes.split("/")[0]) / YEAR if crashes.endswith("/year") else CRASHES[crashes]
    replace = 1 / wait_s if wait_s else 0.0
    low, high = bounds(ACTIVE, "down", YEAR, num=num, extra=0, crash=crash, replace=replace)
    unit = 0.51 * 10.0**-digits
    assert 1 - high / YEAR - unit <= share <= 1 - low / YEAR + unit


@pytest.mark.parametrize("row", SINGLE["integrity"], ids=lambda row: "-".join(map(str, row)))
def test_time_corrupt(row: tuple[float, float, float, float, float]) -> None:
    faults_per_day, corrupts, crashes, retries, percent = row
    month = 30 * 86_400.0
    node = NodeType("", Fraction(1), corrupts, crashes, retries)
    low, high = node_time_s(node, faults_per_day / 86_400, month)["corrupt"]
    assert 100 * low / month - 0.51e-5 <= percent <= 100 * high / month + 0.51e-5


@pytest.mark.parametrize(("num", "pool", "crashes"), [(3, 2, 1.0), (10, 4, 20.0), (5, 8, 2.0)])
def test_the_special_solutions_lie_inside(num: int, pool: int, crashes: float) -> None:
    crash = crashes / YEAR
    low, high = bounds(ACTIVE, "down", YEAR, num=num, extra=pool, crash=crash, replace=0.0)
    assert low * (1 - 1e-10) <= closed.ara_on_premises(num, pool, crash, YEAR) <= high * (1 + 1e-10)
    rates = {"num": num, "pool": pool, "crash": crash, "failover": 1 / 60}
    low, high = bounds(PASSIVE, "down", YEAR, mend=0.0, **rates)
    assert low * (1 - 1e-9) <= spent.downtime(num, pool, crash, 1 / 60, YEAR) <= high * (1 + 1e-9)
    low, high = bounds(PASSIVE, "down", YEAR, mend=1 / 3600, **rates)
    # Of the cluster's own chain the upper bound is taken.
    found = down_s(pf_on_prem_repair(num, pool, crash, 1 / 60, 1 / 3600), YEAR, FIRST_YEAR)
    assert low <= found <= high * (1 + 1e-6)
