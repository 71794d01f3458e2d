"""From figures to sentences, as the paper infers: pure, with the evidence, silent where it is thin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loadstone.probe.congestion import congestion, load
from loadstone.probe.link import link
from loadstone.probe.sentence import LEAST_ROUNDS, Sentence, digits, percent, silent, spread
from loadstone.probe.trips import Entry

FIBRE_KM_PER_MS = 299.792458 / 1.468
"""Light in fibre: the group index of common single-mode fibre (ITU-T G.652) is 1.468 at 1550 nm."""
_SAME = 0.9
"""Flows at once that carry this share of what each carries alone do not hinder each other."""


def of_pair(pair: Entry) -> Iterator[Entry]:
    """Everything that can be said of one pair, and what cannot."""
    where, back = pair["name"], f"{pair['to']} → {pair['from']}"
    if any(pair["bandwidth"].values()):
        yield link(where, pair["bandwidth"]["to"], pair["udp"]["to"]).record()
        yield link(back, pair["bandwidth"]["back"], pair["udp"]["back"]).record()
    if pair["icmp"]:
        yield congestion(where, pair["icmp"], pair["udp_beneath"]).record()
        for way, flow in pair["bandwidth"].items():
            if flow:
                yield load(where, way, pair["icmp"], pair["under_load"][way], flow).record()
    if pair["path"]:
        yield path(where, pair["path"]).record()
    if pair["icmp"] or pair["tcp"]:
        yield distance(where, pair["icmp"], pair["tcp"]).record()


def path(where: str, found: Entry) -> Sentence:
    """Whether the path is entirely on layer 2."""
    hops = found["hops"]
    if not found["reached"]:
        text = f"{len(hops)} hops were tried and the target was not among those that answered."
        return silent("path", where, text, found)
    mtu = f" Packets of {found['mtu']} bytes pass whole." if found["mtu"] else ""
    if len(hops) == 1:
        text = f"Entirely on layer 2: a packet that may pass no router (TTL 1) arrives.{mtu}"
        return Sentence("path", where, True, text, found)
    routers = len(hops) - 1
    names = ", ".join(hop or "one that keeps silent" for hop in hops[:-1])
    text = f"{routers} router{'s' if routers > 1 else ''} on the way ({names}): not one layer-2 network.{mtu}"
    return Sentence("path", where, True, text, found)


def distance(where: str, icmp: Entry | None, tcp: Entry | None) -> Sentence:
    """How far apart the hosts can be at most: nothing is faster than light in fibre."""
    times = [one["min_ms"] for one in (icmp, tcp) if one and one.get("min_ms") is not None]
    if not times:
        return silent("distance", where, "nothing came back.")
    far = min(times) / 2 * FIBRE_KM_PER_MS
    text = (
        f"At most {digits(far)} km of fibre apart: the fastest round trip took {digits(min(times))} "
        "ms, and light in "
        f"fibre goes {FIBRE_KM_PER_MS:.0f} km a millisecond."
    )
    return Sentence("distance", where, True, text, {"min_ms": min(times), "km_at_most": far})


def shared(found: Entry) -> Entry:
    """What several pairs at once say of what they share."""
    return _shared(found).record()


def _shared(found: Entry) -> Sentence:
    ratio, where = found["ratio"], f"at once, {found['set']}"
    if not ratio or ratio["repeats"] < LEAST_ROUNDS:
        return silent("shared", where, f"only {found['rounds']} rounds.", found)
    figures = (
        f"{len(found['pairs'])} pairs at once carried {spread(found['at_once_mbit'], 'Mbit/s')}, one "
        "at a time they add "
        f"up to {spread(found['alone_mbit'], 'Mbit/s')}"
    )
    if found["busy"] >= _SAME:
        text = (
            f"{figures}, with {percent(found['busy'])} of a processor busy in an iperf3: the hosts "
            "set the rate."
        )
        return silent("shared", where, text, found)
    if ratio["low"] > _SAME:
        return Sentence("shared", where, True, f"They do not hinder each other: {figures}.", found)
    if ratio["high"] >= _SAME:
        text = (
            f"{figures}: the interval of their ratio, {spread(ratio, '')}, reaches to both sides of {_SAME}."
        )
        return silent("shared", where, text, found)
    if found["set"] == "apart":
        text = (
            f"Oversubscribed {digits(1 / ratio['value'])} to 1: {figures}, and they have no host in "
            "common. (Hosts that are "
            "guests of one machine also share its processors.)"
        )
    elif found["at_once_mbit"]["value"] <= 1.1 * found["fastest_alone_mbit"]["value"]:
        text = f"They share what one alone can fill, the target's own link or one before it: {figures}."
    else:
        text = (
            f"Together they get more than one alone and less than all: {figures}. Something on their "
            "common way is shared."
        )
    return Sentence("shared", where, True, text, found)


def of_groups(groups: Sequence[Entry]) -> Iterator[Entry]:
    """Which group's round trips are shortest and which vary most, where there are several."""
    known = [one for one in groups if one["icmp"] and one["icmp"]["mean_ms"]]
    if len(known) < 2:
        return
    if any(one["icmp"]["rounds"] < LEAST_ROUNDS for one in known):
        yield silent("groups", "", f"groups are compared from {LEAST_ROUNDS} rounds on.").record()
        return

    def width(one: Entry) -> float:
        return float(one["icmp"]["q3_ms"] - one["icmp"]["q1_ms"])

    by_mean = sorted(known, key=lambda one: one["icmp"]["mean_ms"]["value"])
    first, last = by_mean[0], by_mean[-1]
    evidence = {one["name"]: {"mean_ms": one["icmp"]["mean_ms"], "iqr_ms": width(one)} for one in known}
    means = " and ".join(
        f"{one['name']} with {spread(one['icmp']['mean_ms'], 'ms')}" for one in (first, last)
    )
    if first["icmp"]["mean_ms"]["high"] >= last["icmp"]["mean_ms"]["low"]:
        text = f"the mean round trips of the groups do not differ by more than their intervals: {means}."
        yield silent("groups", "", text, evidence).record()
        return
    widest = max(known, key=width)
    text = (
        f"Shortest and longest mean round trips: {means}. The middle half spreads most in {widest['name']}: "
        f"{digits(width(widest))} ms wide."
    )
    yield Sentence("groups", "", True, text, evidence).record()
