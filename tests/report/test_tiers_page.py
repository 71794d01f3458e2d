"""A plan in tiers on the page, in the sentence and in CSV, from what the stages themselves write."""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path

import pytest

from loadstone import cli, report
from loadstone.availability.criterion import SENTENCES
from loadstone.report.plan_answer import judged
from loadstone.report.tables import all_tables

TIERS = Path(__file__).parents[2] / "examples" / "plan" / "tiers.toml"


def plan(folder: Path, monkeypatch: pytest.MonkeyPatch, users: int, *stages: str) -> report.Chapter:
    folder.mkdir()
    (folder / "tiers.toml").write_bytes(TIERS.read_bytes())
    for stage in stages:
        typed = ["--tiers", str(folder / "tiers.toml"), "--users", str(users), "--target", "five nines"]
        monkeypatch.setattr(sys, "argv", ["loadstone", stage, *typed])
        with pytest.raises(SystemExit):
            cli.main()
    return report.read_chapter(folder)


def test_the_answer_names_every_tier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chapter = plan(tmp_path / "site", monkeypatch, 20_000, "nodes", "cost")
    assert report.sentence(chapter) == (
        "$6,235 a month for 20,000 users at SLA-1, $0.312 each (machines alone, over 12 months); "
        "44 nodes keep 20,000 users at 99.999 % availability (2 balancer, 41 web, 1 database)."
    )


def test_what_no_number_of_nodes_carries_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chapter = plan(tmp_path / "site", monkeypatch, 30_000, "nodes")
    assert report.sentence(chapter) == (
        "No number of nodes in 3 tiers keeps 30,000 users at 99.999 % availability."
    )
    page = report.page([chapter])
    assert "database: one node carries 24,000 users and a second adds no throughput" in page
    assert "What one more node" not in page
    assert f"<code>loadstone cost --tiers {tmp_path}/site/tiers.toml</code>" in page


def test_the_page_has_a_chart_for_each_tier_and_every_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chapter = plan(tmp_path / "site", monkeypatch, 20_000, "nodes", "cost")
    page = report.page([chapter])
    found = re.search(r'id="charts">(.*?)</script>', page, re.S)
    assert found
    charts = json.loads(found[1])
    assert list(charts) == ["f1-nodes-s0", "f1-nodes-s1", "f1-nodes-s2"]
    assert charts["f1-nodes-s0"]["data"][0]["y"][-1] == 3
    assert "Bottleneck: balancer." in page


def test_nodes_and_dollars_say_what_they_are_judged_by(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chapter = plan(tmp_path / "site", monkeypatch, 20_000, "nodes", "cost")
    assert report.page([chapter]).count(SENTENCES["long-run"]) == 2
    for file in ("nodes.json", "cost.json"):
        record = json.loads((tmp_path / "site" / file).read_text())
        inputs = record["plan"]["inputs"] if "plan" in record else record["inputs"]
        # As records made before are.
        assert inputs.pop("criterion") == "long-run"
        (tmp_path / "site" / file).write_text(json.dumps(record))
    assert SENTENCES["long-run"] not in report.page([report.read_chapter(tmp_path / "site")])
    assert judged("a later one") == judged(None) == ""


def test_csv_is_what_the_stages_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chapter = plan(tmp_path / "site", monkeypatch, 20_000, "nodes", "cost")
    names = {path.stem for path in report.write_csv(chapter, tmp_path / "csv")}
    assert names == {
        "nodes", "nodes-one-more", "nodes-growth",
        "cost", "cost-tiers", "cost-one-more", "cost-growth", "cost-interval", "cost-lines",
    }  # fmt: skip
    with (tmp_path / "csv" / "cost-growth.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert chapter.cost is not None and chapter.cost.plan is not None
    steps = chapter.cost.plan.growth
    assert [int(row["nodes_web"]) for row in rows] == [(step.nodes or {})["web"] for step in steps]
    dollars = [step.usd_per_month for step in steps]
    assert [float(row["usd_12"]) for row in rows] == [each and each.over_12 for each in dollars]


def test_records_of_before_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their plan in cost.json had a format of its own, their tiers a repair that nobody makes."""
    plan(tmp_path / "site", monkeypatch, 20_000, "nodes", "cost")
    for file in ("nodes.json", "cost.json"):
        record = json.loads((tmp_path / "site" / file).read_text())
        whole = record.get("plan", record)
        whole |= {"format": 1, "kind": "nodes"} if "plan" in record else {}
        for tier in whole["tiers"]:
            tier |= {"deployment": "ARA cloud", "repair": "1h"}
        (tmp_path / "site" / file).write_text(json.dumps(record))
    chapter = report.read_chapter(tmp_path / "site")
    nodes = all_tables(chapter)["nodes"]
    assert [row["repair"] for row in nodes.rows] == [None] * 3
    assert "repair" not in [column.key for column in nodes.columns]
    assert chapter.cost and chapter.cost.plan and chapter.cost.plan.service
    assert "for 20,000 users at SLA-1, $0.312 each" in report.sentence(chapter)
