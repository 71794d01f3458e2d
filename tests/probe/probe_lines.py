"""Lines of a probe as the network would have made them: typed figures, a seeded generator, no network."""

from __future__ import annotations

from typing import Any

import numpy as np

from loadstone.probe.flows import tcp_flows, udp_flows
from loadstone.probe.trips import icmp_trips
from loadstone.stages.probe import IcmpTrips, TcpFlows, UdpFlows

Json = dict[str, Any]
ROUNDS = 10


def pings(
    median_ms: float, spread_ms: float = 0.01, *, loss: float = 0.0, tail: float = 0.0, drift: float = 0.0,
    rounds: int = ROUNDS, seed: int = 1,
) -> list[Json]:  # fmt: skip
    """30 a round; a share `tail` takes ten times as long; each round `drift` of the median more."""
    random = np.random.default_rng(seed)
    lines = []
    for number in range(1, rounds + 1):
        times = random.normal(median_ms * (1 + drift * (number - 1)), spread_ms, 30).clip(0.001)
        times[random.random(30) < tail] *= 10
        kept = random.random(30) >= loss
        replies = [[index + 1, float(ms)] for index, ms in enumerate(times) if kept[index]]
        place = {"kind": "icmp", "round": number, "from": "a", "to": "b", "at": "2026-11-21T20:00:00+00:00"}
        lines.append(place | {"sent": 30, "replies": replies, "duplicates": 0})
    return lines


def tcp(
    mbit: float,
    variation: float = 0.001,
    *,
    burst: float = 1.0,
    busy: float = 0.2,
    rounds: int = ROUNDS,
    way: str = "to",
) -> list[Json]:
    """Tests of 2 s in tenths; the first two are `burst` times as fast."""
    random = np.random.default_rng(2)
    lines = []
    for number in range(1, rounds + 1):
        rate = mbit * (1 + variation * float(random.normal()))
        intervals = [rate * burst] * 2 + [rate] * 18
        beside = pings(1.0)[number - 1]
        lines.append(
            {
                "kind": "bandwidth", "round": number, "from": "a", "to": "b", "way": way,
                "mbit": sum(intervals) / 20, "intervals_mbit": intervals, "intervals_of": "receiver",
                "congestion_control": "cubic", "retransmits": 0, "mss": 1448, "busy": busy,
                "offered_mbit": None, "sent": None, "lost": None, "jitter_ms": None,
                "at": "2026-11-21T20:00:00+00:00",
                "under_load": {key: beside[key] for key in ("sent", "replies", "duplicates")},
            }
        )  # fmt: skip
    return lines


def udp(
    mbit: float, loss: float = 0.0, *, rounds: int = ROUNDS, busy: float = 0.2, over: bool = True
) -> list[Json]:
    """Tests that got `mbit` of payload through, with a share lost of 10,000 datagrams each."""
    return [
        {
            "kind": "udp", "round": number, "from": "a", "to": "b", "way": "to", "over": over,
            "mbit": mbit,
            "intervals_mbit": [mbit] * 20, "intervals_of": "receiver", "offered_mbit": mbit / (1 - loss),
            "sent": 10_000, "lost": round(10_000 * loss),
            "jitter_ms": 0.05, "busy": busy, "retransmits": None,
            "congestion_control": None, "mss": None, "at": "2026-11-21T20:00:00+00:00",
        }
        for number in range(1, rounds + 1)
    ]  # fmt: skip


def trips_of(*arguments: Any, **changes: Any) -> IcmpTrips | None:
    return icmp_trips(pings(*arguments, **changes))


def tcp_of(*arguments: Any, **changes: Any) -> TcpFlows | None:
    return tcp_flows(tcp(*arguments, **changes))


def udp_of(*arguments: Any, **changes: Any) -> UdpFlows | None:
    return udp_flows(udp(*arguments, **changes))
