"""Sweeps: every combination in order, the same numbers however they are shared out, formulas, mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from loadstone.cli import app
from loadstone.ctmc.sweep import parse_axis, points, sweep
from loadstone.errors import LoadstoneError
from loadstone.parallel import Threads

NODE = """ctmc
const int nodes;
const double crash;
const double repair = 1;
module farm
  up : [0..nodes] init nodes;
  [] up > 0 -> up * crash : (up' = up - 1);
  [] up < nodes -> (nodes - up) * repair : (up' = up + 1);
endmodule
label "none" = up = 0;
"""


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["sweep", *words])


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "farm.prism"
    path.write_text(NODE)
    return path


def test_every_combination_is_answered_in_order(model: Path) -> None:
    ran = run(
        str(model), "--over", "nodes=1..3", "--over", "crash=1/4,1", "--long-run", "--of", "none", "--json"
    )
    assert ran.exit_code == 0, ran.output
    found: list[dict[str, Any]] = json.loads(ran.stdout)["points"]
    assert [point["constants"] for point in found] == [
        {"nodes": str(nodes), "crash": crash} for nodes in (1, 2, 3) for crash in ("1/4", "1")
    ]
    for point in found:
        crash = {"1/4": 0.25, "1": 1.0}[point["constants"]["crash"]]
        share = (crash / (1 + crash)) ** int(point["constants"]["nodes"])
        [answer] = point["answers"]
        assert answer["low"] * (1 - 1e-9) <= share <= answer["high"] * (1 + 1e-9)


def test_the_numbers_are_the_same_however_they_are_shared_out(model: Path) -> None:
    over = points([parse_axis("nodes=1..12"), parse_axis("crash=1/7,1/5,2")], {})
    asked = [{"ask": "until", "of": "none", "time": 3.0}]
    told: list[int] = []
    four = sweep(model, over, asked, 1e-8, Threads(told.append, 4))
    assert four == sweep(model, over, asked, 1e-8, lambda work, given: [work(one) for one in given])
    assert sum(told) == len(over) - 1 and len(four) == 36


def test_the_table_names_the_values(model: Path) -> None:
    ran = run(str(model), "--over", "nodes=2..6..2", "--const", "crash=1/9", "--first")
    assert ran.exit_code == 0, ran.output
    lines = ran.stdout.splitlines()
    assert lines[0].split() == ["nodes", "question", "of", "low", "high"]
    assert [line.split()[0] for line in lines if "first" in line] == ["2", "4", "6"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--over", "nodes"], "is not `NAME=VALUES`"),
        (["--over", "nodes=3..1"], "is not a range"),
        (["--over", "nodes=1,,2"], "is not `NAME=VALUES`"),
        (["--over", "nodes=1..2", "--over", "nodes=3"], "`nodes` is given twice"),
        (["--over", "nodes=1..2", "--const", "nodes=3"], "`nodes` is given twice"),
        (["--over", "nodes=0..999", "--over", "crash=" + ",".join("1" * 101)], "101,000 models"),
        (["--over", "nodes=1..2", "--over", "crash=1,nonsense"], "(nodes=1, crash=nonsense)"),
    ],
)
def test_mistakes_are_told(model: Path, words: list[str], said: str) -> None:
    ran = run(str(model), *words, "--long-run", "--of", "none")
    assert isinstance(ran.exception, LoadstoneError), ran.output
    assert said in str(ran.exception)


def test_something_must_be_asked(model: Path) -> None:
    ran = run(str(model), "--over", "nodes=1..2", "--const", "crash=1")
    assert ran.exit_code == 2 and "nothing is asked" in ran.output
