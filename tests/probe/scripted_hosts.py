"""Hosts that answer by a script instead of a network, and may die."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.ssh import Answer

GOLDEN = Path(__file__).parent / "golden"


class ScriptedHosts:
    """Answers ping, connections and iperf3 with what real ones printed; every command is kept in `asked`."""

    def __init__(self, silent: Sequence[str] = ()) -> None:
        """Nobody pings back from the addresses of `silent`."""
        self.asked: list[tuple[str, str]] = []
        self.dead: set[str] = set()
        self.silent = set(silent)
        self.before: Callable[[str, str], None] = lambda host, line: None
        """Called before each command: may kill a host."""

    def address(self, host: str) -> str:
        return f"address-of-{host}"

    def run(
        self,
        host: str,
        command: Sequence[str] | str,
        *,
        send: bytes | str = b"",
        hold: bool = False,
        timeout_s: float = 60.0,
    ) -> Answer:
        line = command if isinstance(command, str) else " ".join(command)
        self.asked.append((host, line))
        self.before(host, line)
        if host in self.dead:
            raise LoadstoneError("host-unreachable", f"`{host}` cannot be reached: gone")
        gone = any(f"address-of-{name}" in line for name in self.silent | self.dead)
        return Answer(0, self._said(line, gone), "")

    def start(self, host: str, command: Sequence[str] | str) -> subprocess.Popen[bytes]:
        self.asked.append((host, "iperf3 server"))
        self.before(host, "iperf3 server")
        pipe = subprocess.PIPE
        words = f"echo ready; cat {GOLDEN / 'iperf3-tcp-server.json'}" if host not in self.dead else "exit 1"
        return subprocess.Popen(["sh", "-c", words], stdin=pipe, stdout=pipe, stderr=pipe, process_group=0)

    def _said(self, line: str, gone: bool) -> str:
        if "-M do" in line:
            big = "-s 65507" in line
            return (
                "message too long, mtu=1500"
                if big
                else "1480 bytes from b: icmp_seq=1 ttl=64 time=1.00 ms\n4 packets transmitted, 4 received"
            )
        if "ping" in line:
            return (
                "30 packets transmitted, 0 received, 100% packet loss"
                if gone
                else (GOLDEN / "ping-lossy.txt").read_text()
            )
        if "python3" in line:
            return "silent\n" * 30 if gone else "refused 0.5000\n" * 29 + "accepted 0.6000\n"
        if "iperf3" in line:
            return (GOLDEN / f"iperf3-{'udp' if ' -u ' in line else 'tcp'}-client.json").read_text()
        return ""
