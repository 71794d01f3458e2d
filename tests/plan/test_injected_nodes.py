"""Node types that a campaign of `loadstone inject` measured."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from loadstone.cli import app
from loadstone.errors import LoadstoneError
from loadstone.inject.tally import tally
from loadstone.nodes.choices import parse_node_type
from loadstone.nodes.integrity import MONTH_S, NODE_TYPES, ranges, shares
from loadstone.plan.read import read_plan
from loadstone.scenario.findings import ScenarioError
from loadstone.stages.inject import Golden, Inject, Traced

PLAN = """
format = 1
name = "p"
[load]
users = 5000
[node]
users = 500
[target]
availability = "99.9 %"
corrupt = "{corrupt}"
[failures]
crash = {{ rate = "1/year" }}
failover = "5min"
repair = "8h"
faults = "27/month"
[[option]]
name = "tmr"
deployment = "active"
instance = "c7i.large"
node_type = "from=tmr,throughput=0.5"
"""


def campaign(folder: Path, variant: str = "tmr", **changes: Any) -> Path:
    """A record as `loadstone inject` writes it, with outcomes that are known."""
    counts = {"masked": 300, "corrupt": 4, "crash": 30, "detected": 6, "recovered": 160}
    found, missed = tally({"outcome": one} for one, count in counts.items() for _ in range(count))
    record = Inject(
        name="toy", command=["loadstone"], program=["toy"], digest="00", variant=variant, only=["own"],
        seed=1, runs=500, injected=500, missed=missed, status="complete", shares=found,
        golden=Golden(output="00", took_s=1.0, runs=3), took_s=1.0, started_at="", ended_at="",
        traced=Traced(instructions=1, can_be_hit=1, addresses=1, took_s=1.0),
    ).model_copy(update=changes)  # fmt: skip
    folder.mkdir()
    (folder / "inject.json").write_text(json.dumps(record.content()))
    return folder


def test_shares_and_their_intervals_are_those_of_the_campaign(tmp_path: Path) -> None:
    folder = campaign(tmp_path / "c")
    node = parse_node_type(f"from={folder},throughput=0.4")
    assert (node.name, node.throughput) == ("tmr", Fraction(2, 5))
    assert (node.corrupts, node.crashes, node.retries) == (0.008, 0.072, 0.32)
    assert node.spread and node.spread.corrupts[0] < 0.008 < node.spread.corrupts[1]
    assert node.spread.crashes[0] < 0.072 < node.spread.crashes[1]
    assert "500 faults in toy (tmr)" in node.source and NODE_TYPES["tx"].source == "PCRAFT, table I"
    assert parse_node_type(f"from={campaign(tmp_path / 'n', 'native')}").throughput == 1
    assert parse_node_type(f"from={campaign(tmp_path / 't', throughput=0.7)}").throughput == Fraction(7, 10)


def test_time_corrupt_lies_within_its_interval_and_the_papers_has_none(tmp_path: Path) -> None:
    node = parse_node_type(f"from={campaign(tmp_path / 'c')},throughput=1")
    found = ranges(node, 27 / MONTH_S)
    mean = shares(node, 27 / MONTH_S)
    assert found is not None and ranges(NODE_TYPES["tx"], 1.0) is None
    for name, (low, high) in found.items():
        assert low < getattr(mean, name) < high
    assert node.spread
    most = replace(node, corrupts=node.spread.corrupts[1])
    assert found["corrupt"][1] >= shares(most, 27 / MONTH_S).corrupt


@pytest.mark.parametrize(
    ("text", "slug", "said"),
    [
        ("from={c}", "nodes-input", "nothing says what a node of `tmr` carries"),
        ("from={c},throughput=0", "nodes-input", "no.* a throughput factor"),
        ("from={c},speed=2", "nodes-input", "no part of a node type"),
        ("from={c},throughput=0.9,throughput_low=0.95,throughput_high=1", "nodes-input", "between them"),
        ("from={c}/none,throughput=1", "measured", "holds no inject.json"),
        ("from={half},throughput=1", "measured", "interrupted"),
    ],
)
def test_what_is_no_node_type_is_refused(tmp_path: Path, text: str, slug: str, said: str) -> None:
    folders = {"c": campaign(tmp_path / "c"), "half": campaign(tmp_path / "h", status="interrupted")}
    with pytest.raises(LoadstoneError, match=said) as refused:
        parse_node_type(text.format(**folders))
    assert refused.value.slug == slug


def test_nodes_say_which_shares_they_use_and_carry_the_throughputs_interval(tmp_path: Path) -> None:
    folder = campaign(tmp_path / "c")
    kind = f"from={folder},throughput=0.5,throughput_low=0.4,throughput_high=0.625"
    words = ["nodes", "--users-per-node", "500", "--users", "5000", "--fault-rate", "27/month"]
    ran = CliRunner().invoke(app, [*words, "--node-type", "native", "--node-type", kind])
    assert ran.exit_code == 0, ran.output
    assert "Shares of faults of native: PCRAFT, table I." in ran.output
    assert "Shares of faults of tmr: 500 faults in toy (tmr)" in ran.output
    ran = CliRunner().invoke(app, [*words, "--node-type", kind, "--deployment", "ARA cloud", "--json"])
    record = json.loads(ran.stdout)
    assert record["options"][0]["num"] == 20 and record["options"][0]["interval"]["num"] == [16, 25]
    [integrity] = record["integrity"]
    low, high = integrity["interval"]["corrupt"]
    assert low < integrity["corrupt"] < high
    assert record["inputs"]["node_types"]["tmr"]["corrupts"] == 0.008


def test_a_plan_takes_it_from_beside_its_file_and_says_what_is_open(tmp_path: Path) -> None:
    campaign(tmp_path / "tmr")
    file = tmp_path / "plan.toml"
    file.write_text(PLAN.format(corrupt="0.16 %"))
    inputs = read_plan(file)
    [way] = inputs.tiers[0].ways
    assert way.node.name == "tmr" and way.node.throughput == Fraction(1, 2)
    assert any("500 faults in toy" in each for each in inputs.warnings)
    assert any("is open" in each for each in inputs.warnings)
    file.write_text(PLAN.format(corrupt="0.16 %").replace("from=tmr", "from=none"))
    with pytest.raises(ScenarioError, match=r"holds no inject\.json"):
        read_plan(file)
