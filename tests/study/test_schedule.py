"""The order of a study, its results on disk, and how it goes on after an end it did not choose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadstone.errors import LoadstoneError
from loadstone.measure import Interrupt
from loadstone.study.conduct import conduct
from loadstone.study.results import NAME, Results
from loadstone.study.schedule import StudyPart, Task, schedule

PARTS = [
    StudyPart("carry", [{"balancer": name, "users": users} for name in "abc" for users in (1, 2)], 4, 1.0),
    StudyPart("break", [{"balancer": name} for name in "abc"], 2, 3.0),
]


class Quiet:
    """Hears what is told."""

    def __init__(self) -> None:
        self.left: list[float] = []
        self.errors: list[str] = []

    def begins(self, task: Task, number: int, of: int, left_s: float) -> None:
        self.left.append(left_s)

    def ends(self, task: Task, measured: dict[str, Any]) -> None: ...

    def failed(self, task: Task, error: str) -> None:
        self.errors.append(error)


@given(st.integers(1, 10_000))
def test_every_repetition_has_every_case_once(seed: int) -> None:
    tasks = schedule(PARTS, seed)
    assert len({task.key for task in tasks}) == len(tasks) == 6 * 4 + 3 * 2
    for start in range(0, 24, 6):
        block = tasks[start : start + 6]
        assert len({task.repetition for task in block}) == 1
        assert sorted(json.dumps(task.case) for task in block) == sorted(map(json.dumps, PARTS[0].cases))


def test_the_seed_is_the_order() -> None:
    assert schedule(PARTS, 1) == schedule(PARTS, 1)
    assert schedule(PARTS, 1) != schedule(PARTS, 2)
    # Each repetition has an order of its own, and leaving a part out does not change the other's.
    first, second = schedule(PARTS, 1)[:6], schedule(PARTS, 1)[6:12]
    assert [task.case for task in first] != [task.case for task in second]
    assert schedule(PARTS[1:], 1) == schedule(PARTS, 1)[24:]


def test_all_is_measured_and_kept(tmp_path: Path) -> None:
    results = Results(tmp_path)
    watch = Quiet()
    tasks = schedule(PARTS, 1)
    assert conduct(tasks, lambda task: {"x": task.repetition}, results, Interrupt(), watch) == "complete"
    again = Results(tmp_path)
    assert [row["key"] for row in again.rows] == [task.key for task in tasks]
    assert [row["order"] for row in again.rows] == list(range(1, 31))
    assert len(again.measured("carry")) == 24
    assert watch.left[0] == pytest.approx(24 * 1.0 + 6 * 3.0)


def test_an_interrupted_study_is_taken_up(tmp_path: Path) -> None:
    tasks, interrupt, seen = schedule(PARTS, 1), Interrupt(), []

    def first(task: Task) -> dict[str, Any]:
        seen.append(task.key)
        interrupt.requested = len(seen) == 5
        return {}

    assert conduct(tasks, first, Results(tmp_path), interrupt, Quiet()) == "interrupted"
    assert len(seen) == 5
    # The process died while it wrote the sixth: half a line.
    with (tmp_path / NAME).open("ab") as file:
        file.write(b'{"key": "[\\"carry')
    rest: list[str] = []
    results = Results(tmp_path)
    assert len(results.rows) == 5
    outcome = conduct(tasks, lambda task: rest.append(task.key) or {}, results, Interrupt(), Quiet())
    assert outcome == "complete"
    assert seen + rest == [task.key for task in tasks]
    assert len(Results(tmp_path).rows) == 30


@given(st.binary(max_size=200))
def test_no_content_of_the_file_breaks_it(content: bytes) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / NAME
        path.write_bytes(content)
        rows = Results(Path(folder)).rows
        assert content.startswith(path.read_bytes())
        assert all(isinstance(row, dict) for row in rows)


def test_what_fails_is_noted_and_tried_again_by_the_next(tmp_path: Path) -> None:
    tasks = schedule(PARTS[1:], 1)

    def fragile(task: Task) -> dict[str, Any]:
        if task.case["balancer"] == "b":
            raise LoadstoneError("trouble", "the host is gone")
        return {}

    watch = Quiet()
    results = Results(tmp_path)
    assert conduct(tasks, fragile, results, Interrupt(), watch) == "complete"
    assert len(watch.errors) == 2
    assert {row["case"]["balancer"] for row in results.failed()} == {"b"}
    assert {row["case"]["balancer"] for row in results.measured("break")} == {"a", "c"}
    mended: list[Task] = []
    conduct(tasks, lambda task: mended.append(task) or {}, Results(tmp_path), Interrupt(), Quiet())
    assert {task.case["balancer"] for task in mended} == {"b"}
    assert Results(tmp_path).failed() == []


def test_a_later_try_that_fails_is_said_though_an_earlier_one_found_something(tmp_path: Path) -> None:
    (task,) = schedule(PARTS[1:], 1)[:1]
    results = Results(tmp_path, finished=lambda measured: False)
    results.add(task, "2026-01-01T00:00:00+00:00", 1.0, {"measured": {"users": 30}})
    results.add(task, "2026-01-01T01:00:00+00:00", 1.0, {"error": "the host is gone"})
    assert [row["error"] for row in results.failed()] == ["the host is gone"]
    assert [row["measured"] for row in results.measured(task.part)] == [{"users": 30}], "it still counts"
    results.add(task, "2026-01-01T02:00:00+00:00", 1.0, {"measured": {"users": 31}})
    assert results.failed() == []


def test_a_study_that_only_fails_ends(tmp_path: Path) -> None:
    def broken(task: Task) -> dict[str, Any]:
        raise LoadstoneError("capture", "no tcpdump")

    results = Results(tmp_path)
    assert conduct(schedule(PARTS, 1), broken, results, Interrupt(), Quiet()) == "failing"
    assert len(results.rows) == 5


def test_a_task_that_the_signal_broke_is_no_result(tmp_path: Path) -> None:
    interrupt = Interrupt()

    def struck(task: Task) -> dict[str, Any]:
        interrupt.requested = True
        raise LoadstoneError("host-unreachable", "ssh was interrupted, too")

    results = Results(tmp_path)
    assert conduct(schedule(PARTS, 1), struck, results, interrupt, Quiet()) == "interrupted"
    assert results.rows == []
