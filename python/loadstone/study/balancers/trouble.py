"""What is broken under load, and how it is mended: on the hosts, over ssh."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.ssh import Ssh
from loadstone.study.balancers.site import SERVERS
from loadstone.study.bench import Bench

_TABLE = "loadstone_study"
_BOOT = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True)
class Trouble:
    """Something that breaks and is mended; each call returns when it is done."""

    begin: Callable[[], None]
    end: Callable[[], None]
    victim: str
    """The host it happens to."""


def server_killed(bench: Bench, victim: str) -> Trouble:
    """A server's processes end without a word; later it is started again."""
    pids = bench.pids(SERVERS, victim)
    return Trouble(lambda: _kill(bench.ssh, victim, pids), lambda: bench.restart(SERVERS, victim), victim)


def balancer_killed(bench: Bench, balancer: str) -> Trouble:
    """The balancer's processes end; later it is started again."""
    host, pids = bench.host(balancer), bench.pids(balancer)
    return Trouble(lambda: _kill(bench.ssh, host, pids), lambda: bench.restart(balancer, host), host)


def server_cut(bench: Bench, victim: str) -> Trouble:
    """Nothing of a server's network arrives any more but ssh: no answer, no refusal."""
    return Trouble(lambda: _filter(bench.ssh, victim, "drop"), lambda: _unfilter(bench.ssh, victim), victim)


def lossy_link(bench: Bench, balancer: str, victim: str, loss: float) -> Trouble:
    """The link between balancer and server loses packets, in each direction by itself.

    Dropped where they arrive: a packet that the sender's own kernel drops would not be lost to it.
    """
    chance = f"numgen random mod 10000 < {round(loss * 10_000)} drop"
    ends = {
        victim: bench.ssh.address(bench.host(balancer)),
        bench.host(balancer): bench.ssh.address(victim),
    }

    def begin() -> None:
        for host, peer in ends.items():
            _filter(bench.ssh, host, f"ip saddr {peer} {chance}")

    def end() -> None:
        for host in ends:
            _unfilter(bench.ssh, host)

    return Trouble(begin, end, victim)


def drained(bench: Bench, balancer: str, victim: str) -> Trouble:
    """The balancer sends no new users to a server, and later does so again."""
    return Trouble(lambda: bench.set(balancer, drain=[victim]), lambda: bench.set(balancer), victim)


def clock_ahead_ns(ssh: Ssh, host: str) -> int:
    """By how much the clock of `host` is ahead of ours: 0 on this machine, else by the quickest of some
    questions over ssh. Errors as `Ssh.run`.
    """
    if ssh.run(host, ["cat", str(_BOOT)]).out == _BOOT.read_text("utf-8"):
        return 0
    asked = []
    for _ in range(8):
        before = time.time_ns()
        theirs = int(ssh.run(host, ["date", "+%s%N"]).out)
        after = time.time_ns()
        asked.append((after - before, theirs - (before + after) // 2))
    return min(asked)[1]


def _kill(ssh: Ssh, host: str, pids: list[int]) -> None:
    if not pids:
        raise LoadstoneError("no-process", f"there is no process to end on `{host}`")
    _must(ssh, host, ["kill", "-KILL", *map(str, pids)])


def _filter(ssh: Ssh, host: str, rule: str) -> None:
    # Before connection tracking: also what belongs to a connection that is known is lost.
    table = f"""
table inet {_TABLE} {{
    chain arriving {{
        type filter hook prerouting priority -400
        tcp dport 22 accept
        {rule}
    }}
}}
"""
    _must(ssh, host, ["nft", "-f", "-"], table)


def _unfilter(ssh: Ssh, host: str) -> None:
    _must(ssh, host, ["nft", f"delete table inet {_TABLE}"])


def _must(ssh: Ssh, host: str, command: list[str], send: str = "") -> None:
    answer = ssh.run(host, [*ssh.as_root(host), *command], send=send)
    if answer.code:
        raise LoadstoneError("trouble", f"`{' '.join(command)[:80]}` on `{host}` failed: {answer.words}")
