"""`loadstone --version`."""

import tomllib
from pathlib import Path

from typer.testing import CliRunner

from loadstone.cli import app

CARGO = Path(__file__).resolve().parents[2] / "Cargo.toml"


def test_it_is_the_one_of_the_workspace() -> None:
    version = tomllib.loads(CARGO.read_text())["workspace"]["package"]["version"]
    done = CliRunner().invoke(app, ["--version"])
    assert (done.exit_code, done.stdout) == (0, f"loadstone {version}\n")
