"""Reads a scenario: file, overrides, shape, meaning; refuses it with everything that is wrong."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.goals import Goal, SlaRules, parse_all
from loadstone.intake import Kind, decoded, read_bytes, toml_of
from loadstone.scenario import (
    address,
    app,
    builtin,
    checks,
    data,
    feeds,
    hooks,
    model,
    plan,
    python_file,
    secrets,
    shape,
    sources,
    values,
)
from loadstone.scenario.built import Built
from loadstone.scenario.faults import Fault
from loadstone.scenario.findings import Finding, Source, suggest
from loadstone.scenario.overrides import apply
from loadstone.scenario.positions import Positions
from loadstone.scenario.scaling import Scaling
from loadstone.scenario.target import Target
from loadstone.unit import Unit

_KIND = Kind("scenario-missing", "a scenario")


@dataclass(frozen=True)
class Scenario:
    """A checked scenario."""

    file: model.ScenarioFile
    path: Path
    text: bytes
    data: Mapping[str, int | float | str]
    warnings: tuple[LoadstoneError, ...]
    _body: Mapping[str, Any]
    _source: Source

    @property
    def name(self) -> str:
        """Its name."""
        return self.file.name

    @property
    def operations(self) -> list[model.Operation]:
        """Operations in the order of the file and of the plan; `limit_s` is each one's limit."""
        return self.file.walked

    @property
    def checks(self) -> list[model.Check]:
        """Conditions on a valid run."""
        return self.file.check

    @property
    def faults(self) -> list[Fault]:
        """What is done to hosts of the topology meanwhile, in the order of its time."""
        return sorted(self.file.fault, key=lambda fault: fault.at_s)

    @property
    def scaling(self) -> Scaling | None:
        """How many servers serve meanwhile, and by which policy."""
        return self.file.scaling

    @property
    def target(self) -> Target:
        """The URL or the built-in application."""
        return self.file.target

    @property
    def sla_window_s(self) -> float:
        """Length of the windows in which the SLA is judged, seconds."""
        return self.file.sla.window_s

    @property
    def sla_rules(self) -> SlaRules | None:
        """The rules that it claims to follow."""
        return self.file.sla.rules

    @property
    def goals(self) -> list[str]:
        """What is judged besides SLA-1 and SLA-2."""
        return self.file.sla.goals

    @property
    def unit(self) -> Unit:
        """What its load is counted in."""
        return Unit.of(dict(self.file.load))

    def require_users(self, whose: str) -> None:
        """LoadstoneError `open-workload` when something arrives at a rate and `whose` speaks of users."""
        unit = self.unit
        if unit.is_rate:
            rate = getattr(self.file.load, unit)
            message = f"{whose} of users, and here {unit.things} arrive at a rate ({rate:g} a second)"
            hint = f"--set load.users=N makes users of them; another rate is --set load.{unit}=R"
            raise self._source.error(Finding("open-workload", message, ("load", unit.value), hint))

    def require_sources(self) -> None:
        """LoadstoneError `source-address` when `from` of [target] has an address of another machine."""
        for finding in sources.foreign(self.target.from_):
            raise self._source.error(finding)

    def require_one_load(self) -> None:
        """LoadstoneError `load-profile` when the load changes: a search looks for one that holds."""
        load = self.file.load
        if load.changes:
            key = "shape" if load.shape else "profile"
            message = f"a search looks for one load, and the `{key}` of [load] changes it during every run"
            hint = "leave it out: without it each run of the search has one load"
            raise self._source.error(Finding("load-profile", message, ("load", key), hint))

    def searched(self) -> list[Goal]:
        """The goals, each of which more load can break. LoadstoneError `goal` when one is not so."""
        found = parse_all(self.goals, [operation.name for operation in self.operations])
        for index, goal in enumerate(found):
            if why := goal.unsearched:
                hint = "leave it out of the search, or judge it with `loadstone run`"
                message = f"`{goal.text}` {why}"
                raise self._source.error(Finding("goal", message, ("sla", "goals", index), hint))
        return found

    @property
    def counters(self) -> list[str]:
        """Names of an operation's counters as the engine orders them: its own, then the counted steps."""
        return [*checks.COUNTERS, *checks.counts(self.file)]

    def plan(
        self,
        *,
        load: float | None = None,
        seed: int = 1,
        target: tuple[str, int] | None = None,
        slice: tuple[int, int] = (0, 1),
    ) -> dict[str, Any]:
        """The plan for one agent, ready for `json.dumps`.

        `target` is the (host, port) of a site at the root; without it the scenario's URL.
        `load` takes the place of the scenario's own: users, or the rate of what arrives.
        `slice` is (this agent from 0, number of agents). ValueError when there is no address.
        """
        if target is not None:
            there = address.of_site(*target)
        elif self.target.url is not None:
            there = address.of_target(self.target)
        else:
            raise ValueError(
                f"the built-in application `{self.target.app}` has no address before it is started"
            )
        if self.target.from_:
            there["from"] = sources.addresses(self.target.from_)
        loaded = dict(self._body["load"])
        if load is not None:
            loaded[self.unit] = load
        index, of = slice
        return {
            **self._body,
            "seed": seed,
            "target": there,
            "load": loaded,
            "slice": {"index": index, "of": of},
        }


def load_scenario(
    path_or_name: str | Path, overrides: Mapping[str, str] | None = None, goals: Sequence[str] = ()
) -> Scenario:
    """Reads the file, or the built-in scenario, of that name.

    `overrides` are `--set` options, path by value; `goals` come after those of the file. LoadstoneError when
    the file cannot be read, ScenarioError with everything that is wrong in it.
    """
    path = _find(path_or_name)
    if path.suffix == python_file.ENDING:
        return checked(python_file.built(path, _KIND), overrides, goals)
    text = read_bytes(path, _KIND)
    raw, positions = parse_toml(text, path)
    return _changed(raw, positions, path, text, overrides, goals)


def checked(built: Built, overrides: Mapping[str, str] | None = None, goals: Sequence[str] = ()) -> Scenario:
    """A scenario that was built in Python; arguments and errors as of `load_scenario`."""
    text = built.to_toml()
    raw = toml_of(text, str(built.file))
    return _changed(raw, built.places, built.file, text.encode(), overrides, goals)


def _changed(
    raw: Mapping[str, Any],
    positions: Positions,
    path: Path,
    text: bytes,
    overrides: Mapping[str, str] | None,
    goals: Sequence[str],
) -> Scenario:
    try:
        changed, options = apply(raw, overrides or {}, goals)
        source = Source(str(path), positions, changed, options)
        return _check(changed, source, path, text)
    except RecursionError as error:
        raise LoadstoneError(
            "toml-syntax", "tables or lists are nested too deeply", place=str(path)
        ) from error


def _find(path_or_name: str | Path) -> Path:
    path = Path(path_or_name)
    names = builtin.builtin_names()
    # `os.path`: a name longer than any file's is not a file; `Path` would raise.
    if str(path_or_name) in names and not os.path.isfile(path):
        return builtin.builtin_path(str(path_or_name))
    if not os.path.isfile(path):
        problem = "is not a file" if os.path.exists(path) else "does not exist"
        hint = suggest(str(path_or_name), names, f"a path, or one of the built-in {', '.join(names)}")
        raise LoadstoneError("scenario-missing", f"the scenario `{path_or_name}` {problem}", hint=hint)
    return path


def parse_toml(text: bytes, path: Path) -> tuple[dict[str, Any], Positions]:
    """The tables of a file and where its keys stand. LoadstoneError `toml-syntax` with the line."""
    words = decoded(text, "toml-syntax", path)
    return toml_of(words, str(path)), Positions(words)


def _check(raw: Mapping[str, Any], source: Source, path: Path, text: bytes) -> Scenario:
    if raw.get("format") != model.FORMAT or isinstance(raw["format"], bool):
        found = f"format {raw['format']} is not known" if "format" in raw else "`format` is missing"
        hint = f"this version reads `format = {model.FORMAT}`"
        raise source.errors([Finding("format-version", found, ("format",), hint)])
    known, findings = data.resolve(raw.get("data", {}))
    file, more = shape.parse(raw, known)
    options, wrong = app.options(raw, known)
    if file is None or findings or wrong:
        raise source.errors([*findings, *more, *wrong])
    file = file.with_options(options)
    findings = list(checks.errors(file, known))
    columns = _Feeds(path.parent)
    findings.extend(columns.check(file))
    findings.extend(secrets.errors(file.secrets, path.parent))
    findings.extend(_hooks(file, path.parent))
    if findings:
        raise source.errors(findings)
    try:
        body = plan.Planner(known, columns, path.parent).plan(file)
    except data.ColumnError as error:
        raise source.errors([Finding(error.slug, str(error), ("load", "shape"), error.hint)]) from error
    warnings = tuple(source.error(finding) for finding in checks.warnings(file))
    return Scenario(file, path, text, known, warnings, body, source)


def _hooks(file: model.ScenarioFile, folder: Path) -> Iterator[Finding]:
    """What is wrong with the functions that steps call."""
    for number, operation in enumerate(file.operation):
        for index, step in enumerate(operation.step):
            if step.call is not None:
                at = ("operation", number, "step", index)
                yield from hooks.errors(step.call, step.arguments, step.returns, folder, at)


class _Feeds:
    """The files that a scenario draws from, each column read once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[tuple[str, str], list[str]] = {}
        self._rows: dict[str, int] = {}

    def cells(self, file: str, column: str) -> list[str]:
        """All cells of a column. ColumnError."""
        if (file, column) not in self._read:
            self._read[file, column] = feeds.column(self._folder, file, column)
        return self._read[file, column]

    def rows(self, file: str) -> int:
        """How many rows a file has. ColumnError."""
        if file not in self._rows:
            self._rows[file] = feeds.rows(self._folder, file)
        return self._rows[file]

    def check(self, file: model.ScenarioFile) -> list[Finding]:
        """What is wrong with the files, and where they are drawn from."""
        findings = []
        for number, operation in enumerate(file.operation):
            for name, value in operation.draw.items():
                for drawn in _drawn_from_files(value):
                    try:
                        if isinstance(drawn, values.Row):
                            self.rows(drawn.file)
                        else:
                            self.cells(drawn.file, drawn.column)
                    except data.ColumnError as error:
                        path = ("operation", number, "draw", name)
                        findings.append(Finding(error.slug, str(error), path, error.hint))
        return findings


def _drawn_from_files(value: values.Value) -> list[values.Column | values.Row]:
    match value:
        case values.Column() | values.Row():
            return [value]
        case values.Username(id=inner) | values.Several(item=inner):
            return _drawn_from_files(inner)
    return []
