"""What studies say: each sentence from the record, with its status, judged by the definition that held."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sessions_made_up as sessions
from typer.testing import CliRunner

from loadstone.cli import app
from loadstone.errors import LoadstoneError
from loadstone.measure import Interrupt
from loadstone.record import write_json
from loadstone.study.balancers import behaviour, claims
from loadstone.study.balancers.page import site
from loadstone.study.connectors.study import Connectors
from loadstone.study.definition import defined, judged
from loadstone.study.order import take_up
from loadstone.study.page import read_study, study_article, study_page
from loadstone.study.recompute import recompute, recomputed
from loadstone.study.record import NAME
from loadstone.study.run import beginning, run


def site_row(servers: int, outcome: str, share: float) -> dict[str, Any]:
    """A search of a site's users with servers of 0.05 processors, as `results.ndjson` has it, in one row."""
    first = 150 * servers
    used = {"balancer_cores": 0.1, "database_cores": 0.05, "idle_share": 0.88}
    cores = [0.05 * share] * servers
    return {
        "balancer": "site", "servers": servers, "requests_per_s": 29.3, "cpus": 0.05, "window_s": 6.0,
        "capacity_outcome": outcome,
        "SLA-1": {"users": first, "low": first, "high": 600},
        "SLA-2": {"users": first, "low": first, "high": 300},
        "runs": [
            {"users": first, "verdict": {"SLA-1": "pass", "SLA-2": "pass"}, "server_cores": cores, **used},
            {"users": 600, "verdict": {"SLA-1": "fail", "SLA-2": "fail"}, "server_cores": cores, **used},
        ],
    }  # fmt: skip


def test_the_first_probe_of_a_search_that_ran_out_of_runs_is_no_capacity() -> None:
    found = behaviour.site([site_row(servers, "max-runs", 0.75) for servers in (1, 2, 3)])
    assert [one["SLA-1"]["users"] for one in found] == [None, None, None]
    row, *_ = site.table(found).rows
    assert row["first"] == "undecided: held at 150, broken at 600"
    users, limit = claims._site(found, {})
    assert users["status"] == "undecided" and "No number is found" in users["text"]
    assert "150," in users["text"] and "150 (" not in users["text"]
    assert limit["status"] == "not shown"


def test_a_record_without_a_limit_names_none() -> None:
    (found,) = behaviour.site([site_row(1, "max-runs", 0.75)])
    assert found["at"]["limit"] is None
    assert site.table([found]).rows[0]["limit"] == "none was seen"
    (full,) = behaviour.site([site_row(1, "complete", 0.95)])
    assert full["at"]["limit"] == "servers" and full["SLA-1"]["users"] == 150


def test_a_search_that_found_its_answer_is_told_as_one() -> None:
    found = behaviour.site([site_row(1, "complete", 0.95)])
    users, limit = claims._site(found, {})
    assert users["status"] == "shown" and "1: 150 (< 600)" in users["text"]
    assert limit["status"] == "shown"


@pytest.mark.parametrize(
    ("value", "low", "high", "verdict"),
    [
        (1.6, 1.55, 1.7, "met"),
        (1.6, 1.4, 1.7, "open"),
        (1.6, None, None, "open"),
        (1.497, 1.39, 1.53, "missed"),
        (1.4, None, None, "missed"),
    ],
)
def test_the_claim_has_the_burden_of_proof(
    value: float, low: float | None, high: float | None, verdict: str
) -> None:
    assert judged({"value": value, "low": low, "high": high}, 1.5, None) == verdict
    assert judged(None, 1.5, None) is None


def overload_by_equal_thoughts(folder: Path) -> dict[str, Any]:
    """A made-up study of sessions that was measured before the experiment's definition changed."""
    plan = sessions.planned(folder)
    content = sessions.written(plan, sessions.measure(plan))
    file = plan.definition()
    (overload,) = [one for one in file["experiment"] if one["name"] == "overload"]
    overload["overrides"] = {}
    write_json(folder / NAME, content | {"definition": defined(file, "from an earlier version").content()})
    return content


def test_targets_are_judged_by_the_definition_that_held_when_they_were_measured(tmp_path: Path) -> None:
    overload_by_equal_thoughts(tmp_path)
    content = recompute(tmp_path)
    for one in content["targets"]:
        changed = one["experiment"] == "overload"
        assert (one["definition"] != one["today"]) is changed, one["id"]
        assert bool(one["changed"]) is changed
    assert content["definition"]["source"] == "from an earlier version"
    page = study_page(tmp_path)
    assert "6 targets are judged by the definition they were measured under, not today’s" in page
    assert "overrides: none, today pacing.think" in page


def test_what_was_missed_as_asked_stays_missed_beside_a_later_definition(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = sessions.planned(tmp_path)
    results = sessions.measure(plan)
    for row in results.rows:
        if row["part"] == "dynamic" and row["case"]["server"] == "hybrid-session":
            row["measured"]["sessions_per_s"] = 12.0
    content = sessions.written(plan, results)
    by_id = {one["id"]: one for one in content["targets"]}
    asked, later = by_id["share"], by_id["lasting-share"]
    assert asked["verdict"] == "missed" and later["verdict"] == "met"
    assert later["replaces"] == asked["id"]
    told = {one["key"]: one for one in content["findings"]}
    assert told["targets-asked"]["status"] == "not shown"
    assert "share of what the bottleneck allows: 0.720" in told["targets-asked"]["text"]
    rows = next(
        table.rows for section in study_article(tmp_path).sections for table in section.tables
        if table.slug == "targets"
    )  # fmt: skip
    pairs = [(row["asked"], row["verdict"]) for row in rows if "share of what" in row["what"]]
    assert pairs[:2] == [("as asked", "✗ missed"), ("later", "✓ met")]


class Unseen:
    """Nobody watches."""

    def begins(self, *_: Any) -> None: ...
    def ends(self, *_: Any) -> None: ...
    def failed(self, *_: Any) -> None: ...


def test_a_study_does_not_go_on_by_another_definition(tmp_path: Path) -> None:
    overload_by_equal_thoughts(tmp_path)
    before = (tmp_path / NAME).read_bytes()
    made = Connectors(take_up(tmp_path, "connectors"))
    with pytest.raises(LoadstoneError, match="has changed since it was begun") as refused:
        run(made, ["loadstone"], Interrupt(), Unseen(), print)
    assert refused.value.slug == "study-resume"
    assert (tmp_path / NAME).read_bytes() == before


def test_a_claim_of_one_repetition_is_undecided(tmp_path: Path) -> None:
    plan = sessions.planned(tmp_path)
    content = sessions.written(plan, sessions.measure(plan))
    told = {one["key"]: one for one in content["findings"]}
    assert content["findings"][0]["key"] == "dynamic-compared"
    assert told["dynamic-compared"]["status"] == "shown"
    assert told["dynamic-compared"]["figures"]["ratio"]["count"] == 5
    assert told["dynamic-unhurried"]["status"] == "undecided"
    assert study_article(tmp_path).sentence == told["dynamic-compared"]["text"]


def test_recomputing_changes_nothing_that_was_measured(tmp_path: Path) -> None:
    plan = sessions.planned(tmp_path)
    content = sessions.written(plan, sessions.measure(plan))
    rows = (tmp_path / "results.ndjson").read_bytes()
    again = recomputed(tmp_path)
    assert again.pop("recomputed")["version"]
    assert json.loads(json.dumps(again)) == json.loads(json.dumps(content))
    assert (tmp_path / "results.ndjson").read_bytes() == rows
    with pytest.raises(LoadstoneError) as refused:
        recompute(tmp_path / "none")
    assert refused.value.slug == "study-resume"


def test_a_study_that_was_killed_has_a_page_of_what_it_measured(tmp_path: Path) -> None:
    plan = sessions.planned(tmp_path)
    sessions.measure(plan)
    write_json(tmp_path / NAME, beginning(plan, ["loadstone", "study", "connectors"]))
    with pytest.raises(LoadstoneError) as refused:
        study_page(tmp_path)
    assert refused.value.slug == "report-folder" and f"recompute {tmp_path}" in (refused.value.hint or "")
    content = recompute(tmp_path)
    assert content["outcome"] == "interrupted" and content["findings"]
    assert content["tasks"]["done"] == len(plan.tasks)
    assert "interrupted" in study_page(tmp_path)


def test_the_command_tells_findings_anew_and_writes_the_page(tmp_path: Path) -> None:
    plan = sessions.planned(tmp_path)
    content = sessions.written(plan, sessions.measure(plan))
    done = CliRunner().invoke(app, ["study", "recompute", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert f"✓ shown: {content['findings'][0]['text']}" in done.stdout
    assert "Findings drawn anew" in (tmp_path / "report.html").read_text("utf-8")


def test_a_study_of_format_1_is_read_with_its_sentences(tmp_path: Path) -> None:
    old = {
        "format": 1, "kind": "study", "name": "nodes", "outcome": "complete", "started_at": "2026-11-22",
        "parts": {}, "findings": ["Everything agrees."], "targets": [{"what": "x", "met": False}],
    }  # fmt: skip
    write_json(tmp_path / NAME, old)
    found = read_study(tmp_path)
    assert found["findings"][0]["text"] == "Everything agrees."
    assert found["findings"][0]["status"] == "undecided"
    assert found["targets"][0]["verdict"] == "missed"
