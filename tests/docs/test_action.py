"""`action.yml`: its shell lines with what a runner gives them, and what the guide says of its inputs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import github_action
import pytest
from pages import DOCS

STUB = """#!/bin/bash
printf '%s\\n' "$@" >>"$ASKED"; echo -- >>"$ASKED"
if [ "$1" = export ] && [ $# = 4 ]; then echo '# the summary'; fi
if [ "$3" = --out ]; then {made}; exit {code}; fi
"""


def run(name: str, folder: Path, path: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """A step as `shell: bash` runs it."""
    step = github_action.step(name)
    assert step["shell"] == "bash"
    runner = {
        "GITHUB_OUTPUT": str(folder / "output"), "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        "GITHUB_PATH": str(folder / "path"), "RUNNER_TEMP": str(folder / "temp"),
        "ASKED": str(folder / "asked"),
    }  # fmt: skip
    (folder / "script").write_text(step["run"])
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(folder / "script")],
        env=os.environ | runner | github_action.given(inputs) | {"PATH": f"{path}:{os.environ['PATH']}"},
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip


def stub(folder: Path, name: str, code: int = 0, made: str = "true") -> Path:
    """A folder with a program that notes what it is asked for, makes something and ends with `code`."""
    (program := folder / "bin" / name).parent.mkdir()
    program.write_text(STUB.format(code=code, made=made))
    program.chmod(0o755)
    return program.parent


def asked(folder: Path) -> list[list[str]]:
    return [
        call.split("\n") for call in (folder / "asked").read_text().removesuffix("\n--\n").split("\n--\n")
    ]


@pytest.mark.parametrize("code", [0, 1, 6])
def test_a_run_is_made_exported_and_decides(tmp_path: Path, code: int) -> None:
    path = stub(tmp_path, "loadstone", code, 'mkdir -p "$4"')
    options = '--window 60 --goal "Front p99 < 800 ms" --set "name=it\'s $HOME"'
    done = run("Measure", tmp_path, path, scenario="my gate.toml", options=options, out="runs/the gate")
    assert done.returncode == code, done.stderr
    measured, *exported = asked(tmp_path)
    assert measured == [
        "run", "my gate.toml", "--out", "runs/the gate", "--window", "60", "--goal", "Front p99 < 800 ms",
        "--set", "name=it\'s $HOME",
    ]  # fmt: skip
    assert [call[:2] for call in exported] == [["export", "runs/the gate"]] * 2 + [
        ["report", "runs/the gate"]
    ]
    assert (tmp_path / "output").read_text() == f"verdict={code}\n"
    assert (tmp_path / "summary").read_text() == "# the summary\n"


def test_what_was_refused_is_not_exported(tmp_path: Path) -> None:
    done = run("Measure", tmp_path, stub(tmp_path, "loadstone", 2), scenario="none.toml")
    assert done.returncode == 2
    assert asked(tmp_path) == [["run", "none.toml", "--out", "runs/loadstone"]]
    assert (tmp_path / "output").read_text() == "verdict=2\n"


def test_no_input_becomes_a_part_of_a_script() -> None:
    steps = github_action.read()["runs"]["steps"]
    assert not [one["name"] for one in steps if "${{" in one["run"]]
    inputs = {f"inputs.{name}" for name in github_action.read()["inputs"]}
    text = github_action.FILE.read_text("utf-8")
    assert {name for name in inputs if "${{ " + name + " }}" in text} == inputs, "each is used"


def test_the_guide_names_every_input_with_its_default() -> None:
    guide = (DOCS / "how-to/ci-gate.md").read_text("utf-8")
    for name, one in github_action.read()["inputs"].items():
        shown = f" `{one['default']}` " if one["default"] else " "
        assert f"| `{name}` |{shown}|" in guide
