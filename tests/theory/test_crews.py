"""Clusters that share crews against formulas: machine repair of all of them, and of the one mended first."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadstone.availability.chain import Bounds, time_in, within_reach
from loadstone.availability.cluster import Cluster, Crewed
from loadstone.availability.down import down_s
from loadstone.availability.series import down_in_series
from loadstone.availability.text import prism, series
from loadstone.ctmc.solve import solve

YEAR = 365.25 * 86_400
HOUR = 3600.0


def inside(bounds: Bounds, value: float, slack: float = 1e-6) -> bool:
    return bounds.low * (1 - slack) <= value <= bounds.high * (1 + slack)


rates = st.floats(1, 60).map(lambda a_year: a_year / YEAR)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 3), rates, st.floats(1, 72))
def test_equal_machines_of_two_tiers_are_one_machine_repair_model(
    web: int, data: int, crews: int, crash: float, repair_h: float
) -> None:
    """Palm's model: broken machines of both tiers together, whoever of them is mended first."""
    repair, nodes = 1 / (repair_h * HOUR), web + data
    weights = [1.0]
    for broken in range(1, nodes + 1):
        weights.append(weights[-1] * (nodes - broken + 1) * crash / (min(broken, crews) * repair))
    total = math.fsum(weights)
    clusters = tuple(Cluster(n, n, 0, crash, 1.0, repair) for n in (web, data))
    for ranks in ((0, 0), (1, 0)):
        model = Crewed(("web", "data"), clusters, crews, ranks)
        asked = [f"web_broken + data_broken = {broken}" for broken in range(nodes + 1)]
        found = time_in(model, 1.0, asked)
        assert all(inside(one, weight / total) for one, weight in zip(found, weights, strict=True))


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 4), st.integers(0, 2), rates, rates, st.integers(1, 3), st.integers(1, 2))
def test_the_tier_mended_first_does_not_notice_the_other(
    needed: int, pool: int, crash: float, other: float, phases: int, crews: int
) -> None:
    first = Cluster(needed, needed, pool, crash, 1 / 60, 1 / (24 * HOUR), phases=phases)
    second = Cluster(1, 2, 0, other, 1 / 60, 1 / (12 * HOUR))
    model = Crewed(("a", "b"), (first, second), crews, (0, 1))
    alone = Cluster(needed, needed, pool, crash, 1 / 60, 1 / (24 * HOUR), crews=crews, phases=phases)
    [found] = time_in(model, 1.0, [f"a_up < {needed}"])
    assert inside(found, down_s(alone, 1.0))


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 2), rates), min_size=2, max_size=3))
def test_sharing_crews_never_helps_and_plenty_of_them_do_not_matter(
    kinds: list[tuple[int, int, float]],
) -> None:
    clusters = tuple(Cluster(n, n, pool, crash, 1 / 60, 1 / (24 * HOUR)) for n, pool, crash in kinds)
    names = tuple("abc"[: len(kinds)])
    nodes = sum(n + pool for n, pool, _ in kinds)
    product = down_in_series(down_s(one, 1.0) for one in clusters)
    plenty = Crewed(names, clusters, nodes, (0,) * len(kinds))
    assert down_s(plenty, 1.0) == pytest.approx(product, rel=1e-6)
    one_each = [Cluster(n, n, pool, crash, 1 / 60, 1 / (24 * HOUR), crews=1) for n, pool, crash in kinds]
    shared = down_s(Crewed(names, clusters, 1, (0,) * len(kinds)), 1.0)
    assert shared >= down_in_series(down_s(one, 1.0) for one in one_each) * (1 - 1e-6)


def test_states_that_hardly_occur_are_left_out_of_large_chains() -> None:
    cluster = Cluster(10, 10, 6, 4 / YEAR, 1 / 60, 1 / (8 * HOUR))
    model = Crewed(("a", "b"), (cluster, cluster), 1, (0, 0))
    cut = within_reach(model)
    assert model.states == 77 * 77 == 5929 and cut is model
    larger = Crewed(("a", "b"), (Cluster(12, 12, 6, 4 / YEAR, 1 / 60, 1 / (8 * HOUR)),) * 2, 1, (0, 0))
    cut = within_reach(larger)
    assert larger.states > 6000 > cut.states
    [whole] = time_in(larger, 1.0, ["down"])
    assert down_s(larger, 1.0) == pytest.approx(whole.low, rel=1e-5)


def test_independent_clusters_in_one_text_multiply() -> None:
    one, two = (
        Cluster(2, 3, None, 20 / YEAR, 1 / 3600),
        Cluster(1, 1, 1, 9 / YEAR, 1 / 60, 1 / (24 * HOUR), crews=1),
    )
    model = {"prism": {"text": series([("web", one), ("data", two)]), "constants": {}}}
    [answer] = solve(model, [{"ask": "long-run", "of": "down"}], "series")["answers"]
    # The first in closed form over a year that starts with every node up: nearly the long run.
    product = down_in_series([down_s(one, YEAR) / YEAR, down_s(two, 1.0)])
    assert inside(Bounds(answer["low"], answer["high"]), product, 1e-3)


def test_the_text_says_who_is_mended_first() -> None:
    cluster = Cluster(1, 2, 0, 1e-6, 0.1, 1e-4)
    text = prism(Crewed(("web", "data", "proxy"), (cluster,) * 3, 2, (1, 0, 1)))
    assert "formula waiting_0 = data_broken;\nformula crews_0 = 2;\n" in text
    assert (
        "formula waiting_1 = web_broken + proxy_broken;\nformula crews_1 = max(0, 2 - data_broken);\n" in text
    )
    assert "web_phase1 * 0.0001 * min(crews_1, waiting_1) / waiting_1" in text
    assert 'label "down" = web_up < 1 | data_up < 1 | proxy_up < 1;' in text


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"crews": 0}, "at least one crew"),
        ({"names": ("a",)}, "a name and a rank"),
        ({"clusters": (Cluster(1, 1, None, 1.0, 1.0),) * 2}, "are mended"),
        ({"clusters": (Cluster(1, 1, 0, 1.0, 1.0, 1.0, crews=1),) * 2}, "by these crews only"),
    ],
)
def test_what_cannot_share_crews_is_refused(wrong: dict[str, object], words: str) -> None:
    right = {
        "names": ("a", "b"),
        "clusters": (Cluster(1, 1, 0, 1.0, 1.0, 1.0),) * 2,
        "crews": 1,
        "ranks": (0, 0),
    }
    with pytest.raises(ValueError, match=words):
        Crewed(**(right | wrong))  # type: ignore[arg-type]
