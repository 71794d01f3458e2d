"""Each fault in the middle of a run: what is done, and how it is mended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from faults.ground import LAB, NAME, kill, loadstone, on


@dataclass(frozen=True)
class Case:
    """A row of the table."""

    service: str
    fault: str
    strike: Callable[[], object]
    mend: Callable[[], object]
    mended_by: str
    mend_at_s: float = 9.0
    """Second of the run in which it is mended, as somebody on call would; not before."""
    agents: tuple[str, ...] = ()


def _again(service: str) -> Callable[[], object]:
    return lambda: loadstone("restart", LAB, "--only", service)


def _host(what: str, host: str) -> Callable[[], object]:
    return lambda: loadstone("lab", "host", what, "--lab", NAME, host)


def _link(what: str, host: str) -> Callable[[], object]:
    return lambda: loadstone("lab", "link", "set", "--lab", NAME, host, what)


def _both(first: Callable[[], object], second: Callable[[], object]) -> Callable[[], object]:
    return lambda: (first(), second())


def _full() -> None:
    on("db", "dd if=/dev/zero of=/var/filler bs=1M; dd if=/dev/zero of=/var/filler2 bs=4k; true")


def _agent() -> None:
    on("gen1", "pkill -9 -f '[a]gent.py'")


CASES = (
    Case("balancer", "killed", lambda: kill("lb", "front"), _again("front"), "`restart --only front`"),
    Case("application", "killed on one of two hosts", lambda: kill("app1", "shop"), _again("shop"),
         "`restart --only shop`"),
    Case("database", "killed", lambda: kill("db", "database"), _again("database"),
         "`restart --only database`"),
    Case("application", "host killed", _host("kill", "app1"), _both(_host("restart", "app1"), _again("shop")),
         "`lab host restart app1`, `restart --only shop`"),
    Case("database", "host killed", _host("kill", "db"), _both(_host("restart", "db"), _again("database")),
         "`lab host restart db`, `restart --only database`"),
    Case("balancer", "link cut", _link("--cut", "lb"), _link("--mend", "lb"), "`lab link set lb --mend`"),
    Case("application", "link cut", _link("--cut", "app1"), _link("--mend", "app1"),
         "`lab link set app1 --mend`"),
    Case("database", "link cut", _link("--cut", "db"), _link("--mend", "db"), "`lab link set db --mend`"),
    Case("database", "disk full", _full, lambda: on("db", "rm -f /var/filler /var/filler2"),
         "room on the disk"),
    Case("load agent", "killed, one of two", _agent, lambda: None, "the next run starts it again",
         agents=("gen1", "gen2")),
)  # fmt: skip
