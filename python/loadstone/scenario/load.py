"""Reads a scenario: file, overrides, shape, meaning; refuses it with everything that is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.goals import Goal, SlaRules, parse_all
from loadstone.scenario import (
    address,
    checks,
    compose,
    composed,
    data,
    forwarded,
    model,
    plan,
    single,
    sources,
    written,
)
from loadstone.scenario.built import Built
from loadstone.scenario.faults import Fault
from loadstone.scenario.findings import Finding, Source
from loadstone.scenario.overrides import apply
from loadstone.scenario.scaling import Scaling
from loadstone.scenario.target import Target
from loadstone.unit import Unit


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
    members: tuple[compose.Member, ...] = ()
    """The scenarios that it consists of; empty where it is one."""

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
        index, of = slice
        return {
            **self._body,
            "seed": seed,
            "target": there,
            "load": self._load(load),
            "slice": {"index": index, "of": of},
        }

    def _load(self, load: float | None) -> dict[str, Any]:
        """The planned load, or another one in its place, from which its shape then begins."""
        planned = dict(self._body["load"])
        if load is None:
            return planned
        planned[self.unit] = load
        shape = self.file.load.shape
        if shape is not None and shape.kind != "file":
            whole = not self.unit.is_rate
            planned["profile"] = shape.profile(load, self.file.load.steady_s, Path(), whole=whole)
        return planned


def load_scenario(
    path_or_name: str | Path, overrides: Mapping[str, str] | None = None, goals: Sequence[str] = ()
) -> Scenario:
    """Reads the file, or the built-in scenario, of that name.

    `overrides` are `--set` options, path by value; `goals` come after those of the file. LoadstoneError when
    the file cannot be read, ScenarioError with everything that is wrong in it.
    """
    return _changed(written.written(path_or_name), overrides, goals)


def checked(built: Built, overrides: Mapping[str, str] | None = None, goals: Sequence[str] = ()) -> Scenario:
    """A scenario that was built in Python; arguments and errors as of `load_scenario`."""
    return _changed(written.of_built(built), overrides, goals)


def _changed(file: written.Written, overrides: Mapping[str, str] | None, goals: Sequence[str]) -> Scenario:
    try:
        raw = composed.named(file.raw)
        own, of_parts = forwarded.split(raw, overrides or {})
        changed, options = apply(raw, own, goals)
        source = Source(str(file.path), file.positions, changed, options)
        _require_format(changed, source)
        if composed.SCENARIO in changed:
            return _composed(compose.whole(changed, source, file, of_parts), file.path)
        return _single(single.single(changed, source, file.path.parent), file)
    except RecursionError as error:
        raise LoadstoneError(
            "toml-syntax", "tables or lists are nested too deeply", place=str(file.path)
        ) from error


def _require_format(raw: Mapping[str, Any], source: Source) -> None:
    if raw.get("format") != model.FORMAT or isinstance(raw["format"], bool):
        found = f"format {raw['format']} is not known" if "format" in raw else "`format` is missing"
        hint = f"this version reads `format = {model.FORMAT}`"
        raise source.errors([Finding("format-version", found, ("format",), hint)])


def _single(one: single.Single, written_as: written.Written) -> Scenario:
    try:
        body = plan.Planner(one.data, one.columns, one.folder).plan(one.file)
    except data.ColumnError as error:
        raise one.source.errors([Finding(error.slug, str(error), ("load", "shape"), error.hint)]) from error
    warnings = tuple(one.source.error(finding) for finding in checks.warnings(one.file))
    return Scenario(one.file, written_as.path, written_as.text, one.data, warnings, body, one.source)


def _composed(whole: compose.Whole, path: Path) -> Scenario:
    warnings = tuple(whole.warnings)
    return Scenario(
        whole.file, path, whole.text, whole.data, warnings, whole.body, whole.source, tuple(whole.members)
    )
