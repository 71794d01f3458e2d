"""A run whose process died leaves a folder that becomes whole; wherever its last line was cut."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import duckdb
import folders
import pytest
import simulated

from loadstone import record
from loadstone.errors import LoadstoneError
from loadstone.record.tables import TABLES


def quick(rng: Any, name: str) -> float:
    return float(rng.uniform(0.01, 0.05))


PLAN = simulated.plan(users=3, ramp_up_s=2.0, steady_s=4.0, ramp_down_s=1.0)


@pytest.fixture
def cut_off(tmp_path: Path) -> Path:
    """A run folder as kill -9 leaves it: first files and a journal without an end."""
    folder = tmp_path / "run"
    journal = record.begin(folder, folders.beginning(PLAN))
    for window in simulated.windows(PLAN, quick):
        journal.window(window)
        journal.hosts(window["second"], {"host": {"cpu_cores": 0.5}})
    journal.close()
    return folder


def seconds(folder: Path) -> list[int]:
    rows = duckdb.sql(f"SELECT second FROM '{folder}/engine.parquet' ORDER BY second").fetchall()
    return [row[0] for row in rows]


def test_a_crashed_run_becomes_whole_and_says_so(cut_off: Path) -> None:
    result = record.recover(cut_off).content()
    assert result["outcome"] == "crashed"
    assert seconds(cut_off) == list(range(7))
    assert result == json.loads((cut_off / "run.json").read_text())
    assert {path.name for path in cut_off.iterdir()} == {
        *("scenario.toml", "workload.json", "machine.json", "rules.json", "run.json"),
        *(f"{table}.parquet" for table in TABLES),
    }


def test_recovering_twice_changes_nothing(cut_off: Path) -> None:
    first = record.recover(cut_off).content()
    assert record.recover(cut_off).content() == first


def test_a_last_line_cut_anywhere_loses_only_itself(cut_off: Path, tmp_path: Path) -> None:
    journal = (cut_off / "journal.ndjson").read_bytes()
    (cut_off / "journal.ndjson").write_bytes(journal[: journal.rstrip().rfind(b"\n") + 1])
    whole = (cut_off / "journal.ndjson").read_bytes()
    *_, last = whole.splitlines(keepends=True)
    assert b'"window"' in last
    kept = len(whole) - len(last)
    for length in range(len(last) + 1):
        folder = tmp_path / "cut"
        shutil.copytree(cut_off, folder)
        (folder / "journal.ndjson").write_bytes(whole[: kept + length])
        record.journal.repair(folder / "journal.ndjson")
        assert (folder / "journal.ndjson").read_bytes() == (whole if length == len(last) else whole[:kept])
        if length in (0, 1, len(last) // 2, len(last) - 1, len(last)):
            record.recover(folder)
            assert seconds(folder) == list(range(7 if length == len(last) else 6))
        shutil.rmtree(folder)


def test_a_journal_cut_before_its_first_second_is_a_run_without_figures(cut_off: Path) -> None:
    (cut_off / "journal.ndjson").write_bytes(b'{"window":{"sec')
    result = record.recover(cut_off).content()
    assert result["throughput_ops_per_s"] is None
    assert result["validity"]["state"] != "valid"


def test_a_line_of_zeros_in_the_middle_loses_its_second_only(cut_off: Path) -> None:
    lines = (cut_off / "journal.ndjson").read_bytes().splitlines(keepends=True)
    lines[4] = b"\0" * (len(lines[4]) - 1) + b"\n"
    (cut_off / "journal.ndjson").write_bytes(b"".join(lines))
    record.recover(cut_off)
    assert seconds(cut_off) == [0, 1, 3, 4, 5, 6]


def test_half_made_tables_are_made_again(cut_off: Path) -> None:
    (cut_off / "windows.parquet.tmp").write_bytes(b"PAR1")
    (cut_off / "engine.parquet").write_bytes(b"PAR1")
    record.recover(cut_off)
    assert seconds(cut_off) == list(range(7))
    assert not list(cut_off.glob("*.tmp"))


def test_nobody_recovers_a_run_that_is_going_on(tmp_path: Path) -> None:
    journal = record.begin(tmp_path / "run", folders.beginning(PLAN))
    with pytest.raises(LoadstoneError, match=r"error\[run-going-on\]"):
        record.recover(tmp_path / "run")
    journal.close()
    assert record.recover(tmp_path / "run").outcome == "crashed"


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LoadstoneError, match=r"error\[run-folder\]"):
        record.recover(tmp_path)


def test_a_folder_with_something_in_it_is_not_overwritten(cut_off: Path) -> None:
    with pytest.raises(LoadstoneError, match=r"error\[folder-in-use\]"):
        record.begin(cut_off, folders.beginning(PLAN))


def test_names_and_paths_may_hold_quotes_and_stars(tmp_path: Path) -> None:
    plan = simulated.plan(steady_s=4.0, mix={"it's": {"it's": 0.5, 'a "b"': 0.5}, 'a "b"': {"it's": 1.0}})
    result = folders.made(tmp_path / "run's [*]", plan, simulated.windows(plan, quick))
    assert set(result["operations"]) == {"it's", 'a "b"'}
    assert all(operation["count"] for operation in result["operations"].values())
