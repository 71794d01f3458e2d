"""Hosts under watch: this machine as two hosts, by the real program that is sent to them."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from following import eventually
from local_hosts import LocalHosts

from loadstone.deploy import WatchedHost
from loadstone.measure import seen as seen_module
from loadstone.measure.seen import Seen, watching
from loadstone.record import Journal

HOSTS = [
    WatchedHost("one", (), lab=False, cpus=None, memory_mib=None, link_mbit=None),
    WatchedHost("two", (), lab=True, cpus=0.5, memory_mib=64, link_mbit=None),
]
SHARED = {
    "cpu_cores",
    "memory_used_bytes",
    "rx_bytes_per_s",
    "tcp_sockets",
    "retransmits_per_s",
    "steal_cores",
    "disk_free_bytes",
}
OWN = {
    "cpu_user_cores",
    "cpu_system_cores",
    "cpu_irq_cores",
    "cpu_iowait_cores",
    "idle_cores",
    "read_bytes_per_s",
}


def lines(folder: Path, kind: str) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in (folder / "journal.ndjson").read_text().splitlines()]
    return [line[kind] for line in found if kind in line]


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path)


def test_each_host_tells_every_second(tmp_path: Path, journal: Journal) -> None:
    with watching(LocalHosts(["one", "two"], tmp_path), HOSTS) as seen:
        about = {one["host"]: one for one in seen.described()}
        assert about["one"]["cores"] >= 1 and about["one"]["memory_bytes"] > 1 << 20
        assert (about["two"]["lab"], about["two"]["cpus"], about["two"]["memory_limit_bytes"]) == (
            True,
            0.5,
            64 << 20,
        )
        began, notes = time.monotonic(), list[str]()

        def enough() -> bool:
            seen.write(journal, notes.append, began)
            hosts = [line["host"] for line in lines(tmp_path, "seen")]
            return all(hosts.count(name) >= 3 for name in ("one", "two"))

        eventually(enough, "the hosts tell nothing")
    last = {line["host"]: line for line in lines(tmp_path, "seen")}
    assert set(last["one"]["metrics"]) >= SHARED and set(last["one"]["metrics"]) >= OWN
    assert (
        SHARED - {"steal_cores"} <= set(last["two"]["metrics"]) and "idle_cores" not in last["two"]["metrics"]
    )
    # All kinds together are the machine's time, as exact as the kernel counts it.
    kinds = ("cpu_user", "cpu_system", "cpu_irq", "cpu_iowait", "steal", "idle")
    metrics = [one["metrics"] for one in lines(tmp_path, "seen") if one["host"] == "one"]
    sums = [sum(one[f"{kind}_cores"] for kind in kinds) for one in metrics if "idle_cores" in one]
    assert sums and 0.3 < sum(sums) / len(sums) / os.cpu_count() < 3  # type: ignore[operator]
    assert not notes


class Gated(LocalHosts):
    """Hosts that are connected to once, and again only when the gate is open."""

    gate = threading.Event()

    def start(self, host: str, command: Sequence[str] | str) -> subprocess.Popen[bytes]:
        if self.started[host]:
            assert self.gate.wait(90)
        return super().start(host, command)


def test_a_host_whose_connection_ends_is_told_and_found_again(
    tmp_path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seen_module, "_SILENT_S", 2.5)
    hosts = Gated(["one"], tmp_path)
    with watching(hosts, HOSTS[:1]) as seen:
        began, notes = time.monotonic(), list[str]()
        hosts.started["one"][0].kill()
        eventually(lambda: _kinds(seen, journal, notes, began, tmp_path) == ["host-lost"], "not missed")
        hosts.gate.set()
        eventually(
            lambda: _kinds(seen, journal, notes, began, tmp_path)[:2] == ["host-lost", "host-came-back"],
            "not heard",
        )
    assert notes[0].startswith("host one lost after ")
    assert all(process.poll() is not None for process in hosts.started["one"])


def _kinds(seen: Seen, journal: Journal, notes: list[str], began: float, folder: Path) -> list[str]:
    seen.write(journal, notes.append, began)
    return [event["kind"] for event in lines(folder, "event")]
