"""Formulas against the chain that they stand for, and how many models a search takes."""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadstone.availability import down
from loadstone.availability.chain import down_bounds, share_down, within_reach
from loadstone.availability.cluster import Cluster
from loadstone.availability.criterion import CRITERIA, FIRST_YEAR, LONG_RUN, Criterion, judged
from loadstone.availability.deployments import (
    ARA_CLOUD,
    DEPLOYMENTS,
    PF_ON_PREM,
    PF_ON_PREM_REPAIR,
    deployed,
)
from loadstone.availability.down import down_s, watched
from loadstone.availability.search import smallest
from loadstone.plan import compared
from loadstone.plan.asked import Asked
from loadstone.plan.named import Hazards
from loadstone.plan.tiers_outlook import outlook
from loadstone.plan.tiers_read import read_tiers

YEAR = 365.25 * 86_400
rates = st.floats(0.2, 50).map(lambda a_year: a_year / YEAR)


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(DEPLOYMENTS), st.integers(1, 6), st.integers(0, 3), rates, st.floats(10, 3600),
    st.floats(0.2, 72), st.sampled_from(CRITERIA), st.sampled_from([None, 9]), st.integers(1, 2),
)  # fmt: skip
def test_every_formula_is_the_chain(
    deployment: str, num: int, extra: int, crash: float, failover_s: float, repair_h: float,
    criterion: Criterion, crews: int | None, phases: int,
) -> None:  # fmt: skip
    """Nine crews are as good as one for each of at most nine nodes."""
    made = deployed(deployment, num, extra, crash, 1 / failover_s, 1 / (repair_h * 3600))
    cluster = Cluster(**{**made.__dict__, "crews": crews, "phases": phases if made.repair else 1})
    found = down_s(cluster, YEAR, criterion)
    if judged(cluster.mended, criterion) == LONG_RUN:
        whole = share_down(cluster) * YEAR
        assert whole * (1 - 2e-7) <= found <= whole * (1 + 1e-9)
    else:
        bounds = down_bounds(cluster, YEAR)
        assert bounds.low * (1 - 1e-9) <= found <= bounds.high * (1 + 1e-9)


@settings(max_examples=10, deadline=None)
@given(st.sampled_from(DEPLOYMENTS), st.integers(1, 5), st.integers(0, 3), rates, st.floats(0.5, 48))
def test_the_first_year_is_never_worse_than_the_long_run(
    deployment: str, num: int, extra: int, crash: float, repair_h: float
) -> None:
    cluster = deployed(deployment, num, extra, crash, 1 / 60, 1 / (repair_h * 3600))
    assert down_s(cluster, YEAR, FIRST_YEAR) <= down_s(cluster, YEAR, LONG_RUN) * (1 + 3e-7)


def test_a_chain_that_is_cut_where_it_hardly_ever_is_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster(40, 40, 8, 12 / YEAR, 1 / 60, 1 / (24 * 3600), crews=4)
    whole = share_down(cluster)
    monkeypatch.setattr("loadstone.availability.chain.MOST_STATES", 100)
    within_reach.cache_clear()
    cut = within_reach(cluster)
    assert isinstance(cut, Cluster) and 0 < cut.fewest < cluster.needed
    assert share_down(cluster) == pytest.approx(whole, rel=2e-7)
    within_reach.cache_clear()


@given(st.integers(0, 3000), st.integers(0, 3000), st.integers(0, 4000))
def test_a_search_begins_at_its_guess(edge: int, most: int, guess: int) -> None:
    asked: list[int] = []

    def holds(n: int) -> bool:
        asked.append(n)
        return n >= edge

    assert smallest(holds, most, guess) == (edge if edge <= most else None)
    assert len(set(asked)) == len(asked)
    assert len(asked) <= 2 + 2 * abs(min(guess, most) - edge).bit_length()


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(
    ("num", "repair_s"),
    [
        (1_000, 3600),
        (10_000, 3600),
        (1_000, 7 * 86_400),
        pytest.param(10_000, 7 * 86_400, marks=pytest.mark.long),
    ],
)
def test_thousands_of_nodes_take_a_few_models(num: int, repair_s: int, criterion: Criterion) -> None:
    """Counted, not timed: each is a formula, or a chain of the states that matter."""
    hazards = Hazards(
        Fraction(1, 31_557_600), Fraction(1, 15), Fraction(1, repair_s), Fraction(99, 100),
        criterion=criterion,
    )  # fmt: skip
    down_s.cache_clear()
    for deployment in DEPLOYMENTS:
        if (deployment, repair_s, criterion) == (PF_ON_PREM_REPAIR, 7 * 86_400, FIRST_YEAR):
            continue  # its chain of a first year takes a minute: `nodes` says so while it is solved
        models: list[object] = []
        with watched(models.append):
            found = compared.option(num, "native", deployment, hazards)
        assert found.extra is not None and found.note is None
        assert len(models) <= (16 if deployment in (PF_ON_PREM, PF_ON_PREM_REPAIR) else 40), deployment
        if found.extra:
            assert compared.downtime(num, found.extra - 1, deployment, hazards) > hazards.allowed_s()
        assert compared.downtime(num, found.extra, deployment, hazards) <= hazards.allowed_s()


def test_tiers_of_thousands_of_nodes_take_a_few_models_each(tmp_path: Path) -> None:
    """With the growth from one user on, in two dozen steps, and the interval's ends."""
    file = tmp_path / "tiers.toml"
    file.write_text(
        "format = 1\n[tier.web]\ncapacity = { users = 100, low = 90, high = 120 }\n"
        '[tier.data]\ncapacity = { users = 400 }\ndeployment = "PF on-prem + repair"\n'
    )
    service = read_tiers(file, Asked(Fraction(400_000), target=Fraction(99, 100)))
    models: list[object] = []
    down_s.cache_clear()
    with watched(models.append):
        found = outlook(service).found
    assert found.answer.chosen is not None and found.num == (4_000, 1_000)
    # Two dozen steps and five more plans, a few models for each of two tiers; users carried by bisection.
    assert len(models) <= 400


def test_a_repair_faster_than_a_failover_leaves_pools_aside() -> None:
    """Without spares a node is back in a minute, with spares in half an hour."""
    hazards = Hazards(Fraction(1, 31_557_600), Fraction(1, 1800), Fraction(1, 60), Fraction(9999, 10_000))
    found = compared.option(20, "native", PF_ON_PREM_REPAIR, hazards)
    assert found.extra == 0 and found.note is None
    strict = Hazards(hazards.crash, hazards.failover, hazards.repair, Fraction(999_999, 1_000_000))
    unmet = compared.option(20, "native", PF_ON_PREM_REPAIR, strict)
    assert unmet.extra is None and "waiting for repair (1 min)" in (unmet.note or "")


def test_a_watcher_hears_of_each_model_once() -> None:
    heard: list[object] = []
    down.down_s.cache_clear()
    with watched(heard.append):
        for _, extra in itertools.product(range(3), range(4)):
            down_s(deployed(ARA_CLOUD, 3, extra, 1e-7, 0.1, None), YEAR)
    assert len(heard) == 4
