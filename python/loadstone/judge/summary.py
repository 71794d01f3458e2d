"""`run.json`: the figures of the steady state, the SLAs and the checks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from loadstone.judge.flow import mix_share
from loadstone.judge.histogram import Histogram
from loadstone.judge.measurement import AgentSeries, Measurement, OperationSeries, Rules
from loadstone.judge.sessions import summarise_sessions
from loadstone.judge.sla import departures, judge_sla
from loadstone.judge.validity import checks

_QUANTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p999": 0.999, "max": 1.0}

LEFT_OUT = "references_left_out"
"""The engine's counter of references beyond the most that it looks at on one page."""


def summarise(measurement: Measurement, rules: Rules, observed: Mapping[str, float | None]) -> dict[str, Any]:
    """Everything in `run.json` that follows from the measurement; `observed` becomes its `sut`.

    Shape and units: `docs/reference/run-folder.md`.
    """
    operations = measurement.count
    steady = measurement.steady_s
    judged = checks(measurement, rules)
    return {
        "steady": {"start_s": measurement.start_s, "end_s": measurement.end_s},
        "throughput_ops_per_s": _per(sum(float(o.ok.sum()) for o in measurement.operations), steady),
        "requests_per_s": _per(float(measurement.requests.sum()), steady),
        "bytes": {
            "in_per_op": _per(float(measurement.bytes_in.sum()), operations),
            "out_per_op": _per(float(measurement.bytes_out.sum()), operations),
        },
        "operations": {o.name: _operation(o, measurement, rules) for o in measurement.operations},
        "sessions": measurement.sessions
        and summarise_sessions(measurement.sessions, measurement.steady_s, rules.plan["load"]),
        "sla": judge_sla(measurement, rules),
        "validity": {
            "valid": all(check.passed for check in judged if check.required),
            "checks": [check.record() for check in judged],
        },
        "generator": {
            "cpu_share": _known(measurement.cpu_share()),
            "threads": measurement.threads,
            "wake_lag_ms_p99": _ms(measurement.wake_lag.quantile_us(0.99)),
        },
        "agents": [_agent(agent, measurement) for agent in measurement.agents],
        "sut": dict(observed),
        "warnings": [
            *(f"not compliant: {departure}" for departure in departures(rules, steady)),
            *_left_out(measurement),
        ],
    }


def _left_out(measurement: Measurement) -> Iterator[str]:
    """Operations whose pages refer to more than the engine's browser looks at."""
    for operation in measurement.operations:
        if count := int(operation.counters.get(LEFT_OUT, np.zeros(1)).sum()):
            yield f"{operation.name}: {count} references of its pages were left out: a page has too many"


def _operation(operation: OperationSeries, measurement: Measurement, rules: Rules) -> dict[str, Any]:
    count = int(operation.count.sum())
    return {
        "limit_s": operation.limit_s,
        "count": count,
        "ok": int(operation.ok.sum()),
        "failed": {cause: int(series.sum()) for cause, series in operation.failed.items()},
        "late": int(operation.late.sum()),
        "dropped": int(operation.dropped.sum()),
        "share_within_limit": _per(float(operation.within.sum()), count),
        "mix_share": _known(mix_share(measurement, operation).value),
        "mix_expected": rules.mix.get(operation.name),
        "pace_mean_s": _known(operation.pace.mean_s),
        "pace_expected_s": rules.pace_mean_s.get(operation.name),
        "response_ms": _quantiles(operation.response),
        "service_ms": _quantiles(operation.service),
        "counters": {name: int(series.sum()) for name, series in operation.counters.items()},
    }


def _agent(agent: AgentSeries, measurement: Measurement) -> dict[str, Any]:
    requests = float(agent.requests.sum())
    return {
        "host": agent.name,
        "users": int(agent.users.max(initial=0)),
        "requests": int(requests),
        "share": _per(requests, float(measurement.requests.sum())),
        "cpu_share": _known(measurement.cpu_share(agent)),
        "wake_lag_ms_p99": _ms(agent.wake_lag.quantile_us(0.99)),
    }


def _quantiles(histogram: Histogram) -> dict[str, float | None]:
    quantiles = {name: _ms(histogram.quantile_us(share)) for name, share in _QUANTILES.items()}
    mean = histogram.mean_s
    return {"mean": _ms(None if math.isnan(mean) else mean * 1e6), **quantiles}


def _ms(microseconds: float | None) -> float | None:
    # Histograms hold three significant digits; more would be noise of the division.
    return None if microseconds is None else round(microseconds / 1000, 4)


def _per(figure: float, base: float) -> float | None:
    return figure / base if base > 0 else None


def _known(figure: float) -> float | None:
    return None if math.isnan(figure) else figure
