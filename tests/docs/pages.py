"""The commands of a page of the documentation, run as a reader would type them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from free_ports import free_row

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
PORT = re.compile(r"--port (\d+)")

# What a reader calls, but short. So short a run may miss an SLA or leave it open, and a busy machine may make
# it invalid: exit codes 1, 6 and 7 are no failures. A search that short proves nothing: it is set aside, and
# the commands after it get the record of a long one. A busy machine may not take runs out of a comparison
# either.
WRAPPER = """#!/bin/bash
short="{short}"
case $1 in
serve | image) exec {loadstone} "$@" ;;
run) {loadstone} "$@" $short || [[ $? =~ ^[167]$ ]] ;;
ab) {loadstone} "$@" --pairs 3 --window 2 --ramp-up 1 --anyway || [[ $? =~ ^[167]$ ]] ;;
compare) {loadstone} "$@" --anyway || [[ $? =~ ^[167]$ ]] ;;
capacity)
    {loadstone} "$@" --from 50 --max-runs 1 $short || [[ $? =~ ^[167]$ ]]
    found=$(printf '%s\\n' "$@" | sed -n '/^--out$/ {{n; p}}')
    mv "$found" "$found-short" && cp -r {recorded} "$found" && rm "$found"/{{nodes,cost}}.json
    ;;
*) {loadstone} "$@" || [[ $? =~ ^[167]$ ]] ;;
esac
"""
SHORT = "--window 2 --set load.ramp_up_s=1 --set load.ramp_down_s=0"
RECORDED = Path(__file__).parents[2] / "bench/runs/2026-11-23-x86_64-2core/demo"
# What the page has ended itself may be gone or may not.
PROLOGUE = """set -euo pipefail
trap 'jobs -p | xargs --no-run-if-empty kill 2>/dev/null || true' EXIT
wait_for() { until (: </dev/tcp/127.0.0.1/"$1") 2>/dev/null; do sleep 0.1; done; }
"""


def follow(page: str, folder: Path, short: str = SHORT) -> str:
    """Runs the `sh` blocks of the page in the folder, in order, in one shell; writes the files with a title.

    Ports are exchanged for free ones, and `short` is what makes its runs short. Answers what was printed;
    fails as soon as a command does.
    """
    text = (DOCS / page).read_text("utf-8")
    for port in dict.fromkeys(PORT.findall(text)):
        text = re.sub(rf"\b{port}\b", str(free_row()), text)
    script = [PROLOGUE]
    for kind, title, body in BLOCK.findall(text):
        if title:
            script.append(f"cat > {title} <<'END OF FILE'\n{body}END OF FILE\n")
        elif kind == "sh":
            script.append(body + "".join(f"wait_for {port}\n" for port in PORT.findall(body)))
    _wrapped(folder, short)
    return _typed("".join(script), folder)


def workflow(file: Path, scripts: list[str], inputs: dict[str, str] | None = None) -> str:
    """Runs the scripts of a pipeline, which `follow` wrote into `file`'s folder, in one shell.

    `inputs`: variables that they find, besides those of a runner of GitHub.
    """
    folder = file.parent
    env = {"GITHUB_STEP_SUMMARY": str(folder / "step-summary.md"), "GITHUB_OUTPUT": str(folder / "outputs")}
    return _typed("\n".join(["set -e", PROLOGUE, *scripts]), folder, env | (inputs or {}))


def _wrapped(folder: Path, short: str) -> None:
    """Makes the command `loadstone` of the page's shell."""
    (programs := folder / ".programs").mkdir()
    (wrapper := programs / "loadstone").write_text(
        WRAPPER.format(loadstone=_loadstone(), recorded=RECORDED, short=short), "utf-8"
    )
    wrapper.chmod(0o755)


def _typed(script: str, folder: Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=os.environ | {"PATH": f"{folder / '.programs'}:{os.environ['PATH']}"} | (env or {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=560,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def failures(folder: Path) -> dict[str, dict[str, int]]:
    """Failed operations of every run in the folder, by run and operation; without those that had none."""
    recorded = {file.read_bytes() for file in RECORDED.rglob("run.json")}
    files = [text for file in sorted(folder.rglob("run.json")) if (text := file.read_bytes()) not in recorded]
    runs = [json.loads(text) for text in files]
    assert runs, "the page measured nothing"
    assert all(any(one["count"] for one in run["operations"].values()) for run in runs)
    return {
        run["name"]: failed
        for run in runs
        if (
            failed := {
                name: n for name, one in run["operations"].items() if (n := sum(one["failed"].values()))
            }
        )
    }


def _loadstone() -> str:
    program = shutil.which("loadstone", path=str(Path(sys.executable).parent))
    assert program, "loadstone is not installed beside this Python"
    return program
