"""Tiers in series: downtime against closed forms and the joint chain, allocations against brute force."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadstone.availability import closed
from loadstone.availability.criterion import FIRST_YEAR
from loadstone.availability.series import down_in_series
from loadstone.nodes import plan
from loadstone.nodes.chain import time_in
from loadstone.nodes.tiers.allocate import Spares, allocate
from loadstone.nodes.tiers.growth import growth, one_more, outlook, users_carried, wall
from loadstone.nodes.tiers.plan import allocation, planned
from loadstone.nodes.tiers.read import Tiers, read_tiers

YEAR = 365.25 * 86_400
SITE = """\
format = 1
[tier.balancer]
capacity = { users = 100, low = 90, high = 120 }
[tier.web]
capacity = { users = 30, low = 25, high = 40 }
crash_rate = "12/year"
failover = "30min"
[tier.database]
capacity = { users = 250 }
scales = false
failover = "5min"
"""


def read(folder: Path, text: str, target: Fraction = Fraction(99_999, 100_000)) -> Tiers:
    file = folder / "tiers.toml"
    file.write_text(text)
    return read_tiers(file, "SLA-1", target)


@given(st.lists(st.fractions(0, 1, max_denominator=10**6), min_size=1, max_size=6))
def test_downtime_in_series_is_the_complement_of_the_product(shares: list[Fraction]) -> None:
    exact = 1 - math.prod(1 - share for share in shares)
    assert down_in_series(map(float, shares)) == pytest.approx(float(exact), rel=1e-12, abs=0)


def test_settled_tiers_are_a_product_of_binomials(tmp_path: Path) -> None:
    service = read(tmp_path, SITE)
    num, extra = (2, 7, 1), (1, 2, 1)
    up = Fraction(1)
    for tier, needed, spare in zip(service.tiers, num, extra, strict=True):
        q = tier.hazards.crash / (tier.hazards.crash + tier.hazards.failover)
        nodes = needed + spare
        up *= sum(math.comb(nodes, down) * q**down * (1 - q) ** (nodes - down) for down in range(spare + 1))
    assert allocation(service.tiers, num, extra).share_down == pytest.approx(float(1 - up), rel=1e-9)
    # The first failovers of the year, before everything has settled, are some millionths of it.
    first = read_tiers(service.path, "SLA-1", service.target, FIRST_YEAR)
    found = allocation(first.tiers, num, extra).share_down
    assert found == pytest.approx(float(1 - up), rel=2e-3)
    assert found < float(1 - up)


def _joint(tiers: list[tuple[int, int, float, float]]) -> float:
    """Seconds down of tiers of (num, extra, crash, failover), as one chain over all their states."""
    sizes = [num + extra + 1 for num, extra, _, _ in tiers]
    states = list(itertools.product(*(range(size) for size in sizes)))
    index = {state: i for i, state in enumerate(states)}
    rates = np.zeros((len(states),) * 2)
    for state, here in index.items():
        for k, (_, _, crash, failover) in enumerate(tiers):
            if state[k]:
                rates[here, index[(*state[:k], state[k] - 1, *state[k + 1 :])]] = state[k] * crash
            if state[k] < sizes[k] - 1:
                back = (sizes[k] - 1 - state[k]) * failover
                rates[here, index[(*state[:k], state[k] + 1, *state[k + 1 :])]] = back
    marked = np.array([float(any(s < t[0] for s, t in zip(state, tiers, strict=True))) for state in states])
    return float(time_in(rates, marked, YEAR)[-1])


def test_the_product_is_the_joint_chain_where_nodes_are_replaced() -> None:
    tiers = [(2, 1, 30 / YEAR, 1 / 3600), (1, 0, 5 / YEAR, 1 / 60), (1, 1, 50 / YEAR, 1 / 7200)]
    shares = [closed.ara_cloud(*tier, YEAR) / YEAR for tier in tiers]
    assert down_in_series(shares) == pytest.approx(_joint(tiers) / YEAR, rel=1e-6)


def test_where_nobody_mends_the_product_states_more_downtime_never_less() -> None:
    tiers = [(1, 2, 1 / YEAR, 0.0), (2, 2, 0.5 / YEAR, 0.0)]
    shares = [closed.ara_on_premises(num, extra, crash, YEAR) / YEAR for num, extra, crash, _ in tiers]
    exact = _joint(tiers) / YEAR
    assert max(shares) <= exact <= down_in_series(shares) <= math.fsum(shares)
    assert down_in_series(shares) > 1.01 * exact


Bases = st.lists(
    st.tuples(st.floats(0.001, 0.6), st.floats(0, 1e-4), st.integers(0, 3)), min_size=1, max_size=3
)


@settings(max_examples=300)
@given(Bases, st.floats(1e-5, 0.3), st.lists(st.integers(0, 9), min_size=3, max_size=3))
def test_no_allocation_is_cheaper(
    bases: list[tuple[float, float, int]], allowed: float, prices: list[int]
) -> None:
    """Against every allocation of up to eight spares a tier, prices of zero and ties among them."""
    tiers = [
        Spares(lambda extra, b=base, f=floor: f + b ** (extra + 1), floor, 8, Fraction(price))
        for (base, floor, _), price in zip(bases, prices, strict=False)
    ]
    ranked = [
        (sum(t.price * e for t, e in zip(tiers, extras, strict=True)), sum(extras), down, extras)
        for extras in itertools.product(range(9), repeat=len(tiers))
        if (down := down_in_series(t.down(e) for t, e in zip(tiers, extras, strict=True))) <= allowed
    ]
    assert allocate(tiers, allowed) == (min(ranked)[3] if ranked else None)


def test_equal_tiers_get_the_spare_that_comes_last() -> None:
    each = Spares(lambda extra: 0.01 ** (extra + 1), 0.0, 9)
    assert allocate([each, each, each], 0.011) == (0, 1, 1)


@settings(max_examples=40, deadline=None)
@given(users=st.integers(1, 250), nines=st.integers(2, 7))
def test_the_plan_is_the_fewest_nodes(
    tmp_path_factory: pytest.TempPathFactory, users: int, nines: int
) -> None:
    service = read(tmp_path_factory.mktemp("site"), SITE, 1 - Fraction(1, 10**nines))
    found = planned(service, Fraction(users), {}).chosen
    assert found is not None
    assert found.num == (-(-users // 100), -(-users // 30), 1)
    assert found.share_down <= service.allowed
    fewer = sum(found.extra) - 1
    for extras in itertools.product(range(fewer + 1), repeat=3):
        if sum(extras) == fewer:
            assert allocation(service.tiers, found.num, extras).share_down > service.allowed


def test_the_users_carried_are_the_most(tmp_path: Path) -> None:
    service = read(tmp_path, SITE)
    chosen = planned(service, Fraction(150), {}).chosen
    assert chosen is not None
    for totals in (chosen.totals, (3, 8, 1), (2, 9, 2), (9, 99, 2)):
        most = max(
            (
                users
                for users in range(1, 251)
                if (needed := (-(-users // 100), -(-users // 30), 1))
                and all(n <= t for n, t in zip(needed, totals, strict=True))
                and allocation(
                    service.tiers, needed, tuple(t - n for n, t in zip(needed, totals, strict=True))
                ).share_down
                <= service.allowed
            ),
            default=0,
        )
        assert users_carried(service, totals) == most


def test_the_growth_has_every_step_and_ends_at_the_wall(tmp_path: Path) -> None:
    service = read(tmp_path, SITE)
    steps, stride = growth(service, Fraction(10_000), {})
    assert (stride, wall(service)) == (1, 250)
    assert [step.users_from for step in steps] == [1, *(step.users_to + 1 for step in steps[:-1])]
    assert [step.users_to for step in steps] == [30, 60, 90, 100, 120, 150, 180, 200, 210, 240, 250]
    assert steps[3].limited_by == ("balancer",) and steps[-1].limited_by == ("database",)
    for step in steps:
        for users in (step.users_from, step.users_to):
            assert step.chosen == planned(service, Fraction(users), {}).chosen


def test_a_long_growth_is_thinned_but_keeps_the_slower_tiers(tmp_path: Path) -> None:
    service = read(tmp_path, SITE.replace("users = 30, low = 25, high = 40", "users = 2"))
    steps, stride = growth(service, Fraction(10_000), {})
    assert stride > 1 and len(steps) < 40
    assert {100, 200, 250} <= {step.users_to for step in steps}


def test_one_more_node_is_a_spare_or_carries_more(tmp_path: Path) -> None:
    service = read(tmp_path, SITE)
    chosen = planned(service, Fraction(100), {}).chosen
    assert chosen is not None
    for i, more in enumerate(one_more(service, chosen)):
        extra = tuple(each + (j == i) for j, each in enumerate(chosen.extra))
        assert more.share_down == allocation(service.tiers, chosen.num, extra).share_down < chosen.share_down
        assert more.users_carried >= users_carried(service, chosen.totals) >= 100


def test_the_interval_of_the_limits_is_that_of_the_plan(tmp_path: Path) -> None:
    seen = outlook(read(tmp_path, SITE), Fraction(100), {})
    assert (seen.found.num, seen.fewest.num, seen.most.num) == ((1, 4, 1), (1, 3, 1), (2, 4, 1))
    assert seen.fewest.chosen and seen.found.chosen and seen.most.chosen
    totals = [sum(each.chosen.totals) for each in (seen.fewest, seen.found, seen.most) if each.chosen]
    assert totals == sorted(totals)


def test_a_tier_that_does_not_scale_is_exceeded(tmp_path: Path) -> None:
    service = read(tmp_path, SITE)
    assert planned(service, Fraction(250), {}).chosen is not None
    found = planned(service, Fraction(251), {})
    assert found.chosen is None
    assert found.why[0].startswith("database: one node carries 250 users and a second adds no throughput")


def test_waiting_for_failover_is_a_ceiling(tmp_path: Path) -> None:
    text = SITE.replace("format = 1", 'format = 1\ndeployment = "PF on-prem + repair"')
    found = planned(read(tmp_path, text), Fraction(100), {})
    assert found.chosen is None
    assert "web waits" in found.why[0] and "a ceiling of 0.99" in found.why[0]
    relaxed = planned(read(tmp_path, text, Fraction(99, 100)), Fraction(100), {}).chosen
    assert relaxed is not None and relaxed.share_down <= 0.01


def test_the_length_of_the_year_is_the_files(tmp_path: Path) -> None:
    service = read(tmp_path, SITE.replace("format = 1", 'format = 1\nyear = "365d"'))
    assert service.tiers[0].hazards.crash == Fraction(1, 365 * 86_400) == 1 / service.year_s
    assert service.tiers[0].deployment == plan.ARA_CLOUD
