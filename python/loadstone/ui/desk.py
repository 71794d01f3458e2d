"""What can be asked for: the page and its files, scenarios, runs, their events, reports and comparisons."""

from __future__ import annotations

import gzip
from collections.abc import Generator
from dataclasses import asdict
from functools import cache
from http import HTTPStatus
from importlib import resources
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.live import live_of
from loadstone.measure import control
from loadstone.report.figures import theme
from loadstone.report.figures.figure import layout
from loadstone.ui import words
from loadstone.ui.form import Fields, Terms
from loadstone.ui.launch import Launcher
from loadstone.ui.reply import Reply, event
from loadstone.ui.runs import Runs
from loadstone.ui.watched import All, Watched

_FILES = {
    "/": ("page.html", "text/html; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/form.js": ("form.js", "text/javascript; charset=utf-8"),
    "/run.js": ("run.js", "text/javascript; charset=utf-8"),
    "/ask.js": ("ask.js", "text/javascript; charset=utf-8"),
    "/charts.js": ("charts.js", "text/javascript; charset=utf-8"),
    "/list.js": ("list.js", "text/javascript; charset=utf-8"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
}
_HEIGHT = 230
"""Of a chart, pixels."""
_HEARTBEAT_S = 10.0
"""So often something is written to a page that looks at a run: only then is it seen that it is gone."""


class Desk:
    """Answers for one folder of runs."""

    def __init__(self, place: Path, terms: Terms, launcher: Launcher, expected: str | None = None) -> None:
        """`place`: the folder whose folders are runs. `expected`: one that is about to begin."""
        self.runs, self.watching = Runs(place), All()
        self._terms, self._launcher, self._expected = terms, launcher, expected

    def get(self, path: str, query: dict[str, str]) -> Reply:
        """What is at `path`. LoadstoneError with what is wrong."""
        if path in _FILES:
            return _file(*_FILES[path])
        match path.strip("/").split("/"):
            case ["plotly.js"]:
                return _plotly()
            case ["theme.css"]:
                return Reply(HTTPStatus.OK, "text/css; charset=utf-8", _theme().encode())
            case ["frame.json"]:
                return Reply.json({"light": theme.LIGHT, "dark": theme.DARK, "layout": layout(_HEIGHT)})
            case ["style.css" | "coloured.js" as name]:
                kind = "css" if name.endswith("css") else "javascript"
                return _file(name, f"text/{kind}; charset=utf-8", "loadstone.report", "templates")
            case ["scenarios"]:
                return Reply.json(self._terms.scenarios())
            case ["scenario"]:
                return Reply.json(asdict(self._terms.choice(self._offered(query.get("name", "")))))
            case ["runs"]:
                return Reply.json(self._rows())
            case ["runs", name, "report"]:
                return _report(self.runs.folder(name))
            case ["runs", name, "events"]:
                return Reply.events(_events(self._watched(name)))
            case ["compare" | "comparable" as what]:
                places = [self.runs.folder(query.get(side, "")) for side in ("old", "new")]
                anyway = "anyway" in query
                return _compared(places, anyway) if what == "compare" else _comparable(places, anyway)
        return Reply.text(HTTPStatus.NOT_FOUND, "there is nothing here\n")

    def post(self, path: str, content: Any) -> Reply:
        """Does what is asked. LoadstoneError with what is wrong."""
        match path.strip("/").split("/"):
            case ["runs"]:
                return self._start(content)
            case ["runs", name, "load"]:
                if not _is_number(content):
                    return Reply.text(HTTPStatus.BAD_REQUEST, "a load is a number\n")
                folder = self.runs.folder(name)
                return Reply.json({"at_s": control.ask(folder, live_of(folder).unit, float(content))})
            case ["runs", name, "stop"]:
                self._stop(self._watched(name))
                return Reply.json({"stopping": True})
        return Reply.text(HTTPStatus.NOT_FOUND, "there is nothing here\n")

    def _offered(self, name: str) -> str:
        """A scenario of the list: no other file of the machine is read by its name."""
        if name not in self._terms.scenarios():
            raise LoadstoneError(
                "scenario-missing", f"the scenario `{name}` is not in the list", hint="load the page anew"
            )
        return name

    def _start(self, content: Any) -> Reply:
        try:
            fields = Fields.of(content)
        except ValueError as error:
            return Reply.text(HTTPStatus.BAD_REQUEST, f"{error}\n")
        arguments, problems = self._terms.checked(fields)
        if not problems:
            self._offered(fields.scenario)
            folder, process = self._launcher.start(self.runs.place, fields.scenario, arguments)
            self.watching.at(folder, process)
            return Reply.json({"name": folder.name})
        found = [asdict(problem) for problem in problems]
        return Reply.json({"problems": found}, HTTPStatus.UNPROCESSABLE_ENTITY)

    def _stop(self, watched: Watched) -> None:
        """Before it writes its folder, only its process can be told."""
        if watched.process is not None and not control.answers(watched.folder):
            watched.process.stop()
        else:
            control.stop(watched.folder)

    def _rows(self) -> list[dict[str, Any]]:
        starting = [
            {"name": one.folder.name, "state": one.standing, "started_at": "", "what": "", "load": "",
             "verdict": "", "kind": ""}
            for one in self.watching.starting()
        ]  # fmt: skip
        return [*starting, *(asdict(row) for row in self.runs.rows())]

    def _watched(self, name: str) -> Watched:
        for one in self.watching.starting():
            if one.folder.name == name:
                return one
        folder = self.runs.place / name if name == self._expected else self.runs.folder(name)
        return self.watching.at(folder)


def _is_number(content: Any) -> bool:
    return isinstance(content, int | float) and not isinstance(content, bool)


def _events(watched: Watched) -> Generator[bytes]:
    """Everything that is known of a run, then what becomes known, until it is over."""
    watched.look()
    try:
        seconds = resources = version = -1
        record: Any = None
        while True:
            with watched.changed:
                if watched.version == version:
                    watched.changed.wait(_HEARTBEAT_S)
                told = [b": still here\n\n"]
                version = watched.version
                live = watched.live
                if live is not None and seconds < 0:
                    told.append(event("begun", words.begun(live)))
                    seconds = resources = 0
                if live is not None:
                    told.append(event("seconds", words.seconds(live, seconds, resources)))
                    seconds, resources = len(live.seconds), len(live.resources)
                if watched.record is not None and watched.record is not record:
                    record = watched.record
                    told.append(event("record", words.judged(record, watched.over)))
                told.append(event("state", words.standing(watched)))
                over = watched.over
            yield from told
            if over:
                yield event("over", {})
                return
    finally:
        watched.leave()


def _report(folder: Path) -> Reply:
    from loadstone import report

    if control.answers(folder):
        raise LoadstoneError(
            "run-going-on", f"the run in {folder} is still going on", hint="its report is made when it ends"
        )
    return Reply.report(report.page([report.read_chapter(folder)]))


def _compared(places: list[Path], anyway: bool) -> Reply:
    from loadstone.compare import compared, read_sides
    from loadstone.report.compared import comparison_page

    return Reply.report(comparison_page(compared(read_sides(places, anyway), anyway=anyway)))


def _comparable(places: list[Path], anyway: bool) -> Reply:
    """Why there would be no such page, and whether it can be had anyway: for the list of runs."""
    try:
        _compared(places, anyway)
    except LoadstoneError as error:
        way_out = not anyway and error.slug.startswith("compare-")
        return Reply.json({"refused": error.message, "anyway": way_out})
    return Reply.json({"refused": ""})


def _file(name: str, kind: str, package: str = "loadstone.ui", folder: str = "page") -> Reply:
    body = (resources.files(package) / folder / name).read_bytes()
    return Reply(HTTPStatus.OK, kind, body)


@cache
def _plotly() -> Reply:
    """Plotly as shipped in its Python package, which every report has inside."""
    packed = (resources.files("plotly") / "package_data" / "plotly.min.js").read_bytes()
    headers = {"Content-Encoding": "gzip", "Cache-Control": "private, max-age=86400"}
    return Reply(HTTPStatus.OK, "text/javascript; charset=utf-8", gzip.compress(packed, 6, mtime=0), headers)


@cache
def _theme() -> str:
    light, dark = ("".join(f"--{k}: {v}; " for k, v in one.items()) for one in (theme.LIGHT, theme.DARK))
    return f":root {{ {light}}}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark}}} }}\n"
