"""Tiers in series: downtime against closed forms and the joint chain, allocations against brute force."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadstone.availability import closed
from loadstone.availability.criterion import FIRST_YEAR
from loadstone.availability.deployments import ARA_CLOUD
from loadstone.availability.series import down_in_series
from loadstone.nodes.chain import time_in
from loadstone.plan.asked import Asked
from loadstone.plan.candidate import Candidate, down_of
from loadstone.plan.growth import Answer, answer, growth, one_more, users_carried
from loadstone.plan.inputs import Inputs
from loadstone.plan.part import Part, Values, base
from loadstone.plan.search import by_price
from loadstone.plan.shapes import part_of
from loadstone.plan.tiers_outlook import outlook
from loadstone.plan.tiers_read import read_tiers

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


def read(folder: Path, text: str, target: Fraction = Fraction(99_999, 100_000), users: int = 100) -> Inputs:
    file = folder / "tiers.toml"
    file.write_text(text)
    return read_tiers(file, Asked(Fraction(users), target=target))


def carrying(service: Inputs, users: int) -> Values:
    return replace(base(service), users=float(users))


def planned(service: Inputs, users: int) -> Answer:
    return answer(service, carrying(service, users))


def chosen(service: Inputs, users: int) -> Candidate:
    found = planned(service, users).chosen
    assert found is not None
    return found


def parts_of(inputs: Inputs, num: Sequence[int], extra: Sequence[int]) -> list[Part]:
    return [part_of(at, tier.ways[0], num[at], None, extra[at]) for at, tier in enumerate(inputs.tiers)]


def share_down(inputs: Inputs, num: Sequence[int], extra: Sequence[int]) -> float:
    return down_of(inputs, base(inputs), parts_of(inputs, num, extra)) / inputs.year_s


def spares(found: Candidate) -> list[int]:
    return [part.nodes - part.needed for part in found.parts]


def at_once(steps: object, over: Sequence[object]) -> list[object]:
    return [steps(one) for one in over]  # type: ignore[operator]


@given(st.lists(st.fractions(0, 1, max_denominator=10**6), min_size=1, max_size=6))
def test_downtime_in_series_is_the_complement_of_the_product(shares: list[Fraction]) -> None:
    exact = 1 - math.prod(1 - share for share in shares)
    assert down_in_series(map(float, shares)) == pytest.approx(float(exact), rel=1e-12, abs=0)


def test_settled_tiers_are_a_product_of_binomials(tmp_path: Path) -> None:
    service = read(tmp_path, SITE)
    num, extra = (2, 7, 1), (1, 2, 1)
    up = Fraction(1)
    for tier, needed, spare in zip(service.tiers, num, extra, strict=True):
        crash, failover = Fraction(tier.ways[0].crash.value), 1 / tier.ways[0].failover_s
        q = crash / (crash + failover)
        nodes = needed + spare
        up *= sum(math.comb(nodes, down) * q**down * (1 - q) ** (nodes - down) for down in range(spare + 1))
    assert share_down(service, num, extra) == pytest.approx(float(1 - up), rel=1e-9)
    # The first failovers of the year, before everything has settled, are some millionths of it.
    found = share_down(replace(service, criterion=FIRST_YEAR), num, extra)
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


@dataclass(frozen=True)
class Offer:
    """So many spares of a tier."""

    usd: float
    nodes: int
    down: float


@dataclass(frozen=True)
class Spares:
    """Up to eight spares at a price each: `floor` is the waiting that none of them ends."""

    base: float
    floor: float
    price: int

    @property
    def least(self) -> float:
        return self.floor

    def __getitem__(self, number: int) -> Offer:
        if number > 8:
            raise IndexError(number)
        return Offer(float(self.price * number), number, self.floor + self.base ** (number + 1))


Tiers = st.lists(
    st.builds(Spares, st.floats(0.001, 0.6), st.floats(0, 1e-4), st.integers(0, 9)), min_size=1, max_size=3
)


@settings(max_examples=300)
@given(Tiers, st.floats(1e-5, 0.3))
def test_no_choice_is_cheaper(tiers: list[Spares], allowed: float) -> None:
    """Against every choice of up to eight spares a tier, prices of zero and ties among them: all that do, in
    the order of their price, their nodes and their downtime.
    """
    ranked = sorted(
        (sum(one.usd for one in each), sum(one.nodes for one in each), down)
        for each in itertools.product(*([tier[number] for number in range(9)] for tier in tiers))
        if (down := down_in_series(one.down for one in each)) <= allowed
    )
    found = [
        (
            sum(one.usd for one in each),
            sum(one.nodes for one in each),
            down_in_series(one.down for one in each),
        )
        for each in by_price(tiers, allowed)
    ]
    assert found == ranked


def test_equal_tiers_get_the_spare_that_comes_last() -> None:
    first = next(by_price([Spares(0.01, 0.0, 1)] * 3, 0.011))
    assert [one.nodes for one in first] == [0, 1, 1]


def test_eight_tiers_are_searched_without_looking_at_every_choice() -> None:
    """Counted, not timed: each of eight tiers has two hundred offers."""
    asked = 0

    class Long:
        least = 0.0

        def __getitem__(self, number: int) -> Offer:
            nonlocal asked
            asked += 1
            if number > 200:
                raise IndexError(number)
            return Offer(float(number), number, 0.5 ** (number + 1))

    first = next(by_price([Long() for _ in range(8)], 0.002))
    assert down_in_series(one.down for one in first) <= 0.002
    assert sum(one.nodes for one in first) == 88
    assert asked < 100_000


@settings(max_examples=40, deadline=None)
@given(users=st.integers(1, 250), nines=st.integers(2, 7))
def test_the_plan_is_the_fewest_nodes(
    tmp_path_factory: pytest.TempPathFactory, users: int, nines: int
) -> None:
    service = read(tmp_path_factory.mktemp("site"), SITE, 1 - Fraction(1, 10**nines))
    found = chosen(service, users)
    num = [part.needed for part in found.parts]
    assert num == [-(-users // 100), -(-users // 30), 1]
    assert found.down_s <= service.allowed_s
    fewer = sum(spares(found)) - 1
    for extras in itertools.product(range(fewer + 1), repeat=3):
        if sum(extras) == fewer:
            assert share_down(service, num, extras) * YEAR > service.allowed_s


def test_the_users_carried_are_the_most(tmp_path: Path) -> None:
    service = read(tmp_path, SITE)
    inputs, parts = service, chosen(service, 150).parts
    for totals in (tuple(part.nodes for part in parts), (3, 8, 1), (2, 9, 2), (9, 99, 2)):
        most = max(
            (
                users
                for users in range(1, 251)
                if (needed := (-(-users // 100), -(-users // 30), 1))
                and all(n <= t for n, t in zip(needed, totals, strict=True))
                and share_down(inputs, needed, [t - n for n, t in zip(needed, totals, strict=True)]) * YEAR
                <= inputs.allowed_s
            ),
            default=0,
        )
        assert users_carried(inputs, base(inputs), parts, totals) == most


def test_the_growth_has_every_step_and_ends_at_the_wall(tmp_path: Path) -> None:
    service = read(tmp_path, SITE)
    found = growth(service, base(service), 10_000, at_once)
    steps = found.steps
    assert (found.stride, found.wall) == (1, 250)
    assert [step.users_from for step in steps] == [1, *(step.users_to + 1 for step in steps[:-1])]
    assert [step.users_to for step in steps] == [30, 60, 90, 100, 120, 150, 180, 200, 210, 240, 250]
    assert steps[3].limited_by == ("balancer",) and steps[-1].limited_by == ("database",)
    for step in steps:
        for users in (step.users_from, step.users_to):
            assert step.answer == planned(service, users)


def test_a_long_growth_is_thinned_but_keeps_the_slower_tiers(tmp_path: Path) -> None:
    service = read(tmp_path, SITE.replace("users = 30, low = 25, high = 40", "users = 2"))
    found = growth(service, base(service), 10_000, at_once)
    assert found.stride > 1 and len(found.steps) < 40
    assert {100, 200, 250} <= {step.users_to for step in found.steps}


def test_one_more_node_is_a_spare_or_carries_more(tmp_path: Path) -> None:
    service = read(tmp_path, SITE)
    inputs, found = service, chosen(service, 100)
    num, totals = [part.needed for part in found.parts], [part.nodes for part in found.parts]
    carried = users_carried(inputs, base(inputs), found.parts, totals)
    for i, more in enumerate(one_more(inputs, base(inputs), found)):
        extra = [each + (j == i) for j, each in enumerate(spares(found))]
        assert more.down_s == share_down(inputs, num, extra) * inputs.year_s < found.down_s
        assert more.users_carried >= carried >= 100


def test_the_interval_of_the_limits_is_that_of_the_plan(tmp_path: Path) -> None:
    seen = outlook(read(tmp_path, SITE))
    ends = (seen.fewest, seen.found, seen.most)
    assert [end.num for end in ends] == [(1, 3, 1), (1, 4, 1), (2, 4, 1)]
    totals = [end.answer.chosen.nodes for end in ends if end.answer.chosen]
    assert totals == sorted(totals) and len(totals) == 3


def test_a_tier_that_does_not_scale_is_exceeded(tmp_path: Path) -> None:
    service = read(tmp_path, SITE)
    assert planned(service, 250).chosen is not None
    found = planned(service, 251)
    assert found.chosen is None
    assert found.why[0].startswith("database: one node carries 250 users and a second adds no throughput")


def test_waiting_for_failover_is_a_ceiling(tmp_path: Path) -> None:
    text = SITE.replace("format = 1", 'format = 1\ndeployment = "PF on-prem + repair"')
    found = planned(read(tmp_path, text), 100)
    assert found.chosen is None
    assert "web waits" in found.why[0] and "a ceiling of 0.99" in found.why[0]
    relaxed = read(tmp_path, text, Fraction(99, 100))
    assert chosen(relaxed, 100).down_s <= relaxed.allowed_s


def test_the_length_of_the_year_is_the_files(tmp_path: Path) -> None:
    service = read(tmp_path, SITE.replace("format = 1", 'format = 1\nyear = "365d"'))
    assert service.tiers[0].ways[0].crash.value == 1 / (365 * 86_400) == 1 / service.year_s
    assert service.tiers[0].ways[0].name == ARA_CLOUD
