"""What a probe measures and for how long; refused before anything starts where it cannot be."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from loadstone.errors import LoadstoneError
from loadstone.scenario.findings import listed, suggest

MEASURES = ("icmp", "tcp", "bandwidth", "udp", "path")
PORT = 45_201
"""Of iperf3 and of TCP round trips: unassigned, so nothing listens there while round trips are measured."""


_BRACKETS = re.compile(r"\[(?P<host>[0-9A-Fa-f:.%\w]+)\](:(?P<port>\d{1,9}))?", re.ASCII)
_PLAIN = re.compile(r"(?P<host>\w[\w.-]{0,252})(:(?P<port>\d{1,9}))?", re.ASCII)
_IPV6 = re.compile(r"(?P<host>[0-9A-Fa-f.]*:[0-9A-Fa-f.]*:[0-9A-Fa-f:.%\w]*)", re.ASCII)


@dataclass(frozen=True)
class Options:
    """The measurement of one pair in one round."""

    repeats: int = 10
    packets: int = 30
    """Round trips of each kind; 30 as in the paper."""
    interval_s: float = 0.02
    seconds: int = 2
    """Of each bandwidth test; iperf3 takes whole ones."""
    streams: int = 1
    port: int = PORT
    tcp_port: int = PORT
    udp_mbit: float | None = None
    """Offered by UDP; None: 1.2 times what TCP has just carried."""
    measures: tuple[str, ...] = MEASURES
    together: bool = False
    serve: bool = True
    """Whether iperf3 servers are ours to start; else one waits at each target."""

    @property
    def tools(self) -> dict[str, tuple[str, ...]]:
        """Programs that sources and targets need."""
        source = {"timeout"}
        source |= {"ping"} if {"icmp", "path", "bandwidth"} & set(self.measures) else set()
        source |= {"python3"} if "tcp" in self.measures else set()
        source |= {"iperf3"} if self.flows else set()
        target = ("iperf3", "timeout") if self.flows and self.serve else ()
        return {"source": tuple(sorted(source)), "target": target}

    @property
    def flows(self) -> bool:
        """Whether iperf3 runs at all."""
        return bool({"bandwidth", "udp"} & set(self.measures))

    def pair_s(self) -> float:
        """About how long one pair takes in one round."""
        chosen = set(self.measures)
        trips = (len({"icmp", "tcp"} & chosen)) * (self.packets * self.interval_s + 0.1)
        tests = 2 * ("bandwidth" in chosen) + 4 * ("udp" in chosen)
        return trips + tests * (self.seconds + 0.4)


def check(options: Options) -> Options:
    """The options, when they can be. LoadstoneError `probe-options` with the flag."""
    limits: list[tuple[str, float, float, float]] = [
        ("--repeats", options.repeats, 1, 1000),
        ("--packets", options.packets, 2, 10_000),
        ("--interval", options.interval_s, 0.001, 10),
        ("--seconds", options.seconds, 1, 600),
        ("--streams", options.streams, 1, 64),
        ("--port", options.port, 1, 65_535 - 200 * options.together),
        ("--tcp-port", options.tcp_port, 1, 65_535),
        ("--udp-mbit", 1 if options.udp_mbit is None else options.udp_mbit, 0.01, 400_000),
    ]
    for flag, value, least, most in limits:
        if not least <= value <= most:
            raise LoadstoneError(
                "probe-options", f"{value:g} is not between {least:g} and {most:g}", place=flag
            )
    if options.together and "bandwidth" not in options.measures:
        hint = "add `bandwidth` to --only"
        raise LoadstoneError(
            "probe-options", "--together compares with the bandwidth of each pair alone",
            place="--together", hint=hint,
        )  # fmt: skip
    if "udp" in options.measures and options.udp_mbit is None and "bandwidth" not in options.measures:
        hint = "give --udp-mbit, or add `bandwidth` to --only"
        raise LoadstoneError(
            "probe-options", "the UDP test does not know which rate to offer", place="--only", hint=hint
        )
    return options


def measures_of(words: Sequence[str]) -> tuple[str, ...]:
    """The measures named by `--only`, in their order; all without any. LoadstoneError `probe-options`.

    >>> measures_of(["tcp", "icmp"])
    ('icmp', 'tcp')
    """
    for word in words:
        if word not in MEASURES:
            hint = suggest(word, MEASURES, f"known are {listed(MEASURES)}")
            raise LoadstoneError(
                "probe-options", f"there is no measurement `{word}`", place="--only", hint=hint
            )
    return tuple(one for one in MEASURES if one in words) or MEASURES


def port_of(text: str) -> tuple[str, int | None]:
    """An address with or without a port. LoadstoneError `probe-options`.

    >>> port_of("db.example:443"), port_of("198.18.0.3"), port_of("[fe80::1]:80"), port_of("fe80::1")
    (('db.example', 443), ('198.18.0.3', None), ('fe80::1', 80), ('fe80::1', None))
    """
    found = _BRACKETS.fullmatch(text) or _PLAIN.fullmatch(text) or _IPV6.fullmatch(text)
    if not found:
        raise LoadstoneError("probe-options", f"`{text[:60]}` is not an address or host:port")
    host, port = found["host"], found.groupdict().get("port")
    if port and not 1 <= int(port) <= 65_535:
        raise LoadstoneError("probe-options", f"`{text[:60]}`: a port is between 1 and 65535")
    return host, int(port) if port else None
