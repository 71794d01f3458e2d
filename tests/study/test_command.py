"""The command from end to end on a lab of its own: counts and contents, no figure of the machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

LAB = Path(__file__).with_name("lab.toml")
PATIENCE_S = 280


def loadstone(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "loadstone", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)


def test_bad_input_is_refused_before_anything_starts(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = loadstone("study", "balancers", "--only", "nothing", "--out", out)
    assert (done.returncode, done.stdout) == (2, "")
    assert "error[study-part]: the study has no part `nothing`" in done.stderr
    assert not out.exists()
    assert loadstone("study", "balancers", "--resume", out).returncode == 2


def _lab_is_possible() -> None:
    if os.geteuid() != 0:
        pytest.skip("a lab needs root")


def _rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "results.ndjson").read_text().splitlines()]


@pytest.mark.long
def test_a_quick_study_measures_everything(tmp_path: Path) -> None:
    _lab_is_possible()
    out = tmp_path / "out"
    parts = "peer,segments,spread,reuse,faults"
    done = loadstone(
        "study", "balancers", "--quick", "--only", parts, "--topology", LAB, "--out", out, "--json"
    )
    assert done.returncode == 0, done.stderr
    content = json.loads(done.stdout)
    assert content["outcome"] == "complete"
    assert content["tasks"]["planned"] == content["tasks"]["done"] == len(_rows(out))
    assert set(content["parts"]) == set(parts.split(","))
    rotation = next(
        one
        for one in content["parts"]["spread"]
        if (one["balancer"], one["algorithm"], one["sticky"]) == ("haproxy", "round-robin", False)
    )
    assert rotation["exact"] and sum(rotation["served"].values()) == rotation["asked"] == 600
    for one in content["parts"]["segments"]:
        assert one["requests"] > one["unmatched"]
        assert one["places"]["network"]["value"] > 0
    faults = {(one["balancer"], one["fault"]): one for one in content["parts"]["faults"]}
    assert set(faults["haproxy", "balancer-killed"]["lost_by_cause"]) <= {"refused", "reset", "closed"}
    assert faults["haproxy", "balancer-killed"]["lost"] > 0
    assert sum(faults["haproxy", "server-killed"]["timeline"]["ok"]) > 0
    for name in ("report.html", "deployment.json", "topology.toml", "logs/web1/web"):
        assert (out / name).exists(), name
    assert "haproxy" in json.loads((out / "deployment.json").read_text())["services"]
    assert not Path("/run/loadstone/t-study").exists()
    assert loadstone("report", out, "--out", tmp_path / "again.html").returncode == 0


@pytest.mark.long
def test_ctrl_c_keeps_what_was_measured_and_leaves_no_lab(tmp_path: Path) -> None:
    _lab_is_possible()
    out = tmp_path / "out"
    words = ["study", "balancers", "--quick", "--only", "throughput,peer", "--topology", LAB, "--out", out]
    command = [sys.executable, "-m", "loadstone", *map(str, words)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + PATIENCE_S
    while not (out / "results.ndjson").exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, said
    assert f"--resume {out}" in said
    kept = len(_rows(out))
    assert kept >= 1
    assert (out / "report.html").exists()
    assert not Path("/run/loadstone/t-study").exists()
    done = loadstone("study", "balancers", "--resume", out)
    assert done.returncode == 0, done.stderr
    content = json.loads((out / "study.json").read_text())
    assert content["tasks"]["done"] == content["tasks"]["planned"] == len(_rows(out)) > kept
    assert content["resumed"]
