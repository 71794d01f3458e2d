"""From synthetic evidence to sentences: what may be said, and when nothing may."""

from __future__ import annotations

from typing import Any

import pytest
from probe_lines import pings, tcp, tcp_of, trips_of, udp_of

from loadstone.probe.congestion import congestion, load
from loadstone.probe.flows import at_once
from loadstone.probe.infer import distance, of_groups, path, shared
from loadstone.probe.link import CLASSES, ceilings, link
from loadstone.probe.summary import described
from loadstone.probe.trips import trips
from loadstone.stages.probe import Group, Path


@pytest.mark.parametrize("rate", [10, 100, 1000, 10_000])
def test_tcp_at_the_ceiling_of_a_class_names_it(rate: int) -> None:
    for carried in ceilings(rate, 1448):
        found = link("a → b", tcp_of(carried * 0.995), None)
        assert found.said and found.text.startswith(f"{CLASSES[rate]}: "), found.text
        assert "token bucket" not in found.text


def test_a_rate_between_classes_is_a_limiter() -> None:
    """19.1 Mbit/s of payload is 20 Mbit/s of frames."""
    found = link("a → b", tcp_of(20 * 1448 / 1514), None)
    assert found.said and found.text.startswith("Limited at about 20.0 Mbit/s of frames")
    assert (
        "10 Mbit Ethernet carries at most 9.56" in found.text
        and "100 Mbit Ethernet would carry 94.1" in found.text
    )
    assert found.evidence["tcp_steady_mbit_per_s"].value == pytest.approx(19.13, abs=0.05)


def test_a_burst_above_the_rate_is_a_token_bucket() -> None:
    found = link("a → b", tcp_of(50, burst=5.0), None)
    # Two tenths of a second at 4 × 50 Mbit/s too much: 40 Mbit, 4883 KiB.
    assert found.said and "began at 5.00 times that rate, about 4,88" in found.text, found.text
    at_class = link("a → b", tcp_of(95, burst=3.0), None)
    assert at_class.text.startswith("100 Mbit Ethernet") and "token bucket" in at_class.text


def test_no_class_where_the_hosts_are_busy() -> None:
    found = link("a → b", tcp_of(6800, busy=0.97), None)
    assert not found.said and "the hosts set the rate" in found.text
    assert "faster than 2.5 Gigabit Ethernet" in found.text, "that much the figures do show"


def test_no_class_where_the_rate_varies() -> None:
    found = link("a → b", tcp_of(500, variation=0.3), None)
    assert not found.said and "varied between rounds" in found.text
    assert "faster than 100 Mbit Ethernet" in found.text


def test_no_class_where_udp_passes_more_than_tcp() -> None:
    found = link("a → b", tcp_of(40), udp_of(90))
    assert not found.said and "hold TCP back" in found.text
    assert link("a → b", tcp_of(94), udp_of(95.5)).said, "UDP has a little less around its payload"


def test_no_class_from_two_rounds_or_none() -> None:
    assert not link("a → b", tcp_of(94, rounds=2), None).said
    assert not link("a → b", None, None).said
    assert not link("a → b", tcp_of(0.0), None).said


def test_calm_round_trips_show_no_congestion() -> None:
    found = congestion("a → b", trips_of(1.0), {"to": udp_of(50, over=False), "back": None})
    assert found.said and found.text.startswith("No sign of congestion")


def test_tails_and_loss_beneath_the_rate_are_congestion() -> None:
    found = congestion("a → b", trips_of(1.0, tail=0.1), {"to": udp_of(50, 0.02, over=False), "back": None})
    assert found.said and found.text.startswith("Congestion by others is likely")
    assert "2 % of UDP was lost towards the target" in found.text and "99 % quantile" in found.text


def test_tails_and_rounds_that_differ_are_congestion() -> None:
    found = congestion("a → b", trips_of(1.0, tail=0.1, drift=0.1), {})
    assert found.said and found.text.startswith("Congestion by others is likely")


def test_loss_without_waiting_is_a_lossy_link() -> None:
    found = congestion("a → b", trips_of(1.0, loss=0.2), {"to": None, "back": None})
    assert found.said and found.text.startswith("Loss without waiting")
    assert found.evidence["loss_low"] < 0.2 < 0.3


def test_one_sign_alone_does_not_suffice() -> None:
    assert not congestion("a → b", trips_of(1.0, tail=0.1), {}).said


def test_what_a_busy_receiver_lost_is_no_sign() -> None:
    found = congestion("a → b", trips_of(1.0), {"to": udp_of(3000, 0.05, busy=1.0, over=False)})
    assert found.text.startswith("No sign of congestion")


def test_a_tail_of_microseconds_is_a_scheduler() -> None:
    """Ten times 0.015 ms is 0.15 ms: nothing that a queue of the network must explain."""
    assert congestion("a → b", trips_of(0.015, 0.0005, tail=0.1), {}).text.startswith("No sign")


def test_few_pings_say_nothing_of_congestion() -> None:
    assert not congestion("a → b", trips_of(1.0, rounds=2), {}).said
    assert not congestion("a → b", None, {}).said
    assert not congestion("a → b", trips_of(1.0, loss=1.0), {}).said


def test_a_full_queue_makes_others_wait() -> None:
    found = load("a → b", "to", trips_of(1.0), trips_of(41.0, 2.0, seed=5), tcp_of(19.1))
    assert found.said and "(cubic) makes others wait" in found.text
    added = found.evidence["added_ms"]
    assert added.low < 40.0 < added.high
    # 40 ms of 19.1 Mbit/s are 93 KiB.
    assert "a queue of about 93" in found.text or "a queue of about 92" in found.text, found.text


def test_no_queue_is_said_so_and_little_evidence_too() -> None:
    assert "adds nothing" in load("a → b", "to", trips_of(1.0), trips_of(1.0, seed=9), tcp_of(19.1)).text
    assert not load("a → b", "to", trips_of(1.0, rounds=2), trips_of(9.0), None).said
    assert not load("a → b", "to", trips_of(1.0), None, None).said


def test_the_path() -> None:
    near = path("a → b", Path(hops=["198.18.0.3"], reached=True, mtu=1500))
    assert near.said and near.text.startswith("Entirely on layer 2") and "1500 bytes" in near.text
    far = path("a → b", Path(hops=["10.0.0.1", None, "10.9.0.3"], reached=True, mtu=None))
    assert far.text.startswith("2 routers on the way (10.0.0.1, one that keeps silent)")
    assert not path("a → b", Path(hops=[None] * 6, reached=False, mtu=None)).said


def test_the_distance_is_bounded_by_light() -> None:
    icmp, tcp = trips([(1, [10.0])], 1), trips([(1, [12.0])], 1)
    found = distance("a → b", icmp, tcp)
    assert found.said and 1015 < found.evidence["km_at_most"] < 1025, "1 ms of round trip is 102 km"
    assert not distance("a → b", trips([(1, [])], 1), None).said


def together(at: list[float], name: str, rounds: int = 5, busy: float = 0.2) -> list[dict[str, object]]:
    lines = []
    for number in range(1, rounds + 1):
        flows = [
            {"from": f"s{index}", "to": "b", "mbit": rate * (1 + 0.01 * number), "busy": busy}
            for index, rate in enumerate(at)
        ]
        lines.append({"kind": "together", "round": number, "set": name, "flows": flows})
    return lines


def alone(rates: list[float]) -> list[dict[str, object]]:
    return [line | {"from": f"s{index}"} for index, rate in enumerate(rates) for line in tcp(rate)]


@pytest.mark.parametrize(
    ("at", "name", "said", "words"),
    [
        ([90.0, 90.0], "apart", True, "They do not hinder each other"),
        ([45.0, 45.0], "apart", True, "Oversubscribed 1.9"),
        ([45.0, 45.0], "to b", True, "They share what one alone can fill"),
        ([70.0, 70.0], "to b", True, "Together they get more than one alone and less than all"),
    ],
)
def test_pairs_at_once(at: list[float], name: str, said: bool, words: str) -> None:
    (found,) = at_once(together(at, name), alone([90.0, 90.0]))
    told = shared(found)
    assert told.said is said and told.text.startswith(words), told.text


def test_pairs_at_once_on_busy_hosts_or_seldom_say_nothing() -> None:
    (busy,) = at_once(together([45.0, 45.0], "apart", busy=0.95), alone([90.0, 90.0]))
    (seldom,) = at_once(together([45.0, 45.0], "apart", rounds=2), alone([90.0, 90.0]))
    assert not shared(busy).said and not shared(seldom).said
    assert at_once(together([45.0, 45.0], "apart"), []) == [], "nothing alone, nothing to compare"


def test_groups_are_ranked_only_where_they_differ() -> None:
    def group(name: str, *arguments: float, **changes: Any) -> Group:
        return Group(**dict(described(pings(*arguments, **changes))), name=name, pairs=[])

    near, far = group("near", 1.0), group("far", 2.0)
    (one,) = of_groups([far, near])
    assert one.said and "near with 1.00 ms" in one.text and "far with 2.00 ms" in one.text
    (same,) = of_groups([near, group("twin", 1.0, seed=8)])
    assert not same.said
    assert list(of_groups([near])) == []
