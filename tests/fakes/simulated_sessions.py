"""The load engine without a network, where sessions arrive: each walks through the mix in virtual time."""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Callable, Mapping
from typing import Any

import simulated
from simulated import Respond


class SessionsEngine:
    """An engine whose service answers after `respond(sessions_per_s)`. Sessions beyond `room` at once, users
    that is, are dropped.
    """

    def __init__(self, respond: Callable[[float], Respond], room: float = math.inf) -> None:
        self._respond = respond
        self._room = room

    def start(self, plan_json: str) -> simulated.SimulatedRun:
        plan = json.loads(plan_json)
        return simulated.SimulatedRun(
            windows(plan, self._respond(plan["load"]["sessions_per_s"]), plan["seed"], self._room)
        )

    def expectations(self, plan_json: str) -> dict[str, dict[str, float]]:
        plan = json.loads(plan_json)
        first = plan["session"]["first"]
        again = {
            name: {to: row.get(to, 0.0) + (row.get("end", 0.0) if to == first else 0.0) for to in plan["mix"]}
            for name, row in plan["mix"].items()
        }
        return simulated.expectations(plan | {"mix": again})


def windows(
    plan: Mapping[str, Any], respond: Respond, seed: int, room: float = math.inf
) -> list[dict[str, Any]]:
    """Every second of a run: one even stream of sessions, which the plan's mix ends."""
    load = plan["load"]
    start, end = load["ramp_up_s"], load["ramp_up_s"] + load["steady_s"]
    total = math.ceil(end + load["ramp_down_s"])
    cells: list[dict[tuple[int, int], dict[str, Any]]] = [{} for _ in range(total)]
    sessions = [{phase: _none(phase) for phase in range(3)} for _ in range(total)]
    lived = [0.0] * total
    rng = random.Random(seed)
    ends: list[float] = []
    for number in itertools.count():
        arrived = number / load["sessions_per_s"]
        if arrived >= end:
            break
        phase = 1 if arrived >= start else 0
        ends = [one for one in ends if one > arrived]
        if len(ends) >= room:
            sessions[int(arrived)][phase]["dropped"] += 1
            continue
        done, operations = _walk(plan, respond, rng, arrived, cells)
        ends.append(done)
        sessions[int(arrived)][phase]["begun"] += 1
        for second in range(int(arrived), min(total, math.ceil(done))):
            lived[second] += min(done, second + 1) - max(arrived, second)
        if done < total:
            ended = sessions[int(done)][phase]
            ended["completed"] += 1
            ended["operations"][operations] = ended["operations"].get(operations, 0) + 1
            simulated.add(ended["life_ms"], (done - arrived) / 1e3)
    return [_window(second, cell, lived[second], sessions[second]) for second, cell in enumerate(cells)]


def _walk(
    plan: Mapping[str, Any], respond: Respond, rng: random.Random, at: float, cells: list[Any]
) -> tuple[float, int]:
    """One session from its arrival: when it ends, and its operations. Those that end are in `cells`."""
    load, law = plan["load"], plan["pacing"]["law"]
    names = [operation["name"] for operation in plan["operations"]]
    limits = [int(operation["limit_s"] * 1e6) for operation in plan["operations"]]
    start, end = load["ramp_up_s"], load["ramp_up_s"] + load["steady_s"]
    name, pace, count = plan["session"]["first"], None, 0
    while True:
        took = respond(rng, name)
        done, count = at + abs(took), count + 1
        if done < len(cells):
            phase = 1 if at >= start and done <= end else 0 if done < start else 2
            index = names.index(name)
            simulated.count(cells[int(done)], index, phase, took, limits[index], pace)
        choices = [*names, "end"]
        name = rng.choices(choices, [plan["mix"][name].get(to, 0) for to in choices])[0]
        if name == "end" or done >= len(cells):
            return done, count
        following = max(at + min(law["max_s"], rng.expovariate(1 / law["mean_s"])), done)
        at, pace = following, following - at


def _none(phase: int) -> dict[str, Any]:
    return {
        "phase": phase, "begun": 0, "completed": 0, "lost": [0] * 7, "dropped": 0,
        "life_ms": {}, "lost_life_ms": {}, "operations": {},
    }  # fmt: skip


def _window(second: int, cells: dict[Any, Any], lived: float, sessions: dict[int, Any]) -> dict[str, Any]:
    window = simulated.window(second, round(lived), cells)
    return window | {
        "users_s": lived,
        "sessions_s": lived,
        "sessions": [
            {key: simulated.sparse(value) if isinstance(value, dict) else value for key, value in one.items()}
            for one in sessions.values()
        ],
    }
