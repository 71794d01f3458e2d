"""`loadstone report`: the page, and the same as Markdown, CSV and JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from loadstone.errors import LoadstoneError

Folders = Annotated[
    list[Path],
    typer.Argument(help="Run, capacity or demo folders; several become one page, one after the other."),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        help="File of the page. Default: report.html in the folder; of several folders, in the current one.",
    ),
]
AsMarkdown = Annotated[bool, typer.Option("--markdown", help="Print a Markdown summary for CI instead.")]
Csv = Annotated[
    Path | None, typer.Option("--csv", metavar="DIR", help="Also write every table as CSV into DIR.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print everything the folders say as JSON instead.")]


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("report", epilog="Example: loadstone report out/olio --csv tables/")(_report)


def _report(
    folders: Folders,
    out: Out = None,
    markdown: AsMarkdown = False,
    csv: Csv = None,
    as_json: AsJson = False,
) -> None:
    """Make report.html, one file that needs no network: answer, charts, tables, and how it was measured."""
    # Imported here: the other commands need not wait for the database and the templates.
    from loadstone.intake import as_written
    from loadstone.intake.tables import reading_tables
    from loadstone.report.folder import HINT

    told = Path(", ".join(map(str, folders)))
    with as_written("report-json", told, HINT), reading_tables("report-json", told, HINT):
        _made(folders, out, markdown, csv, as_json)


def _made(folders: list[Path], out: Path | None, markdown: bool, csv: Path | None, as_json: bool) -> None:
    """Makes the page, or another output that was asked for, from what the folders hold."""
    from loadstone import record, report

    if any((folder / "probe-plan.json").is_file() for folder in folders):
        _of_probes(folders, out, as_json, markdown or csv is not None)
        return
    if any((folder / "study.json").is_file() for folder in folders):
        from loadstone.study.page import read_study, study_page

        _alone("a study", folders, out, as_json, markdown or csv is not None, read_study, study_page)
        return
    # A run of an earlier version has another file of this name: what its engine was told to do.
    if any((folder / "plan.json").is_file() and not (folder / "rules.json").is_file() for folder in folders):
        from loadstone.report.plan import plan_page, read_plan

        _alone(
            "a plan", folders, out, as_json, markdown or csv is not None,
            lambda folder: read_plan(folder).content(), plan_page,
        )  # fmt: skip
        return
    if any((folder / "chaos.json").is_file() for folder in folders):
        from loadstone.chaos.page import chaos_page, read_chaos

        _alone("chaos", folders, out, as_json, markdown or csv is not None, read_chaos, chaos_page)
        return
    if any((folder / "inject.json").is_file() for folder in folders):
        from loadstone.inject.page import inject_page, read_inject

        _alone(
            "injections", folders, out, as_json, markdown or csv is not None,
            lambda folder: read_inject(folder).content(), inject_page,
        )  # fmt: skip
        return
    if any((folder / "compare.json").is_file() for folder in folders):
        from loadstone.report.compared import comparison_page, read_comparison

        _alone(
            "a comparison", folders, out, as_json, markdown or csv is not None,
            lambda folder: read_comparison(folder).content(),
            lambda folder: comparison_page(read_comparison(folder)),
        )  # fmt: skip
        return
    if any((folder / "learn.json").is_file() for folder in folders):
        from loadstone.report.learned import learned_page, read_learned

        _alone(
            "what was learned", folders, out, as_json, markdown or csv is not None,
            lambda folder: read_learned(folder).content(),
            lambda folder: learned_page(read_learned(folder)),
        )  # fmt: skip
        return
    chapters = [report.read_chapter(folder) for folder in folders]
    if csv:
        for index, chapter in enumerate(chapters, 1):
            target = csv if len(chapters) == 1 else csv / f"{index}-{chapter.folder.resolve().name}"
            for path in report.write_csv(chapter, target):
                print(path, file=sys.stderr)
    if markdown:
        print("\n".join(report.summary(chapter) for chapter in chapters), end="")
    if as_json:
        merged = [report.as_json(chapter) for chapter in chapters]
        print(json.dumps(merged[0] if len(merged) == 1 else merged, indent=2, ensure_ascii=False))
    if out or not (markdown or as_json):
        path = out or (folders[0] / "report.html" if len(folders) == 1 else Path("report.html"))
        record.make_folder(path.parent)
        record.write_text(path, report.page(chapters))
        print(path)


def _of_probes(folders: list[Path], out: Path | None, as_json: bool, more: bool) -> None:
    """Makes the page of probes anew. A probe that was killed is first completed from its lines."""
    from loadstone import probe, record
    from loadstone.report.probe import probe_page

    if more or not all((folder / "probe-plan.json").is_file() for folder in folders):
        message = "folders of probes have a page of their own, and neither --markdown nor --csv"
        raise LoadstoneError("report-folder", message)
    found = [(folder, probe.conclude(folder)) for folder in folders]
    if as_json:
        merged = [content.content() for _, content in found]
        print(json.dumps(merged[0] if len(merged) == 1 else merged, indent=2, ensure_ascii=False))
    if out or not as_json:
        path = out or (folders[0] / "report.html" if len(folders) == 1 else Path("report.html"))
        record.make_folder(path.parent)
        record.write_text(path, probe_page(found))
        print(path)


def _alone(
    what: str,
    folders: list[Path],
    out: Path | None,
    as_json: bool,
    more: bool,
    read: Callable[[Path], Any],
    page: Callable[[Path], str],
) -> None:
    """Makes anew the page of something that has a page of its own."""
    from loadstone import record

    if more or len(folders) > 1:
        message = f"{what} has a page of its own, and neither --markdown nor --csv"
        raise LoadstoneError("report-folder", message)
    (folder,) = folders
    if as_json:
        print(json.dumps(read(folder), indent=2, ensure_ascii=False))
    if out or not as_json:
        path = out or folder / "report.html"
        record.make_folder(path.parent)
        record.write_text(path, page(folder))
        print(path)
