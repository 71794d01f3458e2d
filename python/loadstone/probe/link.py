"""What a link is, from what it carries: an Ethernet class, a rate limiter, or nothing that can be told."""

from __future__ import annotations

from typing import Any

from loadstone.digits import digits
from loadstone.probe.sentence import LEAST_ROUNDS, percent, silent, spread, told
from loadstone.stages.probe import Burst, Sentence, TcpFlows, UdpFlows

CLASSES = {
    10: "10 Mbit Ethernet",
    100: "100 Mbit Ethernet",
    1000: "Gigabit Ethernet",
    2500: "2.5 Gigabit Ethernet",
    10_000: "10 Gigabit Ethernet",
    25_000: "25 Gigabit Ethernet",
    40_000: "40 Gigabit Ethernet",
    100_000: "100 Gigabit Ethernet",
}
_FRAME, _WIRE = 66, 90
"""Bytes around a TCP segment's payload: Ethernet 14, IPv4 20, TCP with time stamps 32; and on a real wire 24
more of checksum, preamble and gap (IEEE 802.3)."""
_BUSY = 0.9
_VARIES = 0.05
_NEAR = 0.97
"""TCP that fills a link stays within 3 % of its ceiling."""
_UDP_MORE = 1.08
"""UDP has 1.6 % less around its payload; if it passes more than so, TCP does not fill the link."""


def ceilings(rate_mbit: float, mss: int) -> tuple[float, float]:
    """The most payload that TCP can carry: on a real wire, and where only frames count, as for shapers.

    >>> [round(one, 1) for one in ceilings(100, 1448)]
    [94.1, 95.6]
    """
    return rate_mbit * mss / (mss + _WIRE), rate_mbit * mss / (mss + _FRAME)


def link(where: str, tcp: TcpFlows | None, udp: UdpFlows | None) -> Sentence:
    """What one direction of a path is, from its TCP tests, and UDP offered beyond them where it was."""
    steady = tcp.steady_mbit_per_s if tcp else None
    if not tcp or not steady:
        return silent("link", where, "no TCP bandwidth was measured.")
    evidence = _evidence(tcp, udp)
    low, high, variation = steady.low, steady.high, tcp.variation
    if steady.repeats < LEAST_ROUNDS or low is None or high is None:
        return silent("link", where, f"only {steady.repeats} rounds of TCP.", evidence)
    if not steady.value or variation is None:
        return silent("link", where, "TCP came to a standstill in every round.", evidence)
    mss = tcp.mss or 1448
    carried = f"TCP carried {spread(steady, 'Mbit/s')}"
    least = _at_least(low, mss)
    if tcp.busy is not None and tcp.busy >= _BUSY:
        text = (
            f"{carried} with {percent(tcp.busy)} of a processor busy in iperf3: the hosts set the "
            "rate, not the link."
        )
        return silent("link", where, f"{text}{least}", evidence)
    if variation > _VARIES:
        text = (
            f"{carried}, which varied between rounds by {percent(variation)} (standard "
            "deviation): others share the path, or the hosts."
        )
        return silent("link", where, f"{text}{least}", evidence)
    if udp and udp.mbit_per_s.low is not None and udp.mbit_per_s.low > _UDP_MORE * high:
        text = (
            f"UDP passed {spread(udp.mbit_per_s, 'Mbit/s')}, more than TCP's {spread(steady, 'Mbit/s')}: "
            f"loss, windows or congestion control hold TCP back, not the link.{least}"
        )
        return silent("link", where, text, evidence)
    bucket = _bucket(tcp.burst)
    if name := _class_of(steady.value, mss):
        text = f"{name}: {carried} in every round (± {percent(variation)}), at the ceiling of that class."
        return told("link", where, text + bucket, evidence)
    return told("link", where, _limited(steady.value, mss, carried, variation) + bucket, evidence)


def _limited(steady: float, mss: int, carried: str, variation: float) -> str:
    frames = steady * (mss + _FRAME) / mss
    above = [rate for rate in CLASSES if ceilings(rate, mss)[1] < steady]
    below = [rate for rate in CLASSES if ceilings(rate, mss)[0] > steady]
    places = []
    if above:
        places.append(f"{CLASSES[above[-1]]} carries at most {digits(ceilings(above[-1], mss)[1])}")
    if below:
        places.append(f"{CLASSES[below[0]]} would carry {digits(ceilings(below[0], mss)[0])}")
    return (
        f"Limited at about {digits(frames)} Mbit/s of frames: {carried} in every round (± "
        f"{percent(variation)}), "
        f"and no Ethernet class lies there ({', '.join(places)}): a rate limiter or a virtual link sets it."
    )


def _class_of(rate: float, mss: int) -> str | None:
    for mbit, name in CLASSES.items():
        wire, frames = ceilings(mbit, mss)
        if _NEAR * wire <= rate <= 1.005 * frames:
            return name
    return None


def _at_least(low: float, mss: int) -> str:
    """The classes that are too slow for what was carried."""
    slower = [name for rate, name in CLASSES.items() if ceilings(rate, mss)[1] < low]
    return f" It is faster than {slower[-1]}." if slower else ""


def _bucket(burst: Burst | None) -> str:
    if burst and burst.ratio >= 1.3 and burst.kib >= 32:
        return (
            f" Tests began at {digits(burst.ratio)} times that rate, about {digits(burst.kib)} "
            "KiB more than it "
            "carries (medians): a token bucket."
        )
    return ""


def _evidence(tcp: TcpFlows, udp: UdpFlows | None) -> dict[str, Any]:
    found = {
        "tcp_steady_mbit_per_s": tcp.steady_mbit_per_s,
        "tcp_variation": tcp.variation,
        "tcp_busy": tcp.busy,
        "tcp_mss": tcp.mss,
        "tcp_burst": tcp.burst,
        "tcp_congestion_control": tcp.congestion_control,
    }
    return found | ({"udp_mbit_per_s": udp.mbit_per_s} if udp else {})
