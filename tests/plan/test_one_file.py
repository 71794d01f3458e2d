"""One file for `plan`, `nodes --tiers` and `cost --tiers`, and what the older tiers file makes of it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from loadstone.cli import app
from loadstone.errors import LoadstoneError
from loadstone.plan.model import Crash, Option, PlanFile
from loadstone.scenario.table_file import keys_of

ROOT = Path(__file__).parents[2]
PLAN = ROOT / "examples" / "plan"
OLDER = ROOT / "tests" / "cli" / "tiers-older.toml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for file in (
        PLAN / "tiers.toml",
        PLAN / "shop.toml",
        PLAN / "shop-tiers.toml",
        PLAN / "prices.csv",
        OLDER,
    ):
        shutil.copy(file, tmp_path)
    return tmp_path


def record(*typed: str | Path, code: int = 0) -> Any:
    ran = CliRunner().invoke(app, [*map(str, typed), "--json"])
    assert ran.exit_code == code, ran.output
    return json.loads(ran.stdout)


def refused(*typed: str | Path) -> str:
    ran = CliRunner().invoke(app, [*map(str, typed)])
    assert isinstance(ran.exception, LoadstoneError) and ran.exception.exit_code == 2
    return str(ran.exception)


def without_names(plan: dict[str, Any]) -> dict[str, Any]:
    """Without what the two files call their deployments, and where they stand."""
    tiers = [{key: value for key, value in tier.items() if key != "deployment"} for tier in plan["tiers"]]
    inputs = {key: plan["inputs"][key] for key in ("load_users", "target_share", "sla", "year", "year_s")}
    return {**plan, "tiers": tiers, "inputs": inputs}


def test_the_older_file_is_the_same_plan(folder: Path) -> None:
    asked = ["--users", "20000", "--target", "five nines"]
    plan, older = (
        record("nodes", "--tiers", folder / name, *typed)
        for name, typed in (("tiers.toml", []), ("tiers-older.toml", asked))
    )
    assert without_names(plan) == without_names(older)
    assert [tier["deployment"] for tier in plan["tiers"]] == ["rented"] * 3
    paid, older_paid = (
        record("cost", "--tiers", folder / name, *typed)
        for name, typed in (("tiers.toml", []), ("tiers-older.toml", [*asked, "--book", "aws-2026"]))
    )
    assert paid["per_user"] == older_paid["per_user"]
    assert paid["lines"] == older_paid["lines"]
    assert without_names(paid["plan"]) == without_names(older_paid["plan"])


@pytest.mark.parametrize("file", ["tiers.toml", "shop-tiers.toml"])
def test_the_price_of_cost_is_that_of_plan(file: str, folder: Path) -> None:
    chosen = record("plan", folder / file, "--draws", "0")["chosen"]
    paid = record("cost", "--tiers", folder / file)
    machines = sum(line["usd_per_month"]["12"] for line in paid["lines"])
    assert machines == pytest.approx(chosen["usd_per_month"], abs=1e-4)
    assert paid["plan"]["service"]["total"] == chosen["nodes"]
    assert paid["plan"]["service"]["downtime_s_per_year"] == chosen["down_s_per_year"]
    built = [part["option"] for part in chosen["parts"]]
    assert [tier["deployment"] for tier in paid["plan"]["tiers"]] == built


def test_nodes_takes_the_fewest_nodes_of_all_options(folder: Path) -> None:
    found = record("nodes", "--tiers", folder / "shop-tiers.toml")
    chosen = record("plan", folder / "shop-tiers.toml", "--draws", "0")["chosen"]
    assert found["service"]["total"] <= chosen["nodes"]
    # Two of the tiers share a crew, so the sum of what each alone is down bounds nothing.
    assert found["service"]["downtime_s_per_year_bounds"] is None
    assert found["service"]["availability"] >= found["inputs"]["target_share"] == 0.9999
    web = found["tiers"][1]
    assert (web["crash_rate"], web["failover"], web["repair"]) == ("1.4/year", "1min", "8h")
    assert web["next_node_above_users"] >= 5000 / web["load_share"] - 1


def test_what_is_typed_wins(folder: Path) -> None:
    found = record("nodes", "--tiers", folder / "tiers.toml", "--users", "300", "--target", "two nines")
    assert (found["inputs"]["load_users"], found["inputs"]["target_share"]) == (300, 0.99)
    assert [tier["num"] for tier in found["tiers"]] == [1, 1, 1]


def test_what_a_plan_file_has_is_not_typed(folder: Path) -> None:
    for option in (["--book", "aws-2026"], ["--instance", "web=m5.large"], ["--region", "hall-1"]):
        said = refused("cost", "--tiers", folder / "tiers.toml", *option)
        assert f"`{option[0]}` cannot be used with a plan file" in said
    said = refused("nodes", "--tiers", folder / "shop.toml")
    assert "`node` is a service without tiers" in said and "shop.toml:" in said


def test_the_keys_of_a_table_are_found_by_the_way_to_it() -> None:
    known = keys_of(PlanFile)
    assert known(("tier", "web", "option", 0)) == known(("option", 3)) == list(Option.model_fields)
    assert known(("failures", "crash")) == known(("tier", "web", "crash")) == list(Crash.model_fields)
    assert "from" in known(("tier", "web", "capacity")) and "from_" not in known(("node",))
    assert known(("tier",)) == known(("nothing", "at", "all")) == known(("name",)) == []
