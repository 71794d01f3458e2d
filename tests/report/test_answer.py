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


def test_the_whole_pipeline_is_one_sentence(full: report.Chapter) -> None:
    assert report.sentence(full) == (
        "Olio on this machine holds 520 concurrent users at SLA-1 (520–530) and 500 at SLA-2 (500–515); "
        "2 nodes keep 1,000 users at 99.999 % availability (PF cloud); "
        "$2.215 per user per month over 12 months at SLA-1 ($3.851 with traffic)."
    )


def test_a_run_says_which_sla_it_held(run: report.Chapter) -> None:
    assert report.sentence(run) == (
        "Olio on this machine with 200 users: 40.0 operations/s; "
        "SLA-1 held and SLA-2 broken (AddEvent 96.8 % within its limit)."
    )


def test_an_open_end_is_said(tmp_path: Folder) -> None:
    one = {"users": 300, "low": 300, "high": None}
    synthetic.capacity(tmp_path, (300,), **{"SLA-1": one, "SLA-2": one})
    assert "300 concurrent users at SLA-1 (no number of users tried breaks it)" in report.sentence(
        report.read_chapter(tmp_path)
    )


def test_an_sla_nobody_holds_is_said(tmp_path: Folder) -> None:
    none = {"users": 0, "low": 0, "high": 300}
    some = {"users": 300, "low": 300, "high": 310}
    synthetic.capacity(tmp_path, (300,), **{"SLA-1": some, "SLA-2": none})
    assert report.sentence(report.read_chapter(tmp_path)) == (
        "Olio on this machine holds 300 concurrent users at SLA-1 (300–310) and fewer than 300 at SLA-2."
    )


def test_nothing_held_is_said(tmp_path: Folder) -> None:
    none = {"users": None, "low": None, "high": 600}
    synthetic.capacity(tmp_path, (600,), **{"SLA-1": none, "SLA-2": none})
    assert report.sentence(report.read_chapter(tmp_path)) == (
        "Olio on this machine holds fewer than 600 users at SLA-1; how many is open."
    )
    least = {"users": None, "low": None, "high": 1, "verdict": "missed", "ended_by": "least"}
    synthetic.capacity(tmp_path / "least", (600,), **{"SLA-1": least, "SLA-2": least})
    assert report.sentence(report.read_chapter(tmp_path / "least")) == (
        "Olio on this machine does not hold SLA-1, not even with one user."
    )


def test_an_invalid_run_answers_nothing(tmp_path: Folder) -> None:
    check = {
        "name": "generator-cpu", "verdict": "missed", "measured": "92 %", "expected": "below 70 %",
        "hint": "use more threads", "required": True,
    }  # fmt: skip
    optional = check | {"name": "images-per-home", "required": False}
    chapter = read_run(tmp_path, validity={"state": "invalid", "checks": [check, optional]})
    assert report.sentence(chapter) == "This run of olio with 200 users is invalid and answers nothing."
    badge = report.badges(chapter)[0]
    assert (badge.kind, badge.words) == ("bad", "INVALID")
    assert badge.reasons == ("generator-cpu: measured 92 %, expected below 70 %; use more threads",)
    # No verdict either: neither held nor broken.
    assert [row["verdict"] for row in report.all_tables(chapter)["verdicts"].rows] == [None, None]


def test_short_windows_are_flagged_once(full: report.Chapter, run: report.Chapter) -> None:
    assert [badge.words for badge in report.badges(full)] == [
        "valid", "not compliant: short window (20 s instead of 300 s)",
    ]  # fmt: skip
    assert [badge.words for badge in report.badges(run)] == [
        "valid", "not compliant: short window (120 s instead of 300 s)",
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
    assert badge(0, evidence=False).words == "INVALID"


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
        "users": 100,
        "state": "valid",
        "evidence": True,
        "shares": {},
        "worst_share": 1.0,
        "verdict": verdict,
    }
