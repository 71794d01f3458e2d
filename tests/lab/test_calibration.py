"""What shapes ask for is what ping and iperf3 see, on the side that a busy machine cannot spoil.

It can add delay and take rate away without bound. That links add and take no more than asked is shown in
virtual time, by the switch's own tests; here both sides are printed.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from labs import Command, Topology, described, ssh

pytestmark = pytest.mark.long

LINKS = """
[link.far]
delay_ms = 20
jitter_ms = 2
[link.tailed]
delay_ms = 10
jitter_ms = 4
law = "exponential"
[link.lossy]
loss = 0.05
[link.narrow]
rate_mbit = 50
down = { rate_mbit = 20 }
[link.crowded]
rate_mbit = 20
cross_mbit = 12
[link.brim]
delay_ms = 2
rate_mbit = 40
burst_kib = 32
"""
NAMES = ("far", "tailed", "lossy", "narrow", "crowded", "brim")
HOSTS = "".join(f'[[host]]\nname = "{name}"\nlink = "{name}"\n' for name in NAMES)


def calibrated(command: Command, path: Path, *options: str) -> dict[str, dict[str, Any]]:
    out = command("lab", "calibrate", path, "--json", *options).stdout
    return {link["host"]: link for link in json.loads(out)}


def test_asked_is_measured(command: Command, topology: Topology, capsys: pytest.CaptureFixture[str]) -> None:
    path = topology(LINKS + HOSTS + '[[host]]\nname = "bare"\n')
    command("lab", "up", path)
    measured = calibrated(command, path, "--seconds", "3")
    with capsys.disabled():
        for name, link in measured.items():
            print(f"\n{name}: {link['asked']} {link['found']} {link['rates']} late {link['late_us']}", end="")
    for name, link in measured.items():
        asked, found = link["asked"], link["found"]
        # Four standard errors of the mean of some hundred round trips.
        error = 4 * asked["sd_ms"] / (link["sent"] ** 0.5)
        assert found["mean_ms"] > asked["mean_ms"] - error - 0.05, name
        spread = (asked["loss"] * (1 - asked["loss"]) / link["sent"]) ** 0.5
        assert abs(found["loss"] - asked["loss"]) <= 5 * spread + 0.02, name
        for way, (expected, rate) in link["rates"].items():
            assert 0 < rate < 1.1 * expected, (name, way)
    for name in ("far", "tailed"):
        asked, found = measured[name]["asked"], measured[name]["found"]
        assert found["sd_ms"] > 0.65 * asked["sd_ms"], name
    assert measured["bare"]["carrier"] == "veth" and measured["bare"]["late_us"] is None


def test_only_what_is_up_is_measured(command: Command, topology: Topology) -> None:
    path = topology('[[host]]\nname = "one"\n')
    refused = command("lab", "calibrate", path, check=False)
    assert (refused.returncode, "error[lab-missing]" in refused.stderr) == (2, True)
    command("lab", "up", path)
    path.write_text(path.read_text() + '[[host]]\nname = "two"\n')
    refused = command("lab", "calibrate", path, check=False)
    assert (refused.returncode, "error[lab-exists]" in refused.stderr) == (2, True)


def test_every_frame_is_accounted_for(command: Command, topology: Topology) -> None:
    command("lab", "up", topology(LINKS + HOSTS))
    sent = 200
    address = {host["name"]: host["address"] for host in described("t-lab")["hosts"]}
    for host in ("narrow", "lossy"):
        assert ssh("t-lab", host, f"ping -q -n -i 0.005 -c {sent} {address['far']}").returncode == 0
    counters = {port["port"]: port for port in _published("t-lab")}
    assert counters["narrow"]["up"]["frames"] >= sent
    for port in counters.values():
        for way in ("up", "down"):
            dropped = sum(port[way][reason] for reason in ("lost", "queue_full", "overflow"))
            assert 0 <= dropped <= port[way]["frames"]
        assert port["delivered"] <= port["down"]["frames"]
    assert counters["lossy"]["up"]["lost"] + counters["lossy"]["down"]["lost"] > 0


def _published(name: str) -> list[dict[str, Any]]:
    """The counters once they show a second in which nothing moved any more."""
    counters: list[dict[str, Any]] = described(name)["switch"]
    for _ in range(100):
        now = described(name)["switch"]
        if now and now == counters:
            return now
        counters = now
    return counters
