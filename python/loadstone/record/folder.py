"""A run folder: what is written before the first packet, and how it is completed afterwards."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.goals import Goal, GoalError, SlaRules, parse_all
from loadstone.intake import Kind, as_written, read_bytes, read_object
from loadstone.intake.shapes import require_shape
from loadstone.intake.tables import reading_tables
from loadstone.judge import Measurement, Rules, summarise, summarise_agents
from loadstone.judge.elastic import elasticity
from loadstone.judge.limits import is_limit
from loadstone.judge.offered import CHANGED, as_it_was
from loadstone.record import journal, shapes
from loadstone.record.disk import (
    make_folder,
    naming_disk_errors,
    require_unused,
    write_json,
    write_stage,
    write_text,
)
from loadstone.record.failures import EXAMPLE, other_hosts, read_failures
from loadstone.record.limits import read_limit
from loadstone.record.machine import machine, versions
from loadstone.record.measured import read_measurement, read_observed
from loadstone.record.tables import write_tables
from loadstone.stages.origin import Machine, Node
from loadstone.stages.run import Event, Load, Run, Scenario
from loadstone.stages.run_connections import Http2Figures, Negotiated
from loadstone.stages.run_hosts import Agent, AgentFigures, Connector, WatchedHost

_APART = ("agents", "connector", "end", EXAMPLE, "hosts", "node")
"""Events that have a place of their own in `run.json`."""
_WORTH_A_WARNING = (
    CHANGED, "agent-late", "service-down", "service-died", "host-lost", "host-disk-full", "fault-failed",
    "scaling-failed",
)  # fmt: skip
"""Events that a verdict may hang on."""
CONTROL = "control.sock"
"""The socket of a run under way, through which its load is changed."""
WORKLOAD = "workload.json"
_WORKLOAD_BEFORE = "plan.json"
"""Its name in folders of earlier versions; it is now that of the record of `loadstone plan`."""
_HINT = "a run folder must be as the run left it: copy it again, or measure again"
_KIND = Kind("run-folder", "a record of a run", 64 << 20, _HINT)


@dataclass(frozen=True)
class Beginning:
    """Everything known before the first packet."""

    scenario_text: str
    plan: Mapping[str, Any]
    target: str
    """URL of the service."""
    accounts: int | None
    sla_window_s: float
    sla_rules: SlaRules | None
    """The rules that the scenario claims to follow."""
    expectations: Mapping[str, Mapping[str, float]]
    """`mix` and `pace_mean_s` by operation, from the engine."""
    checks: Sequence[Mapping[str, Any]]
    goals: Sequence[str]
    """What is judged besides SLA-1 and SLA-2, as it was written."""
    command: Sequence[str]


def begin(folder: Path, beginning: Beginning) -> journal.Journal:
    """Makes `folder` and writes what comes first; returns its open journal.

    Errors: `folder-in-use` when it already holds a run, `disk-full`, `cannot-write`.
    """
    require_unused(folder)
    make_folder(folder)
    write_text(folder / "scenario.toml", beginning.scenario_text)
    write_json(folder / WORKLOAD, dict(beginning.plan))
    write_json(
        folder / "machine.json",
        {
            "machine": machine(),
            "versions": versions(),
            "command": list(beginning.command),
            "seed": beginning.plan["seed"],
            "started_at": now(),
        },
    )
    write_json(
        folder / "rules.json",
        {
            "target": beginning.target,
            "accounts": beginning.accounts,
            "sla_window_s": beginning.sla_window_s,
            "sla_rules": beginning.sla_rules,
            "expectations": {name: dict(values) for name, values in beginning.expectations.items()},
            "checks": [dict(check) for check in beginning.checks],
            "goals": list(beginning.goals),
        },
    )
    return journal.Journal(folder)


def recover(folder: Path) -> Run:
    """Completes a run folder from its journal, whatever ended the run; returns its record.

    A run that ended as planned and one whose process was killed go the same way: the journal becomes the
    tables, the tables are judged, `run.json` appears, the journal goes. A journal without an end is a
    run whose outcome is `crashed`. Doing it again changes nothing.

    Errors: `run-folder` when the folder holds no run, `run-going-on`, `disk-full`, `cannot-write`.
    """
    path, summary = folder / journal.NAME, folder / Run.FILE
    if summary.is_file() and not path.is_file():
        return Run.read(summary, _KIND)
    if not path.is_file():
        raise LoadstoneError(
            "run-folder", f"{folder} is not a run folder: it has no {journal.NAME} and no {Run.FILE}"
        )
    plan = _read(workload_file(folder), shapes.Workload)
    first, rules = _read(folder / "machine.json", shapes.First), _read(folder / "rules.json", shapes.Rules)
    _require_operations(rules, plan, folder)
    with naming_disk_errors(path):
        journal.repair(path)
    with as_written("run-folder", folder, _HINT), reading_tables("run-folder", folder, _HINT):
        run = _complete(folder, plan, first, rules)
    write_stage(folder, run)
    with naming_disk_errors(path):
        path.unlink()
        # Of a process that was killed.
        (folder / CONTROL).unlink(missing_ok=True)
    return run


def _require_operations(rules: dict[str, Any], plan: dict[str, Any], folder: Path) -> None:
    """Checks that count by an operation: it must be one of the workload's."""
    names = {operation["name"] for operation in plan["operations"]}
    for check in rules["checks"]:
        if check.get("count") and (per := check.get("per")) not in names:
            message = f"check `{check['name']}` counts by `{per}`, which is not an operation of the workload"
            raise LoadstoneError("run-folder", message, place=str(folder / "rules.json"), hint=_HINT)


def _goals(rules: dict[str, Any], plan: dict[str, Any], folder: Path) -> tuple[Goal, ...]:
    """What is judged besides SLA-1 and SLA-2."""
    try:
        return tuple(parse_all(rules.get("goals", []), [one["name"] for one in plan["operations"]]))
    except GoalError as error:
        place = str(folder / "rules.json")
        raise LoadstoneError("run-folder", str(error), place=place, hint=_HINT) from error


def _complete(folder: Path, plan: dict[str, Any], first: dict[str, Any], rules: dict[str, Any]) -> Run:
    """The record of the run, after the tables are made from the journal."""
    path = folder / journal.NAME
    events = write_tables(folder, plan)
    as_planned, plan = plan, as_it_was(plan, events)
    ending = _ending(events, path)
    known = Rules(
        plan=plan,
        sla_window_s=rules["sla_window_s"],
        accounts=rules["accounts"],
        # A folder of before scenarios could claim rules was held to those.
        claimed=rules.get("sla_rules", "cloudstone"),
        mix=rules["expectations"]["mix"],
        mix_error=rules["expectations"].get("mix_error", {}),
        pace_mean_s=rules["expectations"]["pace_mean_s"],
        checks=tuple(rules["checks"]),
        goals=_goals(rules, plan, folder),
    )
    lost = {event["agent"]: event for event in events if event["kind"] == "agent-lost"}
    measurement = read_measurement(
        folder,
        plan,
        ending["threads"],
        ending["ended_s"],
        {name: f"after {event['second']} s, {event['reason']}" for name, event in lost.items()},
        known.goals,
    )
    text = read_bytes(folder / "scenario.toml", _KIND)
    figures = summarise(measurement, known, read_observed(folder, measurement))
    # Journals of earlier versions have sentences.
    examples = [one for one in ending["examples"] if isinstance(one, dict)]
    left_out = other_hosts(figures.operations, examples, rules["target"])
    told = [event["note"] for event in events if event["kind"] in _WORTH_A_WARNING]
    figures = figures.model_copy(update={"warnings": [*figures.warnings, *left_out, *told]})
    if figures.tls:
        negotiated = [Negotiated(**one) for one in ending.get("tls", [])]
        agreed = figures.tls.model_copy(update={"negotiated": negotiated})
        figures = figures.model_copy(update={"tls": agreed})
    if ending.get("http2"):
        figures = figures.model_copy(update={"http2": Http2Figures(**ending["http2"])})
    if figures.generator:
        generator = figures.generator.model_copy(update={"read_later": ending.get("read_later")})
        figures = figures.model_copy(update={"generator": generator})
    hosts = [WatchedHost(**host) for event in events if event["kind"] == "hosts" for host in event["hosts"]]
    busiest = read_limit(folder, hosts, events, measurement)
    return Run(
        **dict(figures),
        name=plan["name"],
        outcome=ending["outcome"],
        started_at=first["started_at"],
        ended_at=ending["at"],
        command=first["command"],
        seed=first["seed"],
        machine=Machine(**first["machine"]),
        versions=first["versions"],
        scenario=Scenario(name=plan["name"], file="scenario.toml", sha256=hashlib.sha256(text).hexdigest()),
        target=rules["target"],
        accounts=rules["accounts"],
        load=Load(**{name: of for name, of in as_planned["load"].items() if name in Load.model_fields}),
        agents=_agents(summarise_agents(measurement), events),
        node=_node(events),
        connector=_connector(events, ending["ended_s"]),
        hosts=hosts,
        limited_by=busiest if busiest and is_limit(busiest) else None,
        busiest=busiest,
        elasticity=elasticity(events, measurement, known.sla_window_s, _length_s(plan, ending["ended_s"])),
        failures=read_failures(folder, examples),
        events=[Event(**event) for event in events if event["kind"] not in _APART],
    )


def _length_s(plan: Mapping[str, Any], ended_s: float | None) -> float:
    """Of the run, as far as it came; of one that broke off, as it was planned."""
    load = plan["load"]
    return ended_s or float(load["ramp_up_s"] + load["steady_s"] + load["ramp_down_s"])


def measurement_of(folder: Path, goals: Sequence[Goal] = ()) -> Measurement:
    """The steady state of a completed run, with what `goals` ask about."""
    run = Run.read(folder / Run.FILE, _KIND)
    with as_written("run-folder", folder, _HINT), reading_tables("run-folder", folder, _HINT):
        if not run.generator or not run.steady:
            raise ValueError("run.json does not say who made the load, and when the steady state ended")
        plan = _read(workload_file(folder), shapes.Workload)
        return read_measurement(folder, plan, run.generator.threads, run.steady.end_s, goals=goals)


def now() -> str:
    """The time of day as the records write it: ISO 8601, UTC, seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _agents(judged: list[AgentFigures], events: list[dict[str, Any]]) -> list[Agent]:
    """Every started agent: its host, the error of its clock, what it did, and how it ended."""
    figures = {agent.host: dict(agent) for agent in judged}
    lost = {event["agent"]: event["second"] for event in events if event["kind"] == "agent-lost"}
    started = [agent for event in events if event["kind"] == "agents" for agent in event["agents"]]
    return [
        Agent(**agent | figures.get(agent["host"], {}), lost_at_s=lost.get(agent["host"]))
        for agent in started
    ]


def _node(events: list[dict[str, Any]]) -> Node | None:
    """The service's machine, if it was made for the run."""
    return next((Node(**_said(event)) for event in events if event["kind"] == "node"), None)


def _said(event: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in event.items() if name != "kind"}


def _connector(events: list[dict[str, Any]], run_s: float | None) -> Connector | None:
    """What the connector of a built-in application counted; None for other services."""
    return next(
        (Connector(seconds=run_s, **_said(event)) for event in events if event["kind"] == "connector"), None
    )


def _ending(events: list[dict[str, Any]], path: Path) -> dict[str, Any]:
    """How the run ended: its `end` event, or what its absence means."""
    if ends := [event for event in events if event["kind"] == "end"]:
        return ends[-1]
    full = any(event["kind"] == "disk-full" for event in events)
    last = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")
    return {
        "outcome": "disk-full" if full else "crashed",
        "at": last,
        "threads": None,
        "ended_s": None,
        "examples": [event for event in events if event["kind"] == EXAMPLE],
    }


def workload_file(folder: Path) -> Path:
    """What the engine was told to do."""
    before = folder / _WORKLOAD_BEFORE
    return before if before.is_file() and not (folder / WORKLOAD).is_file() else folder / WORKLOAD


def _read(path: Path, shape: Any) -> dict[str, Any]:
    content = read_object(path, _KIND)
    require_shape(content, shape, "run-folder", str(path), _HINT)
    return content
