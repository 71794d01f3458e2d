"""Studies on a page: what `study.json` says, drawn and told by the study that wrote it."""

from __future__ import annotations

from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, read_object
from loadstone.report.folder import Json
from loadstone.report.html import page_of
from loadstone.report.sections import Article
from loadstone.study.record import HINT, NAME, StudyRecord
from loadstone.study.registry import STUDIES

_KIND = Kind("report-json", "a study", 64 << 20, HINT)


def read_study(folder: Path) -> Json:
    """The content of `study.json`, of any version. LoadstoneError `report-folder`, `report-json`."""
    path = folder / NAME
    found = read_object(path, _KIND) if path.is_file() else {}
    if found.get("name") not in STUDIES:
        raise LoadstoneError("report-folder", f"no study to report in {folder}", hint=HINT)
    if "parts" not in found:
        message = f"the study in {folder} is being measured, or was killed: it has no findings yet"
        hint = f"loadstone study recompute {folder} draws them from its rows"
        raise LoadstoneError("report-folder", message, hint=hint)
    return StudyRecord.of(found, _KIND, str(path)).filled()


def study_article(folder: Path) -> Article:
    """The study laid out. Errors as `read_study`."""
    found = read_study(folder)
    return STUDIES[found["name"]].page()(found, folder)


def study_page(folder: Path) -> str:
    """The study as HTML under 3 MB. Errors as `read_study`."""
    return page_of([study_article(folder)])
