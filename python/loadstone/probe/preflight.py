"""What is refused before the first packet: hosts out of reach, missing programs, pings not allowed."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from loadstone.errors import LoadstoneError
from loadstone.probe.hosts import HERE, Hosts
from loadstone.probe.options import Options
from loadstone.probe.pairs import Pair

PACKAGES = {"iperf3": "iperf3", "ping": "iputils-ping", "python3": "python3", "timeout": "coreutils"}


def check_hosts(hosts: Hosts, pairs: Sequence[Pair], options: Options) -> None:
    """Looks at all hosts at once.

    LoadstoneError `probe-tool` (a program is missing, or ping may not), `probe-port` (the port is taken),
    `host-unreachable`, `host-refused`.
    """
    needed: dict[str, set[str]] = {}
    for pair in pairs:
        needed.setdefault(pair.source, set()).update(options.tools["source"])
        if pair.source != HERE:
            needed.setdefault(pair.target, set()).update(options.tools["target"])
    sources = {pair.source for pair in pairs}
    targets = {pair.target for pair in pairs} if options.flows and options.serve else set()

    def one(host: str) -> None:
        _tools(hosts, host, needed[host])
        if host in sources and "ping" in needed[host]:
            _may_ping(hosts, host, options.interval_s)
        if host in targets:
            _port_is_free(hosts, host, options.port)

    with ThreadPoolExecutor(max_workers=min(16, len(needed))) as pool:
        list(pool.map(one, needed))


def _tools(hosts: Hosts, host: str, tools: set[str]) -> None:
    line = f"for t in {shlex.join(sorted(tools))}; do command -v $t >/dev/null || echo $t; done"
    missing = hosts.run(host, line if tools else "true", timeout_s=30).out.split()
    if missing:
        packages = " ".join(PACKAGES[tool] for tool in missing)
        message = f"`{host}` has no {', '.join(missing)}"
        raise LoadstoneError("probe-tool", message, hint=f"on it: apt install {packages}")


def _may_ping(hosts: Hosts, host: str, interval_s: float) -> None:
    answer = hosts.run(host, f"ping -n -c 1 -W 2 -i {interval_s:g} 127.0.0.1", timeout_s=30)
    if answer.code:
        hint = "older pings allow other users than root at least --interval 0.2"
        raise LoadstoneError("probe-tool", f"ping does not work on `{host}`: {answer.words}", hint=hint)


def _port_is_free(hosts: Hosts, host: str, port: int) -> None:
    line = f"cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -q ':{port:04X} [0-9A-F:]* 0A'"
    if hosts.run(host, line, timeout_s=30).code == 0:
        hint = "give another with --port"
        raise LoadstoneError("probe-port", f"something listens on port {port} of `{host}`", hint=hint)
