"""`run.json`: the figures of the steady state, the SLAs and the checks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import get_args

import numpy as np

from loadstone.judge.flow import mix_share
from loadstone.judge.goals import judge_goals
from loadstone.judge.histogram import EMPTY, Histogram
from loadstone.judge.measurement import AgentSeries, HookSeries, Measurement, OperationSeries, Rules
from loadstone.judge.noise import summarise_noise
from loadstone.judge.scenarios import beside, summarise_scenarios
from loadstone.judge.sessions import QUANTILES, summarise_sessions
from loadstone.judge.sla import departures, judge_sla
from loadstone.judge.validity import checks
from loadstone.stages.quantiles import Quantiles
from loadstone.stages.run import Check, Figures, Generator, HookFigures, Steady, Validity
from loadstone.stages.run_connections import HandshakeKind, Handshakes, TlsFigures
from loadstone.stages.run_hosts import AgentFigures, Sut
from loadstone.stages.run_operations import OperationFigures, PerOperation, StepPart
from loadstone.stages.verdict import run_state

LEFT_OUT = "references_left_out"
"""The engine's counter of references beyond the most that it looks at on one page."""


def summarise(measurement: Measurement, rules: Rules, observed: Sut) -> Figures:
    """Everything in `run.json` that follows from the measurement; `observed` becomes its `sut`."""
    operations = measurement.count
    steady = measurement.steady_s
    judged = checks(measurement, rules)
    counted, load = measurement.sessions, rules.plan["load"]
    return Figures(
        steady=Steady(start_s=measurement.start_s, end_s=measurement.end_s),
        throughput_ops_per_s=_per(sum(float(o.ok.sum()) for o in measurement.operations), steady),
        requests_per_s=_per(float(measurement.requests.sum()), steady),
        bytes=PerOperation(
            in_per_op=_per(float(measurement.bytes_in.sum()), operations),
            out_per_op=_per(float(measurement.bytes_out.sum()), operations),
        ),
        operations={o.name: _operation(o, measurement, rules) for o in measurement.operations},
        scenarios=summarise_scenarios(measurement, rules.plan),
        sessions=summarise_sessions(counted, steady, load, measurement.sessions_s)
        if counted and not load.get("requests_per_s")
        else None,
        sla=judge_sla(measurement, rules),
        goals={goal.name: goal for goal in judge_goals(measurement, rules)},
        validity=Validity(
            state=run_state((check.about, check.verdict, check.required) for check in judged),
            checks=[_told(check) for check in judged],
        ),
        generator=Generator(
            cpu_share=_known(measurement.cpu_share()),
            threads=measurement.threads,
            wake_lag_ms_p99=_ms(measurement.wake_lag.quantile_us(0.99)),
        ),
        hooks=[_hook(hook, steady) for hook in measurement.hooks],
        tls=_tls(measurement),
        noise=summarise_noise(measurement.noise) if measurement.noise else None,
        sut=observed,
        warnings=[
            *(f"not compliant: {departure}" for departure in departures(rules, steady)),
            *_left_out(measurement),
        ],
    )


def _tls(measurement: Measurement) -> TlsFigures | None:
    """How long handshakes took; what was agreed on only the engine knows."""
    full, resumed = (measurement.handshakes.get(kind, EMPTY) for kind in get_args(HandshakeKind))
    if not full.count and not resumed.count:
        return None
    return TlsFigures(
        full=Handshakes(count=int(full.count), ms=_quantiles(full)),
        resumed=Handshakes(count=int(resumed.count), ms=_quantiles(resumed)),
    )


def _hook(hook: HookSeries, steady_s: float) -> HookFigures:
    return HookFigures(
        function=hook.name,
        returned=int(hook.returned),
        failed=int(hook.failed),
        ms=_quantiles(hook.took),
        wait_ms=_quantiles(hook.waited),
        total_s=hook.took.mean_s * hook.took.count if hook.took.count else 0.0,
        cpu_us_mean=_per(1e6 * hook.cpu_s, hook.returned + hook.failed),
        cpu_share=_per(hook.cpu_s, steady_s),
    )


def _told(check: Check) -> Check:
    """The check as it is recorded, with a hint only if there is something to do."""
    hint = "" if check.verdict == "met" else check.hint
    return check.model_copy(update={"hint": hint, "required": check.required})


def summarise_agents(measurement: Measurement) -> list[AgentFigures]:
    """What each agent did."""
    return [_agent(agent, measurement) for agent in measurement.agents]


def _left_out(measurement: Measurement) -> Iterator[str]:
    """Operations whose pages refer to more than the engine's browser looks at."""
    for operation in measurement.operations:
        if count := int(operation.counters.get(LEFT_OUT, np.zeros(1)).sum()):
            yield f"{operation.name}: {count} references of its pages were left out: a page has too many"


def _operation(operation: OperationSeries, measurement: Measurement, rules: Rules) -> OperationFigures:
    count = int(operation.count.sum())
    return OperationFigures(
        limit_s=operation.limit_s,
        count=count,
        ok=int(operation.ok.sum()),
        failed={cause: int(series.sum()) for cause, series in operation.failed.items()},
        late=int(operation.late.sum()),
        dropped=int(operation.dropped.sum()),
        share_within_limit=_per(float(operation.within.sum()), count),
        mix_share=_known(mix_share(measurement, operation, beside(rules.plan, operation.name)).value),
        mix_expected=rules.mix.get(operation.name),
        pace_mean_s=_known(operation.pace.mean_s),
        pace_expected_s=rules.pace_mean_s.get(operation.name),
        response_ms=_quantiles(operation.response),
        service_ms=_quantiles(operation.service),
        counters={name: int(series.sum()) for name, series in operation.counters.items()},
        steps=_steps(operation),
        **_first_byte(operation.first_byte),
    )


def _first_byte(times: Histogram) -> dict[str, Quantiles]:
    """The field, where there is something to say."""
    return {"first_byte_ms": _quantiles(times)} if times.count else {}


def _steps(operation: OperationSeries) -> list[StepPart]:
    """Every part of every step; the sum of their shares is 1, but for the width of the buckets."""
    spent = [part.times.mean_s * part.times.count for part in operation.steps]
    return [
        StepPart(
            step=part.step,
            request=part.request,
            part=part.part,
            count=part.times.count,
            ms=_quantiles(part.times),
            share=_per(took, sum(spent)),
            **_first_byte(part.first_byte),
        )
        for part, took in zip(operation.steps, spent, strict=True)
    ]


def _agent(agent: AgentSeries, measurement: Measurement) -> AgentFigures:
    requests = float(agent.requests.sum())
    return AgentFigures(
        host=agent.name,
        users=int(agent.users.max(initial=0)),
        requests=int(requests),
        share=_per(requests, float(measurement.requests.sum())),
        cpu_share=_known(measurement.cpu_share(agent)),
        wake_lag_ms_p99=_ms(agent.wake_lag.quantile_us(0.99)),
    )


def _quantiles(histogram: Histogram) -> Quantiles:
    mean = histogram.mean_s
    return Quantiles(
        mean=_ms(None if math.isnan(mean) else mean * 1e6),
        **{name: _ms(histogram.quantile_us(share)) for name, share in QUANTILES.items()},
    )


def _ms(microseconds: float | None) -> float | None:
    # Histograms hold three significant digits; more would be noise of the division.
    return None if microseconds is None else round(microseconds / 1000, 4)


def _per(figure: float, base: float) -> float | None:
    return figure / base if base > 0 else None


def _known(figure: float) -> float | None:
    return None if math.isnan(figure) else figure
