"""The closed forms of the four deployments against the chain solved whole, and both against formulas."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.linalg import expm
from scipy.stats import binom, poisson

from loadstone.availability import closed, spent
from loadstone.availability.criterion import FIRST_YEAR
from loadstone.availability.deployments import pf_on_prem_repair
from loadstone.availability.down import down_s
from loadstone.nodes.chain import time_in

YEAR = 365 * 86_400.0
YEARLY = 1 / YEAR


def ara_chain(num: int, extra: int, crash: float, failover: float) -> float:
    """The same deployment as a birth-death chain, state = nodes up."""
    nodes = num + extra
    rates = np.zeros((nodes + 1, nodes + 1))
    for up in range(nodes + 1):
        if up:
            rates[up, up - 1] = up * crash
        if up < nodes:
            rates[up, up + 1] = (nodes - up) * failover
    return float(time_in(rates, (np.arange(nodes + 1) < num).astype(float), YEAR)[nodes])


def pf_chain(num: int, pool: int, crash: float, failover: float, repair: float) -> float:
    """The same deployment with every state (up, in the pool) kept."""
    rates = np.zeros(((num + 1) * (pool + 1),) * 2)
    marked = np.ones(len(rates))

    def state(up: int, spare: int) -> int:
        return up * (pool + 1) + spare

    for up in range(num + 1):
        for spare in range(pool + 1):
            here = state(up, spare)
            marked[here] = float(up < num)
            crashed = num + pool - up - spare
            if up:
                rates[here, state(up - 1, spare)] = up * crash
            if up < num and spare:
                rates[here, state(up + 1, spare - 1)] = (num - up) * failover
            if crashed and spare < pool:
                rates[here, state(up, spare + 1)] = crashed * repair
    return float(time_in(rates, marked, YEAR)[state(num, pool)])


@pytest.mark.parametrize(
    ("num", "extra", "crashes"),
    [(1, 0, 5), (2, 1, 1e-3), (10, 0, 1), (10, 35, 1), (3, 40, 1), (5, 20, 200), (4, 2, 1e-6), (40, 7, 1e-2)],
)
def test_ara_on_premises_is_the_pure_death_chain(num: int, extra: int, crashes: float) -> None:
    down = closed.ara_on_premises(num, extra, crashes * YEARLY, YEAR)
    assert down == pytest.approx(ara_chain(num, extra, crashes * YEARLY, 0.0), rel=1e-12)


def test_ara_on_premises_is_the_integral_of_the_binomial() -> None:
    def down(t: float) -> float:
        return float(binom.sf(35, 45, -math.expm1(-YEARLY * t)))

    expected = quad(down, 0, YEAR, epsrel=1e-11, points=[YEAR / 2, YEAR * 0.9], limit=200)[0]
    assert closed.ara_on_premises(10, 35, YEARLY, YEAR) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("num", "extra", "crashes", "failover_s"),
    [
        (10, 0, 1, 15),
        (10, 3, 1, 1800),
        (15, 1, 2, 60),
        (3, 2, 1000, 86_400),
        (1, 8, 1, 15),
        (2, 2, 0.1, 40 * 86_400),
    ],
)
def test_ara_cloud_is_the_birth_death_chain(num: int, extra: int, crashes: float, failover_s: float) -> None:
    down = closed.ara_cloud(num, extra, crashes * YEARLY, 1 / failover_s, YEAR)
    assert down == pytest.approx(ara_chain(num, extra, crashes * YEARLY, 1 / failover_s), rel=1e-11)


@pytest.mark.parametrize("failover_s", [1e-3, 15.0, 1800.0, 1e6, 1e9])
def test_one_cloud_node_is_the_two_state_chain(failover_s: float) -> None:
    crash, failover = 12 * YEARLY, 1 / failover_s
    both = crash + failover
    # Up to the first terms of its series where the closed form itself cancels.
    settling = (both * YEAR + math.expm1(-both * YEAR)) / both if both * YEAR > 1e-3 else both * YEAR**2 / 2
    assert closed.pf_cloud(1, crash, failover, YEAR) == pytest.approx(crash / both * settling, rel=1e-11)


@pytest.mark.parametrize(
    ("num", "pool", "crashes", "failover_s"),
    [
        (10, 18, 1, 15),
        (10, 5, 1, 1800),
        (1, 3, 2, 60),
        (3, 2, 50, 86_400),
        (2, 1, 300, 5 * 86_400),
        (6, 12, 0.05, 60),
    ],
)
def test_a_pool_without_repair_is_the_whole_chain(
    num: int, pool: int, crashes: float, failover_s: float
) -> None:
    down = spent.downtime(num, pool, crashes * YEARLY, 1 / failover_s, YEAR)
    assert down == pytest.approx(pf_chain(num, pool, crashes * YEARLY, 1 / failover_s, 0.0), rel=1e-11)


@pytest.mark.parametrize(
    ("num", "pool", "crashes", "failover_s", "repair_s"),
    [(10, 1, 1, 15, 3600), (10, 3, 2, 60, 3600), (5, 9, 50, 86_400, 5 * 86_400), (2, 12, 1, 15, 30 * 86_400)],
)
def test_a_pool_with_repair_is_bounded_from_above(
    num: int, pool: int, crashes: float, failover_s: float, repair_s: float
) -> None:
    cluster = pf_on_prem_repair(num, pool, crashes * YEARLY, 1 / failover_s, 1 / repair_s)
    down = down_s(cluster, YEAR, FIRST_YEAR)
    whole = pf_chain(num, pool, crashes * YEARLY, 1 / failover_s, 1 / repair_s)
    assert whole * (1 - 1e-10) <= down <= whole * (1 + 2e-7)


def test_without_spares_a_mended_node_returns_or_by_the_studys_rule_never() -> None:
    rates = (YEARLY, 1 / 15, 1 / 3600)
    never = down_s(pf_on_prem_repair(5, 0, *rates, "never-returns"), YEAR, FIRST_YEAR)
    assert never == closed.ara_on_premises(5, 0, YEARLY, YEAR)
    assert never == pytest.approx(pf_chain(5, 0, *rates), rel=1e-12)
    returns = down_s(pf_on_prem_repair(5, 0, *rates), YEAR, FIRST_YEAR)
    assert returns == closed.ara_cloud(5, 0, YEARLY, 1 / 3600, YEAR)
    assert returns == pytest.approx(ara_chain(5, 0, YEARLY, 1 / 3600), rel=1e-11)


def test_a_thousand_nodes_and_spares_are_the_few_states_that_matter() -> None:
    """1,002,001 states; the bracket comes from an independent prototype."""
    down = down_s(pf_on_prem_repair(1000, 1000, YEARLY, 1 / 15, 1 / 3600), YEAR, FIRST_YEAR)
    assert 14996.422516126 * (1 - 1e-10) <= down <= 14996.422516140 * (1 + 1e-6)


def test_a_spent_pool_of_thousands_is_the_poisson_law_it_tends_to() -> None:
    """A failover of a microsecond: crashes of ten thousand full slots are a Poisson process, and downtime is
    what is left of the year after the pool's last.
    """
    rate, pool = 10_000 * YEARLY, 10_150
    left = YEAR * poisson.sf(pool, rate * YEAR) - (pool + 1) / rate * poisson.sf(pool + 1, rate * YEAR)
    down = spent.downtime(10_000, pool, YEARLY, 1e6, YEAR)
    # Waiting a microsecond for each of ten thousand failovers is 0.01 s.
    assert down == pytest.approx(left + 0.01, rel=1e-8)


def test_eighteen_nines_keep_their_digits() -> None:
    """Ten spares in the cloud: 1 - availability would be nothing but rounding."""
    q = YEARLY / (YEARLY + 1 / 15)
    down = closed.ara_cloud(2, 4, YEARLY, 1 / 15, YEAR)
    assert down == pytest.approx(YEAR * math.comb(6, 5) * q**5, rel=1e-5)
    assert down / YEAR < 1e-28


def test_the_solver_agrees_with_the_ordinary_exponential() -> None:
    """A chain without structure, integrated by the augmented matrix, where nothing is small."""
    rates = np.array([[0, 0.3, 1.1, 0], [2, 0, 0, 0.7], [0, 5, 0, 0.01], [0.4, 0, 0.2, 0]])
    marked = np.array([0.0, 1.0, 0.5, 3.0])
    generator = rates - np.diag(rates.sum(axis=1))
    augmented = np.zeros((5, 5))
    augmented[:4, :4], augmented[:4, 4] = generator, marked
    for duration in (1e-6, 0.3, 7.0, 40.0):
        expected = expm(augmented * duration)[:4, 4]
        assert time_in(rates, marked, duration) == pytest.approx(expected, rel=1e-11)


def test_the_solver_spans_microseconds_to_years() -> None:
    """Three states in a ring: rates 12 orders apart, against the stationary shares 1/rate."""
    leave = np.array([4e5, 1 / 15, 1 / 21_600])
    rates = np.zeros((3, 3))
    rates[0, 1], rates[1, 2], rates[2, 0] = leave
    spent = time_in(rates, np.eye(3), 1000 * YEAR)[0]
    stationary = 1 / leave / sum(1 / leave)
    assert spent == pytest.approx(stationary * 1000 * YEAR, rel=1e-6)
    assert spent[0] / spent[2] == pytest.approx(leave[2] / leave[0], rel=1e-6)
    assert spent.sum() == pytest.approx(1000 * YEAR, rel=1e-13)


def test_the_solver_refuses_negative_rates() -> None:
    with pytest.raises(ValueError, match="negative"):
        time_in(np.array([[0.0, -1.0], [1.0, 0.0]]), np.ones(2), 1.0)
    assert time_in(np.zeros((2, 2)), np.array([0.0, 1.0]), 9.0).tolist() == [0.0, 9.0]
