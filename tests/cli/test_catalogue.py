"""The list of commands: it says what the commands say, and shows them without importing any."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from loadstone.cli import app
from loadstone.cli.catalogue import CATALOGUE
from loadstone.cli.options import Commands

FRESH = """
import sys
from typer.testing import CliRunner
from loadstone.cli import app
done = CliRunner().invoke(app, sys.argv[1:])
assert done.exit_code == 0, done.output
print(*sorted(sys.modules))
"""


def _first_paragraph(help_text: str) -> str:
    return " ".join(help_text.strip().split("\n\n")[0].split())


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_command_says_in_the_list_what_it_says_itself(name: str) -> None:
    command = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
    assert command.name == name
    assert _first_paragraph(command.help) == CATALOGUE[name].says


def test_no_command_is_left_out() -> None:
    """Of any module of the folder that adds commands to the program."""
    folder = Path(importlib.import_module("loadstone.cli").__file__ or "").parent
    added = {}
    for file in folder.glob("*.py"):
        if "def register(app" in file.read_text():
            commands = Commands()
            commands.callback()(lambda: None)
            importlib.import_module(f"loadstone.cli.{file.stem}").register(commands)
            group = typer.main.get_command(commands)
            added |= dict.fromkeys(group.commands, file.stem)  # type: ignore[attr-defined]
    assert added == {name: entry.module for name, entry in CATALOGUE.items()}


def _modules(*words: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", FRESH, *words], capture_output=True, text=True, timeout=60, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("words", [("--help",), ("-h",), ("--version",)])
def test_the_list_imports_no_command(words: tuple[str, ...]) -> None:
    modules = _modules(*words)
    assert not {f"loadstone.cli.{entry.module}" for entry in CATALOGUE.values()} & modules
    assert "pydantic" not in modules


@pytest.mark.parametrize("name", ["run", "capacity", "nodes", "cost", "plan", "report", "deploy"])
def test_the_options_of_a_command_need_no_models(name: str) -> None:
    modules = _modules(name, "-h")
    assert not {"numpy", "scipy", "duckdb", "pyarrow"} & modules


def test_the_verbs_of_a_topology_are_a_group_and_work_alone() -> None:
    verbs = [name for name, entry in CATALOGUE.items() if entry.short]
    assert verbs == ["deploy", "status", "configure", "restart", "undeploy"]
    listed = CliRunner().invoke(app, ["--help"]).output
    assert "│ topology " in listed and not any(f"│ {verb} " in listed for verb in verbs)
    for verb in verbs:
        alone = CliRunner().invoke(app, [verb, "--help"]).output
        grouped = CliRunner().invoke(app, ["topology", verb, "--help"]).output
        assert alone.partition("\n\n")[2] == grouped.partition("\n\n")[2] and alone.count("\n") > 10


def test_a_misspelt_command_is_told_its_neighbour() -> None:
    done = CliRunner().invoke(app, ["capacty"])
    assert done.exit_code == 2
    assert "Did you mean 'capacity'?" in " ".join(done.output.replace("│", "").split())


def _completes(typed: str, folder: Path) -> list[str]:
    """What bash is offered for the last word."""
    words = typed.split(" ")
    environment = os.environ | {
        "_LOADSTONE_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1),
    }  # fmt: skip
    done = subprocess.run(
        [Path(sys.executable).with_name("loadstone")], env=environment, cwd=folder, capture_output=True,
        text=True, timeout=60, check=False,
    )  # fmt: skip
    return done.stdout.split()


def test_a_shell_completes_commands_scenarios_and_files(tmp_path: Path) -> None:
    (tmp_path / "shop.toml").touch()
    (tmp_path / "shop.txt").touch()
    (tmp_path / "shops").mkdir()
    (tmp_path / "shops" / "one.toml").touch()
    assert _completes("loadstone und", tmp_path) == ["undeploy"]
    assert "olio" in _completes("loadstone run ol", tmp_path)
    assert _completes("loadstone capacity sho", tmp_path) == ["shop.toml", "shops/"]
    assert _completes("loadstone check shops/", tmp_path) == ["shops/one.toml"]
