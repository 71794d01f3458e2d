"""What stages write now follows the published schema, and is read as it was written."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import folders
import jsonschema
import pytest
import simulated
from typer.testing import CliRunner

from loadstone.cli import app
from loadstone.cost import book as books
from loadstone.cost.cases import parse_instance, typed_cases
from loadstone.cost.plan import Month, bill
from loadstone.cost.record import cost_record
from loadstone.intake import Kind
from loadstone.record import write_stage
from loadstone.stages.base import Stage
from loadstone.stages.capacity import Capacity, Held, LimitedBy, SearchRun
from loadstone.stages.cost import Cost, Inputs
from loadstone.stages.nodes import Nodes
from loadstone.stages.plan import Plan
from loadstone.stages.run import Run

KIND = Kind("report-json", "a record", 64 << 20)
ROOT = Path(__file__).parents[2]


def quick(rng: random.Random, _name: str) -> float:
    return rng.uniform(0.01, 0.05)


def follows(content: dict[str, Any], stage: type[Stage]) -> None:
    jsonschema.validate(content, stage.json_schema(), jsonschema.Draft202012Validator)


def test_a_run(tmp_path: Path) -> None:
    plan = simulated.plan(users=10, ramp_up_s=2.0, steady_s=10.0)
    made = folders.made(tmp_path / "run", plan, simulated.windows(plan, quick))
    follows(made, Run)
    assert Run.read(tmp_path / "run" / "run.json", KIND).content() == made
    assert made["goals"]["SLA-1"]["limit"] == 0.9 and made["node"] is None, "names and nulls as they were"
    assert all(check["required"] in (True, False) for check in made["validity"]["checks"])


def test_a_search(tmp_path: Path) -> None:
    held = Held(
        load=20,
        low=20,
        high=40,
        noisy=[30],
        limited_by=LimitedBy(operation="Home", share_at_high=0.5, checks=["error-rate"]),
        throughput_ops_per_s=None,
    )
    row = SearchRun(
        folder="runs/0001-20",
        load=20,
        state="valid",
        shares={"Home": None},
        evidence=True,
        verdict={"SLA-1": "met"},
    )
    found = Capacity(name="shop", sla_1=held, sla_2=None, runs=[row])
    content = json.loads(write_stage(tmp_path, found).read_text("utf-8"))
    follows(content, Capacity)
    assert content["SLA-1"]["high"] == 40 and content["SLA-2"] is None
    assert Capacity.read(tmp_path / "capacity.json", KIND) == found


@pytest.mark.parametrize("users", [{"SLA-1": 500.0}, {"SLA-1": 500.0, "SLA-2": 250.0}])
def test_a_price(users: dict[str, float | None], tmp_path: Path) -> None:
    book = books.shipped().named("aws-2008")
    cases = typed_cases(users, [parse_instance("c1.xlarge:2", book)])
    found = cost_record(
        Inputs(book="aws-2008"), {sla: bill(case, book, Month()) for sla, case in cases.items()}, []
    )
    content = json.loads(write_stage(tmp_path, found).read_text("utf-8"))
    follows(content, Cost)
    assert Cost.read(tmp_path / "cost.json", KIND) == found


@pytest.mark.parametrize(
    ("command", "stage"),
    [
        (["nodes", "--users-per-node", "500", "--users", "5000", "--fault-rate", "1/day"], Nodes),
        (["nodes", "--tiers", "tiers.toml", "--users", "300"], Nodes),
        (["plan", str(ROOT / "examples" / "plan" / "shop-tiers.toml"), "--draws", "4"], Plan),
    ],
)
def test_nodes_and_plans(
    command: list[str], stage: type[Stage], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "examples" / "plan" / "tiers.toml", tmp_path)
    ran = CliRunner().invoke(app, [*command, "--json"])
    assert ran.exit_code == 0, ran.output
    content = json.loads(ran.stdout)
    follows(content, stage)
    assert stage.of(content, KIND, stage.FILE).content() == content
