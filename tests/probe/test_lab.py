"""Probes in real labs, beside the system's own ping and iperf3. Only what physics promises is held to."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from labs import lab, loadstone, ssh

pytestmark = pytest.mark.long

LAB = "t-probe"
HOSTS = """
[link.slow]
delay_ms = 3
rate_mbit = 20
[link.lossy]
delay_ms = 2
loss = 0.2
[[host]]
name = "client"
kind = "client"
[[host]]
name = "slow"
kind = "web"
link = "slow"
[[host]]
name = "lossy"
kind = "db"
link = "lossy"
[[host]]
name = "doomed"
kind = "spare"
"""


@pytest.fixture(scope="module")
def topology(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with lab(tmp_path_factory.mktemp("probe"), LAB, HOSTS) as path:
        yield path


def probed(*arguments: str | Path, code: int = 0) -> dict[str, Any]:
    command = [sys.executable, "-m", "loadstone", "probe", *map(str, arguments), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=280)
    assert done.returncode == code, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def system_mbit() -> float:
    """What the system's iperf3, started by hand on both hosts, says of the same pair."""
    serve = "timeout 120 iperf3 -s -1 -p 5999 --forceflush"
    words = ["ssh", "-F", f"/run/loadstone/{LAB}/ssh_config", "slow", serve]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as server:
        assert server.stdout and any("listening" in line for line in server.stdout)
        told = json.loads(ssh(LAB, "client", "iperf3 -c slow -p 5999 -t 1 -J").stdout)
        server.wait(timeout=120)
    return float(told["end"]["sum_received"]["bits_per_second"]) / 1e6


def test_a_link_of_20_mbit_and_the_systems_own_tools(topology: Path, tmp_path: Path) -> None:
    found = probed(
        topology,
        "--from",
        "client",
        "--to",
        "slow",
        "--repeats",
        3,
        "--seconds",
        1,
        "--out",
        tmp_path / "out",
    )
    (pair,) = found["pairs"]
    assert found["lost"] == {}
    # Six milliseconds of delay: no round trip is faster, for us or for the system's ping.
    system = re.findall(r"time=([\d.]+)", ssh(LAB, "client", "ping -n -c 10 -i 0.05 slow").stdout)
    assert system and min(map(float, system)) >= 6.0
    assert pair["icmp"]["min_ms"] >= 6.0 and pair["tcp"]["min_ms"] >= 6.0
    assert pair["tcp"]["refused"] > 0 == pair["tcp"]["accepted"] and pair["icmp"]["sent"] == 90
    assert pair["path"]["mtu"] == 1500 and len(pair["path"]["hops"]) == 1
    # No more than 20 Mbit/s of frames pass, of which TCP's payload is 1448/1514. A receiver that stood
    # still may count what had piled up before: the slowest of three tests is the one to hold.
    for way in ("to", "back"):
        assert 0 < min(pair["bandwidth"][way]["mbit_per_s_by_round"]) <= 21
        assert 0 < min(pair["udp"][way]["mbit_per_s_by_round"]) <= 21
        assert pair["udp"][way]["sent"] >= pair["udp"][way]["lost"]
        assert pair["under_load"][way]["min_ms"] >= 6.0
    assert pair["bandwidth"]["to"]["congestion_control"] != ["unknown"]
    assert 0 < min(system_mbit() for _ in range(3)) <= 21, "the system's own tool sees the same link"
    links = [one for one in found["sentences"] if one["about"] == "link"]
    assert len(links) == 2 and not any("Gigabit" in one["text"] for one in links)


def left_on_hosts() -> str:
    """What of a probe runs on the hosts: also a wait for the right moment."""
    line = "ps -e -o args= | grep -E 'iperf3|ping |sleep [0-9]{1,3}$|timeout ' | grep -v grep"
    return "".join(ssh(LAB, host, line).stdout for host in ("client", "slow"))


def test_nothing_of_a_probe_stays_on_the_hosts(topology: Path, tmp_path: Path) -> None:
    probed(
        topology,
        "--from",
        "client",
        "--to",
        "slow",
        "--repeats",
        1,
        "--seconds",
        1,
        "--out",
        tmp_path / "out",
    )
    assert left_on_hosts() == ""


def test_a_probe_that_is_killed_leaves_nothing_and_can_be_reported(topology: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "loadstone", "probe", str(topology), "--from", "client", "--to", "slow"]
    command += ["--only", "icmp,bandwidth", "--seconds", "60", "--out", str(out)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while "iperf3 -s -1 -J" not in left_on_hosts():
        assert process.poll() is None and time.monotonic() < deadline
    process.kill()
    process.wait()
    deadline = time.monotonic() + 60
    while left := left_on_hosts():
        assert time.monotonic() < deadline, left
    assert loadstone("report", out).stdout.strip() == str(out / "report.html")
    assert json.loads((out / "probe.json").read_text())["outcome"] == "crashed"


def test_a_lossy_link_is_measured_as_one(topology: Path, tmp_path: Path) -> None:
    """20 % each way: 36 % of round trips. Of 2,000, seven standard errors are 7.5 %."""
    found = probed(
        topology, "--from", "client", "--to", "lossy", "--only", "icmp,path", "--repeats", 10,
        "--packets", 200, "--interval", 0.005, "--out", tmp_path / "out",
    )  # fmt: skip
    (pair,) = found["pairs"]
    icmp = pair["icmp"]
    assert icmp["sent"] == 2000 and 0.285 < icmp["loss"] < 0.435
    assert icmp["loss_low"] < icmp["loss"] < icmp["loss_high"] and icmp["loss_high"] - icmp["loss_low"] < 0.05
    assert len(pair["path"]["hops"]) == 1, "lost answers do not make a router"
    (said,) = (one for one in found["sentences"] if one["about"] == "congestion")
    assert "pings were lost" in said["text"]


def test_a_host_that_dies_is_named_and_the_rest_goes_on(topology: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [
        sys.executable,
        "-m",
        "loadstone",
        "probe",
        str(topology),
        "--from",
        "client",
        "--to",
        "slow,doomed",
    ]
    command += ["--only", "icmp,tcp", "--repeats", "6", "--json", "--out", str(out)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines = out / "measurements.ndjson"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (lines.is_file() and b'"doomed"' in lines.read_bytes()):
        time.sleep(0.05)
    record = json.loads(Path(f"/run/loadstone/{LAB}/lab.json").read_text())
    os.kill(next(host["pid"] for host in record["hosts"] if host["name"] == "doomed"), signal.SIGKILL)
    told, err = process.communicate(timeout=200)
    assert process.returncode == 3 and "lost `doomed`" in err, err
    found = json.loads(told)
    by_name = {pair["to"]: pair for pair in found["pairs"]}
    assert list(found["lost"]) == ["doomed"]
    assert by_name["slow"]["icmp"]["rounds"] == 6 and by_name["slow"]["tcp"]["rounds"] == 6
    assert by_name["doomed"]["icmp"]["rounds"] < 6
    assert "lost doomed in round" in (out / "report.html").read_text()
