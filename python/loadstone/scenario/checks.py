"""Mistakes that a well-formed scenario can still have, and what is only doubtful."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from loadstone import goals
from loadstone.scenario import (
    answers,
    app,
    asks,
    hosts,
    mixing,
    names,
    protocol,
    proxy,
    refresh,
    sources,
    stateless,
    values,
)
from loadstone.scenario.findings import Finding, listed, suggest
from loadstone.scenario.model import BACK, END, Check, Operation, ScenarioFile
from loadstone.scenario.positions import Path
from loadstone.scenario.sessions import Load
from loadstone.scenario.target import Target
from loadstone.unit import Unit

COUNTERS = (
    "requests",
    "bytes_in",
    "bytes_out",
    "image_refs",
    "images",
    "image_bytes",
    "cached_full",
    "cached_304",
    "references_left_out",
    "references_other_host",
    "compressed",
    "body_bytes",
    "content_bytes",
)
"""Counters of every operation, in the engine's order; the plan's named steps follow."""


def errors(file: ScenarioFile, data: Mapping[str, Any]) -> Iterator[Finding]:
    """Everything that would stop a run."""
    yield from app.errors(file.target, data)
    yield from _target(file.target)
    yield from protocol.errors(file)
    yield from hosts.unknown(file)
    yield from _operations(file)
    yield from names.check(file, names.collect(file, data))
    yield from proxy.errors(file.target.proxy, set(data), set(file.secrets))
    yield from refresh.errors(file)
    for at, auth in file.auths():
        yield from asks.basic_errors(auth, at, set(data), set(file.secrets))
    yield from mixing.check(file)
    yield from stateless.check(file, data)
    yield from of_the_run(file)


def of_the_run(file: ScenarioFile) -> Iterator[Finding]:
    """What is wrong with the load, and with what is judged and done in the run as a whole."""
    yield from _load(file.load)
    for index, check in enumerate(file.check):
        yield from _check(check, ("check", index), file)
    for index, fault in enumerate(file.fault):
        yield from _in_time("fault", fault.at_s, ("fault", index), file.load)
    if file.scaling is not None:
        for index, step in enumerate(file.scaling.step):
            yield from _in_time("scaling", step.at_s, ("scaling", "step", index), file.load)
    for index, goal in enumerate(file.sla.goals):
        yield from _goal(goal, ("sla", "goals", index), file)


def _in_time(slug: str, at_s: float, at: Path, load: Load) -> Iterator[Finding]:
    length_s = load.ramp_up_s + load.steady_s + load.ramp_down_s
    if at_s >= length_s:
        message = f"the run has ended after {length_s:g} s, before `at_s = {at_s:g}`"
        yield Finding(slug, message, (*at, "at_s"), "times are from the beginning of ramp-up")


def warnings(file: ScenarioFile) -> Iterator[Finding]:
    """What a run survives but its reader should know."""
    # A window that nobody asked for promises nothing: the SLA is judged in what there is.
    asked = file.sla.rules is not None or "window_s" in file.sla.model_fields_set
    if asked and file.load.steady_s < file.sla.window_s:
        message = f"the steady state of {file.load.steady_s:g} s is shorter than the SLA's window of "
        hint = "fine for a trial, not for a result: the SLA is judged in one window, the whole steady state"
        yield Finding("short-steady", message + f"{file.sla.window_s:g} s", ("load", "steady_s"), hint)
    for number, operation in enumerate(file.operation):
        for name, value in operation.draw.items():
            users = file.load.users
            if isinstance(value, values.Slice) and users is not None and value.count < users:
                message = f"{users} users share {value.count} values of `{name}`: two may draw the same"
                yield Finding(
                    "shared-slice",
                    message,
                    ("operation", number, "draw", name),
                    "fewer users, or more values",
                )


def _target(target: Target) -> Iterator[Finding]:
    image = target.image
    if image is not None and image.file is not None and not os.path.isfile(image.file):
        yield Finding(
            "image-file",
            f"there is no image `{image.file}`",
            ("target", "image", "file"),
            "`loadstone image build` makes one; without `file` it is built",
        )
    yield from hosts.errors(target)
    yield from sources.errors(target.from_)


def _load(load: Load) -> Iterator[Finding]:
    for (start, _), (after, _) in pairwise(load.profile):
        if after <= start:
            message = f"the profile's times must ascend: {after:g} s follows {start:g} s"
            yield Finding("load-profile", message, ("load", "profile"))
    unit = Unit.of(dict(load))
    for at, amount in load.profile:
        if at < 0 or amount < 0 or not (unit.is_rate or amount == int(amount)):
            message = f"[{at:g}, {amount:g}] is not a time and a number of {unit.words}"
            hint = "times from 0, and rates from 0" if unit.is_rate else "times from 0, whole users"
            yield Finding("load-profile", message, ("load", "profile"), hint)


def _operations(file: ScenarioFile) -> Iterator[Finding]:
    operations = [operation.name for operation in file.operation]
    for index, (name, operation) in enumerate(zip(operations, file.operation, strict=True)):
        at: Path = ("operation", index)
        if name in (BACK, END):
            message = f"no operation can be called `{name}`: the mix needs this name for itself"
            yield Finding("name-taken", message, (*at, "name"))
        elif name in operations[:index]:
            yield Finding("duplicate-operation", f"there are two operations `{name}`", (*at, "name"))
        yield from _sources(operation, at)
    if file.first not in operations:
        hint = suggest(file.first, operations, f"known are {listed(operations)}")
        yield Finding(
            "first-operation", f"first = `{file.first}` is not an operation", ("session", "first"), hint
        )


def _sources(operation: Operation, at: Path) -> Iterator[Finding]:
    for index, step in enumerate(operation.step):
        if not step.path.startswith(("/", "{")):
            message = f"`{step.path}` is not a path"
            hint = "begin it with `/`; hosts belong into [target], and `host` names one of [target.hosts]"
            yield Finding("bad-path", message, (*at, "step", index, step.method), hint)
        for name, extract in step.extract.items():
            yield from answers.source(extract, (*at, "step", index, "extract", name))
        yield from answers.expected(step.expect, (*at, "step", index, "expect"))
    if all(step.call is not None for step in operation.step):
        message = f"operation `{operation.name}` asks for nothing: it only calls functions"
        yield Finding("step-method", message, at, "add the request that users wait for")


def _check(check: Check, path: Path, file: ScenarioFile) -> Iterator[Finding]:
    operations = {operation.name: operation for operation in file.walked}
    if check.per is None:
        return
    if check.per not in operations:
        hint = suggest(check.per, operations, f"known are {listed(operations)}")
        yield Finding("check-name", f"per = `{check.per}` is not an operation", (*path, "per"), hint)
        return
    named = [step.count for step in operations[check.per].step if step.count]
    if check.count not in (*COUNTERS, *named):
        message = f"`{check.per}` counts no `{check.count}`"
        hint = suggest(str(check.count), (*COUNTERS, *named), f"known are {listed((*COUNTERS, *named))}")
        yield Finding("check-name", message, (*path, "count"), hint)


def _goal(text: str, path: Path, file: ScenarioFile) -> Iterator[Finding]:
    operations = [operation.name for operation in file.walked]
    try:
        goals.parse_all([text], operations)
    except goals.UnknownOperation as error:
        hint = suggest(error.operation, operations, f"known are {listed(operations)}")
        yield Finding("goal", str(error), path, hint)
    except goals.GoalError as error:
        yield Finding("goal", str(error), path, error.hint)


def counts(file: ScenarioFile) -> list[str]:
    """Names of the counted steps, in the order of the engine's counters after `COUNTERS`."""
    steps = (step for operation in file.walked for step in operation.step)
    return list(dict.fromkeys(step.count for step in steps if step.count))
