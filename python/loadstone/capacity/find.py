"""The search on a real service: each measurement is a run folder, and `capacity.json` follows every one."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from loadstone import record
from loadstone.capacity.evidence import Trial, shares, trial, unjudged, verdicts
from loadstone.capacity.probes import Watch as WatchProbe
from loadstone.capacity.probes import probe
from loadstone.capacity.probing import Probing
from loadstone.capacity.search import Bracket, Limits, Search, Verdict
from loadstone.errors import LoadstoneError
from loadstone.judge import Rules
from loadstone.judge.checks import GENERATOR_BUSY, STARTED_LATE, missed
from loadstone.judge.sla import SLAS, departures
from loadstone.measure import Interrupt, Job, Progress, measure_scenario
from loadstone.stages.capacity import Capacity, Held, LimitedBy, ProbeRun, SearchRun
from loadstone.stages.origin import Machine, Node
from loadstone.stages.run import Run

Watch = Callable[[int, int, Search], Progress]
"""Makes the progress of run number N, given its number of users."""


@dataclass(frozen=True)
class Options:
    """How to search."""

    limits: Limits
    confidence: float = 0.95
    seed: int = 1
    """Of the first run; every further run has the next one."""


@dataclass(frozen=True)
class Probes:
    """Short runs before the search. Without them the search would double the users in runs of full length."""

    job: Job
    """The job with the short run's scenario."""
    watch: WatchProbe


@dataclass
class _Point:
    """All runs at one number of users."""

    trials: list[Trial] = field(default_factory=list)
    results: list[Run] = field(default_factory=list)
    busy: int = 0
    """In how many of them the generator's own processor was the limit."""

    def sound(self) -> list[Run]:
        """The results of the runs that are evidence."""
        return [result for one, result in zip(self.trials, self.results, strict=True) if not one.invalid]


def find(
    job: Job,
    folder: Path,
    options: Options,
    interrupt: Interrupt,
    watch: Watch,
    probes: Probes | None = None,
) -> Capacity:
    """Searches the capacity of `job`'s service; returns the record, which is `capacity.json`, too.

    With `probes` the search begins where they expect the capacity, and with narrow steps.

    Ctrl-C ends the run under way and the search, and keeps the interval so far. Errors: those of
    `measure_scenario`, `folder-in-use`; `capacity.json` then holds what was found before.
    """
    record.require_unused(folder)
    with interrupt.between_runs():
        rows: list[ProbeRun] = []
        if probes:
            probing = Probing(options.limits.first, options.limits.most)
            rows = probe(probes.job, folder, probing, options.seed, interrupt, probes.watch)
            options = replace(options, limits=_near(options.limits, probing.expected()))
        report = _Report(job, folder, options, rows)
        search = report.search
        try:
            while (users := search.next()) is not None and not interrupt.requested:
                _measure(job, folder, users, options.seed, interrupt, watch, report)
        except LoadstoneError as error:
            search.stop(error.slug)
            report.write()
            raise
        except KeyboardInterrupt:
            search.stop("interrupted")
            report.write()
            if interrupt.insisted:
                raise
        if interrupt.requested:
            search.stop("interrupted")
    return report.write()


def _near(limits: Limits, expected: int) -> Limits:
    """The search begins at `expected`. One step from there makes an interval of twice the tolerance."""
    return replace(limits, first=expected, step=1 + 2 * limits.tolerance)


def _measure(
    job: Job, folder: Path, users: int, seed: int, interrupt: Interrupt, watch: Watch, report: _Report
) -> None:
    """One run of the search. A run that Ctrl-C cut short is listed, but is not evidence."""
    number = len(report.rows) + 1
    path = folder / "runs" / f"{number:04d}-{users}"
    try:
        result = measure_scenario(
            job,
            path,
            users=users,
            seed=seed + number - 1,
            interrupt=interrupt,
            progress=watch(number, users, report.search),
        )
    except LoadstoneError as error:
        if error.slug != "plan-refused" or users <= min((row.users for row in report.rows), default=users):
            raise
        # Fewer users were no trouble: the engine has no room for these (open files, for example).
        report.search.block(users, "generator")
        return
    with interrupt:
        if result.outcome == "interrupted":
            report.add_unjudged(users, path, result)
        else:
            report.add(users, path, result)


class _Report:
    """What was found so far, and how it is written down."""

    def __init__(self, job: Job, folder: Path, options: Options, probes: list[ProbeRun]) -> None:
        self.search = Search([sla.name for sla in SLAS], options.limits)
        self.rows: list[SearchRun] = []
        self._probes = probes
        self._job = job
        self._folder = folder
        self._options = options
        self._points: dict[int, _Point] = {}
        self._disturbed: list[int] = []
        self._nodes: list[Node] = []
        self._started = record.now()

    def add(self, users: int, path: Path, result: Run) -> None:
        """Judges a run together with the earlier ones at the same number of users."""
        checks = result.validity.checks
        limits, strayed = missed(checks, "generator"), missed(checks, "load")
        busy, late = GENERATOR_BUSY in limits, STARTED_LATE in limits
        faulty = bool(missed(checks, "service")) or result.outcome == "sut-died"
        point = self._points.setdefault(users, _Point())
        if users == self.search.doubted():
            self._set_aside(users, point)
        point.trials.append(
            trial(
                record.measurement_of(path),
                self._job.scenario.sla_window_s,
                faulty=faulty,
                invalid=bool(busy or strayed),
                late=late,
            )
        )
        point.results.append(result)
        point.busy += busy
        found = verdicts(point.trials, self._confidence())
        self._row(users, path, result, found)
        self.search.record(users, found)
        if point.busy > 1:
            # Once may be an accident of the machine; twice at the same load is the generator's end.
            self.search.block(users, "generator")
        self.write()

    def _set_aside(self, users: int, point: _Point) -> None:
        """More users held the SLA that these broke, so something else disturbed the run."""
        point.trials.clear()
        point.results.clear()
        self._disturbed.append(users)

    def add_unjudged(self, users: int, path: Path, result: Run) -> None:
        """Lists a run that was cut short: too short to be evidence."""
        self._row(users, path, result, dict.fromkeys(self.search.brackets, Verdict.INVALID))

    def write(self) -> Capacity:
        """Replaces `capacity.json` by what is known now."""
        scenario = self._job.scenario
        accounts = scenario.data.get("accounts")
        accounts = None if accounts is None else int(accounts)
        plan = {"load": {"ramp_up_s": scenario.file.load.ramp_up_s}}
        left = departures(Rules(plan, scenario.sla_window_s, accounts, {}, {}), scenario.file.load.steady_s)
        first, second = (self._answer(sla.name) for sla in SLAS)
        found = Capacity(
            name=scenario.name,
            outcome=self.search.outcome if self.search.stopped or not self.search.next() else "searching",
            machine=Machine(**record.machine()),
            versions=record.versions(),
            command=list(self._job.command),
            started_at=self._started,
            ended_at=record.now(),
            accounts=accounts,
            log10_accounts=round(math.log10(accounts), 3) if accounts else None,
            node=self._node(),
            window_s=scenario.sla_window_s,
            compliant=not left,
            confidence=self._options.confidence,
            tolerance=self._options.limits.tolerance,
            sla_1=first,
            sla_2=second,
            probes=self._probes,
            runs=list(self.rows),
            warnings=[f"not compliant: {departure}" for departure in left] + self._warnings(),
        )
        record.make_folder(self._folder)
        record.write_stage(self._folder, found)
        return found

    def _confidence(self) -> float:
        """Confidence of one look at one point: `repeats` looks together must not exceed the stated doubt."""
        return 1 - (1 - self._options.confidence) / self._options.limits.repeats

    def _row(self, users: int, path: Path, result: Run, found: Mapping[str, Verdict]) -> None:
        self._nodes += [result.node] if result.node else []
        within = {name: operation.share_within_limit for name, operation in result.operations.items()}
        self.rows.append(
            SearchRun(
                folder=str(path.relative_to(self._folder)),
                users=users,
                outcome=result.outcome,
                valid=result.validity.state == "valid",
                shares=within,
                worst_share=min((share for share in within.values() if share is not None), default=None),
                verdict={name: verdict.value for name, verdict in found.items()},
            )
        )

    def _node(self) -> Node | None:
        """The machine, if it was made for every run, with the median time to start."""
        starts = [node.start_s for node in self._nodes if node.start_s is not None]
        if not starts:
            return None
        return self._nodes[0].model_copy(
            update={"start_s": statistics.median(starts), "start_s_range": [min(starts), max(starts)]}
        )

    def _answer(self, name: str) -> Held:
        bracket = self.search.brackets[name]
        results = self._points[bracket.low].sound() if bracket.low else []
        return Held(
            users=bracket.low,
            low=bracket.low,
            high=bracket.high,
            noisy=sorted(
                users for users in bracket.noisy if bracket.low < users < (bracket.high or math.inf)
            ),
            limited_by=self._limited_by(bracket),
            throughput_ops_per_s=_mean([result.throughput_ops_per_s for result in results]),
            bytes_in_per_op=_mean([result.bytes.in_per_op for result in results if result.bytes]),
            bytes_out_per_op=_mean([result.bytes.out_per_op for result in results if result.bytes]),
        )

    def _limited_by(self, bracket: Bracket) -> LimitedBy | None:
        if bracket.high is None:
            return None
        point = self._points[bracket.high]
        worst = min(shares(point.trials).items(), key=lambda item: item[1], default=(None, None))
        broken = {name for result in point.sound() for name in missed(result.validity.checks, "service")}
        return LimitedBy(operation=worst[0], share_at_high=worst[1], checks=sorted(broken))

    def _warnings(self) -> list[str]:
        rare = sorted({name for point in self._points.values() for name in unjudged(point.trials)})
        found = [f"too few operations to judge {name}: a longer window shows more" for name in rare]
        found += [
            f"{users} users were measured anew: they broke an SLA that more users held"
            for users in self._disturbed
        ]
        match self.search.outcome:
            case "generator":
                found.append(
                    "the generator is the limit: the service may carry more; give it threads or a machine"
                )
            case "invalid":
                found.append("runs stayed invalid for the load they made: see `validity` in their run.json")
            case "max-runs":
                found.append(
                    f"stopped after {self._options.limits.runs} runs; the interval is what they show"
                )
        return found


def _mean(figures: list[float | None]) -> float | None:
    known = [figure for figure in figures if figure is not None]
    return sum(known) / len(known) if known else None
