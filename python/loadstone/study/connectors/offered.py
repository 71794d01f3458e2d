"""Sessions by our own engine: a plan run to its end, as figures."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.judge import CAUSES, Histogram
from loadstone.measure import Engine
from loadstone.measure.engine import failures_told
from loadstone.scenario import Scenario, load_scenario
from loadstone.study.connectors.description import Experiment
from loadstone.study.file import FOLDER
from loadstone.study.windows import take_all

Json = dict[str, Any]


def scenario_of(experiment: Experiment, sessions_per_s: float) -> Scenario:
    """The experiment's scenario at a load. Errors as `load_scenario`."""
    own = FOLDER / "connectors" / experiment.scenario
    return load_scenario(
        own if own.is_file() else experiment.scenario,
        {
            "load.sessions_per_s": f"{sessions_per_s:g}",
            "load.ramp_up_s": "0",
            "load.steady_s": f"{experiment.arrive_s:g}",
            "load.ramp_down_s": f"{experiment.drain_s:g}",
            **experiment.overrides,
        },
    )


def offer(engine: Engine, plan: Json, steady: tuple[float, float] | None = None) -> Json:
    """Runs the plan; its figures, those of the `steady` span too. LoadstoneError `plan-refused`,
    `sut-unreachable`.
    """
    windows, summary = take_all(engine.start(json.dumps(plan)))
    found = figures(windows, summary["ended_s"], steady)
    if summary["outcome"] == "unreachable":
        raise LoadstoneError(
            "sut-unreachable", "no connection to it: " + "; ".join(failures_told(summary)[:1])
        )
    told = failures_told(summary)
    return found | ({"examples": told[:3]} if told else {})


def figures(windows: Sequence[Json], ended_s: float, steady: tuple[float, float] | None = None) -> Json:
    """All seconds of a run together, its draining included; `ended_s`: from the first start to the last end.

    Response times are those of answered calls, from when they should have been sent; lives those of
    completed sessions, from when they should have arrived. `steady`: whole seconds from and to which
    completions are counted for `steady_sessions_per_s`.
    """
    operations = [one for window in windows for one in window["operations"]]
    sessions = [one for window in windows for one in window["sessions"]]
    completed = sum(one["completed"] for one in sessions)
    replies = sum(one["ok"] for one in operations)
    response = _histogram(one["response"] for one in operations)
    life = _histogram(one["life_ms"] for one in sessions)
    calls = _histogram(one["operations"] for one in sessions)
    return {
        "begun": sum(one["begun"] for one in sessions),
        "completed": completed,
        "lost": _by_cause(one["lost"] for one in sessions),
        "dropped": sum(one["dropped"] for one in sessions),
        "elapsed_s": round(ended_s, 6),
        "sessions_per_s": completed / ended_s if ended_s else 0.0,
        "steady_sessions_per_s": _steady(windows, *steady) if steady else None,
        "replies": replies,
        "replies_per_s": replies / ended_s if ended_s else 0.0,
        "failed": _by_cause(one["failed"] for one in operations),
        # The engine's values of these are milliseconds and operations, not microseconds.
        "life_s_mean": life.mean_s * 1000 if life.count else None,
        "calls_completed_mean": calls.mean_s * 1e6 if calls.count else None,
        "response_ms_mean": response.mean_s * 1000 if response.count else None,
        "response_ms_p50": _ms(response, 0.5),
        "response_ms_p99": _ms(response, 0.99),
        "connections": sum(window["connects"] for window in windows),
        "reconnects": sum(window["reconnects"] for window in windows),
        "closed_by_server": sum(window["closed_idle"] + window["closed_with_answer"] for window in windows),
        "generator_cpu_s": sum(window["cpu_user_s"] + window["cpu_sys_s"] for window in windows),
    }


def _steady(windows: Sequence[Json], from_s: float, to_s: float) -> float:
    inside = [window for window in windows if from_s <= window["second"] < to_s]
    completed = sum(int(one["completed"]) for window in inside for one in window["sessions"])
    return completed / (to_s - from_s)


def _by_cause(counts: Iterable[Sequence[int]]) -> dict[str, int]:
    sums = [sum(column) for column in zip(*counts, strict=True)]
    return {cause: count for cause, count in zip(CAUSES, sums, strict=False) if count}


def _histogram(parts: Iterable[Json]) -> Histogram:
    every = list(parts)
    buckets = [bucket for one in every for bucket in one["bucket"]]
    return Histogram.of(buckets, [count for one in every for count in one["count"]])


def _ms(histogram: Histogram, share: float) -> float | None:
    found = histogram.quantile_us(share)
    return None if found is None else found / 1000
