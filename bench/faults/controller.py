"""The command itself killed with `kill -9`: in the middle of a deployment, and of a run."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import duckdb

from faults.ground import LAB, SCENARIO, begin, left, loadstone, rows, stale, until

KILL_S = 6


def killed_in_deploy(folder: Path) -> dict[str, Any]:
    """On an empty lab, once the database runs and the application is on its way; then `deploy` again."""
    before, errors = stale(), folder / "deploy.err"
    process = begin("deploy", LAB, errors=errors)
    until(lambda: "app1 shop: folders" in errors.read_text() or process.poll() is not None, "it deploys", 300)
    process.send_signal(signal.SIGKILL)
    process.wait()
    time.sleep(2)  # so long, what would end by itself may take
    meanwhile = sorted(stale() - before)
    alive = _processes(meanwhile)
    states = json.loads(loadstone("status", LAB, "--json").stdout)
    again = loadstone("deploy", LAB, "--json")
    return {
        "service": "all",
        "fault": "controller `kill -9` in the middle of `deploy`",
        "mended_by": "`deploy` again",
        "exit": again.returncode,
        "told": [f"`status`: {one['service']} on {one['host']} {one['state']}" for one in states],
        "said": again.stderr.splitlines()[-1:] if again.returncode else [],
        "until_the_next_command": {"folders": meanwhile, "processes": alive},
        "orders": rows(),
        "states": _amiss(),
        "left_here": sorted(set(meanwhile) & stale()),
        "left_here_processes": _processes(meanwhile),
    }


def killed_in_run(folder: Path, deployed: dict[str, set[str]]) -> dict[str, Any]:
    """With two agents; what was measured until then is made a record by `report`."""
    before, here, errors = rows(), stale(), folder.with_suffix(".err")
    where = ("--topology", LAB, "--service", "front", "--agents", "gen1,gen2", "--out", folder)
    process = begin("run", SCENARIO, *where, errors=errors)
    journal = folder / "journal.ndjson"
    until(lambda: _seconds(journal) >= KILL_S or process.poll() is not None, "the run begins")
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = _seconds(journal)
    over = left(deployed)
    meanwhile = sorted(stale() - here)
    report = loadstone("report", folder)
    run = json.loads((folder / "run.json").read_text("utf-8"))
    with duckdb.connect() as connection:
        table = str(folder / "windows.parquet")
        [(count,)] = connection.execute("SELECT sum(ok) FROM read_parquet(?)", [table]).fetchall()
        table = str(folder / "engine.parquet")
        [(seconds,)] = connection.execute("SELECT count(*) FROM read_parquet(?)", [table]).fetchall()
    states = _amiss()  # a command on the same hosts, which sweeps
    return {
        "service": "all",
        "fault": "controller `kill -9` in the middle of a run",
        "mended_by": "`report` makes the record",
        "exit": report.returncode,
        "outcome": run["outcome"],
        "told": [f"`report`: {run['outcome']}, {seconds} of {kept} s kept", *run["warnings"]],
        "seconds": seconds,
        "seconds_before": kept,
        "acknowledged": int(count),
        "in_database": rows() - before,
        "until_the_next_command": {"folders": meanwhile},
        "states": states,
        "left": over,
        "left_here": sorted(set(meanwhile) & stale()),
        "left_here_processes": _processes(meanwhile),
    }


def _amiss() -> dict[str, str]:
    states = json.loads(loadstone("status", LAB, "--json").stdout)
    return {f"{one['service']}@{one['host']}": one["state"] for one in states if one["state"] != "running"}


def _seconds(journal: Path) -> int:
    return journal.read_text("utf-8", "replace").count('{"window"') if journal.is_file() else 0


def _processes(folders: list[str]) -> list[str]:
    """Command lines of this machine that name one of the folders."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if any(folder in words for folder in folders):
                found.append(words.strip()[:200])
    return sorted(found)
