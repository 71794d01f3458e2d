"""What several scenarios are together: one target, and all operations, checks and goals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from loadstone import goals
from loadstone.errors import LoadstoneError
from loadstone.scenario import model
from loadstone.scenario.composed import DOT, ComposedFile
from loadstone.scenario.findings import Finding, ScenarioError, Source
from loadstone.scenario.positions import Path
from loadstone.scenario.sessions import Session
from loadstone.scenario.single import Single
from loadstone.scenario.target import Target
from loadstone.site import SITES

_OF_EACH = ("auth", "hosts")
"""Of [target]: what scenarios may differ in, and what is put together."""


@dataclass
class Merged:
    """Everything together. `source` knows where each part of `file` stands."""

    file: model.ScenarioFile
    data: dict[str, int | float | str]
    source: Source
    warnings: list[LoadstoneError] = field(default_factory=list)


def merged(top: ComposedFile, parts: Sequence[Single], source: Source) -> Merged:
    """The scenarios of a file, of which `source` says where it is. ScenarioError where they contradict."""
    errors = [*_targets(parts), *_data(parts), *_secrets(parts)]
    if errors:
        raise ScenarioError(errors)
    known: dict[str, int | float | str] = {}
    for part in parts:
        known |= {name: value for name, value in part.data.items() if name not in known}
    elsewhere: dict[Path, tuple[Source, Path]] = {}
    if top.target is None:
        elsewhere["target",] = (parts[0].source, ("target",))
    warnings = list[LoadstoneError]()
    operations, checks, wanted = list[model.Operation](), list(top.check), list(top.sla.goals)
    for said, part in zip(top.scenario, parts, strict=True):
        made = {operation.name for operation in part.file.walked}
        for number, operation in enumerate(part.file.operation):
            if operation.name not in made:
                continue
            elsewhere["operation", len(operations)] = (part.source, ("operation", number))
            pacing = operation.pacing or part.file.pacing
            name = f"{said.name}{DOT}{operation.name}"
            operations.append(operation.model_copy(update={"name": name, "pacing": pacing}))
        for number, check in enumerate(part.file.check):
            if check.per is not None:
                elsewhere["check", len(checks)] = (part.source, ("check", number))
                names = {"name": f"{said.name}{DOT}{check.name}", "per": f"{said.name}{DOT}{check.per}"}
                checks.append(check.model_copy(update=names))
        for number, text in enumerate(part.file.sla.goals):
            for goal in _goals(text, said.name, part.file):
                elsewhere["sla", "goals", len(wanted)] = (part.source, ("sla", "goals", number))
                wanted.append(goal)
        warnings += [part.source.error(finding) for finding in _left_out(part.file)]
    first = parts[0].file
    file = first.model_copy(
        update={
            "name": top.name,
            "summary": top.summary,
            "target": _target(parts),
            "data": {},
            "secrets": {name: one for part in parts for name, one in part.file.secrets.items()},
            "load": top.load,
            "session": Session(),
            "sla": top.sla.model_copy(update={"goals": wanted}),
            "operation": operations,
            "mix": None,
            "check": checks,
            "fault": top.fault,
            "scaling": top.scaling,
            "nodes": top.nodes,
            "cost": top.cost,
        }
    )
    whole = Source(source.file, source.positions, source.raw, source.overrides, (), elsewhere)
    return Merged(file, known, whole, warnings)


def _target(parts: Sequence[Single]) -> Target:
    hosts = {name: url for part in parts for name, url in part.file.target.hosts.items()}
    return parts[0].file.target.model_copy(update={"hosts": hosts})


def _targets(parts: Sequence[Single]) -> Iterator[LoadstoneError]:
    """Where [target] says something else than that of the first scenario."""
    first = dict(parts[0].file.target)
    hosts: dict[str, tuple[str, Single]] = {}
    hint = "write a [target] into the file that has them all: it stands in place of theirs"
    for part in parts:
        target = part.file.target
        for key, value in dict(target).items():
            if key not in _OF_EACH and value != first[key]:
                shown = "from" if key == "from_" else key
                message = f"`{shown}` is another one than in {_place(parts[0], ('target', shown))}: " \
                    "all scenarios of a run have one target"  # fmt: skip
                yield part.source.error(Finding("scenario-part", message, ("target", shown), hint))
        for name, url in target.hosts.items():
            known, whose = hosts.setdefault(name, (url, part))
            if known != url:
                where = _place(whose, ("target", "hosts", name))
                message = f"the host `{name}` is another one than in {where}"
                yield part.source.error(
                    Finding("scenario-part", message, ("target", "hosts", name), "rename one of them")
                )


def _data(parts: Sequence[Single]) -> Iterator[LoadstoneError]:
    """Where [data] makes another data set of a built-in application than that of the first scenario."""
    app = parts[0].file.target.app
    if app is None:
        return
    site = SITES[app]
    same = [part for part in parts if part.file.target.app == app]
    data = [dict(site.data.model_validate(site.given(part.data, part.file.target.options))) for part in same]
    for part, other in zip(same[1:], data[1:], strict=True):
        for key in (key for key, value in other.items() if value != data[0][key]):
            name = site.data.in_scenario.get(key, key)
            message = f"`{name}` makes other data of `{app}` than in {_place(parts[0], ('data', name))}"
            hint = "the service has one data set: give all scenarios the same"
            yield part.source.error(Finding("scenario-part", message, ("data", name), hint))


def _secrets(parts: Sequence[Single]) -> Iterator[LoadstoneError]:
    """Where a name stands for two secrets."""
    known: dict[str, tuple[Any, Single]] = {}
    for part in parts:
        for name, one in part.file.secrets.items():
            place = one.env or str((part.folder / str(one.file)).absolute())
            before, whose = known.setdefault(name, (place, part))
            if before != place:
                message = f"the secret `{name}` is another one than in {_place(whose, ('secrets', name))}"
                yield part.source.error(
                    Finding("scenario-part", message, ("secrets", name), "rename one of them")
                )


def _place(part: Single, path: Path) -> str:
    return part.source.place(path).split(", [")[0]


def _goals(text: str, name: str, file: model.ScenarioFile) -> list[str]:
    """A goal of one scenario as goals of the whole: of its own operations; none if it is about the run.

    `text` is one that was checked.
    """
    goal = goals.parse(text)
    if goal.each:
        rest = goal.text.removeprefix("every ")
        return [f"{name}{DOT}{operation.name} {rest}" for operation in file.walked]
    return [f"{name}{DOT}{goal.text}"] if goal.operation else []


def _left_out(file: model.ScenarioFile) -> Iterator[Finding]:
    """What a scenario says about a run of its own, and what is not done in one of several."""
    hint = "write it into the file that has them all, if it holds for the whole"
    for index, check in enumerate(file.check):
        if check.per is None:
            message = f"the check `{check.name}` is about a whole run: it is left out"
            yield Finding("scenario-part", message, ("check", index), hint)
    for index, text in enumerate(file.sla.goals):
        goal = goals.parse(text)
        if goal.operation is None and not goal.each:
            message = f"the goal `{goal.text}` is about a whole run: it is left out"
            yield Finding("scenario-part", message, ("sla", "goals", index), hint)
    for at, written in ((("fault", 0), file.fault), (("scaling",), file.scaling)):
        if written:
            yield Finding("scenario-part", f"`{at[0]}` of one of several scenarios is not done", at, hint)
