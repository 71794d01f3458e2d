"""Whether runs were made alike: what is compared is the service, and nothing else may differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from loadstone.compare.sides import Counted
from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, read_object
from loadstone.record.folder import workload_file

_KIND = Kind("run-folder", "a workload", 64 << 20, "a run folder must be as the run left it")
_MAY_DIFFER = {"seed", "target", "slice", "name"}
"""Of the workload: the seed makes runs independent, and the target is what is compared."""
_MACHINE = ("hostname", "cpu", "cores", "os", "kernel")
_MOST = 4
"""Differences that a message lists."""


def differences(runs: Sequence[Counted]) -> list[str]:
    """What of scenario, load, data, and machine is not the same in all runs, each in words."""
    found: dict[str, str] = {}
    first, *others = runs
    expected = _made(first)
    for other in others:
        for path, one, another in _apart("", expected, _made(other)):
            found.setdefault(path, f"{path}: {one} in {first.folder}, {another} in {other.folder}")
    return list(found.values())


def require_same_workload(one: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    """Error `compare-unlike` when two plans differ in more than the target, before anything is measured."""
    asked = [{name: part for name, part in plan.items() if name not in _MAY_DIFFER} for plan in (one, other)]
    found = [f"{path}: {a} for a, {b} for b" for path, a, b in _apart("", *asked)]
    if found:
        message = f"a and b would get different loads: {'; '.join(found[:_MOST])}"
        hint = "what --a-set and --b-set change may concern the service only"
        raise LoadstoneError("compare-unlike", message, hint=hint)


def require_alike(found: Sequence[str]) -> None:
    """Error `compare-unlike` when there are differences."""
    if found:
        more = f"; and {len(found) - _MOST} more" if len(found) > _MOST else ""
        message = f"these runs differ in more than the service: {'; '.join(found[:_MOST])}{more}"
        hint = "measure both sides alike; --anyway compares them as they are, and says what differs"
        raise LoadstoneError("compare-unlike", message, hint=hint)


def _made(run: Counted) -> dict[str, Any]:
    """How a run was made, without what may differ."""
    workload = read_object(workload_file(run.folder), _KIND)
    return {
        **{name: part for name, part in workload.items() if name not in _MAY_DIFFER},
        "accounts": run.run.accounts,
        "machine": {name: getattr(run.run.machine, name) for name in _MACHINE},
        "agents": [agent.host for agent in run.run.agents],
        "node": run.run.node and run.run.node.type,
    }


def _apart(path: str, one: Any, other: Any) -> Iterator[tuple[str, str, str]]:
    """Where two pieces of JSON differ, and both as they are shown."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in dict.fromkeys([*one, *other]):
            yield from _apart(f"{path}.{name}" if path else name, one.get(name), other.get(name))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (left, right) in enumerate(zip(one, other, strict=True)):
            named = left.get("name", index) if isinstance(left, dict) else index
            yield from _apart(f"{path}[{named}]", left, right)
    elif one != other:
        yield path, _shown(one), _shown(other)


def _shown(value: Any) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def versions(runs: Sequence[Counted]) -> list[str]:
    """The versions of Loadstone that made them."""
    return sorted({str(one.run.versions.get("loadstone")) for one in runs})
