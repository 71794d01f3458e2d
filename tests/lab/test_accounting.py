"""Every frame of a link has passed, is under way, or was dropped for a cause that is told.

Timings are printed and gate nothing; numbers of frames are exact on the busiest machine.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from labs import Command, Topology, described, ssh, wait_until

from loadstone import lab

pytestmark = pytest.mark.long

SHAPES = {
    "bare": "",
    "far": "delay_ms = 5",
    "wavy": 'delay_ms = 5\njitter_ms = 2\nlaw = "exponential"',
    "lossy": "loss = 0.05",
    "narrow": "rate_mbit = 10\nqueue_ms = 5",
    "brim": "rate_mbit = 20\nburst_kib = 16\nqueue_ms = 2",
    "crowded": "rate_mbit = 20\ncross_mbit = 12\nqueue_ms = 5",
    "uneven": "delay_ms = 1\ndown = { rate_mbit = 5, loss = 0.02 }",
    "broken": "delay_ms = 1",
}
LINKS = "".join(f"[link.{name}]\n{shape}\n" for name, shape in SHAPES.items())
HOSTS = "".join(f'[[host]]\nname = "{name}"\nlink = "{name}"\n' for name in SHAPES)
FLOOD = "iperf3 -c {to} -u -b 40M -l 1000 -t 1 >/dev/null 2>&1; true"
"""Of UDP, more than the narrow links carry."""


def _kernels(pid: int) -> tuple[int, int]:
    """Frames that a host's own kernel counts of its device: sent or dropped before the wire, and received."""
    table = Path(f"/proc/{pid}/net/dev").read_text()
    figures = next(line for line in table.splitlines() if "eth0:" in line).partition(":")[2].split()
    return int(figures[9]) + int(figures[11]), int(figures[1])


def _links() -> dict[str, dict[str, Any]]:
    return {one["name"]: one["traffic"] for one in lab.labs("t-lab")[0]["hosts"]}


def _settled() -> dict[str, dict[str, Any]]:
    """The traffic of all links once nothing is under way and it is what the hosts' kernels count."""
    pids = {one["name"]: one["pid"] for one in lab.labs("t-lab")[0]["hosts"]}
    found: dict[str, dict[str, Any]] = {}

    def rests() -> bool:
        nonlocal found
        found = _links()
        return all(
            (link["up"]["offered"], link["down"]["passed"]) == _kernels(pids[host])
            and not (link["up"]["under_way"] or link["down"]["under_way"])
            for host, link in found.items()
        )

    wait_until(rests, "what kernels count is what links count")
    return found


def _causes(told: dict[str, Any]) -> set[str]:
    """Why frames were dropped, but for what hosts that were up already said to one that was not yet."""
    assert told["dropped"].get("refused", 0) < len(SHAPES)
    return set(told["dropped"]) - {"refused"}


def test_every_frame_of_every_shape_is_accounted_for(
    command: Command, topology: Topology, capsys: pytest.CaptureFixture[str]
) -> None:
    command("lab", "up", topology(LINKS + HOSTS))
    address = {host["name"]: host["address"] for host in described("t-lab")["hosts"]}
    command("lab", "exec", "--lab", "t-lab", "bare", "--", "sh", "-c", "iperf3 -s -D")
    for host in SHAPES:
        ssh("t-lab", host, FLOOD.format(to=address["bare"]))
        if host != "bare":
            ssh("t-lab", host, "iperf3 -s -D")
            ssh("t-lab", "bare", FLOOD.format(to=address[host]))
    command("lab", "link", "set", "--lab", "t-lab", "broken", "--cut")
    ssh("t-lab", "far", f"ping -n -q -c 3 -i 0.1 -W 1 {address['broken']}")
    for host, link in _settled().items():
        for way in ("up", "down"):
            told = link[way]
            assert told["offered"] == told["passed"] + sum(told["dropped"].values()), (host, way)
        with capsys.disabled():
            print(f"\n{host}: {link}", end="")
    links = _links()
    assert _causes(links["bare"]["up"]) == _causes(links["far"]["up"]) == set()
    assert _causes(links["lossy"]["up"]) == {"lost"}
    assert _causes(links["narrow"]["up"]) == _causes(links["brim"]["up"]) == {"queue_full"}
    assert _causes(links["uneven"]["down"]) == {"lost", "queue_full"}
    assert _causes(links["broken"]["down"]) == {"cut"}


def test_a_link_with_only_a_delay_loses_nothing(
    command: Command, topology: Topology, capsys: pytest.CaptureFixture[str]
) -> None:
    hosts = '[[host]]\nname = "one"\nlink = "far"\n[[host]]\nname = "two"\nlink = "far"\n'
    # Whatever the machine's own is: one that sends in bursts.
    command("lab", "up", topology('network.congestion_control = "cubic"\n[link.far]\ndelay_ms = 5\n' + hosts))
    address = described("t-lab")["hosts"][1]["address"]
    ssh("t-lab", "two", "iperf3 -s -D")
    for _ in range(3):
        # Four windows at once, each far larger than a device's queue of 500 frames.
        said = ssh("t-lab", "one", f"iperf3 -c {address} -P 4 -t 2 -J").stdout
        end = json.loads(said)["end"]
        assert end["sender_tcp_congestion"] == "cubic"
        # A machine that stands still makes TCP send again what was only late.
        again, rate = end["sum_sent"]["retransmits"], end["sum_received"]["bits_per_second"]
        with capsys.disabled():
            print(f"\n{rate / 1e6:.0f} Mbit/s, {again} frames sent again", end="")
    for link in _settled().values():
        assert _causes(link["up"]) == _causes(link["down"]) == set()
