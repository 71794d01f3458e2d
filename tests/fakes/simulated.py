"""A load engine without a network: users simulated in virtual time, seconds handed out as by the real one."""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Callable, Mapping
from typing import Any

from loadstone.judge.laws import pacing_law
from loadstone.judge.scenarios import walks

Respond = Callable[[random.Random, str], float]
"""Response time in seconds of an operation; negative: it fails with `status` after that time."""

COUNTERS = 13


def plan(
    *,
    users: int = 20,
    ramp_up_s: float = 10.0,
    steady_s: float = 60.0,
    ramp_down_s: float = 2.0,
    limit_s: float = 1.0,
    mean_s: float = 2.0,
    kind: str = "cycle",
    mix: Mapping[str, Mapping[str, float]] | None = None,
) -> dict[str, Any]:
    """A plan in the engine's format, as far as the simulation and the judge read it."""
    mix = mix or {"Home": {"Home": 0.25, "Search": 0.75}, "Search": {"Home": 0.75, "Search": 0.25}}
    return {
        "name": "simulated",
        "seed": 1,
        "target": {"host": "127.0.0.1", "port": 1, "authority": "127.0.0.1:1", "base_path": ""},
        "load": {
            "users": users,
            "users_s": float(users),
            "sessions_s": float(users),
            "ramp_up_s": ramp_up_s,
            "steady_s": steady_s,
            "ramp_down_s": ramp_down_s,
            "timeout_s": 30.0,
            "profile": [],
            "threads": 1,
        },
        "slice": {"index": 0, "of": 1},
        "pacing": {
            "kind": kind,
            "law": {"kind": "neg-exp", "mean_s": mean_s, "min_s": 0.0, "max_s": 5 * mean_s},
        },
        "session": {"first": next(iter(mix))},
        "operations": [{"name": name, "limit_s": limit_s, "pacing": None, "steps": []} for name in mix],
        "mix": {name: dict(row) for name, row in mix.items()},
    }


def expectations(plan: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """What the plan leads to expect; shares by iterating the (aperiodic) matrix of the plan."""
    names = [operation["name"] for operation in plan["operations"]]
    # Of several scenarios, each one's own.
    shares = {one["name"]: 1 / len(walk["operations"]) for walk in walks(plan) for one in walk["operations"]}
    for _ in range(500):
        shares = {to: sum(shares[name] * plan["mix"][name].get(to, 0) for name in names) for to in names}
    laws = {name: pacing_law(plan, name) for name in names}
    means = {
        name: law["mean_s"] * (1 - math.exp(-law["max_s"] / law["mean_s"])) for name, law in laws.items()
    }
    return {"mix": shares, "pace_mean_s": means}


def bucket(microseconds: int) -> int:
    """The histogram's bucket of a value; bounds as in docs/reference/run-folder.md."""
    if microseconds < 2048:
        return microseconds
    shift = microseconds.bit_length() - 11
    return ((shift + 1) << 10) + (microseconds >> shift) - 1024


def windows(plan: Mapping[str, Any], respond: Respond, seed: int = 1) -> list[dict[str, Any]]:
    """Every second of a run of `plan` against a service that answers after `respond`."""
    load = plan["load"]
    start = load["ramp_up_s"]
    end = start + load["steady_s"]
    total = math.ceil(end + load["ramp_down_s"])
    seconds: list[dict[tuple[int, int], dict[str, Any]]] = [{} for _ in range(total)]
    names = [operation["name"] for operation in plan["operations"]]
    paced = [operation["pacing"] or plan["pacing"] for operation in plan["operations"]]
    firsts = [walk["operations"][0]["name"] for walk in walks(plan) for _ in range(walk.get("weight", 1))]
    limit_us = [int(operation["limit_s"] * 1e6) for operation in plan["operations"]]
    rng = random.Random(seed)
    for user, begin, leaves in lives(load, total):
        at, name, pace = begin, firsts[user % len(firsts)], None
        if begin > start:
            # Who joins later has the rest of a pause first.
            at += rng.expovariate(1 / paced[names.index(name)]["law"]["mean_s"])
        while at < leaves:
            took = respond(rng, name)
            done = at + abs(took)
            if done >= total:
                break
            phase = 1 if at >= start and done <= end else 0 if done < start else 2
            index = names.index(name)
            count(seconds[int(done)], index, phase, took, limit_us[index], pace)
            name = rng.choices(names, [plan["mix"][name].get(to, 0) for to in names])[0]
            pacing = paced[names.index(name)]
            law, think = pacing["law"], pacing["kind"] == "think"
            drawn = min(law["max_s"], rng.expovariate(1 / law["mean_s"]))
            following = done + drawn if think else max(at + drawn, done)
            pace = following - (done if think else at)
            at = following
    return [
        window(second, sum(begin < second + 1 <= leaves for _, begin, leaves in lives(load, total)), cells)
        for second, cells in enumerate(seconds)
    ]


def lives(load: Mapping[str, Any], total: int) -> list[tuple[int, float, float]]:
    """Which user is there from when to when: one after the other in the ramp-up, then by the profile."""
    users, start = load["users"], load["ramp_up_s"]
    changes = [(start + at, count) for at, count in load["profile"]]
    found = []
    for user in range(max(users, *(count for _, count in changes), 0)):
        begin = user * start / users if user < users else None
        for at, count in changes:
            if begin is None and user < count:
                begin = at
            elif begin is not None and user >= count:
                found.append((user, begin, at))
                begin = None
        if begin is not None:
            found.append((user, begin, math.inf))
    return found


def _cell(index: int, phase: int) -> dict[str, Any]:
    return {
        "operation": index,
        "phase": phase,
        "ok": 0,
        "failed": [0] * 7,
        "late": 0,
        "dropped": 0,
        "counters": [0] * COUNTERS,
        **{kind: {} for kind in ("response", "service", "pace", "lag")},
    }


def count(
    cells: dict[tuple[int, int], dict[str, Any]],
    index: int,
    phase: int,
    took: float,
    limit_us: int,
    pace: float | None,
) -> None:
    """Adds an operation to the second in which it ended."""
    cell = cells.setdefault((index, phase), _cell(index, phase))
    cell["counters"][0] += 1
    if pace is not None:
        add(cell["pace"], pace)
    add(cell["lag"], 0.0)
    if took < 0:
        cell["failed"][4] += 1
        return
    cell["ok"] += 1
    cell["late"] += took * 1e6 > limit_us
    add(cell["response"], took)
    add(cell["service"], took)


def add(histogram: dict[int, int], seconds: float) -> None:
    """Adds a value."""
    index = bucket(int(seconds * 1e6))
    histogram[index] = histogram.get(index, 0) + 1


def window(second: int, users: int, cells: dict[tuple[int, int], dict[str, Any]]) -> dict[str, Any]:
    """A second as the engine hands it out."""
    operations = [
        {name: sparse(value) if isinstance(value, dict) else value for name, value in cell.items()}
        for _, cell in sorted(cells.items())
    ]
    requests = sum(cell["counters"][0] for cell in cells.values())
    return {
        "second": second,
        "users": users,
        "in_flight": 0,
        "connections": users,
        "connects": 0,
        "reconnects": 0,
        "closed_idle": 0,
        "closed_with_answer": 0,
        "waits": 0,
        "requests": requests,
        "bytes_in": 1000 * requests,
        "bytes_out": 100 * requests,
        "cpu_user_s": 0.05,
        "cpu_sys_s": 0.05,
        "control": {"bucket": [60], "count": [100]},
        "control_cpu_s": 0.003,
        "wake_lag": {"bucket": [50], "count": [max(1, requests)]},
        "operations": operations,
        "sessions": [],
    }


def sparse(histogram: dict[int, int]) -> dict[str, list[int]]:
    """A histogram as the engine hands it out."""
    return {"bucket": sorted(histogram), "count": [histogram[index] for index in sorted(histogram)]}


class SimulatedRun:
    """Hands out the windows, one every `second_s` of real time."""

    def __init__(
        self, windows: list[dict[str, Any]], second_s: float = 0.0, outcome: str = "complete"
    ) -> None:
        self._windows = list(windows)
        self._second_s = second_s
        self._outcome = outcome
        self._given = 0

    def next(self, timeout_s: float) -> dict[str, Any] | None:
        if not self._windows:
            return None
        if self._second_s:
            time.sleep(min(timeout_s, self._second_s))
            if self._second_s > timeout_s:
                return None
        self._given += 1
        return self._windows.pop(0)

    def stop(self) -> None:
        if self._windows:
            self._outcome = "stopped"
        self._windows.clear()

    def events(self) -> list[dict[str, Any]]:
        return []

    def summary(self) -> dict[str, Any] | None:
        if self._windows:
            return None
        return {"outcome": self._outcome, "ended_s": float(self._given), "threads": 1, "examples": []}


class SimulatedEngine:
    """An engine whose service answers after `respond(users)`."""

    def __init__(self, respond: Callable[[int], Respond], second_s: float = 0.0) -> None:
        self._respond = respond
        self._second_s = second_s

    def start(self, plan_json: str) -> SimulatedRun:
        plan = json.loads(plan_json)
        made = windows(plan, self._respond(plan["load"]["users"]), plan["seed"])
        return SimulatedRun(made, self._second_s)

    def expectations(self, plan_json: str) -> dict[str, dict[str, float]]:
        return expectations(json.loads(plan_json))
