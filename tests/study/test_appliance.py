"""The study of appliances: its file, its order, what the results amount to, its page; and a quick one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import appliance_made_up as made_up
import pytest
from typer.testing import CliRunner

from loadstone.cli import app
from loadstone.errors import LoadstoneError
from loadstone.image import sources
from loadstone.scenario.findings import ScenarioError
from loadstone.study.appliance import ENTRY
from loadstone.study.appliance.description import FILE, PARTS, load_description
from loadstone.study.appliance.findings import cells
from loadstone.study.appliance.study import Appliance
from loadstone.study.order import Order, take_up
from loadstone.study.page import study_article, study_page
from loadstone.study.results import Results
from loadstone.study.run import begin


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("appliance")


@pytest.fixture(scope="module")
def content(folder: Path) -> dict[str, Any]:
    plan = made_up.planned(folder)
    return made_up.written(plan, made_up.measure(plan))


def test_the_file_is_the_experiment_of_the_paper() -> None:
    found = load_description()
    assert found.full.sql and found.full.sql.records == [1, 64, 1024, 16384, 65536]
    assert set(found.full.sql.caches) == {"unsafe", "writeback"}
    assert {one.name for one in found.storage} == set(found.full.sql.storages)
    assert found.full.http and found.full.http.connections == [1, 8, 64]
    assert {one.place for one in found.paper} == {"Figure 3", "Figure 4", "Section 4", "Section 5"}


@pytest.mark.parametrize(
    ("before", "after", "slug", "words"),
    [
        ("seed = 2010", "sed = 2010", "unknown-key", "did you mean `seed`?"),
        ('guest = "image"', 'guest = "bsd"', "wrong-type", "bsd"),
        ('storage = "ext4-wal" }', 'storage = "ext3" }', "study-file", "no storage `ext3`"),
        ('pages = ["static", "olio-home"', 'pages = ["statics"', "study-file", "no page `statics`"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    tmp_path: Path, before: str, after: str, slug: str, words: str
) -> None:
    text = FILE.read_text("utf-8")
    assert before in text
    path = tmp_path / "appliance.toml"
    path.write_text(text.replace(before, after, 1))
    with pytest.raises(ScenarioError) as refused:
        load_description(path)
    assert slug in refused.value.slugs
    assert words in str(refused.value)


def test_guests_take_turns(tmp_path: Path) -> None:
    plan = made_up.planned(tmp_path)
    assert [name for name in PARTS if any(task.part == name for task in plan.tasks)] == list(PARTS)
    boots = [task.case["guest"] for task in plan.tasks if task.part == "boot"]
    for index in range(0, len(boots), 8):
        assert sorted(boots[index : index + 8]) == ["image"] * 4 + ["linux"] * 4
    assert len({tuple(boots[i : i + 8]) for i in range(0, len(boots), 8)}) > 1


def test_a_part_that_there_is_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LoadstoneError) as refused:
        begin(ENTRY, Order(tmp_path / "out", "quick", ("colour",)))
    assert refused.value.slug == "study-part"
    assert not (tmp_path / "out").exists()


def test_missing_programs_are_named_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources.shutil, "which", lambda *_, **__: None)
    with pytest.raises(LoadstoneError, match="scripts/setup-appliance") as refused:
        begin(ENTRY, Order(tmp_path / "out", "quick", None))
    assert refused.value.slug == "program-missing"
    assert not (tmp_path / "out").exists()


def test_an_interrupted_study_goes_on(tmp_path: Path) -> None:
    plan = made_up.planned(tmp_path)
    made_up.written(plan, Results(tmp_path))
    again = Appliance(take_up(tmp_path, "appliance"))
    assert [task.key for task in again.tasks] == [task.key for task in plan.tasks]


def test_the_worst_cell_decides(content: dict[str, Any]) -> None:
    by_what = {one["what"]: one for one in content["targets"]}
    log = by_what["commits/s, our log against ext4's write-ahead log, real flushes, every record size"]
    assert log["cells"] == 5 and log["verdict"] == "met"
    assert log["measured"]["low"] <= log["measured"]["value"] <= log["measured"]["high"]
    assert log["measured"]["value"] == pytest.approx(3, rel=0.08)
    assert log["case"]["storage"] == "image-log" and log["case"]["cache"] == "writeback"
    boot = by_what["boot to the first HTTP response, Linux guest against image, microvm"]
    assert boot["measured"]["value"] == pytest.approx(20, rel=0.08) and boot["verdict"] == "met"
    assert by_what["boot to the first HTTP response, Linux guest against image, q35"]["verdict"] == "missed"
    small = by_what["instructions of an allocation of 16 to 256 B, image against Linux"]
    assert small["measured"]["value"] == pytest.approx(200 / 180)
    assert small["verdict"] == "missed"
    assert by_what["memory that an image serves in, MiB"]["measured"]["value"] == 5


def test_what_was_not_measured_is_not_judged(tmp_path: Path) -> None:
    plan = made_up.planned(tmp_path)
    judged = made_up.written(plan, Results(tmp_path))["targets"]
    assert judged and all(one["verdict"] is None and one["measured"] is None for one in judged)


def test_a_cell_has_the_median_and_the_range() -> None:
    rows = [
        {"case": {"guest": "image"}, "repetition": number, "measured": {"boot_ms": value}}
        for number, value in enumerate((3.0, 1.0, 7.0), 1)
    ]
    (cell,) = cells(rows)
    boot = cell["figures"]["boot_ms"]
    assert (boot["value"], boot["low"], boot["high"], boot["count"]) == (3.0, 1.0, 7.0, 3)


def test_the_page_tells_all_of_it(content: dict[str, Any], folder: Path) -> None:
    part = study_article(folder)
    assert {section.slug.removeprefix("f1-") for section in part.sections} == {
        "findings",
        "targets",
        *PARTS,
        "method",
    }
    page = study_page(folder)
    assert len(page) < 3_000_000
    for words in (
        "Linux, ext4, WAL",
        "✗ missed",
        "emulated processor",
        "significantly faster",
        "targets are met. Missed: boot",
    ):
        assert words in page


@pytest.mark.long
def test_a_quick_study_measures_both_guests(tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = CliRunner().invoke(app, ["study", "appliance", "--quick", "--out", str(out)])
    assert result.exit_code == 0, f"{result.output}\n{result.exception}"
    found = json.loads((out / "study.json").read_text("utf-8"))
    assert found["outcome"] == "complete" and not found["tasks"]["failed"]
    for cell in (*found["parts"]["boot"], *found["parts"]["http"]):
        assert all(one["value"] > 0 for one in cell["figures"].values())
    checked = found["parts"]["sql"]
    assert {cell["case"]["storage"] for cell in checked} == {"image-log", "ext4-wal"}
