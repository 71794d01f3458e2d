"""Faults on a site of three tiers: what is told, what is lost, what is left over. Real runs on a lab.

    sudo .venv/bin/python bench/faults_table.py --out bench/runs/DATE-MACHINE/faults [--only database]

Users order without a pause, and each order that was acknowledged must be in the database afterwards. In the
middle of each run something is broken without a word to the run, and mended as its operator would. Writes
`faults.json`, and `README.md` with the table.
"""

from __future__ import annotations

import json
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

import asked
import duckdb

sys.path.insert(0, str(Path(__file__).parent))

from faults.cases import CASES, Case
from faults.controller import killed_in_deploy, killed_in_run
from faults.ground import LAB, NAME, SCENARIO, begin, left, loadstone, rows, stale, traces, until
from faults.table import readme

STRIKE_S = 4


def main() -> None:
    """Every case, from no lab to no lab."""
    parser = asked.parser(__doc__)
    parser.add_argument("--out", type=asked.folder, required=True)
    parser.add_argument("--only", default="", help="cases whose service and fault have this word")
    options = parser.parse_args()
    loadstone("lab", "down", NAME)
    found: list[dict[str, Any]] = []

    def add(row: dict[str, Any]) -> None:
        found.append(row)
        print(json.dumps(row), flush=True)
        (options.out / "faults.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")

    here = stale()
    up = loadstone("lab", "up", LAB)
    if up.returncode:
        sys.exit(up.stderr)
    try:
        empty = traces()
        with tempfile.TemporaryDirectory() as folder:
            add(killed_in_deploy(Path(folder)))
            deployed = traces()
            for number, case in enumerate(CASES):
                if options.only in f"{case.service} {case.fault}":
                    add(in_a_run(case, Path(folder) / f"run{number}", deployed))
            add(killed_in_run(Path(folder) / "killed", deployed))
        gone = loadstone("undeploy", LAB)
        add({"service": "all", "fault": "`undeploy` after all of them", "exit": gone.returncode, "told": [],
             "left": left(empty), "left_here": sorted(stale() - here)})  # fmt: skip
    finally:
        loadstone("lab", "down", NAME)
    (options.out / "README.md").write_text(readme(found), encoding="utf-8")


def in_a_run(case: Case, folder: Path, deployed: dict[str, set[str]]) -> dict[str, Any]:
    """One fault in the middle of a run, mended while it goes on."""
    before, errors = rows(), folder.with_suffix(".err")
    where = ("--topology", LAB, "--service", "front", "--out", folder)
    agents = ("--agents", ",".join(case.agents)) if case.agents else ()
    run = begin("run", SCENARIO, *where, *agents, errors=errors)
    until(lambda: seconds(folder) >= STRIKE_S or run.poll() is not None, "the run begins")
    case.strike()
    until(lambda: seconds(folder) >= case.mend_at_s or run.poll() is not None, "the run goes on")
    case.mend()
    code = run.wait(300)
    kept: dict[str, Any] = json.loads((folder / "run.json").read_text("utf-8"))
    states = {f"{one['service']}@{one['host']}": one["state"] for one in status()}
    return {
        "service": case.service,
        "fault": case.fault,
        "mended_by": case.mended_by,
        "exit": code,
        "outcome": kept["outcome"],
        "told": [told(one) for one in kept["events"] if one.get("second") is not None],
        "limited_by": (kept.get("limited_by") or {}).get("said"),
        "failed": sum(sum(one["failed"].values()) for one in kept["operations"].values()),
        "acknowledged": acknowledged(folder),
        "in_database": rows() - before,
        "states": {name: state for name, state in states.items() if state != "running"},
        "left": left(deployed),
    }


def told(event: dict[str, Any]) -> str:
    """An event of a run in words."""
    what = f"{event['second']} s {event['kind']}"
    return ": ".join(filter(None, (what, event.get("note") or event.get("reason"))))


def seconds(folder: Path) -> int:
    """How many the journal of a run has."""
    journal = folder / "journal.ndjson"
    return journal.read_text("utf-8", "replace").count('{"window"') if journal.is_file() else 0


def acknowledged(folder: Path) -> int:
    """Orders that users were told of as done, in the whole run."""
    with duckdb.connect() as connection:
        table = str(folder / "windows.parquet")
        [(count,)] = connection.execute("SELECT sum(ok) FROM read_parquet(?)", [table]).fetchall()
    return int(count)


def status() -> list[dict[str, Any]]:
    """What `loadstone status` says now."""
    found: list[dict[str, Any]] = json.loads(loadstone("status", LAB, "--json").stdout)
    return found


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    main()
