"""From figures to sentences, as the paper infers: pure, with the evidence, silent where it is thin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loadstone.digits import digits
from loadstone.probe.congestion import congestion, load
from loadstone.probe.link import link
from loadstone.probe.sentence import LEAST_ROUNDS, percent, silent, spread, told
from loadstone.stages.probe import Estimate, Group, Pair, Path, Sentence, Together, Trips

FIBRE_KM_PER_MS = 299.792458 / 1.468
"""Light in fibre: the group index of common single-mode fibre (ITU-T G.652) is 1.468 at 1550 nm."""
_SAME = 0.9
"""Flows at once that carry this share of what each carries alone do not hinder each other."""


def of_pair(pair: Pair) -> Iterator[Sentence]:
    """Everything that can be said of one pair, and what cannot."""
    where, back = pair.name, f"{pair.target} → {pair.source}"
    if pair.bandwidth.to or pair.bandwidth.back:
        yield link(where, pair.bandwidth.to, pair.udp.to)
        yield link(back, pair.bandwidth.back, pair.udp.back)
    if pair.icmp:
        yield congestion(where, pair.icmp, pair.udp_beneath.named())
        for way, flow in pair.bandwidth.named().items():
            if flow:
                yield load(where, way, pair.icmp, pair.under_load.named()[way], flow)
    if pair.path:
        yield path(where, pair.path)
    if pair.icmp or pair.tcp:
        yield distance(where, pair.icmp, pair.tcp)


def path(where: str, found: Path) -> Sentence:
    """Whether the path is entirely on layer 2."""
    hops, evidence = found.hops, dict(found)
    if not found.reached:
        text = f"{len(hops)} hops were tried and the target was not among those that answered."
        return silent("path", where, text, evidence)
    mtu = f" Packets of {found.mtu} bytes pass whole." if found.mtu else ""
    if len(hops) == 1:
        text = f"Entirely on layer 2: a packet that may pass no router (TTL 1) arrives.{mtu}"
        return told("path", where, text, evidence)
    routers = len(hops) - 1
    names = ", ".join(hop or "one that keeps silent" for hop in hops[:-1])
    text = f"{routers} router{'s' if routers > 1 else ''} on the way ({names}): not one layer-2 network.{mtu}"
    return told("path", where, text, evidence)


def distance(where: str, icmp: Trips | None, tcp: Trips | None) -> Sentence:
    """How far apart the hosts can be at most: nothing is faster than light in fibre."""
    times = [one.min_ms for one in (icmp, tcp) if one and one.min_ms is not None]
    if not times:
        return silent("distance", where, "nothing came back.")
    far = min(times) / 2 * FIBRE_KM_PER_MS
    text = (
        f"At most {digits(far)} km of fibre apart: the fastest round trip took {digits(min(times))} "
        "ms, and light in "
        f"fibre goes {FIBRE_KM_PER_MS:.0f} km a millisecond."
    )
    return told("distance", where, text, {"min_ms": min(times), "km_at_most": far})


def shared(found: Together) -> Sentence:
    """What several pairs at once say of what they share."""
    ratio, where, evidence = found.ratio, f"at once, {found.set}", dict(found)
    low, high = (ratio.low, ratio.high) if ratio else (None, None)
    if ratio is None or low is None or high is None or ratio.repeats < LEAST_ROUNDS:
        return silent("shared", where, f"only {found.rounds} rounds.", evidence)
    figures = (
        f"{len(found.pairs)} pairs at once carried {spread(found.at_once_mbit_per_s, 'Mbit/s')}, one "
        f"at a time they add up to {spread(found.alone_mbit_per_s, 'Mbit/s')}"
    )
    if found.busy >= _SAME:
        text = (
            f"{figures}, with {percent(found.busy)} of a processor busy in an iperf3: the hosts set the rate."
        )
        return silent("shared", where, text, evidence)
    if low > _SAME:
        return told("shared", where, f"They do not hinder each other: {figures}.", evidence)
    if high >= _SAME:
        text = (
            f"{figures}: the interval of their ratio, {spread(ratio, '')}, reaches to both sides of {_SAME}."
        )
        return silent("shared", where, text, evidence)
    if found.set == "apart":
        text = (
            f"Oversubscribed {digits(1 / ratio.value)} to 1: {figures}, and they have no host in "
            "common. (Hosts that are guests of one machine also share its processors.)"
        )
    elif found.at_once_mbit_per_s.value <= 1.1 * found.fastest_alone_mbit_per_s.value:
        text = f"They share what one alone can fill, the target's own link or one before it: {figures}."
    else:
        text = (
            f"Together they get more than one alone and less than all: {figures}. Something on their "
            "common way is shared."
        )
    return told("shared", where, text, evidence)


def of_groups(groups: Sequence[Group]) -> Iterator[Sentence]:
    """Which group's round trips are shortest and which vary most, where there are several."""
    known = [one for group in groups if (one := _measured(group))]
    if len(known) < 2:
        return
    if any(one.rounds < LEAST_ROUNDS for one in known):
        yield silent("groups", "", f"groups are compared from {LEAST_ROUNDS} rounds on.")
        return
    by_mean = sorted(known, key=lambda one: one.mean_ms.value)
    first, last = by_mean[0], by_mean[-1]
    evidence = {one.name: {"mean_ms": one.mean_ms, "iqr_ms": one.iqr_ms} for one in known}
    means = " and ".join(f"{one.name} with {spread(one.mean_ms, 'ms')}" for one in (first, last))
    if first.mean_ms.high is None or last.mean_ms.low is None or first.mean_ms.high >= last.mean_ms.low:
        text = f"the mean round trips of the groups do not differ by more than their intervals: {means}."
        yield silent("groups", "", text, evidence)
        return
    widest = max(known, key=lambda one: one.iqr_ms)
    text = (
        f"Shortest and longest mean round trips: {means}. The middle half spreads most in {widest.name}: "
        f"{digits(widest.iqr_ms)} ms wide."
    )
    yield told("groups", "", text, evidence)


@dataclass(frozen=True)
class _Measured:
    """What groups are compared by."""

    name: str
    rounds: int
    mean_ms: Estimate
    iqr_ms: float


def _measured(group: Group) -> _Measured | None:
    """None where no round trip came back."""
    icmp = group.icmp
    if not icmp or not icmp.mean_ms or icmp.q1_ms is None or icmp.q3_ms is None:
        return None
    return _Measured(group.name, icmp.rounds, icmp.mean_ms, icmp.q3_ms - icmp.q1_ms)
