"""Bandwidth by iperf3: a server on the target for one test, its own words and the client's as JSON."""

from __future__ import annotations

import contextlib
import json
import math
import os
import select
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from loadstone.errors import LoadstoneError
from loadstone.probe import tied
from loadstone.probe.hosts import Hosts

Way = Literal["to", "back"]
"""`to`: the source sends; `back`: the target does."""
UDP_BYTES = 1448
"""Payload of a datagram: fits an Ethernet frame also where a tunnel takes some of it."""
INTERVAL_S = 0.1
"""Between two figures of one test."""
_READY_S = 30.0
_UDP_TRIES = 3
"""iperf3 opens a UDP stream by one datagram each way and waits for ever when a lossy path drops one."""
_SERVER = """exec 3<&0
timeout -k 1 {longest} iperf3 -s -1 -J -i {interval} -p {port} </dev/null 3<&- & group=$!
{watch}
hex=$(printf ':%04X' {port}); tries=0
until cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -q "$hex [0-9A-F:]* 0A"; do
  tries=$((tries+1)); [ $tries -gt 250 ] && break
  kill -0 $group 2>/dev/null || break; sleep 0.02
done
echo ready
wait $group
kill $watch 2>/dev/null"""
"""The server ends with its one test, with its input (ours, so also when we die or the network is cut and sshd
notices), or after `longest` seconds, whichever is first. `0A` is a listening socket."""


@dataclass(frozen=True)
class Flow:
    """One test. Rates are of payload, Mbit/s; shares 0 to 1."""

    mbit: float
    """What the receiver got, over the whole test."""
    intervals_mbit: tuple[float, ...]
    """What the receiver got in each tenth of a second; of the sender where the receiver's are not known."""
    intervals_of: str
    """`receiver` or `sender`."""
    congestion_control: str | None
    """Of the TCP sender."""
    retransmits: int | None
    mss: int | None
    """Payload of a TCP segment, bytes."""
    offered_mbit: float | None
    """What a UDP sender sent."""
    sent: int | None
    """Datagrams that count: up to the last one that arrived."""
    lost: int | None
    jitter_ms: float | None
    """Of datagrams, as RFC 3550 smooths it."""
    busy: float | None
    """CPU time of the busier of the two iperf3, in processors; one thread cannot use more than 1."""


def flow(
    hosts: Hosts, source: str, target: str, port: int, way: Way, seconds: int,
    *, streams: int = 1, udp_mbit: float | None = None, serve: bool = True,
) -> Flow:  # fmt: skip
    """One test of TCP, or of UDP at `udp_mbit` of payload; `serve` unless a server waits there already.

    LoadstoneError `host-unreachable`, `host-refused`, `probe-failed` with iperf3's own words.
    """
    words = ["iperf3", "-c", hosts.address(target), "-p", str(port), "-J", "-i", str(INTERVAL_S)]
    words += ["-t", str(seconds), "-P", str(streams), "--connect-timeout", "5000"]
    if udp_mbit is not None:
        words += ["-u", "-l", str(UDP_BYTES), "-b", f"{udp_mbit / streams * 1e6:.0f}"]
    if way == "back":
        words.append("-R")
    tries = 1 if udp_mbit is None else _UDP_TRIES
    # A TCP test comes to an end also where its connections need a few tries.
    longest = seconds + (15 if udp_mbit is None else 5)
    for left in reversed(range(tries)):
        found = _test(hosts, source, target, port, words, longest, serve)
        if isinstance(found, Flow):
            return found
        if not left:
            break
    raise LoadstoneError("probe-failed", f"iperf3 from `{source}` to `{target}`: {found}")


def _test(
    hosts: Hosts, source: str, target: str, port: int, words: list[str], longest: float, serve: bool
) -> Flow | str:
    """One run of the client, against a server of ours or one that waits; its error otherwise."""
    with _server(hosts, target, port, longest) if serve else contextlib.nullcontext() as server:
        answer = tied.run(hosts, source, shlex.join(words), longest)
        told = _read(server, 10, until=b"").decode(errors="replace") if server else ""
    return parse_flow(answer.out, told) or answer.words


def parse_flow(client: str, server: str = "") -> Flow | str:
    """A test from the JSON of its client and, where there is one, its server; iperf3's error otherwise."""
    told = _object(client)
    if told.get("error"):
        return str(told["error"])[:300]
    try:
        return _flow(told, _object(server))
    except (AttributeError, KeyError, TypeError, ValueError, IndexError, OverflowError):
        return "" if not told else "its JSON holds no result"


def _flow(told: dict[str, Any], other: dict[str, Any]) -> Flow:
    end, start = told["end"], told["start"]
    udp = start["test_start"]["protocol"] == "UDP"
    back = bool(start["test_start"]["reverse"])
    received = _finite(end["sum_received"]["bits_per_second"]) / 1e6
    receiver = told if back else other
    intervals = _intervals(receiver) if receiver.get("intervals") else ()
    of = "receiver" if intervals else "sender"
    busy = end.get("cpu_utilization_percent") or {}
    shares = [_finite(busy[key]) / 100 for key in ("host_total", "remote_total") if key in busy]
    total = end["sum"] if udp else {}
    return Flow(
        mbit=received,
        intervals_mbit=intervals or _intervals(told),
        intervals_of=of,
        congestion_control=None if udp else end.get("sender_tcp_congestion"),
        retransmits=None if udp else int(end["sum_sent"].get("retransmits", 0)),
        mss=None if udp else int(start["tcp_mss_default"]) or None,
        offered_mbit=_finite(end["sum_sent"]["bits_per_second"]) / 1e6 if udp else None,
        sent=int(total["packets"]) if udp else None,
        lost=int(total["lost_packets"]) if udp else None,
        jitter_ms=_finite(total["jitter_ms"]) if udp else None,
        busy=max(shares) if shares else None,
    )


def _intervals(told: dict[str, Any]) -> tuple[float, ...]:
    """Rates of the intervals of full length; the last one is often cut short."""
    sums = [one["sum"] for one in told["intervals"]]
    return tuple(
        round(_finite(one["bits_per_second"]) / 1e6, 4)
        for one in sums
        if _finite(one["seconds"]) > INTERVAL_S / 2
    )


def _finite(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(value)
    return number


def _object(text: str) -> dict[str, Any]:
    """The JSON object in a text that may begin with other words; empty without one."""
    begin = text.find("{")
    try:
        found = json.loads(text[begin:]) if begin >= 0 else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


@contextlib.contextmanager
def _server(hosts: Hosts, target: str, port: int, longest: float) -> Iterator[subprocess.Popen[bytes]]:
    """A server that listens, and is gone at the end of the block."""
    script = _SERVER.format(longest=f"{longest:g}", interval=INTERVAL_S, port=port, watch=tied.WATCH)
    server = hosts.start(target, script)
    try:
        first = _read(server, _READY_S, until=b"ready\n")
        if not first.startswith(b"ready"):
            words = server.stderr.read().decode(errors="replace") if server.stderr and server.poll() else ""
            message = f"no iperf3 server on `{target}`: {words.strip()[-300:] or 'no answer'}"
            raise LoadstoneError("host-unreachable", message)
        yield server
    finally:
        if server.stdin:
            with contextlib.suppress(OSError):
                server.stdin.close()
        _await_end(server)


def _read(server: subprocess.Popen[bytes], seconds: float, until: bytes) -> bytes:
    """What the server writes, to `until`, to its end, or for this many seconds.

    Not `communicate`: that closes the server's input first, which would end it before its last words.
    """
    assert server.stdout
    data, deadline = b"", time.monotonic() + seconds
    while not (until and data.endswith(until)) and (left := deadline - time.monotonic()) > 0:
        ready, _, _ = select.select([server.stdout], [], [], left)
        # Up to a mark byte by byte: what comes after it is for the next reader.
        more = os.read(server.stdout.fileno(), 1 if until else 1 << 16) if ready else b""
        if not more:
            break
        data += more
    return data


def _await_end(server: subprocess.Popen[bytes]) -> None:
    """Its input is closed: it ends by itself; ssh to a host that is gone does not."""
    deadline = time.monotonic() + 5
    while server.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    if server.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
        server.wait()
    for pipe in (server.stdin, server.stdout, server.stderr):
        if pipe:
            pipe.close()
