"""Hosts of a topology, watched during a run: what they tell once a second, and what happens on them."""

from __future__ import annotations

import contextlib
import json
import math
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from loadstone.deploy import WatchedHost, instruct, watch
from loadstone.measure.lives import Event, Lives
from loadstone.record import Journal
from loadstone.ssh import Ssh

_HELLO_S = 20.0
_SILENT_S = 5.0
"""A host that tells something every second, and has not for so long, is lost until it is heard again."""

_BEAT_S = 2.0
_AGAIN_S = 2.0
_END_S = 3.0

Line = dict[str, Any]


class Seen:
    """The hosts under watch. Made by `watching`; of no hosts it says nothing."""

    def __init__(self, hosts: Sequence[WatchedHost] = ()) -> None:
        """Nothing is started yet."""
        self._hosts = {host.name: host for host in hosts}
        described = {host.name: host.described() for host in hosts}
        self._lives = Lives(
            {
                name: {one["name"]: one["tier"] for one in about["services"]}
                for name, about in described.items()
            }
        )
        self._described = described
        self._told: queue.SimpleQueue[tuple[float, str, Line]] = queue.SimpleQueue()
        self._heard = dict.fromkeys(self._hosts, -math.inf)
        self._reasons = dict.fromkeys(self._hosts, "nothing was heard from it")
        self._quotas = {host.name: quota for host in hosts if (quota := host.quota())}
        self._hellos: dict[str, Line] = {}
        self._hello = {name: threading.Event() for name in self._hosts}
        self._busy: Callable[[str, float, float], None] = lambda host, at, cpu_cores: None
        self._closed = threading.Event()
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._instructed: dict[str, subprocess.Popen[bytes]] = {}
        """Those that have all of their program: others' inputs are being written to, and may be full."""
        self._starting = threading.Lock()

    def described(self) -> list[dict[str, Any]]:
        """The hosts for the record, as the topology and each of them say."""
        return [about | self._hellos.get(name, {}) for name, about in self._described.items()]

    def cores(self) -> dict[str, float]:
        """Processors that each host may use, of those that have said it."""
        hosts = self.described()
        return {one["host"]: found for one in hosts if (found := one["cpus"] or one.get("cores"))}

    def tell(self, busy: Callable[[str, float, float], None]) -> None:
        """`busy` hears from now on how many processors of a host were busy: its name, when (on the clock),
        how many.
        """
        self._busy = busy

    def away(self, service: str) -> Callable[[str, bool], None]:
        """What to tell when that service is ended on a host on purpose (True), and serves there again."""
        return lambda host, gone: self._lives.away(host, service, gone)

    def write(self, journal: Journal, note: Callable[[str], None], began: float) -> None:
        """Puts what was told since then into the journal; `began` is when the run did, by our clock."""
        while not self._told.empty():
            at, host, line = self._told.get()
            # What a line tells of is the second before it.
            second = math.floor(at - began - 0.5)
            self._heard[host] = at
            if (cores := line.get("host", {}).get("cpu_cores")) is not None:
                self._busy(host, at, cores)
            if second < 0:
                continue
            journal.seen(second, host, line.get("host", {}), line.get("services", {}))
            if (free := line.get("host", {}).get("disk_free_bytes")) is not None:
                self._put(self._lives.room(host, second, free), journal, note)
            if "lives" in line:
                self._put(self._lives.heard(host, second, line["lives"]), journal, note)
        now = time.monotonic()
        for host, heard in self._heard.items():
            if now - max(heard, began) > _SILENT_S:
                last = max(0, math.floor(heard - began) if math.isfinite(heard) else 0)
                self._put(self._lives.silent(host, last, self._reasons[host]), journal, note)

    def open(self, ssh: Ssh) -> None:
        """Starts watching all hosts, and waits until each has answered or cannot."""
        for host in self._hosts.values():
            threading.Thread(target=self._follow, args=(ssh, host), daemon=True).start()
        deadline = time.monotonic() + _HELLO_S
        for event in self._hello.values():
            event.wait(max(0.0, deadline - time.monotonic()))
        threading.Thread(target=self._beat, daemon=True).start()

    def close(self) -> None:
        """Ends what was started on the hosts."""
        with self._starting:
            self._closed.set()
        for host, process in self._processes.items():
            if host not in self._instructed:
                process.kill()
        with ThreadPoolExecutor(max_workers=max(1, len(self._processes))) as pool:
            list(pool.map(_end, list(self._processes.values())))

    def _put(self, events: list[Event], journal: Journal, note: Callable[[str], None]) -> None:
        for event in events:
            journal.event(**event)
            note(event["note"])

    def _follow(self, ssh: Ssh, host: WatchedHost) -> None:
        """Reads what a host tells; if its connection ends, again and again tries to get another."""
        while (process := self._start(ssh, host)) or not self._closed.is_set():
            if process:
                instruct(process, host)
                self._instructed[host.name] = process
                self._listen(host.name, process)
            self._hello[host.name].set()
            self._closed.wait(_AGAIN_S)

    def _start(self, ssh: Ssh, host: WatchedHost) -> subprocess.Popen[bytes] | None:
        """What will watch a host; None when that cannot be started, or all is over."""
        with self._starting:
            if self._closed.is_set():
                return None
            self._instructed.pop(host.name, None)
            try:
                process = self._processes[host.name] = watch(ssh, host)
            except OSError as error:
                self._reasons[host.name] = str(error)
                return None
        return process

    def _listen(self, host: str, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout and process.stderr
        with contextlib.suppress(OSError, ValueError):
            for text in process.stdout:
                line = json.loads(text)
                if "hello" in line:
                    self._hellos[host] = line["hello"]
                    self._hello[host].set()
                else:
                    at = time.monotonic()
                    if "host" in line and host in self._quotas:
                        line["host"].update(self._quotas[host].since(at))
                    self._told.put((at, host, line))
        if not self._closed.is_set():
            _end(process)
            words = process.stderr.read().decode(errors="replace").split()
            self._reasons[host] = " ".join(words)[-300:] or "its connection ended"

    def _beat(self) -> None:
        while not self._closed.wait(_BEAT_S):
            for process in list(self._instructed.values()):
                with contextlib.suppress(OSError, ValueError):
                    assert process.stdin
                    process.stdin.write(b"\n")
                    process.stdin.flush()


@contextlib.contextmanager
def watching(ssh: Ssh, hosts: Sequence[WatchedHost]) -> Iterator[Seen]:
    """Watches `hosts` until the block ends. A host that cannot be watched is an event of the run."""
    seen = Seen(hosts)
    try:
        seen.open(ssh)
        yield seen
    finally:
        seen.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        assert process.stdin
        process.stdin.close()
    try:
        process.wait(_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
