"""Markdown, CSV, JSON and the command line, against golden files.

To make them anew after a change that is meant: `LOADSTONE_GOLDEN=write pytest tests/report`; then read
the diff.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import synthetic
from typer import Typer
from typer.testing import CliRunner, Result

from loadstone import report
from loadstone.cli.report import register
from loadstone.errors import LoadstoneError

GOLDEN = Path(__file__).parent / "golden"


def check(name: str, text: str) -> None:
    path = GOLDEN / name
    if os.environ.get("LOADSTONE_GOLDEN") == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="")
    assert text == path.read_bytes().decode("utf-8")


def command(*arguments: str) -> Result:
    app = Typer()
    register(app)
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return result


def test_markdown_of_a_run(run: report.Chapter) -> None:
    check("run.md", report.summary(run))


def test_markdown_of_the_whole_pipeline(full: report.Chapter) -> None:
    check("full.md", report.summary(full))


def test_csv(full: report.Chapter, tmp_path: Path) -> None:
    written = report.write_csv(full, tmp_path / "made" / "here")
    assert [path.stem for path in written] == list(report.all_tables(full))
    for path in written:
        check(f"csv/{path.name}", path.read_bytes().decode("utf-8"))


def test_csv_cells_are_no_formulas(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    summary = synthetic.run(folder, ramp_up=2, steady=3)
    operations = {'=HYPERLINK("x")': summary["operations"]["HomePage"]}
    (folder / "run.json").write_text(json.dumps(summary | {"operations": operations}))
    table = report.all_tables(report.read_chapter(folder))["operations"]
    assert table.csv().splitlines()[1].startswith('"\'=HYPERLINK(""x"")"')


def test_markdown_cells_are_no_markup(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    summary = synthetic.run(folder, ramp_up=2, steady=3)
    operations = {"a|b\n<i>`c`": summary["operations"]["HomePage"]}
    (folder / "run.json").write_text(json.dumps(summary | {"operations": operations}))
    table = report.all_tables(report.read_chapter(folder))["operations"]
    assert table.markdown().splitlines()[2].startswith("| a\\|b &lt;i>\\`c\\` |")


def test_json_is_all_there_is(full: report.Chapter, full_folder: Path) -> None:
    merged = report.as_json(full)
    for stage in ("capacity", "nodes", "cost"):
        assert merged[stage] == json.loads((full_folder / f"{stage}.json").read_text())
    assert len(merged["runs"]) == 8
    assert merged["sentence"] == report.sentence(full)


def test_the_command_writes_the_page_beside_its_source(tmp_path: Path) -> None:
    synthetic.run(tmp_path / "run", ramp_up=2, steady=3)
    result = command(str(tmp_path / "run"))
    page = tmp_path / "run" / "report.html"
    assert result.stdout == f"{page}\n"
    assert page.read_text().startswith("<!doctype html>")
    assert not list(page.parent.glob(".*"))


def test_the_command_prints_what_is_asked_for(run_folder: Path, tmp_path: Path) -> None:
    assert command(str(run_folder), "--markdown").stdout.startswith("### Olio on this machine")
    assert json.loads(command(str(run_folder), "--json").stdout)["kind"] == "report"
    assert len(json.loads(command(str(run_folder), str(run_folder), "--json").stdout)) == 2
    assert not (run_folder / "report.html").exists()
    command(
        str(run_folder), "--markdown", "--csv", str(tmp_path / "csv"), "--out", str(tmp_path / "a" / "b.html")
    )
    assert (tmp_path / "csv" / "checks.csv").is_file()
    assert (tmp_path / "a" / "b.html").is_file()


def test_a_place_that_cannot_be_written(run: report.Chapter, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LoadstoneError) as caught:
        report.write_csv(run, tmp_path / "file" / "below")
    assert (caught.value.slug, caught.value.exit_code) == ("cannot-write", 4)
