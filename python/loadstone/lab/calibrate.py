"""`lab calibrate`: what each link was asked to do beside what ping and iperf3 measure on it.

Each measurement goes between this machine, whose own link is plain, and one host: through that host's
link alone, once in each direction.
"""

from __future__ import annotations

import json
import math
import re
import statistics
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NoReturn

from loadstone.errors import LoadstoneError
from loadstone.lab.folder import Folder, HostRecord, Record
from loadstone.lab.model import Link, Shape
from loadstone.lab.processes import inside, mark
from loadstone.lab.topology import Topology

PING_BYTES = 98
"""Frame of a default ping: 56 bytes of data, 8 of ICMP, 20 of IP, 14 of Ethernet."""
FULL_BYTES = 1514
_UDP_OVERHEAD = 42  # Ethernet, IPv4 and UDP
_UDP_BYTES = 1448
_PORT = 5201
_SUMMARY = re.compile(r"(\d+) packets transmitted, (\d+) received")
_TIMES = re.compile(r"= [\d.]+/([\d.]+)/[\d.]+/([\d.]+) ms")


@dataclass(frozen=True)
class RoundTrip:
    """Round-trip times and losses; times are None when nothing came back."""

    mean_ms: float | None
    sd_ms: float | None
    loss: float


@dataclass(frozen=True)
class Measured:
    """One host's link."""

    host: str
    carrier: str
    asked: RoundTrip
    found: RoundTrip
    sent: int
    loss_interval: tuple[float, float]
    """99 % interval (Wilson) of the share of round trips lost."""
    rates: dict[str, tuple[float, float]]
    """(expected, measured) Mbit/s of frames by direction, where a rate was asked for."""


def calibrate(
    topology: Topology, record: Record, seconds: float, say: Callable[[str], None]
) -> Iterator[Measured]:
    """Measures the link of each host in turn, each quantity for about `seconds`.

    LoadstoneError `lab-start` when ping or iperf3 cannot run or do not end.
    """
    specs = {host.name: topology.link(host) for host in topology.hosts}
    for host in record.hosts:
        if host.real:
            continue
        link = specs[host.name]
        say(f"{host.name}: ping")
        found, sent = ping(host.address, _interval_s(link), seconds)
        rates = {}
        for way in ("up", "down"):
            shape = link.direction(way)
            if shape.rate_mbit:
                say(f"{host.name}: iperf3, {way}")
                offered = 1.2 * shape.rate_mbit
                measured = udp_rate(record, host, way, offered, seconds)
                rates[way] = (expected_rate(shape, offered), measured)
        lost = sent - round(sent * (1 - found.loss))
        yield Measured(
            host.name, host.carrier, expected_round_trip(link), found, sent, wilson(lost, sent), rates
        )


def expected_round_trip(link: Link) -> RoundTrip:
    """What a ping now and then sees of a link: delays, its own time on the wire, waits behind cross-traffic.

    Cross-traffic makes an M/D/1 queue of load ρ and service time s: mean wait ρs / 2(1 - ρ), variance
    ρs² / 3(1 - ρ) + (ρs / 2(1 - ρ))² (Pollaczek and Khinchine, Takács).

    >>> trip = expected_round_trip(Link(delay_ms=10.0, jitter_ms=3.0, loss=0.1))
    >>> trip.mean_ms, round(trip.sd_ms, 3), round(trip.loss, 3)
    (20.0, 4.243, 0.19)
    """
    mean = variance = 0.0
    kept = 1.0
    for shape in (link.direction("up"), link.direction("down")):
        mean += shape.delay_ms
        variance += shape.jitter_ms**2
        kept *= 1 - shape.loss
        if shape.rate_mbit and not shape.burst_kib:
            mean += PING_BYTES * 8 / (shape.rate_mbit * 1e3)
            load, service = shape.cross_mbit / shape.rate_mbit, FULL_BYTES * 8 / (shape.rate_mbit * 1e3)
            wait = load * service / (2 * (1 - load))
            mean += wait
            variance += load * service**2 / (3 * (1 - load)) + wait**2
    return RoundTrip(mean, math.sqrt(variance), 1 - kept)


def expected_rate(shape: Shape, offered_mbit: float) -> float:
    """What passes of a steady flow that offers more than the link takes: a full queue shares by arrivals.

    >>> expected_rate(Shape(rate_mbit=100.0, cross_mbit=40.0), 120.0)
    75.0
    """
    rate = shape.rate_mbit or math.inf
    return min(rate, rate * offered_mbit / (offered_mbit + shape.cross_mbit)) * (1 - shape.loss)


def wilson(hits: int, trials: int) -> tuple[float, float]:
    """99 % interval of a share; everything when nothing was tried."""
    from scipy import stats

    if not trials:
        return 0.0, 1.0
    low, high = stats.binomtest(hits, trials).proportion_ci(0.99, method="wilson")
    return float(low), float(high)


def ping(address: str, interval_s: float, seconds: float) -> tuple[RoundTrip, int]:
    """Round trips to an address and how many were sent."""
    count = max(20, round(seconds / interval_s))
    command = ["ping", "-n", "-q", "-i", f"{interval_s:.4f}", "-c", str(count), "-W", "2", address]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=count * interval_s + 60
    )
    return parse_ping(done.stdout) or _failed("ping", done.stderr or done.stdout)


def parse_ping(text: str) -> tuple[RoundTrip, int] | None:
    """Mean, deviation and loss of the summary of iputils' ping; None without one.

    >>> parse_ping('''4 packets transmitted, 3 received, 25% packet loss, time 30ms
    ... rtt min/avg/max/mdev = 0.021/0.040/0.060/0.016 ms''')
    (RoundTrip(mean_ms=0.04, sd_ms=0.016, loss=0.25), 4)
    """
    summary, times = _SUMMARY.search(text), _TIMES.search(text)
    if summary is None:
        return None
    sent, received = int(summary[1]), int(summary[2])
    mean, deviation = (float(times[1]), float(times[2])) if times else (None, None)
    return RoundTrip(mean, deviation, 1 - received / sent), sent


def udp_rate(
    record: Record, host: HostRecord, way: Literal["up", "down"], offered_mbit: float, seconds: float
) -> float:
    """Mbit/s of frames that arrive of a UDP flow of `offered_mbit` of frames.

    It is the median of half seconds: on a busy machine a sender may stall, which says nothing of the link.
    """
    payload = offered_mbit * _UDP_BYTES / (_UDP_BYTES + _UDP_OVERHEAD)
    # The client is the receiver, because it is the one whose intervals are reported.
    address = host.address if way == "up" else record.gateway
    serve = ["iperf3", "-s", "-1", "--forceflush", "-B", address, "-p", str(_PORT)]
    receive = ["iperf3", "-c", address, "-p", str(_PORT), "-u", "-R", "-J", "-l", str(_UDP_BYTES)]
    receive += ["-b", f"{payload * 1e6:.0f}", "-t", f"{max(2, round(seconds))}", "-i", "0.5"]
    if way == "up":
        serve = inside(host.pid, serve)
    else:
        receive = inside(host.pid, receive)
    environment = mark(record.name)
    server = subprocess.Popen(
        serve, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    )
    try:
        if not any("listening" in line for line in server.stdout or ()):
            _failed("iperf3 -s", f"exit code {server.wait()}")
        done = subprocess.run(
            receive, capture_output=True, text=True, check=False, env=environment, timeout=seconds + 60
        )
    finally:
        server.kill()
        server.communicate()
    try:
        intervals = json.loads(done.stdout)["intervals"]
        # The first one holds the way of the first frames.
        rates = [float(interval["sum"]["bits_per_second"]) for interval in intervals[1:]]
        received = statistics.median(rates)
    except (ValueError, KeyError):
        _failed("iperf3", done.stderr or done.stdout[-300:])
    return received / 1e6 * (_UDP_BYTES + _UDP_OVERHEAD) / _UDP_BYTES


def lateness(folder: Folder) -> dict[str, dict[str, int]]:
    """Microseconds by which the switch has been late so far (`p50`, `p99`, `max`) by host."""
    try:
        ports = json.loads(Path(folder.path / "switch-counters.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {
        port["port"]: {of: port[f"late_us_{of}"] for of in ("p50", "p99", "max")}
        for port in ports
        if port["delivered"]
    }


def _interval_s(link: Link) -> float:
    """Between pings: long enough that none waits for the one before it, which would hide jitter."""
    jitter = max(link.direction("up").jitter_ms, link.direction("down").jitter_ms)
    return max(0.005, 8 * jitter / 1e3)


def _failed(what: str, words: str) -> NoReturn:
    raise LoadstoneError("lab-start", f"{what} failed: {words.strip() or 'no output'}")
