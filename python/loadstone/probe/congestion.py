"""Queues on the way: signs of other people's traffic, and what our own does to round trips."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from loadstone.digits import digits
from loadstone.probe.estimate import mean_of
from loadstone.probe.sentence import LEAST_ROUNDS, percent, silent, spread, told
from loadstone.stages.probe import IcmpTrips, Sentence, TcpFlows, UdpFlows

Evidence = dict[str, Any]
_LEAST_PINGS = 100
"""Of fewer, the 99 % quantile is the largest value or nearly so."""
_TAIL_RATIO, _TAIL_MS = 2.0, 0.2
"""The scheduler of an idle host alone makes no tail this long: it wakes within tens of microseconds."""
_ROUNDS_P, _ROUNDS_RATIO = 0.001, 1.25
_LOSS = 0.001


def congestion(where: str, icmp: IcmpTrips | None, beneath: Mapping[str, UdpFlows | None]) -> Sentence:
    """Signs of queues that others fill: long tails, rounds that differ, loss where everything should fit.

    `beneath` is UDP at half of what passes, by way.
    """
    median, p99 = (icmp.median_ms, icmp.p99_ms) if icmp else (None, None)
    few = not icmp or icmp.sent < _LEAST_PINGS or icmp.rounds < LEAST_ROUNDS
    if not icmp or median is None or p99 is None or few:
        seen = f"{icmp.sent - icmp.lost} round trips in {icmp.rounds} rounds" if icmp else "no round trips"
        text = f"{seen}; it takes {_LEAST_PINGS} in {LEAST_ROUNDS}."
        return silent("congestion", where, text)
    medians = list(icmp.median_by_round_ms.values())
    ratio = max(medians) / min(medians) if min(medians) > 0 else None
    evidence: dict[str, Any] = {
        "median_ms": median,
        "p99_ms": p99,
        "rounds_differ_p": icmp.rounds_differ_p,
        "loss": icmp.loss,
        "loss_low": icmp.loss_low,
        "rounds_ratio": ratio,
    }
    tail = f"the 99 % quantile of idle round trips is {digits(p99)} ms at a median of {digits(median)} ms"
    signs, calm = [], []
    if p99 > _TAIL_RATIO * median and p99 - median > _TAIL_MS:
        signs.append(tail)
    else:
        calm.append(tail)
    if ratio is not None and icmp.rounds_differ_p is not None:
        differ = icmp.rounds_differ_p < _ROUNDS_P and ratio > _ROUNDS_RATIO
        words = (
            f"the largest median of a round is {digits(ratio)} times the smallest (Kruskal-Wallis p = "
            f"{icmp.rounds_differ_p:.2g})"
        )
        (signs if differ else calm).append(words)
    losses = list(_losses(icmp, beneath, evidence))
    return _verdict(where, signs, losses, calm, evidence)


def _verdict(
    where: str, signs: list[str], losses: list[str], calm: list[str], evidence: Evidence
) -> Sentence:
    if (signs and losses) or len(signs) > 1:
        text = f"Congestion by others is likely: {'; '.join(signs + losses)}."
        return told("congestion", where, text, evidence)
    if losses:
        text = (
            f"Loss without waiting: {'; '.join(losses)}; yet {'; '.join(calm)}. It looks like a link "
            "that loses packets, not like full queues."
        )
        return told("congestion", where, text, evidence)
    if signs:
        text = f"one sign of congestion alone: {signs[0]}. A busy host does the same."
        return silent("congestion", where, text, evidence)
    text = f"No sign of congestion: {'; '.join(calm)}; no loss beyond {percent(_LOSS)} is shown."
    return told("congestion", where, text, evidence)


def _losses(icmp: IcmpTrips, beneath: Mapping[str, UdpFlows | None], evidence: Evidence) -> Iterator[str]:
    if icmp.loss_low > _LOSS:
        lost, least = percent(icmp.lost / icmp.sent), percent(icmp.loss_low)
        yield f"{lost} of {icmp.sent} pings were lost (at least {least})"
    for way, flow in beneath.items():
        if not flow or not flow.sent:
            continue
        evidence[f"udp_beneath_{way}"] = {
            "offered_mbit_per_s": flow.offered_mbit_per_s,
            "loss": flow.loss,
            "loss_low": flow.loss_low,
            "sent": flow.sent,
            "busy": flow.busy,
        }
        if flow.busy is not None and flow.busy >= 0.9:
            continue  # a receiver out of processor loses what the network delivered
        if flow.loss_low > _LOSS:
            side = "towards the target" if way == "to" else "back"
            lost, offered = percent(flow.lost / flow.sent), digits(flow.offered_mbit_per_s)
            yield f"{lost} of UDP was lost {side} at {offered} Mbit/s, half of what passes"


def load(
    where: str, way: str, idle: IcmpTrips | None, loaded: IcmpTrips | None, tcp: TcpFlows | None
) -> Sentence:
    """What a TCP flow does to the round trips beside it: the queue at the narrowest link (bufferbloat)."""
    side = "towards the target" if way == "to" else "back"
    before, under = (one.median_by_round_ms if one else {} for one in (idle, loaded))
    shared = [key for key in before if key in under]
    idle_ms, loaded_ms = (one.median_ms if one else None for one in (idle, loaded))
    if len(shared) < LEAST_ROUNDS or idle_ms is None or loaded_ms is None:
        text = f"round trips idle and under load {side} in {len(shared)} rounds; it takes {LEAST_ROUNDS}."
        return silent("load", where, text)
    added = mean_of([under[key] - before[key] for key in shared])
    assert added and added.low is not None
    evidence = {"way": way, "idle_median_ms": idle_ms, "loaded_median_ms": loaded_ms, "added_ms": added}
    figures = f"the median round trip goes from {digits(idle_ms)} to {digits(loaded_ms)} ms"
    if added.low <= 0:
        text = f"A TCP flow {side} adds nothing that these rounds can show: {figures}, {spread(added, 'ms')}."
        return told("load", where, text, evidence)
    rate = tcp.steady_mbit_per_s.value if tcp and tcp.steady_mbit_per_s else None
    queue = f", a queue of about {digits(added.value * rate * 1e3 / 8 / 1024)} KiB" if rate else ""
    control = f" ({', '.join(tcp.congestion_control)})" if tcp else ""
    text = f"A TCP flow {side}{control} makes others wait {spread(added, 'ms')} longer{queue}: {figures}."
    return told("load", where, text, evidence)
