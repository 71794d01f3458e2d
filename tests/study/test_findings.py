"""From rows to findings and to the page, where the truth is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import balancers_made_up as made_up
import pytest

from loadstone.errors import LoadstoneError
from loadstone.record import write_json
from loadstone.study.page import study_article, study_page
from loadstone.study.record import NAME
from loadstone.study.results import Results
from loadstone.study.run import beginning, conclusion


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("study") / "out"
    plan = made_up.planned(path)
    begun = beginning(plan, ["loadstone", "study", "balancers"])
    write_json(path / NAME, conclusion(plan, begun, "complete", made_up.measure(plan, path)))
    return path


@pytest.fixture(scope="module")
def content(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "study.json").read_text())
    return found


def test_everything_that_was_planned_is_counted(content: dict[str, Any]) -> None:
    assert content["tasks"]["planned"] == content["tasks"]["done"] > 600
    assert content["tasks"]["failed"] == []
    assert set(content["parts"]) == {
        "throughput", "peer", "segments", "spread", "uneven", "reuse", "growth", "faults", "site",
    }  # fmt: skip


def test_cells_and_pooled_figures_hold_the_truth(content: dict[str, Any]) -> None:
    found = content["parts"]["throughput"]
    assert len(found["cells"]) == 7 * (6 + 4)
    for one in found["pooled"]:
        assert one["pooled"]["value"] == pytest.approx(made_up.RATES[one["balancer"]], rel=0.02)
        assert one["highest"]["value"] >= one["pooled"]["value"] * 0.99
    single = next(one for one in found["pooled"] if one["generators"] == 1)
    assert single["pooled"]["count"] == 60
    assert all(cell["little"] == pytest.approx(1, rel=0.02) for cell in found["cells"])


def test_what_is_alike_is_not_told_apart_and_what_differs_is(content: dict[str, Any]) -> None:
    pairs = {
        frozenset((one["first"], one["second"])): one
        for one in content["parts"]["throughput"]["comparisons"]["1"]
    }
    assert len(pairs) == 21
    assert not pairs[frozenset(("haproxy", "nginx"))]["significant"]
    clear = pairs[frozenset(("apache", "haproxy"))]
    assert clear["significant"]
    ratio = clear["ratio"]["value"]
    assert max(ratio, 1 / ratio) == pytest.approx(1.5, rel=0.03)


def test_what_a_balancer_adds_to_the_machine(content: dict[str, Any]) -> None:
    for one in content["parts"]["throughput"]["costs"]:
        if one["balancer"] == "none":
            assert one["added_us"] is None
            assert one["user_us"] is None
            continue
        truth = made_up.COSTS[one["balancer"]] - made_up.COSTS["none"]
        assert one["added_us"]["value"] == pytest.approx(truth, abs=1.5)


def test_shares_add_up(content: dict[str, Any]) -> None:
    for one in content["parts"]["segments"]:
        assert sum(one["shares"].values()) == pytest.approx(1)
        assert ("balancer" in one["shares"]) == (one["balancer"] != "none")
    shares = next(one["shares"] for one in content["parts"]["segments"] if one["balancer"] == "haproxy")
    assert shares["balancer"] == pytest.approx(100 / 250)


def test_the_papers_figures_stand_beside_ours(content: dict[str, Any]) -> None:
    for one in content["paper"]:
        assert set(one["ours"]) == set(made_up.RATES)
    table = next(one for one in content["paper"] if one["place"] == "Table 1")
    assert table["ours"]["caddy"]["value"] == pytest.approx(4000, rel=0.02)


def test_the_tier_at_its_limit_is_named(content: dict[str, Any]) -> None:
    found = content["parts"]["site"]
    assert [one["SLA-1"]["users"] for one in found] == [200, 400, 600]
    assert {one["at"]["limit"] for one in found} == {"servers"}
    assert found[0]["at"]["users"] == 250


def test_a_busy_machine_is_said_plainly(content: dict[str, Any]) -> None:
    assert any("shared one machine" in warning for warning in content["warnings"])


def test_the_page_has_every_section(folder: Path) -> None:
    part = study_article(folder)
    slugs = [section.slug.removeprefix("f1-") for section in part.sections]
    assert slugs == [
        "findings", "throughput", "differences", "cost", "places", "spread", "server-killed",
        "balancer-killed", "server-cut", "faults", "servers", "site", "peer", "cells",
        "method",
    ]  # fmt: skip
    assert part.sentence.startswith("Of 6 balancers on this machine nftables carries the most: 11,")
    assert len(part.figures) == 2 + 1 + 1 + 1 + 3 * 6 + 1 + 1
    page = study_page(folder)
    assert "2,361.6 (2,269.1–2,454.2) /s" in page
    assert "HAProxy carries 1.5" in page
    assert len(page.encode()) < 3_000_000


def test_an_interrupted_study_has_a_page_too(tmp_path: Path) -> None:
    plan = made_up.planned(tmp_path / "out", quick=True)
    results = made_up.measure(plan, tmp_path / "out")
    lines = results.path.read_bytes().splitlines(keepends=True)
    results.path.write_bytes(b"".join(lines[:9]))
    found = conclusion(plan, beginning(plan, []), "interrupted", Results(tmp_path / "out"))
    write_json(tmp_path / "out" / NAME, found)
    part = study_article(tmp_path / "out")
    assert any("9 of " in badge.words for badge in part.badges)
    assert study_page(tmp_path / "out")


def test_nothing_measured_is_still_a_page(tmp_path: Path) -> None:
    plan = made_up.planned(tmp_path / "out", quick=True)
    found = conclusion(plan, beginning(plan, []), "failing", Results(tmp_path / "out"))
    write_json(tmp_path / "out" / NAME, found)
    assert [section.title for section in study_article(tmp_path / "out").sections] == ["How it was measured"]


def test_a_folder_without_a_study(tmp_path: Path) -> None:
    with pytest.raises(LoadstoneError) as refused:
        study_page(tmp_path)
    assert refused.value.slug == "report-folder"


def test_a_record_of_before_there_were_findings_is_not_said_to_be_unmeasured() -> None:
    from loadstone.study.told import headline

    study = {"summary": "Connectors", "findings": [], "tasks": {"done": 83}}
    assert headline(study).startswith("Connectors: findings are not drawn yet, by `loadstone study recompute")
    assert headline(study | {"tasks": {"done": 0}}) == "Connectors: nothing was measured yet."
