"""Clusters against formulas: where nodes are independent, where one crew mends, where shocks strike."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadstone.availability import closed
from loadstone.availability.chain import Bounds, down_bounds, outages, time_up
from loadstone.availability.cluster import Cluster, Shock
from loadstone.availability.criterion import FIRST_YEAR
from loadstone.availability.down import down_s
from loadstone.availability.text import prism

YEAR = 365.25 * 86_400
HOUR = 3600.0


def inside(bounds: Bounds, value: float, slack: float = 1e-9) -> bool:
    return bounds.low * (1 - slack) <= value <= bounds.high * (1 + slack)


rates = st.floats(0.2, 20).map(lambda a_year: a_year / YEAR)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 8), st.integers(0, 3), rates, st.floats(10, 3600))
def test_replaced_nodes_are_binomial(needed: int, extra: int, crash: float, failover_s: float) -> None:
    cluster = Cluster(needed, needed + extra, None, crash, 1 / failover_s)
    first = closed.ara_cloud(needed, extra, crash, 1 / failover_s, YEAR)
    assert inside(down_bounds(cluster, YEAR), first)
    assert down_s(cluster, YEAR, FIRST_YEAR) == first <= down_s(cluster, YEAR)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 12), st.integers(1, 4), rates, st.floats(0.1, 48))
def test_machine_repair_with_crews_is_a_birth_and_death_chain(
    nodes: int, crews: int, crash: float, repair_h: float
) -> None:
    """No pool: a mended machine goes back to work. Palm's model: weights by detailed balance."""
    repair = 1 / (repair_h * HOUR)
    cluster = Cluster(nodes, nodes, 0, crash, 1.0, repair, crews=crews)
    weights = [1.0]
    for broken in range(1, nodes + 1):
        weights.append(weights[-1] * (nodes - broken + 1) * crash / (min(broken, crews) * repair))
    total = math.fsum(weights)
    up = time_up(cluster, 1.0, range(nodes, -1, -1))
    assert all(inside(found, weight / total) for found, weight in zip(up, weights, strict=True))


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 10), rates, st.floats(0.05, 0.95), st.floats(10, 3600))
def test_a_shock_strikes_binomially(nodes: int, rate: float, share: float, failover_s: float) -> None:
    """All nodes needed, crashes nearly absent: down begins when a shock hits any of those up."""
    crash = 1e-9 * rate
    cluster = Cluster(nodes, nodes, None, crash, 1 / failover_s, shock=Shock(rate, share))
    first = outages(cluster).first_s
    assert inside(first, 1 / (rate * (1 - (1 - share) ** nodes) + nodes * crash), 1e-6)


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 5), st.integers(1, 3), rates, st.floats(0.5, 24), st.integers(1, 3))
def test_the_long_run_never_flatters_a_year_that_starts_well(
    needed: int, pool: int, crash: float, repair_h: float, phases: int
) -> None:
    cluster = Cluster(needed, needed, pool, crash, 1 / 60, 1 / (repair_h * HOUR), crews=1, phases=phases)
    assert down_s(cluster, YEAR) >= down_bounds(cluster, YEAR).low


def test_hot_spares_crash_warm_ones_less_cold_ones_not() -> None:
    kinds = [Cluster(3, 3, 2, 20 / YEAR, 1 / 60, 1 / (24 * HOUR), dormancy=d) for d in (0.0, 0.25, 1.0)]
    cold, warm, hot = (down_s(cluster, YEAR) for cluster in kinds)
    assert cold < warm < hot


def test_a_loaded_node_that_crashes_more_is_down_more() -> None:
    calm, worn = (
        down_s(Cluster(2, 3, None, 20 / YEAR, 1 / 600, load_exponent=power), YEAR) for power in (0.0, 2.0)
    )
    assert worn > calm


def test_an_erlang_repair_of_one_machine_has_the_same_mean() -> None:
    """With one machine the share of time down depends on the mean repair only."""
    crash, repair = 5 / YEAR, 1 / (8 * HOUR)
    for phases in (1, 2, 5):
        share = down_s(Cluster(1, 1, 0, crash, 1.0, repair, phases=phases), YEAR) / YEAR
        assert share == pytest.approx(crash / (crash + repair), rel=1e-6)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"needed": 0}, "cannot hold"),
        ({"active": 1}, "cannot hold"),
        ({"pool": -1}, "fewer than 0"),
        ({"crash": 0.0}, "above 0"),
        ({"phases": 9}, "phases"),
        ({"crews": 0}, "crew"),
        ({"active": 200, "shock": Shock(1.0, 0.5)}, "shocks"),
    ],
)
def test_what_is_no_cluster_is_refused(wrong: dict[str, object], words: str) -> None:
    right = {"needed": 2, "active": 3, "pool": 1, "crash": 1e-6, "failover": 0.1, "repair": 1e-4}
    with pytest.raises(ValueError, match=words):
        Cluster(**(right | wrong))  # type: ignore[arg-type]


def test_the_text_is_what_people_would_write() -> None:
    cluster = Cluster(2, 3, 1, 1e-6, 0.1, 1e-4, crews=1, phases=2, dormancy=0.25)
    assert prism(cluster) == (
        "ctmc\n"
        "formula broken = 4 - up - spare;\n"
        "formula phase1 = broken - phase2;\n"
        "module cluster\n"
        "  up : [0..3] init 3;\n"
        "  spare : [0..1] init 1;\n"
        "  phase2 : [0..4] init 0;\n"
        "  [] up > 0 -> up * 1e-06 : (up' = up - 1);\n"
        "  [] up < 3 & spare > 0 -> (3 - up) * 0.1 : (up' = up + 1) & (spare' = spare - 1);\n"
        "  [] spare > 0 -> spare * 2.5e-07 : (spare' = spare - 1);\n"
        "  [] phase1 > 0 -> phase1 * 0.0002 * min(1, broken) / broken : (phase2' = phase2 + 1);\n"
        "  [] phase2 > 0 & spare < 1 -> phase2 * 0.0002 * min(1, broken) / broken : "
        "(phase2' = phase2 - 1) & (spare' = spare + 1);\n"
        "endmodule\n"
        'label "down" = up < 2;\n'
    )
