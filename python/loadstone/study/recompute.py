"""A study's findings and page drawn anew from its rows: nothing is measured, and nothing measured changes."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

from loadstone import record
from loadstone.errors import LoadstoneError
from loadstone.intake import Kind
from loadstone.study.order import take_up
from loadstone.study.page import study_page
from loadstone.study.record import HINT, NAME, StudyRecord
from loadstone.study.registry import STUDIES
from loadstone.study.results import NAME as ROWS
from loadstone.study.results import Results
from loadstone.study.run import conclusion

Json = dict[str, Any]

_KIND = Kind("study-resume", "a study", 64 << 20, HINT)


def recomputed(folder: Path) -> Json:
    """`study.json` as this version draws it from the rows of the folder; nothing is written.

    One that was killed, or whose commands still measure, is said to be interrupted.

    LoadstoneError `study-resume` without a study or its rows, and what the study refuses.
    """
    begun = StudyRecord.read(folder / NAME, _KIND)
    if begun.name not in STUDIES or not (folder / ROWS).is_file():
        raise LoadstoneError("study-resume", f"no study with its {ROWS} in {folder}", hint=HINT)
    study = STUDIES[begun.name].study()(take_up(folder, begun.name))
    when = {"at": record.now(), "version": version("loadstone")}
    results = Results(folder, study.finished)
    if begun.ended_at is None:
        drawn = conclusion(study, begun.content(), "interrupted", results)
    else:
        drawn = begun.content() | study.findings(results)
    return drawn | {"recomputed": when}


def recompute(folder: Path) -> Json:
    """Writes `study.json` and the page anew; returns the former. Errors as `recomputed`, and
    `cannot-write`.
    """
    content = StudyRecord.of(recomputed(folder), _KIND, str(folder / NAME)).content()
    record.write_json(folder / NAME, content)
    record.write_text(folder / "report.html", study_page(folder))
    return content
