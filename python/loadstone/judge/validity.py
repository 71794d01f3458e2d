"""All checks of a run, in the order they are shown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from loadstone.judge import length
from loadstone.judge.checks import GENERATOR_BUSY, SESSIONS_DROPPED, STARTED_LATE, TOO_FEW, met_if
from loadstone.judge.evidence import at_least_by_chance, count_bounds, deviations, level
from loadstone.judge.flow import arrivals, mix, pace
from loadstone.judge.histogram import Floats
from loadstone.judge.hooks import hooks_check
from loadstone.judge.intervals import Ratio, ratio, wilson
from loadstone.judge.little import hung, littles_law
from loadstone.judge.measurement import Measurement, OperationSeries, Rules
from loadstone.judge.noise_checks import late_starts_matter, noise_checks
from loadstone.judge.offered import by_second
from loadstone.judge.sla import RAMP_UP_S, SLAS, WINDOW_S
from loadstone.stages.run import Check

CPU_SHARE = 0.7
"""Beyond this share of its threads' time the generator queues its own work."""

LATE_START_S = 0.01
LATE_STARTS = 0.01
"""Less than 1 % of the operations may start over 10 ms after they could: 1 % of a limit of 1 s."""

_MOST_CAUSES = 6
"""Kinds of failures that a check lists."""

FEWEST = 20
"""Operations below which nothing about a run is sure, whatever they show."""

FAILED_SHARE = 0.001
"""Error rate of a valid run."""


def checks(measurement: Measurement, rules: Rules) -> list[Check]:
    """Every check of the run; the scenario's own come last."""
    agents = [_agents(measurement)] if measurement.agents or measurement.lost else []
    if not measurement.count:
        return [*agents, _nothing(measurement, rules)]
    return [
        *agents,
        *_operations(measurement, rules),
        *_dropped_sessions(measurement, rules),
        *_dropped_requests(measurement, rules),
        littles_law(measurement, rules),
        *arrivals(measurement, rules),
        mix(measurement, rules),
        *([] if rules.plan["load"].get("requests_per_s") else [pace(measurement, rules)]),
        _generator_cpu(measurement),
        *hooks_check(measurement, rules),
        _late_starts(measurement, rules),
        *noise_checks(measurement, rules),
        _unanswered(measurement, rules),
        _error_rate(measurement),
        _wrong_bodies(measurement),
        _enough(measurement, rules),
        *(_own(check, measurement, rules) for check in rules.checks),
    ]


def _nothing(measurement: Measurement, rules: Rules) -> Check:
    """Users that wait all the time are the service's doing; a run cut short is nobody's."""
    return Check(
        name="operations",
        verdict="missed" if hung(measurement, rules) else "open",
        measured=f"no operation began and ended in a steady state of {measurement.steady_s:g} s",
        expected="at least one",
        hint="let the run reach its steady state, and make that longer than the operations",
        about="service",
    )


def _agents(measurement: Measurement) -> Check:
    """The load of an agent that was lost is missing: the service carried less than the plan says."""
    lost = measurement.lost
    return Check(
        name="agents",
        verdict=met_if(not lost),
        measured="; ".join(f"{name} lost: {what}" for name, what in lost.items()) or "none lost",
        expected="every agent to the end",
        hint="find out what happened to that host, and measure again",
        about="load",
    )


def _operations(measurement: Measurement, rules: Rules) -> list[Check]:
    """A run with a number of operations makes them all. Not checked if the run ends by the clock."""
    wanted = rules.plan["load"].get("operations")
    if wanted is None:
        return []
    return [
        Check(
            name="operations",
            verdict=met_if(measurement.count >= wanted),
            measured=f"{measurement.count:.0f}",
            expected=f"{wanted} within {rules.plan['load']['steady_s']:g} s",
            hint="the service was too slow: ask for fewer operations, or allow more time with load.steady_s",
            about="overload",
        )
    ]


def _dropped_sessions(measurement: Measurement, rules: Rules) -> list[Check]:
    """Every session of an open workload finds a socket. Not checked for a workload of users."""
    if not rules.plan["load"].get("sessions_per_s") or not measurement.sessions:
        return []
    dropped = measurement.sessions.whole.dropped
    return [
        Check(
            name=SESSIONS_DROPPED,
            verdict=met_if(not dropped),
            measured=f"{dropped} dropped",
            expected="a socket for every session that arrives",
            hint="raise the limit of open files (`ulimit -Hn`), or let several agents make the load",
            about="generator",
        )
    ]


def _dropped_requests(measurement: Measurement, rules: Rules) -> list[Check]:
    """Requests that arrive at a rate are sent. Not checked for users and sessions.

    The response times of those that were not are missing in every other figure.
    """
    if not rules.plan["load"].get("requests_per_s"):
        return []
    dropped = sum(float(o.dropped.sum()) for o in measurement.operations)
    planned = measurement.count + dropped
    chance = at_least_by_chance(dropped, planned, FAILED_SHARE) >= level()
    waited = float(measurement.waited.sum())
    share = waited / planned if planned else 0.0
    return [
        Check(
            name="dropped",
            verdict=met_if(dropped <= FAILED_SHARE * planned or chance),
            measured=f"{dropped:.0f} dropped; {100 * share:.2f} % waited for a connection",
            expected=f"at most {100 * FAILED_SHARE:g} % of the requests not sent",
            hint="the service answers too late for so many on `load.connections`; if it would serve more at "
            "once, give the load more of them",
            about="overload",
        )
    ]


def _generator_cpu(measurement: Measurement) -> Check:
    # Of several agents the busiest is judged: a sum would hide that one of them was the bottleneck.
    shares = {agent.name: measurement.cpu_share(agent) for agent in measurement.agents if len(agent.cpu_s)}
    worst = max(shares, key=shares.__getitem__, default=None)
    share = measurement.cpu_share() if worst is None else shares[worst]
    threads = next(
        (agent.threads for agent in measurement.agents if agent.name == worst), measurement.threads
    )
    return Check(
        name=GENERATOR_BUSY,
        verdict=met_if(share < CPU_SHARE),
        measured=f"{f'{worst}: ' if worst else ''}{100 * share:.0f} % of its threads ({threads})",
        expected=f"under {100 * CPU_SHARE:.0f} %",
        hint="give it more threads (--threads N) or more agents"
        if worst
        else "give the generator more threads (--threads N, or all) or a machine of its own",
        about="generator",
    )


def _late_starts(measurement: Measurement, rules: Rules) -> Check:
    """Response times count from when operations should have started, so that late starts are part of them."""
    lags = {agent.name: agent.wake_lag for agent in measurement.agents}
    worst = max(lags, key=lambda name: lags[name].share_over(LATE_START_S * 1e6), default=None)
    lag = measurement.wake_lag if worst is None else lags[worst]
    share = lag.share_over(LATE_START_S * 1e6)
    p99 = lag.quantile_us(0.99)
    few = share < LATE_STARTS or wilson(share, lag.count, 1 - level())[0] < LATE_STARTS
    return Check(
        name=STARTED_LATE,
        verdict=met_if(few or not late_starts_matter(measurement, rules)),
        measured=f"{f'{worst}: ' if worst else ''}{100 * share:.2f} % (p99 {(p99 or 0) / 1000:.2f} ms)",
        expected=f"under {100 * LATE_STARTS:g} % more than {1000 * LATE_START_S:g} ms after they could start"
        ", or no verdict hangs on it",
        hint="the generator waits for a processor: keep other work, and the service, off its cores",
        about="generator",
    )


def _unanswered(measurement: Measurement, rules: Rules) -> Check:
    """A stall at the end shows in no other figure: what did not end in the steady state is not judged.

    More users than usual that wait for longer than the shortest limit are operations that the last window
    lacks. It fails when counting them as late could break SLA-2.
    """
    waiting = measurement.in_flight
    still = math.floor(min(o.limit_s for o in measurement.operations)) + 1
    most = 1 - SLAS[-1].share
    if len(waiting) > 2 * still:
        # Of each user, or request that arrives: the load may follow a profile.
        users = np.maximum(_loads(measurement, rules), 1.0)
        usual = float((waiting / users)[:-still].mean() * users[-1])
        excess = max(0.0, float(waiting[-still:].min()) - usual)
        if excess <= count_bounds(max(1.0, usual), level())[1] - usual:
            excess = 0.0
    else:
        excess = 0.0
    window = slice(-max(1, round(rules.sla_window_s)), None)
    done = sum(float(o.count[window].sum()) for o in measurement.operations)
    share = excess / (done + excess) if excess else 0.0
    return Check(
        name="unanswered",
        verdict=met_if(share <= most),
        measured=f"{100 * share:.2f} % of the last window's operations ({excess:.0f} more than usual)",
        expected=f"at most {100 * most:g} % still waiting at the end",
        hint="the service stalled at the end of the steady state, which no other figure shows: measure again",
        about="overload",
    )


def _loads(measurement: Measurement, rules: Rules) -> Floats:
    """The load of each second: users, sessions that live, or requests that arrive."""
    load = rules.plan["load"]
    if load.get("requests_per_s"):
        return by_second(load, measurement.first_s, len(measurement.users))
    return measurement.users


def _error_rate(measurement: Measurement) -> Check:
    """One failure in forty operations may be one in a thousand or one in ten: that is open, not missed."""
    failed = _failed(measurement)
    share = failed / measurement.count
    chance = at_least_by_chance(failed, measurement.count, FAILED_SHARE) >= level()
    return Check(
        name="error-rate",
        verdict="met" if share <= FAILED_SHARE else "open" if chance else "missed",
        measured=f"{100 * share:.3f} %{_causes(measurement)}",
        expected=f"at most {100 * FAILED_SHARE:g} %",
        hint="`failures` in run.json shows the first ones",
        about="service",
    )


def _causes(measurement: Measurement) -> str:
    """What failed, by operation and cause, the most frequent first."""
    counts = {
        f"{operation.name} {cause}": int(series.sum())
        for operation in measurement.operations
        for cause, series in operation.failed.items()
        if series.any()
    }
    told = sorted(counts, key=lambda name: -counts[name])[:_MOST_CAUSES]
    return f": {', '.join(f'{name} {counts[name]}' for name in told)}" if told else ""


def _wrong_bodies(measurement: Measurement) -> Check:
    wrong = int(sum(float(o.failed["marker"].sum()) for o in measurement.operations))
    return Check(
        name="wrong-bodies",
        verdict=met_if(not wrong),
        measured=str(wrong),
        expected="0",
        hint="a page lacked a required text, or had a forbidden one: see `failures` in run.json",
        about="service",
    )


def _enough(measurement: Measurement, rules: Rules) -> Check:
    """It takes a hundred operations to see the difference between 99 % and 100 %; a run of a handful shows
    nothing, and is inconclusive.
    """
    needed = round(1 / (1 - SLAS[-1].share))
    counts = {o.name: int(o.count.sum()) for o in measurement.operations}
    short = sorted((name for name in counts if counts[name] < needed), key=counts.__getitem__)
    listed = ", ".join(f"{name} {counts[name]}" for name in short)
    few = measurement.count < FEWEST
    return Check(
        name=TOO_FEW,
        verdict="open" if short or few else "met",
        measured=listed or f"{min(counts.values())} or more",
        expected=f"{FEWEST} in all, {needed} of each operation to see {SLAS[-1].percent} %",
        hint=length.advice(measurement, rules, needed, SLAS[-1].percent) if short or few else "",
        about="load",
        required=few,
    )


def _own(check: Mapping[str, Any], measurement: Measurement, rules: Rules) -> Check:
    """A `[[check]]` of the scenario.

    Counts per operation (pictures loaded, pages with a link) describe users in the middle of their
    sessions, with caches half full; a run shorter than the rules ask for sees their beginnings, so that
    it shows the figure but is not invalid for it.
    """
    short = rules.plan["load"]["ramp_up_s"] < RAMP_UP_S or measurement.steady_s < WINDOW_S
    if check.get("count"):
        found = _per_operation(check["count"], check["per"], measurement)
    else:
        found = _MEASURES[check["measure"]](measurement)
    low, high = check.get("min"), check.get("max")
    known = not math.isnan(found.value)
    outside = (low is not None and _surely(found, low - found.value, low)) or (
        high is not None and _surely(found, found.value - high, high)
    )
    shown_only = bool(short and check.get("count"))
    error = "" if math.isnan(found.error) else f" ± {found.error:.2g}"
    bounds = [f"at least {low:g}" if low is not None else "", f"at most {high:g}" if high is not None else ""]
    return Check(
        name=check["name"],
        verdict="open" if not known or (outside and shown_only) else met_if(not outside),
        measured=f"{found.value:.4g}{error}" if known else f"not judged: no right answer of {check['per']}",
        expected=", ".join(filter(None, bounds)),
        hint="the service or its data differ from what the scenario describes, or the run is short",
        about="service" if check.get("measure") else "load",
        required=known and not shown_only,
    )


def _surely(found: Ratio, beyond: float, bound: float) -> bool:
    """Whether it lies further beyond a bound than chance explains, were the bound its true value.

    The error is at least that of counts of that size: a handful of figures that are alike prove nothing.
    """
    least = math.sqrt(max(0.0, bound) / found.count) if found.count else math.inf
    error = found.error if math.isfinite(found.error) else 0.0
    return beyond > deviations(level()) * max(error, least)


def _per_operation(counter: str, per: str, measurement: Measurement) -> Ratio:
    operation: OperationSeries = next(o for o in measurement.operations if o.name == per)
    return ratio(operation.counters[counter], operation.ok)


def _users_per_throughput(measurement: Measurement) -> Ratio:
    done = sum(float(o.ok.sum()) for o in measurement.operations)
    if not done:
        return Ratio(math.inf, 0.0, 0.0)
    value = float(measurement.users.mean()) * measurement.steady_s / done
    # Users' starts are close to a Poisson stream: the count's error is its root.
    return Ratio(value, value / math.sqrt(done), done)


def _failed_share(measurement: Measurement) -> Ratio:
    return Ratio(_failed(measurement) / measurement.count, 0.0, measurement.count)


def _dropped_share(measurement: Measurement) -> Ratio:
    dropped = sum(float(o.dropped.sum()) for o in measurement.operations)
    planned = measurement.count + dropped
    return Ratio(dropped / planned, 0.0, planned)


def _failed(measurement: Measurement) -> float:
    return sum(float(series.sum()) for o in measurement.operations for series in o.failed.values())


_MEASURES = {
    "users-per-throughput": _users_per_throughput,
    "failed-share": _failed_share,
    "dropped-share": _dropped_share,
}
