"""What a search has found so far, and `capacity.json`, which says so after every run."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from loadstone import record
from loadstone.capacity.evidence import verdicts
from loadstone.capacity.forecast import Forecast, lengths, runs_left
from loadstone.capacity.points import Point, recorded, trial_of
from loadstone.capacity.remarks import remarks
from loadstone.capacity.scale import Scaled
from loadstone.capacity.search import Limits, Search, Verdict
from loadstone.capacity.speeds import Speeds
from loadstone.capacity.steadiness import Steadiness, steadiness
from loadstone.goals import Goal
from loadstone.judge import Rules
from loadstone.judge.sla import SLAS, compliant, departures
from loadstone.measure import Job
from loadstone.stages.capacity import Binding, Capacity, Held, LoadVerdict, ProbeRun, SearchRun, Time
from loadstone.stages.origin import Machine, Node
from loadstone.stages.run import Run
from loadstone.unit import Unit


class Ledger:
    """The runs of a search, the search that they answer, and the record."""

    def __init__(
        self,
        job: Job,
        folder: Path,
        goals: Sequence[Goal],
        limits: Limits,
        confidence: float,
        probes: Sequence[ProbeRun],
        planned: Forecast,
        begun_s: float,
    ) -> None:
        """`goals`: SLA-1 and SLA-2, then those of the user's own.

        `confidence` is that of each end of an interval, over all looks at one load.

        `begun_s`: when the command began, by the monotonic clock.
        """
        self.search = Search([goal.text for goal in goals], limits)
        self.rows: list[SearchRun] = []
        self._probes = list(probes)
        self._job = job
        self._folder = folder
        self._goals = goals
        self._limits = limits
        self._confidence = confidence
        self._unit = job.scenario.unit
        self._points: dict[int, Point] = {}
        self._scaled = Scaled(probes)
        self._young_s = 0.0
        self._disturbed: list[int] = []
        self._speeds = Speeds()
        self._nodes: list[Node] = []
        self._started = record.now()
        self._planned = planned
        self._run_s = lengths(job).run_s
        self._begun_s = begun_s
        self._searched_s = time.monotonic()
        self._before = 0
        self._took_before_s = 0.0

    def go_on(self, before: Capacity) -> None:
        """The runs so far were made before this command: their number says nothing of how long one takes."""
        self._before, self._searched_s = len(self.rows), time.monotonic()
        self._started = before.started_at or self._started
        self._took_before_s = (before.time and before.time.took_s) or 0.0

    def add(self, steps: int, path: Path, result: Run) -> None:
        """Judges a run together with the earlier ones at the same load, in steps."""
        point = self._points.setdefault(steps, Point())
        if steps == self.search.doubted():
            # More load held the SLA that this one broke, so something else disturbed the run.
            point = self._points[steps] = Point()
            self._disturbed.append(steps)
            self._scaled.forget(self._unit.load(steps))
        measurement = record.measurement_of(path, self._goals)
        steady = steadiness(measurement)
        one = trial_of(result, measurement, self._goals, steady.trend)
        point.add(one, result, self._name(path))
        if self._unit is Unit.SESSIONS:
            self._young_s = max(self._young_s, measurement.settled_s - measurement.start_s)
        self._scaled.add(self._unit.load(steps), result, steady)
        self._row(steps, path, result, verdicts([one], self._goals, self._confidence), steady)
        slow = self._speeds.slowed()
        news = {at for at, there in self._points.items() if there.mark(slow)} - {steps}
        self.search.record(steps, point.verdicts(self._goals, self._look()))
        for at in news:
            self.search.revise(at, self._points[at].verdicts(self._goals, self._look()))
        self.search.suspected = self._speeds.suspected()
        if point.busy > 1:
            # Once may be an accident of the machine; twice at the same load is the generator's end.
            self.search.block(steps, "generator")
        self.write()

    def add_unjudged(self, steps: int, path: Path, result: Run) -> None:
        """Lists a run that is no evidence: one that was cut short, or of an earlier part of the search."""
        nothing = dict.fromkeys(self.search.brackets, Verdict.NOTHING)
        self._row(steps, path, result, nothing, Steadiness("unknown"))

    def write(self) -> Capacity:
        """Replaces `capacity.json` by what is known now."""
        scenario = self._job.scenario
        accounts = scenario.data.get("accounts")
        accounts = None if accounts is None else int(accounts)
        plan = {"load": {"ramp_up_s": scenario.file.load.ramp_up_s}}
        rules = Rules(plan, scenario.sla_window_s, accounts, {}, {}, claimed=scenario.sla_rules)
        steady_s = scenario.file.load.steady_s
        held = {goal.text: self._held(goal.text) for goal in self._goals}
        first, second = (held.pop(sla.name) for sla in SLAS)
        slow = self._speeds.slowed()
        rows = [row.model_copy(update={"slowed": row.folder in slow}) for row in self.rows]
        found = Capacity(
            name=scenario.name,
            outcome=self.search.outcome if self._is_over() else "searching",
            machine=Machine(**record.machine()),
            versions=record.versions(),
            command=list(self._job.command),
            started_at=self._started,
            ended_at=record.now(),
            accounts=accounts,
            log10_accounts=round(math.log10(accounts), 3) if accounts else None,
            node=self._node(),
            unit=self._unit,
            window_s=scenario.sla_window_s,
            compliant=compliant(rules, steady_s),
            confidence=self._confidence,
            tolerance=self._limits.tolerance,
            sla_1=first,
            sla_2=second,
            goals=held,
            binding=self._binding(),
            probes=self._probes,
            loads=[self._load(steps, point) for steps, point in sorted(self._points.items())],
            runs=rows,
            time=Time(
                expected_s=self._planned.expected_s,
                worst_s=self._planned.worst_s,
                took_s=round(self._took_before_s + time.monotonic() - self._begun_s, 1),
                left_s=self.left().expected_s,
            ),
            # A search of arrivals offers a throughput: how that grows is no property of the service.
            scaling=self._scaled.law() if self._unit is Unit.USERS and self._is_over() else None,
            warnings=[f"not compliant: {departure}" for departure in departures(rules, steady_s)]
            + remarks(
                self.search,
                rows,
                self._points.values(),
                self._goals,
                self._unit,
                self._disturbed,
                self._young_s,
            ),
        )
        record.make_folder(self._folder)
        record.write_stage(self._folder, found)
        return found

    def left(self) -> Forecast:
        """How long the rest takes, by the runs so far."""
        made = len(self.rows) - self._before
        run_s = (time.monotonic() - self._searched_s) / made if made else self._run_s
        most = max(0, self.search.limits.runs - self.search.runs)
        return Forecast(min(most, runs_left(self.search)) * run_s, most * run_s)

    def _is_over(self) -> bool:
        return self.search.next() is None

    def _look(self) -> float:
        """Confidence of one look at one point: `repeats` looks together must not exceed the stated doubt."""
        return 1 - (1 - self._confidence) / self._limits.repeats

    def _name(self, path: Path) -> str:
        return str(path.relative_to(self._folder))

    def _row(
        self, steps: int, path: Path, result: Run, alone: Mapping[str, Verdict], steady: Steadiness
    ) -> None:
        self._nodes += [result.node] if result.node else []
        self._speeds.add(steps, self._name(path), result)
        within = {name: operation.share_within_limit for name, operation in result.operations.items()}
        self.rows.append(
            SearchRun(
                folder=self._name(path),
                load=self._unit.load(steps),
                outcome=result.outcome,
                state=result.validity.state,
                evidence=any(verdict is not Verdict.NOTHING for verdict in alone.values()),
                shares=within,
                worst_share=min((share for share in within.values() if share is not None), default=None),
                verdict=recorded(alone),
                trend=steady.trend,
                rate_per_s=list(steady.rate_per_s),
                response_s=list(steady.response_s),
                compute_us=result.noise.compute_us if result.noise else None,
                memory_us=result.noise.memory_us if result.noise else None,
            )
        )

    def _load(self, steps: int, point: Point) -> LoadVerdict:
        verdict = recorded(point.verdicts(self._goals, self._look()))
        return LoadVerdict(load=self._unit.load(steps), runs=len(point.evidence()), verdict=verdict)

    def _node(self) -> Node | None:
        """The machine, if it was made for every run, with the median time to start."""
        starts = [node.start_s for node in self._nodes if node.start_s is not None]
        if not starts:
            return None
        return self._nodes[0].model_copy(
            update={"start_s": statistics.median(starts), "start_s_range": [min(starts), max(starts)]}
        )

    def _held(self, name: str) -> Held:
        bracket = self.search.brackets[name]
        low, high = bracket.low, bracket.high
        passing = self._points[low] if low is not None else None
        failing = self._points[high] if high is not None else None
        results = passing.valid() if passing else []
        return Held(
            load=self._known(low),
            low=self._known(low),
            high=self._known(high),
            verdict="met" if passing else "missed" if bracket.breaks_at_once else "open",
            ended_by=self.search.ended_by(name) if self._is_over() else None,
            last_passing=passing.bound(self._unit.load(low)) if passing and low is not None else None,
            first_failing=failing.bound(self._unit.load(high)) if failing and high is not None else None,
            noisy=[
                self._unit.load(steps)
                for steps in sorted(bracket.noisy)
                if (low or 0) < steps < (high or math.inf)
            ],
            limited_by=failing.limited_by(name) if failing else None,
            throughput_ops_per_s=_mean([result.throughput_ops_per_s for result in results]),
            bytes_in_per_op=_mean([result.bytes.in_per_op for result in results if result.bytes]),
            bytes_out_per_op=_mean([result.bytes.out_per_op for result in results if result.bytes]),
            sessions_live=_mean([result.sessions.live_mean for result in results if result.sessions])
            if self._unit is Unit.SESSIONS
            else None,
        )

    def _known(self, steps: int | None) -> float | None:
        return None if steps is None else self._unit.load(steps)

    def _binding(self) -> Binding | None:
        """Of goals that break at the same load the easiest: whoever breaks it breaks the others, too."""
        broken = [bracket for bracket in self.search.brackets.values() if bracket.high is not None]
        first = min(broken, key=lambda bracket: bracket.high or 0, default=None)
        if first is None or first.high is None:
            return None
        operation = self._points[first.high].limited_by(first.name).operation
        return Binding(goal=first.name, operation=operation, load=self._unit.load(first.high))


def _mean(figures: list[float | None]) -> float | None:
    known = [figure for figure in figures if figure is not None]
    return sum(known) / len(known) if known else None
