"""`loadstone export`: runs, searches and comparisons for CI servers, spreadsheets and notebooks."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loadstone.errors import LoadstoneError

if TYPE_CHECKING:
    from loadstone.report import Chapter
    from loadstone.stages.compare import Comparison


class Format(StrEnum):
    """What is written."""

    JUNIT = "junit"
    MARKDOWN = "markdown"
    CSV = "csv"
    PARQUET = "parquet"


_TABLES = (Format.CSV, Format.PARQUET)


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command()(export)


def export(
    folders: Annotated[
        list[Path], typer.Argument(metavar="FOLDER...", help="Run or capacity folders, or one of `compare`.")
    ],
    form: Annotated[
        Format,
        typer.Option(
            "--format",
            "-f",
            help="JUnit XML, Markdown for a pull request, or tables as CSV or Parquet.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="File, or folder of tables. Default: standard output, or `export`."),
    ] = None,
    sla: Annotated[
        int, typer.Option(min=1, max=2, help="JUnit: the SLA that decides. The other is skipped if not met.")
    ] = 1,
) -> None:
    """Write runs, searches or a comparison as JUnit XML, Markdown, CSV or Parquet.

    Exit code: 0 whatever the verdicts are, 2 bad input.

    Example: loadstone export runs/gate --format junit --out loadstone.xml
    """
    from loadstone import report

    comparison = _comparison(folders)
    chapters = [] if comparison else [report.read_chapter(folder) for folder in folders]
    if form in _TABLES:
        for path in _tables(chapters, comparison, out or Path("export"), form):
            print(path)
        return
    text = _junit(chapters, comparison, sla) if form is Format.JUNIT else _markdown(chapters, comparison)
    if out is None:
        sys.stdout.write(text)
        return
    from loadstone import record

    record.make_folder(out.parent)
    record.write_text(out, text)
    print(out)


def _comparison(folders: list[Path]) -> Comparison | None:
    """The record of `ab` in the only folder, if it is one. Error `report-folder` for several of them."""
    if not any((folder / "compare.json").is_file() for folder in folders):
        return None
    if len(folders) > 1:
        raise LoadstoneError("report-folder", "a comparison is exported by itself")
    from loadstone.report.compared import read_comparison

    return read_comparison(folders[0])


def _tables(chapters: list[Chapter], comparison: Comparison | None, target: Path, form: Format) -> list[Path]:
    from loadstone.report.exported import Form, write_comparison, write_runs

    shape: Form = "csv" if form is Format.CSV else "parquet"
    if comparison:
        return write_comparison(comparison, target, shape)
    _require_runs(chapters)
    return write_runs(chapters, target, shape)


def _require_runs(chapters: list[Chapter]) -> None:
    for chapter in chapters:
        if not chapter.runs:
            message = f"{chapter.folder} has no run, so there are no operations to export"
            raise LoadstoneError("report-folder", message, hint="give a run folder, or one of `capacity`")


def _markdown(chapters: list[Chapter], comparison: Comparison | None) -> str:
    from loadstone import report

    if comparison:
        from loadstone.cli.compare import markdown

        return markdown(comparison) + "\n"
    return "\n".join(report.summary(chapter) for chapter in chapters)


def _junit(chapters: list[Chapter], comparison: Comparison | None, sla: int) -> str:
    from loadstone.report.cases import capacity_cases, comparison_cases, run_cases
    from loadstone.report.junit import Suite, junit

    if comparison:
        return junit([Suite(comparison.name or "comparison", comparison, comparison_cases(comparison))])
    suites = []
    for chapter in chapters:
        if chapter.capacity:
            suites.append(Suite(chapter.name, chapter.capacity, capacity_cases(chapter.capacity, sla)))
        elif chapter.detail:
            run = chapter.detail.summary
            suites.append(Suite(chapter.name, run, run_cases(run, sla)))
        else:
            message = f"{chapter.folder} has no verdict: neither a run nor a search"
            raise LoadstoneError("report-folder", message, hint="give a run folder, or one of `capacity`")
    return junit(suites)
