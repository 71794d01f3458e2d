"""`loadstone probe` as its users meet it, without a lab: to this machine, and what it refuses."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from labs import loadstone

from loadstone import cli

PING = pytest.mark.skipif(
    not shutil.which("ping")
    or bool(subprocess.run(["ping", "-c1", "127.0.0.1"], capture_output=True).returncode),
    reason="ping is missing or not permitted",
)
TOPOLOGY = '[[host]]\nname = "one"\n[[host]]\nname = "two"\n'


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line in this process: exit code, stdout, stderr."""

    def once(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["loadstone", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return once


@pytest.fixture
def topology(tmp_path: Path) -> Path:
    path = tmp_path / "t.toml"
    path.write_text(f'format = 1\nname = "t-probe-down"\n{TOPOLOGY}')
    return path


@pytest.mark.parametrize(
    ("arguments", "slug", "words"),
    [
        (["198.18.0.9:99999"], "probe-options", "a port is between 1 and 65535"),
        (["198.18.0.9", "--port", "0"], "probe-options", "at --port"),
        (["198.18.0.9", "--only", "png"], "probe-options", "did you mean `path`?|known are"),
        (["198.18.0.9", "--only", "bandwidth"], "probe-options", "--iperf3-port"),
        (["198.18.0.9", "--from", "a"], "probe-options", "every pair goes from this machine"),
        (["a.example", "a.example:80"], "probe-options", "two ports"),
        (["x.toml", "y.toml"], "probe-options", "one topology"),
        (["missing.toml"], "topology-missing", "cannot read"),
    ],
)
def test_what_cannot_be_is_refused(run: Run, arguments: list[str], slug: str, words: str) -> None:
    code, out, err = run("probe", *arguments)
    assert code == 2 and f"error[{slug}]" in err and out == ""
    assert any(part in err for part in words.split("|")), err


def test_what_a_topology_cannot_do_is_refused(run: Run, topology: Path) -> None:
    for arguments, slug in [
        (["--to", "three"], "probe-host"),
        (["--pairs", "some"], "probe-options"),
        (["--iperf3-port", "5201"], "probe-options"),
        (["--together"], "probe-options"),
        ([], "lab-missing"),
    ]:
        code, _, err = run("probe", str(topology), *arguments)
        assert code == 2 and f"error[{slug}]" in err, err


def test_a_folder_in_use_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("")
    code, _, err = run("probe", "127.0.0.1", "--only", "tcp", "--out", str(tmp_path))
    assert code == 2 and "error[folder-in-use]" in err


@PING
def test_this_machine_to_an_open_and_a_closed_port(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        done = loadstone(
            "probe", f"127.0.0.1:{port}", "127.0.0.2", "--repeats", 3, "--packets", 5, "--json", "--out", out
        )
    found = json.loads(done.stdout)
    assert found == json.loads((out / "probe.json").read_text())
    opened, closed = found["pairs"]
    assert (opened["tcp"]["accepted"], opened["tcp"]["refused"]) == (15, 0)
    assert (closed["tcp"]["accepted"], closed["tcp"]["refused"]) == (0, 15)
    for pair in found["pairs"]:
        assert pair["icmp"]["sent"] == 15 and pair["icmp"]["min_ms"] > 0 and pair["tcp"]["min_ms"] > 0
        assert len(pair["path"]["hops"]) == 1
        assert pair["bandwidth"] == {"to": None, "back": None}
    page = (out / "report.html").read_text()
    assert "Entirely on layer 2" in page and str(out) in page
    lines = [json.loads(line) for line in (out / "measurements.ndjson").read_text().splitlines()]
    assert [line["kind"] for line in lines].count("icmp") == 6


@PING
def test_ctrl_c_keeps_what_was_measured_and_reports(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [
        sys.executable,
        "-m",
        "loadstone",
        "probe",
        "127.0.0.1",
        "--repeats",
        "1000",
        "--out",
        str(out),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines = out / "measurements.ndjson"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (lines.is_file() and lines.read_bytes().count(b"\n") > 4):
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    found = json.loads((out / "probe.json").read_text())
    assert found["outcome"] == "interrupted" and found["failed"] == []
    assert 0 < found["pairs"][0]["icmp"]["rounds"] < 1000
    assert "ended early by Ctrl-C" in (out / "report.html").read_text()
