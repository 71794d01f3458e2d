"""What carries each link: plain veth, netem, or the switch; and the shapes in the words of each."""

from __future__ import annotations

import subprocess

from loadstone.lab.model import WAYS, Link, Shape
from loadstone.lab.processes import inside

PLAIN = "veth"
NETEM = "netem"
SWITCH = "switch"


def carrier(link: Link, *, netem: bool, cut: bool = False) -> str:
    """What carries a link; `netem` tells whether the kernel has it. One that is `cut` loses every frame.

    netem lets frames with jitter overtake each other, which no single path does and TCP takes for loss;
    it has neither buckets nor cross-traffic. Those links are the switch's everywhere.
    """
    ways = [link.direction(way) for way in WAYS]
    if all(way.plain for way in ways) and not cut:
        return PLAIN
    if netem and not any(way.jitter_ms or way.burst_kib or way.cross_mbit for way in ways):
        return NETEM
    return SWITCH


def kernel_has_netem(pid: int) -> bool:
    """Whether netem can be set up, tried on the loopback device in the network namespace of a process."""
    command = ["tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms"]
    if subprocess.run(inside(pid, command), capture_output=True, check=False).returncode:
        return False
    subprocess.run(inside(pid, ["tc", "qdisc", "del", "dev", "lo", "root"]), check=True)
    return True


def netem(shape: Shape, *, cut: bool = False) -> list[str]:
    """The shape as arguments of `tc qdisc ... netem`; its queue is counted in full frames.

    >>> netem(Shape(delay_ms=2.0, loss=0.01))
    ['delay', '2000us', 'loss', '1%', 'limit', '100000']
    >>> netem(Shape(rate_mbit=12.112, queue_ms=100.0))
    ['rate', '12112kbit', 'limit', '101']
    """
    words = ["loss", "100%"] if cut else []
    if shape.delay_ms:
        words += ["delay", f"{shape.delay_ms * 1e3:.0f}us"]
    if shape.loss and not cut:
        words += ["loss", f"{100 * shape.loss:g}%"]
    limit = 100_000
    if shape.rate_mbit:
        words += ["rate", f"{shape.rate_mbit * 1e3:.0f}kbit"]
        # netem's one queue holds what waits for the wire and what is under way on it.
        held_ms = shape.queue_ms + shape.delay_ms
        limit = 1 + round(shape.rate_mbit * 1e3 * held_ms / (1514 * 8))
    return [*words, "limit", str(limit)]


def words(link: Link) -> str:
    """The link as people read it.

    >>> words(Link(delay_ms=2.0, jitter_ms=0.5, loss=0.01, rate_mbit=100.0))
    '2 ± 0.5 ms, 1 % lost, 100 Mbit/s'
    >>> words(Link())
    'plain'
    """
    up, down = (_words(link.direction(way)) for way in WAYS)
    return up if up == down else f"up {up}; down {down}"


def _words(shape: Shape) -> str:
    parts = []
    if shape.delay_ms:
        law = "" if shape.law == "normal" or not shape.jitter_ms else f" {shape.law}"
        parts.append(f"{shape.delay_ms:g}{f' ± {shape.jitter_ms:g}' if shape.jitter_ms else ''} ms{law}")
    if shape.loss:
        parts.append(f"{100 * shape.loss:g} % lost")
    if shape.rate_mbit:
        cross = f", {shape.cross_mbit:g} of it others'" if shape.cross_mbit else ""
        parts.append(f"{shape.rate_mbit:g} Mbit/s{cross}")
    return ", ".join(parts) or "plain"
