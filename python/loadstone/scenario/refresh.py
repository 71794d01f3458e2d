"""Tokens that expire: steps of an operation that renew one where an answer is 401 (`auth`, `refresh`)."""

from __future__ import annotations

from collections.abc import Iterator

from loadstone.scenario.asks import Auth
from loadstone.scenario.findings import Finding, listed, suggest
from loadstone.scenario.model import Operation, ScenarioFile
from loadstone.scenario.positions import Path
from loadstone.scenario.step import Step
from loadstone.scenario.templates import TemplateError, references

REFUSED = 401


def auth_of(step: Step, operation: Operation, of_target: Auth | None) -> Auth | None:
    """Who a step asks as: its own `auth`, its operation's, or, on the target's own host, the target's."""
    return step.auth or operation.auth or (of_target if step.host is None else None)


def renewing(step: Step, operation: Operation, of_target: Auth | None) -> str | None:
    """The operation whose steps renew the token of a step; None: its refusal is one like any other failure.

    Nothing renews itself, a refusal that is expected is none, and a WebSocket or a function gets no 401.
    """
    auth = auth_of(step, operation, of_target)
    if auth is None or auth.refresh in (None, operation.name) or step.socket or step.call:
        return None
    own = any(name.lower() == "authorization" for name in step.headers)
    return None if own or REFUSED in step.expect.status else auth.refresh


def errors(file: ScenarioFile) -> Iterator[Finding]:
    """What is wrong with each `refresh`."""
    operations = {operation.name: operation for operation in file.operation}
    walked = {operation.name for operation in file.walked}
    for at, auth in file.auths():
        if auth is None or auth.refresh is None or auth.bearer is None:
            continue
        path: Path = (*at, "refresh")
        named = operations.get(auth.refresh)
        if named is None:
            hint = suggest(auth.refresh, operations, f"known are {listed(operations)}")
            yield Finding("auth", f"refresh = `{auth.refresh}` is not an operation", path, hint)
            continue
        yield from _unfit(named, auth.bearer, path)
        if named.name not in walked and named.draw:
            message = f"`{named.name}` draws values when it begins, and only its steps are taken"
            hint = "draw them in the operation that logs in"
            yield Finding("auth", message, path, hint)
        if file.load.requests_per_s is not None:
            message = "`refresh` renews what a session has kept, and requests at a rate belong to none"
            yield Finding("needs-session", message, path, "leave it out, or --set load.users=N")


def _unfit(named: Operation, bearer: str, path: Path) -> Iterator[Finding]:
    """What keeps the steps of an operation from renewing a token."""
    if any(step.repeat is not None or step.socket is not None for step in named.step):
        message = f"`{named.name}` has a loop or a WebSocket, which no renewal can have"
        yield Finding("auth", message, path, "give the steps that renew an operation of their own")
    try:
        wanted = {one.name for one in references(bearer) if one.secret is None}
    except TemplateError:
        return  # told elsewhere
    taken = {name for step in named.step for name in (*step.extract, *step.returns)}
    if not wanted & taken:
        message = f"no step of `{named.name}` takes what `bearer = {bearer}` sends"
        hint = 'for example extract.token = { json = "$.token", required = true }'
        yield Finding("auth", message, path, hint)
