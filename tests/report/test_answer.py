"""The sentence and the badges, for every state a folder can be in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import synthetic

from loadstone import report
from loadstone.errors import LoadstoneError

Folder = Path


def read_run(folder: Path, **changes: Any) -> report.Chapter:
    synthetic.run(folder / "made", ramp_up=2, steady=3, **changes)
    return report.read_chapter(folder / "made")


def test_the_whole_pipeline_is_one_sentence_and_dollars_come_first(full: report.Chapter) -> None:
    assert report.sentence(full) == (
        "$2,003 a month for 520 users at SLA-1, $3.851 each (machines and traffic, over 12 months); "
        "2 nodes keep 1,000 users at 99.999 % availability (PF cloud); "
        "olio on this machine holds 520 users at SLA-1 (520 to 530) and 500 at SLA-2 (500 to 515)."
    )


def test_the_total_is_what_all_users_pay(full: report.Chapter) -> None:
    assert full.cost is not None
    each, total = full.cost.per_user["SLA-1"], full.cost.total["SLA-1"]
    pairs = (
        (total.usd_per_month_with_egress, each.usd_per_month_with_egress),
        (total.usd_per_month, each.usd_per_month),
    )
    for in_all, usd in pairs:
        assert in_all is not None and usd is not None
        assert in_all.over_12 == pytest.approx(520 * usd.over_12, rel=1e-5)


def test_a_run_says_what_its_goals_came_to(run: report.Chapter) -> None:
    assert report.sentence(run) == (
        "Olio on this machine answers 40.0 operations a second of 200 users: "
        "SLA-1 is met; SLA-2 is missed (AddEvent: 96.8 %, at least 99 % asked for)."
    )
    assert report.badges(run)[0] == report.Badge("warn", "SLA-1 met; SLA-2 missed")


def test_an_interval_stands_beside_what_was_measured(tmp_path: Folder) -> None:
    goal = {"name": "SLA-1", "verdict": "open", "limit": 0.9, "measured": 0.912, "low": 0.88, "high": 0.94}
    chapter = read_run(tmp_path, goals={"SLA-1": goal | {"operation": "Login", "window_start_s": 0}})
    assert "SLA-1 is open (Login: 91.2 % (88 % to 94 %), at least 90 % asked for)" in report.sentence(chapter)
    assert report.badges(chapter)[0] == report.Badge("warn", "open")
    (row,) = report.all_tables(chapter)["verdicts"].rows
    assert (row["verdict"], row["measured"], row["low"], row["high"]) == ("open", 0.912, 0.88, 0.94)


def test_an_open_end_is_said(tmp_path: Folder) -> None:
    one = {"load": 300, "low": 300, "high": None, "verdict": "met", "ended_by": "ceiling"}
    synthetic.capacity(tmp_path, (300,), **{"SLA-1": one, "SLA-2": one})
    assert "300 users at SLA-1 (no number of users tried breaks it)" in report.sentence(
        report.read_chapter(tmp_path)
    )


def test_an_sla_that_stayed_open_is_said(tmp_path: Folder) -> None:
    none = {"load": None, "low": None, "high": 300}
    some = {"load": 300, "low": 300, "high": 310, "verdict": "met"}
    synthetic.capacity(tmp_path, (300,), **{"SLA-1": some, "SLA-2": none})
    chapter = report.read_chapter(tmp_path)
    assert report.sentence(chapter) == (
        "Olio on this machine holds 300 users at SLA-1 (300 to 310) "
        "and an undecided number at SLA-2 (fewer than 300 users)."
    )
    assert report.badges(chapter)[0] == report.Badge("warn", "SLA-1 met; SLA-2 open")


def test_a_service_that_not_even_one_user_can_use_is_missed(tmp_path: Folder) -> None:
    none = {"load": None, "low": None, "high": 1, "verdict": "missed", "ended_by": "least"}
    synthetic.capacity(tmp_path, (600,), **{"SLA-1": none, "SLA-2": none})
    chapter = report.read_chapter(tmp_path)
    assert report.sentence(chapter) == (
        "Olio on this machine holds not even one user at SLA-1 and not even one user at SLA-2."
    )
    assert report.badges(chapter)[0] == report.Badge("bad", "missed")


@pytest.mark.parametrize("noughts", [0, None])
def test_an_undecided_search_answers_nothing_and_nothing_rests_on_it(
    tmp_path: Folder, noughts: int | None
) -> None:
    """Every run within the limits, and no verdict: before, this was 0 users, green, with dollars."""
    none = {"load": noughts, "low": noughts, "high": None, "verdict": "open", "ended_by": "max-runs"}
    synthetic.capacity(tmp_path, (2, 3), **{"SLA-1": none, "SLA-2": none})
    synthetic.nodes(tmp_path)
    synthetic.cost(tmp_path)
    for name in ("nodes", "cost"):
        file = tmp_path / f"{name}.json"
        content = json.loads(file.read_text())
        file.write_text(json.dumps(content | {"inputs": content["inputs"] | {"from": str(tmp_path)}}))
    chapter = report.read_chapter(tmp_path)
    assert report.sentence(chapter) == (
        "How many users olio holds on this machine was not decided: "
        "the search ended because it had made all the runs that it was allowed."
    )
    lead, withheld, *_ = report.badges(chapter)
    assert (lead.kind, lead.words) == ("warn", "open: nothing was decided")
    assert withheld.words == "nodes and dollars not shown: they rest on a capacity that was not decided"
    page = report.page([chapter])
    head = page[page.index("<header>") : page.index("</header>")]
    assert "$" not in head
    assert ">0<" not in head
    assert 'class="lead good"' not in head
    assert {"nodes", "cost"}.isdisjoint(report.all_tables(chapter))


def test_a_run_of_a_search_has_its_own_verdict_and_the_load_the_pooled_one(tmp_path: Folder) -> None:
    """Before, a run's cell had the verdict of all runs at that moment: "45.61 % … pass"."""
    synthetic.capacity(tmp_path, (560, 100))
    loads = [{"load": 560, "runs": 2, "verdict": {"SLA-1": "met", "SLA-2": "open"}}]
    file = tmp_path / "capacity.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"loads": loads}))
    tables = report.all_tables(report.read_chapter(tmp_path))
    broken, fine = tables["runs"].rows
    assert broken["worst_share"] < 0.9
    assert (broken["sla_1"], broken["sla_2"]) == ("missed", "missed")
    assert (fine["sla_1"], fine["sla_2"]) == ("met", "met")
    (load,) = tables["loads"].rows
    assert (load["users"], load["runs"], load["sla_1"], load["sla_2"]) == (560, 2, "met", "open")


@pytest.mark.parametrize(
    ("state", "about", "verdict", "says"),
    [
        ("invalid", "generator", "missed", "is invalid and says nothing of the service"),
        ("failed", "service", "missed", "failed: the service did not do its work"),
        ("inconclusive", "load", "open", "is inconclusive: too little was seen"),
    ],
)
def test_a_run_that_is_not_valid_says_why(
    tmp_path: Folder, state: str, about: str, verdict: str, says: str
) -> None:
    check = {
        "name": "generator-cpu", "verdict": verdict, "measured": "92 %", "expected": "below 70 %",
        "hint": "use more threads", "about": about, "required": True,
    }  # fmt: skip
    optional = check | {"name": "images-per-home", "required": False}
    chapter = read_run(tmp_path, validity={"state": state, "checks": [check, optional]})
    assert report.sentence(chapter) == f"This run of olio with 200 users {says} (check generator cpu)."
    badge = report.badges(chapter)[0]
    assert (badge.kind, badge.words) == ("warn" if state == "inconclusive" else "bad", state)
    assert badge.reasons == ("generator cpu: measured 92 %, expected below 70 %; use more threads",)
    # Of an invalid run there is no verdict, either: neither met nor missed.
    shown = [row["verdict"] for row in report.all_tables(chapter)["verdicts"].rows]
    assert (shown == [None, None]) == (state == "invalid")


def test_short_windows_are_flagged_once(full: report.Chapter, run: report.Chapter) -> None:
    assert [badge.words for badge in report.badges(full)] == [
        "met", "not compliant: short window (20 s instead of 300 s)",
    ]  # fmt: skip
    assert [badge.words for badge in report.badges(run)] == [
        "SLA-1 met; SLA-2 missed", "not compliant: short window (120 s instead of 300 s)",
    ]  # fmt: skip


def test_interruption_and_demonstration_are_flagged(tmp_path: Folder) -> None:
    chapter = read_run(tmp_path, outcome="interrupted", demonstration=True, warnings=["not compliant: x"])
    words = [badge.words for badge in report.badges(chapter)]
    assert words[1:4] == [
        "interrupted: what was measured until then was kept", "demonstration", "not compliant: x",
    ]  # fmt: skip


def test_left_out_runs_are_counted(tmp_path: Folder) -> None:
    synthetic.capacity(tmp_path, (100, 200))
    file = tmp_path / "capacity.json"

    def badge(number: int, **changes: Any) -> report.Badge:
        content = json.loads(file.read_text())
        content["runs"][number] |= changes
        file.write_text(json.dumps(content))
        return report.badges(report.read_chapter(tmp_path))[0]

    # A run that the service broke is not valid, yet it is evidence.
    assert badge(1, state="failed").reasons == ()
    assert badge(1, evidence=False).reasons == ("1 of 2 runs were invalid and not judged",)
    assert badge(0, evidence=False).words == "invalid"


@pytest.mark.parametrize(
    ("name", "content", "slug"),
    [
        ("other.txt", "", "report-folder"),
        ("run.json", "{", "report-json"),
        ("run.json", '{"format": 2}', "report-json"),
        ("capacity.json", "[]", "report-json"),
    ],
)
def test_what_cannot_be_reported(tmp_path: Folder, name: str, content: str, slug: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(LoadstoneError) as caught:
        report.read_chapter(tmp_path)
    assert (caught.value.slug, caught.value.exit_code) == (slug, 2)


def test_no_folder(tmp_path: Folder) -> None:
    with pytest.raises(LoadstoneError, match="there is no folder"):
        report.read_chapter(tmp_path / "none")


def test_runs_outside_the_folder_are_not_read(tmp_path: Folder) -> None:
    synthetic.run(tmp_path / "elsewhere", ramp_up=2, steady=3)
    synthetic.capacity(tmp_path / "mine", (100,), runs=[_row("../elsewhere")])
    assert report.read_chapter(tmp_path / "mine").runs == {}


def _row(folder: str) -> dict[str, Any]:
    verdict = {"SLA-1": "met", "SLA-2": "met"}
    return {
        "folder": folder,
        "load": 100,
        "state": "valid",
        "evidence": True,
        "shares": {},
        "worst_share": 1.0,
        "verdict": verdict,
    }
