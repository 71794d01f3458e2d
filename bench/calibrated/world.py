"""Runs in virtual time, many at once: users or sessions walk; the judge gets what a run folder would give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from loadstone.judge import CAUSES, Histogram, Measurement, OperationSeries, Rules
from loadstone.judge.laws import longest_life_s, moments
from loadstone.judge.measurement import longest_pause_s
from loadstone.judge.noise import Noise
from loadstone.judge.sessions import Sessions, Tally

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_POOL = 20_000
"""Draws of a law from which residual times are taken, the longer ones more often."""

_CONNECTIONS = dict.fromkeys(("opened", "reopened", "closed_idle", "closed_with_answer"), 0)


@dataclass(frozen=True)
class Faults:
    """What is wrong with a run; nothing by default."""

    failed: float = 0.0
    """Share of the operations that fail at once."""
    pace: float = 1.0
    """Pauses are so many times those of the plan."""
    moved: float = 0.0
    """Share of the choices that are turned to the first operation."""
    hanging: float = 0.0
    """Share of the users whose operation never ends from the end of the ramp-up on."""
    absent: float = 0.0
    """Share of the users, or of the sessions that arrive, that are never run."""
    late: float = 0.0
    """Share of the operations that take twice their limit."""


@dataclass(frozen=True)
class Case:
    """What is run. Either `users` or `rate` (sessions a second) is given."""

    matrix: Floats
    """Row: from operation; column: to operation, the last one to the session's end."""
    law: Mapping[str, Any]
    kind: str
    ramp_s: int
    steady_s: int
    users: int = 0
    rate: float = 0.0
    poisson: bool = False
    most: int | None = None
    """Operations of a session."""
    service_s: float = 0.02
    """Median of the service's times; their logarithm is normal with `sigma`."""
    sigma: float = 0.5
    limit_s: float = 1.0
    faults: Faults = field(default_factory=Faults)

    @property
    def names(self) -> list[str]:
        """Of the operations."""
        return [f"Op{number}" for number in range(len(self.matrix))]

    @property
    def end_s(self) -> int:
        """End of the steady state."""
        return self.ramp_s + self.steady_s

    def shares(self) -> Floats:
        """The long run's share of each operation."""
        size = len(self.matrix)
        if self.most is None:
            whole = self.matrix[:, :size].copy()
            whole[:, 0] += self.matrix[:, size]
            system = np.vstack([whole.T - np.eye(size), np.ones(size)])
            found: Floats = np.linalg.lstsq(system, np.append(np.zeros(size), 1.0), rcond=None)[0]
            return found
        state, summed = np.eye(size)[0], np.zeros(size)
        for _ in range(self.most):
            summed += state
            state = state @ self.matrix[:, :size]
        return np.asarray(summed / summed.sum())

    def plan(self) -> dict[str, Any]:
        """In the engine's format, as far as the judge reads it."""
        names = self.names
        targets = [*names, "end"]
        load: dict[str, Any] = {"ramp_up_s": self.ramp_s, "steady_s": self.steady_s, "threads": 1}
        load |= {"users": self.users} if self.users else {"sessions_per_s": self.rate}
        load |= {"arrivals": "poisson" if self.poisson else "even"} if self.rate else {}
        session = {"first": names[0]} | ({"max_operations": self.most} if self.most else {})
        return {
            "load": load,
            "pacing": {"kind": self.kind, "law": self.law},
            "session": session,
            "operations": [{"name": name, "limit_s": self.limit_s, "pacing": None} for name in names],
            "mix": {
                name: {to: float(share) for to, share in zip(targets, row, strict=True) if share > 0}
                for name, row in zip(names, self.matrix, strict=True)
            },
        }

    def rules(self) -> Rules:
        """What the run is judged by; the SLA's window is the steady state."""
        shares = dict(zip(self.names, self.shares().tolist(), strict=True))
        pace = dict.fromkeys(self.names, moments(self.law)[0])
        return Rules(self.plan(), float(self.steady_s), None, shares, pace_mean_s=pace)


def draw(law: Mapping[str, Any], count: int, rng: np.random.Generator) -> Floats:
    """Pauses of a law of a plan, in seconds."""
    match law["kind"]:
        case "fixed":
            return np.full(count, float(law["value_s"]))
        case "uniform":
            return rng.uniform(law["low_s"], law["high_s"], count)
        case "neg-exp":
            return np.minimum(rng.exponential(law["mean_s"], count), law["max_s"])
        case _:
            return np.minimum(rng.lognormal(law["mu"], law["sigma"], count), law["max_s"])


def residual(law: Mapping[str, Any], count: int, rng: np.random.Generator) -> Floats:
    """What is left of a pause under way: the engine's users begin with it."""
    pool = draw(law, _POOL, rng)
    return np.asarray(rng.choice(pool, count, p=pool / pool.sum()) * rng.random(count))


@dataclass
class _Walked:
    """What all runs did: one element an operation, one a session."""

    run: Integers
    operation: Integers
    begun: Floats
    ended: Floats
    pace: Floats
    failed: npt.NDArray[np.bool_]
    session_run: Integers
    born: Floats
    died: Floats
    """Infinite of a session that outlived its run."""


def simulate(case: Case, runs: int, rng: np.random.Generator) -> list[Measurement]:
    """So many runs of the case."""
    walked = _walk(case, runs, rng)
    order = np.argsort(walked.run, kind="stable")
    edges = np.searchsorted(walked.run[order], np.arange(runs + 1))
    return [_measured(case, walked, order[edges[run] : edges[run + 1]], run) for run in range(runs)]


def _starts(case: Case, runs: int, rng: np.random.Generator) -> tuple[Integers, Floats, Floats]:
    """Run, birth and first operation of every user or session."""
    if case.users:
        born = np.tile(np.arange(case.users) * case.ramp_s / case.users, runs)
        run = np.repeat(np.arange(runs), case.users)
        first = born + residual(case.law, len(born), rng)
    elif case.poisson:
        counts = rng.poisson(case.rate * case.end_s, runs)
        run, born = np.repeat(np.arange(runs), counts), rng.uniform(0, case.end_s, counts.sum())
        first = born
    else:
        each = np.arange(0, case.end_s, 1 / case.rate)
        run, born = np.repeat(np.arange(runs), len(each)), np.tile(each, runs)
        first = born
    here = ~_some(len(run), case.faults.absent)
    return run[here], born[here], first[here]


def _some(count: int, share: float) -> npt.NDArray[np.bool_]:
    """One in every 1 / share, evenly."""
    return np.diff(np.floor(np.arange(count + 1) * share)) > 0


def _walk(case: Case, runs: int, rng: np.random.Generator) -> _Walked:
    run, born, at = _starts(case, runs, rng)
    total = case.end_s + 2.0
    faults, size = case.faults, len(case.matrix)
    sums = np.cumsum(case.matrix, axis=1)
    stuck = np.where(_some(len(run), faults.hanging), case.ramp_s, np.inf)
    session_run, session_born, died = run, born, np.full(len(run), np.inf)
    who = np.arange(len(run))
    operation, steps, pace = np.zeros(len(run), int), np.ones(len(run), int), np.full(len(run), np.nan)
    rows: list[tuple[Any, ...]] = []
    while True:
        alive = (at < total) & (at < stuck[who])
        who, at, operation, steps, pace = (one[alive] for one in (who, at, operation, steps, pace))
        count = len(who)
        if not count:
            break
        took = case.service_s * np.exp(case.sigma * rng.standard_normal(count))
        if faults.late:
            took = np.where(rng.random(count) < faults.late, 2 * case.limit_s, took)
        done = at + took
        failed = rng.random(count) < faults.failed if faults.failed else np.zeros(count, bool)
        rows.append((run[who], operation, at, done, pace, failed))
        following = (rng.random(count)[:, None] > sums[operation]).sum(axis=1)
        following = np.minimum(following, size)
        if faults.moved:
            following = np.where(rng.random(count) < faults.moved, 0, following)
        over = following == size
        if case.most:
            over |= steps >= case.most
        pause = faults.pace * draw(case.law, count, rng)
        after = done + pause if case.kind == "think" else np.maximum(at + pause, done)
        pace = after - (done if case.kind == "think" else at)
        operation, steps, at = np.where(over, 0, following), np.where(over, 1, steps + 1), after
        if not case.users:
            died[who[over]] = done[over]
            who, at, operation, steps, pace = (one[~over] for one in (who, at, operation, steps, pace))
    columns = [np.concatenate(column) for column in zip(*rows, strict=True)]
    return _Walked(*columns, session_run=session_run, born=session_born, died=died)


def _measured(case: Case, walked: _Walked, mine: Integers, run: int) -> Measurement:
    start, end = case.ramp_s, case.end_s
    operation, begun, ended = walked.operation[mine], walked.begun[mine], walked.ended[mine]
    pace, failed = walked.pace[mine], walked.failed[mine]
    sessions, lived = _sessions(case, walked, run) if case.rate else (None, None)
    settled = start + longest_pause_s(case.plan())
    if sessions is not None:
        settled = max(start, sessions.longest_s, longest_life_s(case.plan()))
    steady = (begun >= start) & (ended <= end)
    second = np.clip(ended.astype(int) - start, 0, case.steady_s - 1)
    late = (np.floor((ended - begun) * 1e6) > case.limit_s * 1e6) & ~failed
    due = (ended >= np.ceil(settled)) & (ended < end)
    series = []
    for number, name in enumerate(case.names):
        own = operation == number
        seen = own & steady

        def counted(which: npt.NDArray[np.bool_]) -> Floats:
            return np.bincount(second[which], minlength=case.steady_s).astype(float)

        took = ended - begun
        paced = own & due & ~np.isnan(pace)
        response = _histogram(took[seen & ~failed])
        series.append(
            OperationSeries(
                name,
                case.limit_s,
                ok=counted(seen & ~failed),
                failed={cause: counted(seen & failed & (cause == "status")) for cause in CAUSES},
                late=counted(seen & late),
                dropped=np.zeros(case.steady_s),
                counters={"requests": counted(seen)},
                response=response,
                service=response,
                pace=_histogram(pace[paced & steady]),
                ended_pace=_histogram(pace[paced]),
                ended_service=_histogram(took[own & due & ~failed]),
            )
        )
    waiting = np.cumsum(
        np.bincount(np.minimum(begun.astype(int), end), minlength=end + 1)
        - np.bincount(np.minimum(ended.astype(int), end), minlength=end + 1)
    )[start:end].astype(float)
    users = np.full(case.steady_s, float(case.users)) if lived is None else lived
    return Measurement(
        start_s=start,
        end_s=end,
        settled_s=settled,
        operations=tuple(series),
        users=users,
        requests=sum((one.count for one in series), np.zeros(case.steady_s)),
        bytes_in=users,
        bytes_out=users,
        cpu_s=np.full(case.steady_s, 0.2),
        threads=1,
        in_flight=waiting,
        users_s=users,
        sessions_s=users,
        wake_lag=Histogram.of([50, 90, 9000], [900, 90, 5]),
        noise=_quiet(case.steady_s),
        sessions=sessions,
    )


def _quiet(seconds: int) -> Noise:
    """A machine with nothing else to do."""
    busy, none = np.full(seconds, 0.3), np.zeros(seconds)
    return Noise(Histogram.of([40, 60, 400], [900, 99, 1]), 0.01 * seconds, busy, none, none, none)


def _sessions(case: Case, walked: _Walked, run: int) -> tuple[Sessions, Floats]:
    """The sessions of one run, and the time that they lived in each second of the steady state."""
    own = walked.session_run == run
    born, died = walked.born[own], walked.died[own]
    start, end = case.ramp_s, case.end_s
    died = np.where(died < end + 2.0, died, np.inf)
    done = np.isfinite(died)
    lives = np.floor((died[done] - born[done]) * 1000)
    steady = (born >= start) & (born < end)
    inside = (died[done] >= start) & (died[done] < end)
    times = np.arange(start, end + 1)
    lived = np.diff(_integral(born, times) - _integral(died[done], times))
    arrived = np.bincount(born[steady].astype(int) - start, minlength=case.steady_s).astype(float)
    all_lives = _histogram(lives / 1e6)
    found = Sessions(
        steady=Tally(int(steady.sum()), int((steady & done).sum()), {}, 0),
        whole=Tally(len(born), int(done.sum()), {}, 0),
        whole_s=end + 2.0,
        completed=int(inside.sum()),
        ended=int(inside.sum()),
        ended_life_s=float(lives[inside].sum()) / 1000,
        waits=0,
        connections=_CONNECTIONS,
        whole_connections=_CONNECTIONS,
        life_ms=_histogram(lives[steady[done]] / 1e6),
        arrived=arrived[:-1],
        lives_ms=all_lives,
        longest_s=(all_lives.quantile_us(0.99) or 0.0) / 1000,
    )
    return found, lived


def _integral(instants: Floats, times: Integers) -> Floats:
    """Of the number of instants passed, up to each time."""
    ordered = np.sort(instants)
    passed = np.searchsorted(ordered, times)
    return np.asarray(passed * times - np.append(0.0, np.cumsum(ordered))[passed])


def _histogram(seconds: Floats) -> Histogram:
    """By the engine's buckets: 11 bits of the microseconds count."""
    us = np.floor(seconds * 1e6).astype(np.int64)
    bits = np.frexp(us.astype(float))[1]
    shift = np.maximum(0, bits - 11)
    return Histogram.of(np.where(shift > 0, ((shift + 1) << 10) + (us >> shift) - 1024, us), np.ones(len(us)))
