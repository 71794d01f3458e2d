"""The path: routers on the way by pings of rising TTL, and the largest packet that passes whole."""

from __future__ import annotations

import re
from dataclasses import dataclass

from loadstone.probe import tied
from loadstone.probe.hosts import Hosts
from loadstone.probe.ping import parse_ping

MOST_HOPS = 30
_SILENT_HOPS = 6
"""After this many silent hops in a row, the rest of the path is not looked for."""
_HEADERS = 28  # IPv4 and ICMP
_EXCEEDED = re.compile(r"^From (\S+)(?: \(([^)\s]+)\))? icmp_seq=\d+ Time to live exceeded", re.MULTILINE)
_REPLY = re.compile(r"^\d+ bytes from ([^\s:]+)", re.MULTILINE)
_OWN_MTU = re.compile(r"message too long, mtu[=:] ?(\d{1,9})")
_LEAST_MTU = 576
_MTU_TRIES = 4


@dataclass(frozen=True)
class Path:
    """Hops up to the target itself, None for one that says nothing; and the path's MTU."""

    hops: tuple[str | None, ...]
    reached: bool
    mtu: int | None
    """Bytes of the largest IP packet that passes whole; None when not even 576 do."""


def path(hosts: Hosts, source: str, address: str) -> Path:
    """Looks at the path once. LoadstoneError `host-unreachable`, `host-refused` of the source."""
    hops: list[str | None] = []
    reached = False
    while len(hops) < MOST_HOPS and not reached and hops[-_SILENT_HOPS:] != [None] * _SILENT_HOPS:
        hop, reached = _hop(hosts, source, address, len(hops) + 1, 2)
        hops.append(hop)
    # A hop that kept silent may have been the target itself, its answers lost: a lossy path is no longer one.
    while reached and len(hops) > 1 and hops[-2] is None:
        hop, nearer = _hop(hosts, source, address, len(hops) - 1, 10)
        hops[-2] = hop
        if not nearer:
            break
        hops.pop()
    return Path(tuple(hops), reached, _mtu(hosts, source, address) if reached else None)


def _hop(hosts: Hosts, source: str, address: str, ttl: int, count: int) -> tuple[str | None, bool]:
    words = f"ping -n -c {count} -i 0.2 -W 1 -t {ttl} {address}"
    return parse_hop(tied.run(hosts, source, words, count + 4, end="INT").out)


def parse_hop(text: str) -> tuple[str | None, bool]:
    """Who answered to packets of one TTL, and whether that is the target.

    >>> parse_hop("From 10.0.0.1 icmp_seq=1 Time to live exceeded")
    ('10.0.0.1', False)
    >>> parse_hop("64 bytes from 198.18.0.3: icmp_seq=1 ttl=64 time=0.05 ms")
    ('198.18.0.3', True)
    """
    if reply := _REPLY.search(text):
        return reply[1], True
    exceeded = _EXCEEDED.search(text)
    return (exceeded[2] or exceeded[1], False) if exceeded else (None, False)


def parse_own_mtu(text: str) -> int | None:
    """The MTU of the source's own device, from ping's refusal to send what is larger.

    >>> parse_own_mtu("ping: local error: message too long, mtu=1500")
    1500
    """
    found = _OWN_MTU.search(text)
    return int(found[1]) if found else None


def _mtu(hosts: Hosts, source: str, address: str) -> int | None:
    """The largest size that passes, between 576 bytes and what the source's own device takes."""

    def tried(size: int) -> str:
        # Several tries, so that a lost packet is not taken for a limit.
        words = f"ping -n -M do -c {_MTU_TRIES} -i 0.2 -W 1 -s {size - _HEADERS} {address}"
        return tied.run(hosts, source, f"{words} 2>&1", 8, end="INT").out

    def passes(size: int) -> bool:
        found = parse_ping(tried(size))
        return bool(found and found.replies)

    own = parse_own_mtu(tried(65_535)) or 65_535
    if passes(own):
        return own
    if own <= _LEAST_MTU or not passes(_LEAST_MTU):
        return None
    low, high = _LEAST_MTU, own
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if passes(middle) else (low, middle)
    return low
