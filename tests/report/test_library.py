"""`import loadstone`: typed results and tables, as the page of the documentation has them."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import loadstone
from loadstone.errors import LoadstoneError

PAGE = Path(__file__).parents[2] / "docs/reference/library.md"
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_block_of_the_page_runs(
    run_folder: Path, full_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs/olio").symlink_to(run_folder)
    (tmp_path / "runs/olio-capacity").symlink_to(full_folder)
    monkeypatch.chdir(tmp_path)
    blocks = PYTHON.findall(PAGE.read_text("utf-8"))
    assert len(blocks) == 3
    names: dict[str, object] = {}
    with contextlib.redirect_stdout(io.StringIO()) as said:
        for block in blocks:
            exec(compile(block, str(PAGE), "exec"), names)
    lines = said.getvalue().splitlines()
    run = loadstone.open("runs/olio").run
    assert lines[0].startswith("valid {'SLA-1': ")
    assert (
        f"HomePage {run.operations['HomePage'].count} {run.operations['HomePage'].response_ms.p90}" in lines
    )
    assert "200" in lines and any(line.startswith("runs/0001-100 100 ") for line in lines)


def test_seconds_are_an_arrow_table(run_folder: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    results = loadstone.open(run_folder)
    table = results.arrow()
    assert table.schema.field("ok").type == pyarrow.int64() and table.num_rows > 0
    assert pyarrow.table(results.table("engine")).num_rows == results.arrow("engine").num_rows
    steady = results.seconds().filter("phase = 'steady'").aggregate("sum(ok + failed)").fetchall()[0][0]
    assert steady == sum(one.count for one in results.run.operations.values())


def test_records_are_typed_and_read_once(full_folder: Path) -> None:
    results = loadstone.open(str(full_folder))
    assert results.capacity is results.capacity
    assert results.verdicts == {"SLA-1": "met", "SLA-2": "met"}
    assert results.nodes.chosen and results.nodes.chosen.deployment == "PF cloud"
    assert set(results.cost.per_user) <= {"SLA-1", "SLA-2"}
    assert repr(results) == f"loadstone.open({str(full_folder)!r})"


def test_what_is_not_there_is_said(run_folder: Path, tmp_path: Path) -> None:
    results = loadstone.open(run_folder)
    for ask, said in (
        (lambda: loadstone.open(tmp_path), "has none of run.json, capacity.json"),
        (lambda: results.capacity, "has no capacity.json"),
        (lambda: results.table("windoes"), "has no table `windoes`"),
        (lambda: results.table("../run"), "has no table"),
    ):
        with pytest.raises(loadstone.LoadstoneError, match=said) as error:
            ask()
        assert error.value.slug == "results-folder"
    assert LoadstoneError is loadstone.LoadstoneError and loadstone.__version__
    with pytest.raises(AttributeError):
        _ = loadstone.opne  # type: ignore[attr-defined]


def test_a_missing_table_is_named(run_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(run_folder, tmp_path / "run")
    (tmp_path / "run/windows.parquet").unlink()
    with pytest.raises(LoadstoneError, match=r"has no windows\.parquet"):
        loadstone.open(tmp_path / "run").seconds()


def test_the_import_alone_brings_nothing_along() -> None:
    heavy = ("duckdb", "numpy", "pydantic", "scipy")
    said = f"import sys, loadstone; print([one for one in {heavy} if one in sys.modules])"
    made = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert made.stdout == "[]\n"
