"""One user walked through a scenario, for people to see: requests, answers, and what was taken from them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.measure.engine import called, refused, revealed
from loadstone.measure.sut import Sut
from loadstone.scenario import Scenario, alone
from loadstone.scenario.findings import listed, suggest

_LONGEST_S = 86_400.0
_LOOK_S = 0.1
"""How long an exchange may wait until somebody sees it."""


@dataclass(frozen=True)
class Exchange:
    """A request and what came of it.

    scenario: whose walk it is, where there are several. session, number, step: which session, which operation
    of it, which step of that, from 1. file: asked for because a page refers to it. origin: scheme and host of
    a request that went to one of [target.hosts], else empty. request, body: up to 64 KiB. sent_s: of the run.
    took_s, first_byte_s: from there to the whole answer (or to the failure), and to its first byte. outcome:
    `done`, `redirect` (followed), `files` (of the page are next), `wait` (the server asked for it), `renew`
    (the token is renewed next) or `failed`, with cause and said. not_found: extractions of the step that
    found nothing. values, lists, flags: what the user knows afterwards.
    """

    scenario: str | None
    operation: str
    session: int
    number: int
    step: int
    file: bool
    origin: str
    request: str
    sent_s: float
    took_s: float
    first_byte_s: float | None
    status: int | None
    head: str
    body: str
    body_bytes: int
    outcome: str
    cause: str | None
    said: str | None
    not_found: tuple[str, ...]
    values: dict[str, str]
    lists: dict[str, list[str]]
    flags: tuple[str, ...]


def trial(
    scenario: Scenario,
    sut: Sut,
    *,
    operations: int,
    seed: int,
    waits: bool,
    only: str | None = None,
) -> Iterator[Exchange]:
    """Brings the service up and walks one user through so many operations; the exchanges as they happen.

    Of several scenarios one after the other is walked so, or `only` the one of this name. `waits`: think
    times and pauses are kept. Errors: `plan-refused`, `sut-unreachable`, `scenario-part` for a name that
    there is not, those of `Sut.running`.
    """
    walked = _walked(scenario, only)
    with sut.running() as service:
        target = None if scenario.target.url else service.endpoint()
        planned = scenario.plan(seed=seed, target=target)
        for name in walked:
            own = planned if name is None else alone(planned, name)
            yield from _walk(name, _of_one_user(own, operations, waits), service.url)


def _walked(scenario: Scenario, only: str | None) -> list[str | None]:
    """The names of those that are walked; None for a scenario that is one."""
    names = [one.name for one in scenario.members]
    if only is None:
        return [*names] or [None]
    if only not in names:
        known = f"there are {listed(names)}" if names else f"`{scenario.name}` is one scenario"
        raise LoadstoneError(
            "scenario-part", f"there is no scenario `{only}`", hint=suggest(only, names, known)
        )
    return [only]


def _walk(name: str | None, plan: dict[str, Any], url: str) -> Iterator[Exchange]:
    from loadstone import _core

    secrets, plan_json = revealed(json.dumps(plan))
    try:
        run = _core.Run(plan_json, traced=True, functions=called(plan_json))
    except ValueError as error:
        raise refused(error, secrets) from None
    wanted = {
        operation["name"]: [[one["name"] for one in step["extract"]] for step in operation["steps"]]
        for operation in plan["operations"]
    }

    def told() -> Iterator[Exchange]:
        yield from (_exchange(name, secrets.masked(found), wanted) for found in run.exchanges())

    try:
        while (summary := run.summary()) is None:
            run.next(_LOOK_S)
            yield from told()
        yield from told()
    finally:
        run.stop()
    if summary["outcome"] == "unreachable":
        hint = "look at its log"
        raise LoadstoneError("sut-unreachable", f"{url} took no connection", hint=hint)


def _of_one_user(plan: dict[str, Any], operations: int, waits: bool) -> dict[str, Any]:
    """The plan with one user, until so many operations have ended."""
    load = {
        "users": 1, "threads": 1, "operations": operations, "profile": [],
        "ramp_up_s": 0.0, "steady_s": _LONGEST_S, "ramp_down_s": 0.0, "timeout_s": plan["load"]["timeout_s"],
    }  # fmt: skip
    plan = plan | {"load": load}
    if waits:
        return plan
    at_once = {"kind": "think", "law": {"kind": "fixed", "value_s": 0.0}}
    browser = {name: value for name, value in plan["browser"].items() if name != "pause"}
    each = [operation | {"pacing": None} for operation in plan["operations"]]
    return plan | {"pacing": at_once, "browser": browser, "operations": each}


def _exchange(scenario: str | None, found: dict[str, Any], wanted: dict[str, list[list[str]]]) -> Exchange:
    remembered = found.pop("remembered")
    names = wanted[found["operation"]][found["step"] - 1]
    missing = tuple(names[place] for place in found.pop("not_found"))
    known = {"values": remembered["values"], "lists": remembered["lists"]}
    return Exchange(scenario=scenario, **found, **known, flags=tuple(remembered["flags"]), not_found=missing)
