"""Bandwidth of one pair or of a group: from the lines of a probe to what is said of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from loadstone.probe.estimate import mean_of, share_of
from loadstone.probe.trips import Entry, by_round
from loadstone.stages.probe import Burst, Estimate, Flows, TcpFlows, Together, UdpFlows


def tcp_flows(entries: Sequence[Entry]) -> TcpFlows | None:
    """Lines of kind `bandwidth` of one way; None without any. Rates are of payload, Mbit/s."""
    if not entries:
        return None
    steady = [_steady(entry["intervals_mbit"]) for entry in entries]
    known = [(entry["round"], [one]) for entry, one in zip(entries, steady, strict=True) if one is not None]
    return TcpFlows(
        **dict(_rates(entries)),
        steady_mbit_per_s=_mean([(number, values) for number, values in known]),
        variation=_variation(entries),
        burst=_burst(entries),
        congestion_control=sorted({entry["congestion_control"] or "unknown" for entry in entries}),
        retransmits=sum(entry["retransmits"] or 0 for entry in entries),
        mss=min((entry["mss"] for entry in entries if entry["mss"]), default=None),
    )


def udp_flows(entries: Sequence[Entry]) -> UdpFlows | None:
    """Lines of kind `udp` of one way, all over or all beneath what fits; None without any."""
    if not entries:
        return None
    sent, lost = (sum(entry[key] or 0 for entry in entries) for key in ("sent", "lost"))
    low, high = share_of(min(max(lost, 0), sent), sent)
    return UdpFlows(
        **dict(_rates(entries)),
        offered_mbit_per_s=float(np.mean([entry["offered_mbit"] for entry in entries])),
        sent=sent,
        lost=lost,
        loss=lost / sent if sent else None,
        loss_low=low,
        loss_high=high,
        jitter_ms=_mean([(entry["round"], [entry["jitter_ms"]]) for entry in entries]),
    )


def at_once(entries: Sequence[Entry], lines: Sequence[Entry]) -> list[Together]:
    """For each set of pairs what it carried at once beside what each carried alone in the same round.

    `entries` are lines of kind `together`, `lines` those of kind `bandwidth`. Alone counts the second half of
    a test: at once, too, the start is left out.
    """
    alone: Mapping[tuple[int, str, str], float] = {
        (line["round"], line["from"], line["to"]): steady
        for line in lines
        if line["way"] == "to" and (steady := _steady(line["intervals_mbit"])) is not None
    }
    found = []
    for name in dict.fromkeys(entry["set"] for entry in entries):
        rounds: list[tuple[list[float], list[float], float]] = []
        for entry in (one for one in entries if one["set"] == name):
            keys = [(entry["round"], flow["from"], flow["to"]) for flow in entry["flows"]]
            if all(key in alone for key in keys):
                busy = max((flow["busy"] or 0.0 for flow in entry["flows"]), default=0.0)
                rounds.append(([alone[key] for key in keys], [flow["mbit"] for flow in entry["flows"]], busy))
        if rounds:
            first = next(entry for entry in entries if entry["set"] == name)
            pairs = [f"{flow['from']} → {flow['to']}" for flow in first["flows"]]
            found.append(_compared(name, pairs, rounds))
    return found


def _compared(
    name: str, pairs: list[str], rounds: Sequence[tuple[list[float], list[float], float]]
) -> Together:
    alone, fastest, together = (
        mean_of(sums)
        for sums in (
            [sum(alone) for alone, _, _ in rounds],
            [max(alone) for alone, _, _ in rounds],
            [sum(together) for _, together, _ in rounds],
        )
    )
    assert alone and fastest and together
    return Together(
        set=name,
        pairs=pairs,
        rounds=len(rounds),
        alone_mbit_per_s=alone,
        fastest_alone_mbit_per_s=fastest,
        at_once_mbit_per_s=together,
        ratio=mean_of([sum(b) / sum(a) for a, b, _ in rounds if sum(a)]),
        busy=max(busy for _, _, busy in rounds),
    )


def _rates(entries: Sequence[Entry]) -> Flows:
    busy = [entry["busy"] for entry in entries if entry["busy"] is not None]
    rate = _mean([(entry["round"], [entry["mbit"]]) for entry in entries])
    assert rate
    return Flows(
        tests=len(entries),
        mbit_per_s=rate,
        mbit_per_s_by_round=[entry["mbit"] for entry in entries],
        busy=float(np.median(busy)) if busy else None,
    )


def _mean(samples: Sequence[tuple[int, list[float]]]) -> Estimate | None:
    """Over rounds: what several pairs did in one round is one figure."""
    return mean_of([float(np.mean(one)) for one in by_round(samples)])


def _steady(intervals: Sequence[float]) -> float | None:
    """The rate of the second half of a test: TCP's start, and a bucket of tokens, are behind it."""
    half = intervals[len(intervals) // 2 :]
    return float(np.mean(half)) if half else None


def _variation(entries: Sequence[Entry]) -> float | None:
    """Between rounds: deviation of the steady rates as a share of their mean. None below two."""
    steady = [one for entry in entries if (one := _steady(entry["intervals_mbit"])) is not None]
    return float(np.std(steady, ddof=1) / np.mean(steady)) if len(steady) > 1 and any(steady) else None


def _burst(entries: Sequence[Entry]) -> Burst | None:
    """What came above the steady rate at the start of a test, where the receiver counted: medians of tests.

    A sender's intervals do not tell: they begin with what its own socket takes.
    """
    ratios, extra = [], []
    for entry in entries:
        steady, intervals = _steady(entry["intervals_mbit"]), entry["intervals_mbit"]
        if entry["intervals_of"] != "receiver" or not steady:
            continue
        above = 0.0
        for rate in intervals[: len(intervals) // 2]:
            if rate < 1.15 * steady:
                break
            above += (rate - steady) * 0.1
        ratios.append(max(intervals[:2]) / steady)
        extra.append(above * 1e6 / 8 / 1024)
    if not ratios:
        return None
    return Burst(ratio=float(np.median(ratios)), kib=float(np.median(extra)), tests=len(ratios))
