"""From several scenarios to one whose users each belong to one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from loadstone.errors import LoadstoneError
from loadstone.scenario import builtin, checks, composed, data, merged, model, plan, shape, written
from loadstone.scenario.composed import DOT, OWN, SCENARIO, ComposedFile
from loadstone.scenario.findings import Finding, ScenarioError, Source
from loadstone.scenario.forwarded import Changes
from loadstone.scenario.positions import Path as Keys
from loadstone.scenario.single import Single, single
from loadstone.scenario.toml_text import document

Json = dict[str, Any]


@dataclass(frozen=True)
class Member:
    """One of several scenarios, for people: its name, its file, and its share of the whole, from 0 to 1."""

    name: str
    file: str | None
    share: float


@dataclass
class Whole:
    """All of them together."""

    file: model.ScenarioFile
    """As if it were one: every operation, with the scenario's name before its own."""
    text: bytes
    """A file that has all of them inside."""
    data: Mapping[str, int | float | str]
    body: Json
    source: Source
    members: list[Member]
    warnings: list[LoadstoneError] = field(default_factory=list)


def whole(
    raw: Mapping[str, Any], source: Source, file: written.Written, changes: Mapping[int, Changes]
) -> Whole:
    """The scenario of the tables `raw`, as `--set` changed them; `changes` are those of its scenarios.

    ScenarioError with everything that is wrong, each at its place in the file that has it.
    """
    top = _top(raw, source)
    parts, texts = _parts(raw, source, file, changes)
    together = merged.merged(top, parts, source)
    findings = list(checks.of_the_run(together.file))
    if findings:
        raise together.source.errors(findings)
    return Whole(
        file=together.file,
        text=_text(file, texts),
        data=together.data,
        body=_body(top, parts, together, file.path.parent),
        source=together.source,
        members=_members(top),
        warnings=[
            *(together.source.error(finding) for finding in checks.warnings(together.file)),
            *together.warnings,
        ],
    )


def _top(raw: Mapping[str, Any], source: Source) -> ComposedFile:
    """What the file says itself."""
    try:
        top = ComposedFile.model_validate(raw, context={"data": {}})
    except ValidationError as error:
        raise source.errors(shape.explain(error, raw, lambda table: shape.known_keys(table, raw))) from None
    if findings := list(composed.check(top)):
        raise source.errors(findings)
    return top


def _members(top: ComposedFile) -> list[Member]:
    total = sum(part.share for part in top.scenario)
    return [Member(part.name, part.file, part.share / total) for part in top.scenario]


def _parts(
    raw: Mapping[str, Any], source: Source, file: written.Written, changes: Mapping[int, Changes]
) -> tuple[list[Single], list[Mapping[str, Any]]]:
    """Each scenario checked, and what it says without the changes of the command line."""
    parts, texts = list[Single](), list[Mapping[str, Any]]()
    errors: dict[str, LoadstoneError] = {}
    for index, part in enumerate(raw[SCENARIO]):
        try:
            said, where, folder = _said(part, index, source, file)
            texts.append(said)
            changed, options = changes[index].applied(said)
            changed, elsewhere = _of_the_whole(changed, raw, source)
            shown = where.raw if where.within else changed
            own = Source(where.file, where.positions, shown, options, where.within, elsewhere)
            parts.append(single(changed, own, folder))
        except ScenarioError as error:
            # What stands in the file of all is found wrong by each.
            errors |= {str(one): one for one in error.errors}
        except LoadstoneError as error:
            errors[str(error)] = error
    if errors:
        raise ScenarioError(list(errors.values()))
    return parts, texts


def _said(
    part: Mapping[str, Any], index: int, source: Source, file: written.Written
) -> tuple[Mapping[str, Any], Source, Path]:
    """What one scenario says, where it says it, and the folder of its files. Errors as `written.written`."""
    at: Keys = (SCENARIO, index)
    if part.get("file") is None:
        inside = {key: value for key, value in part.items() if key not in OWN}
        raw = {"format": model.FORMAT, "name": part["name"], **inside}
        return raw, Source(source.file, source.positions, source.raw, {}, at), file.path.parent
    beside = file.path.parent / part["file"]
    comes_with_us = part["file"] in builtin.builtin_names() and not beside.is_file()
    try:
        found = written.written(part["file"] if comes_with_us else beside)
    except LoadstoneError as error:
        if error.slug != "scenario-missing":
            raise
        raise source.error(
            Finding("scenario-part", error.message, (*at, "file"), error.hint or "")
        ) from error
    if SCENARIO in found.raw:
        message = f"`{part['file']}` consists of several scenarios itself"
        raise source.error(Finding("scenario-part", message, (*at, "file"), "name each of them here"))
    where = Source(str(found.path), found.positions, found.raw, {})
    if found.raw.get("format") != model.FORMAT:
        hint = f"this version reads `format = {model.FORMAT}`"
        raise where.error(Finding("format-version", "`format` is missing or not known", ("format",), hint))
    return found.raw, where, found.path.parent


def _of_the_whole(
    said: Mapping[str, Any], raw: Mapping[str, Any], source: Source
) -> tuple[dict[str, Any], dict[Keys, tuple[Source, Keys]]]:
    """A scenario with the load and the target of all, and where these stand.

    Further hosts and who it says that it is (`auth`) a scenario keeps.
    """
    elsewhere: dict[Keys, tuple[Source, Keys]] = {("load",): (source, ("load",))}
    changed = {**said, "load": raw.get("load", {})}
    target = raw.get("target")
    if isinstance(target, Mapping):
        own = said.get("target")
        kept = own if isinstance(own, Mapping) else {}
        for key in (key for key in target if key != "hosts"):
            elsewhere["target", key] = (source, ("target", key))
        auth = {"auth": kept["auth"]} if "auth" in kept else {}
        hosts, mine = target.get("hosts", {}), kept.get("hosts", {})
        if isinstance(hosts, Mapping) and isinstance(mine, Mapping):
            elsewhere |= {("target", "hosts", name): (source, ("target", "hosts", name)) for name in hosts}
            hosts = {**mine, **hosts}
        changed["target"] = {**auth, **target, **({"hosts": hosts} if hosts else {})}
    return changed, elsewhere


def _text(file: written.Written, parts: Sequence[Mapping[str, Any]]) -> bytes:
    """One file with all scenarios inside, so that a record does not hang on others."""
    listed = composed.named(file.raw)[SCENARIO]
    if all(part.get("file") is None for part in listed):
        return file.text
    inside = [
        {"name": part["name"], "share": part["share"], **_inside(said)}
        for part, said in zip(listed, parts, strict=True)
    ]
    return document({**file.raw, SCENARIO: inside}).encode()


def _inside(said: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in said.items() if key not in ("format", "name", "load", *OWN)}


def _body(top: ComposedFile, parts: Sequence[Single], together: merged.Merged, folder: Path) -> Json:
    """The plan of all: everything but seed, target and slice."""
    shared = plan.Shared(folder)
    walks = [plan.Planner(part.data, part.columns, part.folder, shared).walk(part.file) for part in parts]
    weights = composed.weights([part.share for part in top.scenario])
    try:
        load = plan.load_of(together.file.load, folder)
    except data.ColumnError as error:
        finding = Finding(error.slug, str(error), ("load", "shape"), error.hint)
        raise together.source.errors([finding]) from error
    body: Json = {"name": top.name, "load": load, "operations": [], "mix": {}, "scenarios": []}
    for part, walk, weight in zip(top.scenario, walks, weights, strict=True):
        prefixed = _prefixed(part.name, walk)
        body["operations"] += prefixed["operations"]
        body["mix"] |= prefixed["mix"]
        body["scenarios"].append(
            {
                "name": part.name,
                "weight": weight,
                "operations": len(prefixed["operations"]),
                "session": prefixed["session"],
                "browser": prefixed["browser"],
            }
        )
    return body | shared.planned()


def _prefixed(name: str, walk: Json) -> Json:
    """The walk with the scenario's name before those of its operations, each with its pacing."""

    def full(operation: str) -> str:
        return operation if operation in (model.END, model.BACK) else f"{name}{DOT}{operation}"

    session = walk["session"]
    return {
        "operations": [
            {**one, "name": full(one["name"]), "pacing": one["pacing"] or walk["pacing"]}
            for one in walk["operations"]
        ],
        "mix": {
            full(row): {full(column): share for column, share in cells.items()}
            for row, cells in walk["mix"].items()
        },
        "session": {
            **session,
            "first": full(session["first"]),
            "after": [{**rule, "next": full(rule["next"])} for rule in session["after"]],
        },
        "browser": walk["browser"],
    }


def alone(planned: Json, name: str) -> Json:
    """The plan of one of several scenarios, without the others. KeyError when there is none of that name."""
    at = 0
    for one in planned["scenarios"]:
        own = planned["operations"][at : at + one["operations"]]
        at += one["operations"]
        if one["name"] == name:
            rest = {key: value for key, value in planned.items() if key != "scenarios"}
            mix = {operation["name"]: planned["mix"][operation["name"]] for operation in own}
            walk = {"session": one["session"], "browser": one["browser"]}
            return {**rest, **walk, "operations": own, "mix": mix}
    raise KeyError(name)
