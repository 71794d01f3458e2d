"""Whether runs were made alike: what is compared is the service, and nothing else may differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from loadstone.compare.sides import Counted
from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, read_object
from loadstone.record.folder import workload_file
from loadstone.record.plans import apart, listed, workload

_KIND = Kind("run-folder", "a workload", 64 << 20, "a run folder must be as the run left it")
_MACHINE = ("hostname", "cpu", "cores", "os", "kernel")


def differences(runs: Sequence[Counted]) -> list[str]:
    """What of scenario, load, data, and machine is not the same in all runs, each in words."""
    found: dict[str, str] = {}
    first, *others = runs
    expected = _made(first)
    for other in others:
        for path, one, another in apart(expected, _made(other)):
            found.setdefault(path, f"{path}: {one} in {first.folder}, {another} in {other.folder}")
    return list(found.values())


def require_same_workload(one: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    """Error `compare-unlike` when two plans differ in more than the target, before anything is measured."""
    found = [f"{path}: {a} for a, {b} for b" for path, a, b in apart(workload(one), workload(other))]
    if found:
        message = f"a and b would get different loads: {listed(found)}"
        hint = "what --a-set and --b-set change may concern the service only"
        raise LoadstoneError("compare-unlike", message, hint=hint)


def require_alike(found: Sequence[str]) -> None:
    """Error `compare-unlike` when there are differences."""
    if found:
        message = f"these runs differ in more than the service: {listed(found)}"
        hint = "measure both sides alike; --anyway compares them as they are, and says what differs"
        raise LoadstoneError("compare-unlike", message, hint=hint)


def _made(run: Counted) -> dict[str, Any]:
    """How a run was made, without what may differ."""
    return {
        **workload(read_object(workload_file(run.folder), _KIND)),
        "accounts": run.run.accounts,
        "machine": {name: getattr(run.run.machine, name) for name in _MACHINE},
        "agents": [agent.host for agent in run.run.agents],
        "node": run.run.node and run.run.node.type,
    }


def versions(runs: Sequence[Counted]) -> list[str]:
    """The versions of Loadstone that made them."""
    return sorted({str(one.run.versions.get("loadstone")) for one in runs})
