"""Round trips by ICMP: the system's ping, each packet kept."""

from __future__ import annotations

import re
from dataclasses import dataclass

from loadstone.errors import LoadstoneError
from loadstone.probe import tied
from loadstone.probe.hosts import Hosts

_REPLY = re.compile(r"icmp_seq=(\d{1,9})\b.*?time[=<]([\d.]{1,30}) ms(.*)")
_SUMMARY = re.compile(r"^(\d{1,9}) packets transmitted", re.MULTILINE)


@dataclass(frozen=True)
class Pings:
    """What ping saw."""

    sent: int
    replies: tuple[tuple[int, float], ...]
    """(sequence number, milliseconds) in the order of arrival, the first answer to each packet.

    iputils before 2022-11 writes three digits, later ones too unless asked: the resolution is 1 % or better.
    """
    duplicates: int = 0

    @property
    def lost(self) -> int:
        """Packets without an answer."""
        return self.sent - len(self.replies)


def ping(
    hosts: Hosts, source: str, address: str, count: int, interval_s: float, delay_s: float = 0.0
) -> Pings:
    """`count` packets, one every `interval_s`, after `delay_s`; one without an answer after 2 s is lost.

    LoadstoneError `host-unreachable`, `host-refused` of the source, `probe-failed` with ping's own words.
    """
    longest = count * interval_s + 10
    words = f"ping -n -i {interval_s:g} -c {count} -W 2 {address}"
    if delay_s:
        words = f"sh -c 'sleep {delay_s:g}; exec \"$@\"' sh {words}"
    answer = tied.run(hosts, source, words, delay_s + longest, end="INT")
    found = parse_ping(answer.out)
    if found is None:
        raise LoadstoneError("probe-failed", f"ping on `{source}`: {answer.words}")
    return found


def parse_ping(text: str) -> Pings | None:
    """Every packet of iputils' ping; None where there is no summary, or one of nothing sent.

    >>> parse_ping('''64 bytes from 198.18.0.3: icmp_seq=1 ttl=64 time=0.042 ms
    ... 64 bytes from 198.18.0.3: icmp_seq=3 ttl=64 time=12.4 ms
    ... 64 bytes from 198.18.0.3: icmp_seq=3 ttl=64 time=12.9 ms (DUP!)
    ... 3 packets transmitted, 2 received, +1 duplicates, 33.3333% packet loss, time 20ms''')
    Pings(sent=3, replies=((1, 0.042), (3, 12.4)), duplicates=1)
    """
    summary = _SUMMARY.search(text)
    if summary is None or not int(summary[1]):
        return None
    first: dict[int, float] = {}
    duplicates = 0
    for found in _REPLY.finditer(text):
        sequence, milliseconds = int(found[1]), _number(found[2])
        if milliseconds is None or "BAD CHECKSUM" in found[3]:
            continue
        if sequence in first:
            duplicates += 1
        else:
            first[sequence] = milliseconds
    return Pings(max(int(summary[1]), len(first)), tuple(first.items()), duplicates)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
