"""Round trips by TCP: how long `connect` takes, measured on the source itself."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from importlib import resources

from loadstone.errors import LoadstoneError
from loadstone.probe.hosts import Hosts

TIMEOUT_S = 0.95
"""Linux sends an unanswered SYN again after 1 s: an answer after that would be the sum of two tries."""
_LINE = re.compile(r"(accepted|refused) (\d{1,12}\.\d{1,12})|silent")


@dataclass(frozen=True)
class Connects:
    """What became of the attempts, in order.

    A time holds the SYN's way there, the answer's way back (SYN-ACK of an open port, RST of a closed one),
    both kernels, and the waking of the process that asked; no name look-up.
    """

    times_ms: tuple[float | None, ...]
    """None: no answer within `TIMEOUT_S`."""
    accepted: int
    refused: int


def connects(hosts: Hosts, source: str, address: str, port: int, count: int, interval_s: float) -> Connects:
    """Connects `count` times. Errors as `ping`."""
    script = (resources.files("loadstone.probe") / "on_source.py").read_text("utf-8")
    arguments = [address, str(port), str(count), f"{interval_s:g}", str(TIMEOUT_S)]
    longest = count * (interval_s + TIMEOUT_S) + 20
    # It ends with us: it writes a line for each attempt.
    # A version manager's stand-in for python3 is slow to start and may want a home.
    line = f"p=/usr/bin/python3; [ -x $p ] || p=python3; timeout {longest:.0f} $p - {shlex.join(arguments)}"
    answer = hosts.run(source, line, send=script, timeout_s=longest + 20)
    found = parse_connects(answer.out)
    if found is None:
        raise LoadstoneError("probe-failed", f"TCP connections from `{source}`: {answer.words}")
    return found


def parse_connects(text: str) -> Connects | None:
    """The script's lines; None without any.

    >>> parse_connects("accepted 0.1250\\nsilent\\nrefused 0.0710\\n")
    Connects(times_ms=(0.125, None, 0.071), accepted=1, refused=1)
    """
    lines = [found for line in text.splitlines() if (found := _LINE.fullmatch(line.strip()))]
    if not lines:
        return None
    times = tuple(float(found[2]) if found[1] else None for found in lines)
    counted = [found[1] for found in lines]
    return Connects(times, counted.count("accepted"), counted.count("refused"))
