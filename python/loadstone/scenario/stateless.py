"""Operations that arrive at a rate are each a stranger's: none may need what another one leaves behind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from loadstone.scenario import flow, values
from loadstone.scenario.findings import Finding
from loadstone.scenario.model import Operation, ScenarioFile
from loadstone.scenario.names import texts
from loadstone.scenario.positions import Path
from loadstone.scenario.step import Step
from loadstone.scenario.templates import BUILT_IN, STATUS, TemplateError, references

_HINT = "leave it out, or load the site with users or sessions: --set load.users=N, load.sessions_per_s=R"


def check(file: ScenarioFile, data: Mapping[str, Any]) -> Iterator[Finding]:
    """Everything that needs a session; nothing where users or sessions make the load."""
    if file.load.requests_per_s is None:
        return
    if file.session.after:
        message = "[[session.after]] says what follows an answer, and nothing follows a single request"
        yield Finding("needs-session", message, ("session", "after"), _HINT)
    if file.session.on_failure == "end":
        message = 'on_failure = "end" ends sessions, and single requests belong to none'
        yield Finding("needs-session", message, ("session", "on_failure"), "--set session.on_failure=go-on")
    for number, operation in enumerate(file.operation):
        yield from _operation(operation, ("operation", number), {*BUILT_IN, STATUS, *data})


def _operation(operation: Operation, at: Path, known: set[str]) -> Iterator[Finding]:
    known |= set(operation.draw)
    for name, value in operation.draw.items():
        for missing in _needed(value):
            if missing not in known:
                yield _finding(operation, f"draws `{name}` from `{missing}`", (*at, "draw", name))
    for index, step in enumerate(operation.step):
        place = (*at, "step", index)
        if step.socket is not None:
            message = f"operation `{operation.name}` has a step for a WebSocket, which belongs to a session"
            yield Finding("needs-session", message, (*place, step.socket), _HINT)
        for missing in _used(step):
            if missing not in known:
                yield _finding(operation, f"uses `{{{missing}}}`", place)
        for flag in step.when:
            if flow.flag_of(flag) is not None and not flag.startswith("!") and flag not in known:
                yield _finding(operation, f"has a step for `when = {flag}`", (*place, "when"))
        known |= {*step.extract, *step.returns, *step.set}


def _finding(operation: Operation, what: str, path: Path) -> Finding:
    message = (
        f"operation `{operation.name}` {what}, which only an earlier operation of a session can have left: "
        "requests that arrive at a rate belong to none"
    )
    return Finding("needs-session", message, path, _HINT)


def _needed(value: values.Value) -> Iterator[str]:
    """Names that a drawn value depends on."""
    match value:
        case values.Choose(source=source):
            yield source
        case values.Template(text=text):
            yield from _named(text)
        case values.Pick(source=several):
            for text in several:
                yield from _named(text)
        case values.Column(row=str() as row):
            yield from _named(row)
        case values.Username(id=inner) | values.Several(item=inner):
            yield from _needed(inner)


def _used(step: Step) -> list[str]:
    """Names in the step's templates, each once."""
    return list(dict.fromkeys(name for text, _ in texts(step) for name in _named(text)))


def _named(text: str) -> Iterator[str]:
    try:
        yield from (reference.name for reference in references(text) if reference.secret is None)
    except TemplateError:
        return  # told elsewhere
