"""Queues on the way: signs of other people's traffic, and what our own does to round trips."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loadstone.probe.estimate import mean_of
from loadstone.probe.sentence import LEAST_ROUNDS, Sentence, digits, percent, silent, spread
from loadstone.probe.trips import Entry, estimate

_LEAST_PINGS = 100
"""Of fewer, the 99 % quantile is the largest value or nearly so."""
_TAIL_RATIO, _TAIL_MS = 2.0, 0.2
"""A tail this long is no scheduler's alone on an idle host: those wake within tens of microseconds."""
_ROUNDS_P, _ROUNDS_RATIO = 0.001, 1.25
_LOSS = 0.001


def congestion(where: str, icmp: Entry | None, beneath: Mapping[str, Entry | None]) -> Sentence:
    """Signs of queues that others fill: long tails, rounds that differ, loss where everything should fit.

    `beneath` is UDP at half of what passes, by way.
    """
    if not icmp or not icmp.get("mean_ms") or icmp["sent"] < _LEAST_PINGS or icmp["rounds"] < LEAST_ROUNDS:
        seen = (
            f"{icmp['sent'] - icmp['lost']} round trips in {icmp['rounds']} rounds"
            if icmp
            else "no round trips"
        )
        text = f"{seen}; it takes {_LEAST_PINGS} in {LEAST_ROUNDS}."
        return silent("congestion", where, text)
    medians = list(icmp["median_by_round_ms"].values())
    ratio = max(medians) / min(medians) if min(medians) > 0 else None
    evidence: dict[str, Any] = {
        key: icmp[key] for key in ("median_ms", "p99_ms", "rounds_differ_p", "loss", "loss_low")
    }
    evidence["rounds_ratio"] = ratio
    tail = (
        f"the 99 % quantile of idle round trips is {digits(icmp['p99_ms'])} ms at a median of "
        f"{digits(icmp['median_ms'])} ms"
    )
    signs, calm = [], []
    if icmp["p99_ms"] > _TAIL_RATIO * icmp["median_ms"] and icmp["p99_ms"] - icmp["median_ms"] > _TAIL_MS:
        signs.append(tail)
    else:
        calm.append(tail)
    if ratio is not None and icmp["rounds_differ_p"] is not None:
        differ = icmp["rounds_differ_p"] < _ROUNDS_P and ratio > _ROUNDS_RATIO
        words = (
            f"the largest median of a round is {digits(ratio)} times the smallest (Kruskal-Wallis p = "
            f"{icmp['rounds_differ_p']:.2g})"
        )
        (signs if differ else calm).append(words)
    losses = list(_losses(icmp, beneath, evidence))
    return _verdict(where, signs, losses, calm, evidence)


def _verdict(where: str, signs: list[str], losses: list[str], calm: list[str], evidence: Entry) -> Sentence:
    if (signs and losses) or len(signs) > 1:
        text = f"Congestion by others is likely: {'; '.join(signs + losses)}."
        return Sentence("congestion", where, True, text, evidence)
    if losses:
        text = (
            f"Loss without waiting: {'; '.join(losses)}; yet {'; '.join(calm)}. It looks like a link "
            "that loses packets, not like full queues."
        )
        return Sentence("congestion", where, True, text, evidence)
    if signs:
        text = f"one sign of congestion alone: {signs[0]}. A busy host does the same."
        return silent("congestion", where, text, evidence)
    text = f"No sign of congestion: {'; '.join(calm)}; no loss beyond {percent(_LOSS)} is shown."
    return Sentence("congestion", where, True, text, evidence)


def _losses(icmp: Entry, beneath: Mapping[str, Entry | None], evidence: Entry) -> list[str]:
    found = []
    if icmp["loss_low"] > _LOSS:
        found.append(
            f"{percent(icmp['loss'])} of {icmp['sent']} pings were lost (at least "
            f"{percent(icmp['loss_low'])})"
        )
    for way, flow in beneath.items():
        if not flow or not flow["sent"]:
            continue
        evidence[f"udp_beneath_{way}"] = {
            key: flow[key] for key in ("offered_mbit", "loss", "loss_low", "sent", "busy")
        }
        if flow["busy"] is not None and flow["busy"] >= 0.9:
            continue  # a receiver out of processor loses what the network delivered
        if flow["loss_low"] > _LOSS:
            side = "towards the target" if way == "to" else "back"
            found.append(
                f"{percent(flow['loss'])} of UDP was lost {side} at {digits(flow['offered_mbit'])} "
                "Mbit/s, half of what passes"
            )
    return found


def load(where: str, way: str, idle: Entry | None, loaded: Entry | None, tcp: Entry | None) -> Sentence:
    """What a TCP flow does to the round trips beside it: the queue at the narrowest link (bufferbloat)."""
    side = "towards the target" if way == "to" else "back"
    before, under = ((one or {}).get("median_by_round_ms") or {} for one in (idle, loaded))
    shared = [key for key in before if key in under]
    if len(shared) < LEAST_ROUNDS:
        text = f"round trips idle and under load {side} in {len(shared)} rounds; it takes {LEAST_ROUNDS}."
        return silent("load", where, text)
    added = estimate(mean_of([under[key] - before[key] for key in shared]))
    assert added and idle and loaded
    evidence = {
        "way": way,
        "idle_median_ms": idle["median_ms"],
        "loaded_median_ms": loaded["median_ms"],
        "added_ms": added,
    }
    figures = (
        f"the median round trip goes from {digits(idle['median_ms'])} to {digits(loaded['median_ms'])} ms"
    )
    if added["low"] <= 0:
        text = f"A TCP flow {side} adds nothing that these rounds can show: {figures}, {spread(added, 'ms')}."
        return Sentence("load", where, True, text, evidence)
    rate = tcp and tcp["steady_mbit"] and tcp["steady_mbit"]["value"]
    queue = f", a queue of about {digits(added['value'] * rate * 1e3 / 8 / 1024)} KiB" if rate else ""
    control = f" ({', '.join(tcp['congestion_control'])})" if tcp else ""
    text = f"A TCP flow {side}{control} makes others wait {spread(added, 'ms')} longer{queue}: {figures}."
    return Sentence("load", where, True, text, evidence)
