"""What holds for every study of the registry, whatever it measures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from loadstone.errors import LoadstoneError
from loadstone.record import write_json
from loadstone.study.entry import Entry
from loadstone.study.order import Order, header, take_up
from loadstone.study.page import read_study, study_page
from loadstone.study.record import NAME
from loadstone.study.registry import STUDIES
from loadstone.study.results import Results
from loadstone.study.run import begin, conclusion

RUNS = Path(__file__).parents[2] / "bench" / "runs"
WRITTEN = sorted(RUNS.glob("*/*/study.json"))
LATER = ("only_variants", "skipped", "tasks", "size", "seed", "resumed", "only")
"""Fields that the first studies did not write, all or some."""


@pytest.fixture(params=sorted(STUDIES))
def entry(request: pytest.FixtureRequest) -> Entry:
    return STUDIES[request.param]


def test_its_name_is_its_folder_and_its_class_name(entry: Entry) -> None:
    made = entry.study()(Order(Path("unused"), "full", None))
    assert made.name == entry.name
    assert {part.name for part in made.parts} <= set(made.part_names)
    assert made.tasks and made.summary and made.expected_s > 0


def test_a_part_that_there_is_not_is_refused_before_anything_is_made(entry: Entry, tmp_path: Path) -> None:
    with pytest.raises(LoadstoneError) as refused:
        begin(entry, Order(tmp_path / "out", "full", ("walls",)))
    assert refused.value.slug == "study-part"
    assert not (tmp_path / "out").exists()


def test_only_one_part_is_laid_out_and_taken_up_again(entry: Entry, tmp_path: Path) -> None:
    every = entry.study()(Order(tmp_path, "full", None))
    order = Order(tmp_path, "full", (every.parts[-1].name,))
    made = entry.study()(order)
    assert {task.part for task in made.tasks} == set(order.only or ())
    begun = header(order, made.name, made.summary, made.seed, ["loadstone"])
    write_json(tmp_path / NAME, begun)
    again = entry.study()(take_up(tmp_path, entry.name))
    assert [task.key for task in again.tasks] == [task.key for task in made.tasks]


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.parent.name)
def test_studies_written_before_are_read(path: Path) -> None:
    found = read_study(path.parent)
    # Of a study that was ended early each part may still be under way; what it has found so far is there.
    assert found["tasks"]["done"] > 0 or (found["outcome"] == "parts-left" and found["parts"])
    assert study_page(path.parent)


@pytest.mark.parametrize("path", WRITTEN[:1], ids=lambda path: path.parent.name)
def test_fields_that_the_first_studies_lacked_are_filled_in(path: Path, tmp_path: Path) -> None:
    content: dict[str, Any] = json.loads(path.read_text("utf-8"))
    write_json(tmp_path / NAME, {key: value for key, value in content.items() if key not in LATER})
    found = read_study(tmp_path)
    assert found["tasks"] == {"planned": 0, "done": 0, "failed": []} and found["size"] == "full"
    assert study_page(tmp_path)


@pytest.mark.parametrize(
    ("change", "words"),
    [({"tasks": {"planned": "all"}}, "tasks.planned"), ({"size": "huge"}, "size"), ({"seed": -1}, "seed")],
)
def test_what_no_study_wrote_is_refused_with_its_place(
    change: dict[str, Any], words: str, tmp_path: Path
) -> None:
    order = Order(tmp_path, "full", None)
    made = STUDIES["nodes"].study()(order)
    begun = header(order, made.name, made.summary, made.seed, ["loadstone"])
    write_json(tmp_path / NAME, conclusion(made, begun, "complete", Results(tmp_path)) | change)
    with pytest.raises(LoadstoneError, match=words) as refused:
        study_page(tmp_path)
    assert refused.value.slug == "report-json"
    with pytest.raises(LoadstoneError) as refused:
        take_up(tmp_path, "nodes")
    assert refused.value.slug == "study-resume"
