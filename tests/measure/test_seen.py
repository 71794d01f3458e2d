"""Hosts under watch: this machine as two hosts, by the real program that is sent to them."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from following import eventually
from local_hosts import LocalHosts

from loadstone.deploy import WatchedHost
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


def test_a_host_whose_connection_ends_is_told_and_found_again(tmp_path: Path, journal: Journal) -> None:
    hosts = LocalHosts(["one"], tmp_path)
    with watching(hosts, HOSTS[:1]) as seen:
        # As if it had been silent for long: the test does not wait for it.
        began, notes = time.monotonic() - 60, list[str]()
        seen.write(journal, notes.append, began)
        eventually(
            lambda: _kinds(seen, journal, notes, began, tmp_path)[-1:] == ["host-came-back"], "not heard"
        )
        first = len(hosts.started["one"])
        hosts.started["one"][-1].kill()
        eventually(lambda: len(hosts.started["one"]) > first, "no second try")
    assert _kinds(seen, journal, notes, began, tmp_path)[:2] == ["host-lost", "host-came-back"]
    assert notes[0].startswith("host one lost after 0 s: ")
    assert all(process.poll() is not None for process in hosts.started["one"])


def _kinds(seen: Seen, journal: Journal, notes: list[str], began: float, folder: Path) -> list[str]:
    seen.write(journal, notes.append, began)
    return [event["kind"] for event in lines(folder, "event")]
