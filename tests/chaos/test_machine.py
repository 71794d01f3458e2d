"""The machine draws what the chain says: simulated lives beside the exact answer."""

from __future__ import annotations

import math
from statistics import fmean, stdev

import pytest

from loadstone.availability.chain import down_bounds
from loadstone.availability.cluster import Cluster
from loadstone.chaos.beside import beside, chain, expected, mean_interval
from loadstone.chaos.machine import Act, Machine, simulate
from loadstone.chaos.probe import Seen

CLUSTERS = {
    "active, replaced": Cluster(2, 3, None, 1 / 20, 1 / 3),
    "passive": Cluster(2, 2, 2, 1 / 20, 1 / 2),
    "passive, repaired": Cluster(2, 2, 1, 1 / 20, 1 / 2, 1 / 8),
    "active, repaired": Cluster(2, 3, 0, 1 / 20, 1.0, 1 / 8),
    "many spares, repaired": Cluster(2, 2, 3, 1 / 20, 1 / 2, 1 / 8),
}


@pytest.mark.parametrize("name", CLUSTERS)
def test_simulated_lives_have_the_downtime_of_the_chain(name: str) -> None:
    """1,200 lives: a mean further off than five standard errors happens once in a million tests."""
    cluster, life_s = CLUSTERS[name], 60.0
    downs = [sum(simulate(cluster, life_s, seed)[: cluster.needed]) for seed in range(1200)]
    bounds = down_bounds(cluster, life_s)
    error = stdev(downs) / math.sqrt(len(downs))
    assert bounds.low - 5 * error <= fmean(downs) <= bounds.high + 5 * error


def test_a_life_is_the_same_for_the_same_seed() -> None:
    cluster = CLUSTERS["passive, repaired"]
    assert simulate(cluster, 100.0, 7) == simulate(cluster, 100.0, 7)
    assert simulate(cluster, 100.0, 7) != simulate(cluster, 100.0, 8)


def test_a_start_begins_early_by_what_it_takes() -> None:
    """With a lead the act comes before the node is meant to be up, never before the crash."""
    machine = Machine(CLUSTERS["active, replaced"], seed=3, lead_s=0.5)
    machine.begin()
    starts: list[tuple[float, Act]] = []
    crashed: dict[int, float] = {}
    for _ in range(200):
        now = machine.next_s
        for act in machine.due(now):
            if act.verb == "kill":
                crashed[act.node] = now
            else:
                starts.append((now, act))
                assert now >= crashed[act.node]
                assert now == pytest.approx(max(crashed[act.node], act.meant_s - 0.5))
                machine.ready(act.node, max(now, act.meant_s))
    assert len(starts) > 20


def test_what_is_not_played_is_refused() -> None:
    with pytest.raises(ValueError, match="not played"):
        Machine(Cluster(2, 2, 1, 1.0, 1.0, 1.0, crews=1), seed=1)


def test_samples_stand_until_the_next() -> None:
    seen = Seen([0.02, 1.0, 2.0, 3.5], [frozenset({0, 1}), frozenset({0}), frozenset(), frozenset({0})])
    assert seen.time_up(2, 4.0) == [1.5, 1.5, 1.0]


def test_the_chain_of_a_life_is_the_answer_of_the_cluster() -> None:
    cluster = CLUSTERS["passive"]
    found = chain(cluster, 60.0)
    assert 1 - found["availability"] == pytest.approx(down_bounds(cluster, 60.0).high / 60.0, rel=1e-5)
    assert found["crashes"] == pytest.approx(cluster.crash * found["nodes_up"] * 60.0)


def test_a_late_start_is_in_the_model() -> None:
    cluster = CLUSTERS["active, replaced"]
    life = {"availability": 0.9, "nodes_up": 2.5, "crashes": [[1.0, 0]], "starts": [[3.0, 4.0, 0]]}
    found = beside(cluster, 60.0, [life, life])
    assert found["failover_s"] == {"asked": 3.0, "late": 1.0, "modelled": 4.0}
    assert found["measured"]["availability"]["value"] == 0.9


def test_an_interval_needs_two_and_stays_within_its_range() -> None:
    assert mean_interval([0.5])["low"] is None
    found = mean_interval([0.1, 1.0], most=1.0)
    assert (found["low"], found["high"]) == (0.0, 1.0)
    found = mean_interval([11.0, 12.0, 13.0])
    assert found["low"] == pytest.approx(12 - 4.30265 / math.sqrt(3), rel=1e-4)


def test_a_run_of_the_model_lies_where_it_is_expected() -> None:
    """The range of means narrows with the number of lives and holds the chain's own mean."""
    cluster = CLUSTERS["passive, repaired"]
    truth = chain(cluster, 30.0)
    few, many = (expected(cluster, 30.0, lives) for lives in (2, 8))
    for name in ("availability", "nodes_up"):
        assert few[name][0] < many[name][0] < truth[name] < many[name][1] < few[name][1]
