"""From a log to what it says: reads it once, cuts sessions, fits, and compares with what was held out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import numpy as np

from loadstone.errors import LoadstoneError
from loadstone.learn import cutoff, laws
from loadstone.learn.chain import Chain, Ints, chain_of, mixture
from loadstone.learn.hold_out import compared
from loadstone.learn.paths import Operation as Found
from loadstone.learn.people import Left, Visits, visits
from loadstone.learn.read import Log, Named, read
from loadstone.learn.scenario_text import END, scenario_text
from loadstone.learn.sessions import Tally, busiest_hour, by_hour, sample_share
from loadstone.stages import learn as stage

_RARE = -1
_OWN_LAW_FROM = 200
"""Pauses before an operation from which on a law of its own is tried."""
_OWN_LAW_GAIN = 10.0
"""Of AIC: less is no reason for another law."""
_P95 = 0.95


@dataclass(frozen=True)
class Options:
    """What may be asked for; the command's help says what each means."""

    format: str | None = None
    keys: Mapping[str, str] = field(default_factory=dict)
    user: str | None = None
    operations: Sequence[Named] = ()
    only_named: bool = False
    """Other operations are left out."""
    files: re.Pattern[str] | None = None
    cutoff_s: float | None = None
    most_classes: int = 4
    most_operations: int = 40
    least_share: float = 0.001
    shared_from: int = 10
    with_programs: bool = False
    bad_share: float = 0.05
    name: str = "learned"
    url: str = "http://127.0.0.1:8080"


@dataclass(frozen=True)
class Lesson:
    """What was learned, and the scenario file that follows."""

    record: stage.Learned
    scenario: str


class Watch(Protocol):
    """Is told how far it is."""

    def read(self, count: int) -> None:
        """So many bytes more of the logs, as the files have them, were read."""

    def looks(self) -> None:
        """All is read; what it says is looked for now."""


class Silent:
    """Nobody is told."""

    def read(self, count: int) -> None:
        """Says nothing."""

    def looks(self) -> None:
        """Says nothing."""


_SILENT = Silent()


def learn(
    sources: Sequence[str],
    options: Options,
    folder: Path,
    about: Mapping[str, object],
    watch: Watch = _SILENT,
) -> Lesson:
    """What logs say of the users of a site.

    folder: a private one for what does not fit into memory. about: the fields of `Origin`.
    Errors: `log-file`, `log-format`, `log-empty`.
    """
    named = options.operations
    log = read(
        sources, folder, format=options.format, keys=dict(options.keys), user=options.user, named=named,
        files=options.files, most_bad=options.bad_share, told=watch.read,
    )  # fmt: skip
    watch.looks()
    kinds = _kinds(log, named, options.only_named)
    gaps, clients, people = _first_look(log, kinds, options)
    chosen = _chosen(kinds, people, options)
    cut = cutoff.fitted(gaps) if options.cutoff_s is None else cutoff.CutOff(options.cutoff_s, "given")
    about_cut = cutoff.sensitivity(gaps, clients, cut.seconds)
    expected = next(sessions for seconds, sessions, _ in about_cut if seconds == cut.seconds)
    tally = Tally(len(chosen), cut.seconds, log.whole_seconds, log.times, sample_share(expected))
    left = Left()
    for part in _parts(log, chosen, left, options):
        tally.add(part)
    if not tally.sessions or not tally.held_sessions.sum():
        hint = "a log of more clients; --with-programs takes those that look like programs, too"
        raise LoadstoneError("log-empty", "too few people are in the log to learn from", hint=hint)
    chains, classes = _classes(tally, options)
    pauses, own = _pauses(tally)
    names = [one.name for one in chosen]
    record = stage.Learned(
        **dict(about),  # type: ignore[arg-type]
        name=options.name,
        log=_lines(log, sources),
        left_out=stage.LeftOut(clients=dict(left.clients), requests=dict(left.requests)),
        cutoff=_cutoff(cut, about_cut),
        operations=[_operation(n, one, tally, own.get(n)) for n, one in enumerate(chosen)],
        pauses=pauses,
        classes=stage.Classes(
            tried=classes,
            sampled_sessions=tally.sample.sessions,
            classes=[_class(chain, names, tally.sessions) for chain in chains],
        ),
        arrivals=_arrivals(tally, clients, pauses),
        held_out=compared(chains, names, tally.held_counts, tally.held_sessions, tally.held_lengths),
        warnings=_warnings(log, cut, tally),
    )
    return Lesson(record, scenario_text(record, chosen, options.name, options.url))


def _kinds(log: Log, named: Sequence[Named], only_named: bool) -> list[Found]:
    """All kinds of requests; leaves count the named ones first."""
    first = len(named)
    kinds = log.paths.operations(log.counts[first:].tolist() + [0] * log.paths.leaves)
    for one in kinds:
        one.leaves = [leaf + first for leaf in one.leaves]
    kinds = [] if only_named else kinds
    taken = {one.name for one in named}
    for one in kinds:
        one.name += "-2" if one.name in taken else ""
    for number, own in enumerate(named):
        if own.example:
            method, path = own.example
            found = Found(method, tuple(part for part in path.split("/") if part), [number])
            found.name = own.name
            kinds.append(found)
    return kinds


def _parts(log: Log, chosen: Sequence[Found], left: Left, options: Options) -> Iterator[Visits]:
    """The operations of people, part by part."""
    operation_of = np.full(len(log.counts) + 1, _RARE, np.int64)
    for number, one in enumerate(chosen):
        operation_of[one.leaves] = number
    for events in log.events():
        yield visits(
            events, operation_of, left, shared_from=options.shared_from, with_programs=options.with_programs,
            rare=_RARE,
        )  # fmt: skip


def _first_look(log: Log, kinds: Sequence[Found], options: Options) -> tuple[Ints, int, Ints]:
    """Pauses by bin, clients, and operations of people by kind."""
    gaps = np.zeros(len(cutoff.EDGES) - 1, np.int64)
    people = np.zeros(len(kinds), np.int64)
    clients = 0
    for part in _parts(log, kinds, Left(), options):
        if len(part):
            begins = part.begins
            clients += int(np.count_nonzero(begins))
            gaps += cutoff.binned(np.diff(part.start_us)[~begins[1:]] / 1e6)
            people += np.bincount(part.operation, minlength=len(kinds))
    return gaps, clients, people


def _chosen(kinds: Sequence[Found], people: Ints, options: Options) -> list[Found]:
    """The kinds that are operations of the scenario, the most frequent first."""
    least = options.least_share * people.sum()
    order = np.argsort(-people, kind="stable")[: options.most_operations]
    found = [kinds[number] for number in order if people[number] > 0 and people[number] >= least]
    if not found:
        hint = "if all requests are of programs, give --with-programs"
        raise LoadstoneError("log-empty", "there are no operations of people in the log", hint=hint)
    return found


def _classes(tally: Tally, options: Options) -> tuple[list[Chain], dict[str, float]]:
    """The chains of as many classes as BIC asks for, and the BIC of each number that was tried."""
    tried = mixture(tally.sample, options.most_classes)
    best = min(range(len(tried)), key=lambda number: tried[number].bic) if tried else 0
    bic = {str(number): one.bic for number, one in enumerate(tried, 1)}
    # One class needs no sample: every step was counted.
    return ([chain_of(tally.steps)] if best == 0 else tried[best].chains), bic


def _pauses(tally: Tally) -> tuple[stage.Pauses | None, dict[int, stage.Pauses]]:
    """The common law, and those of operations where another one fits better."""
    kind = "think" if tally.times else "cycle"
    common = tally.pauses_before()
    fits = laws.fits(common)
    if not fits:
        return None, {}
    own: dict[int, stage.Pauses] = {}
    for number in range(tally.operations):
        counts = tally.pauses_before(number)
        if counts.total >= _OWN_LAW_FROM and (found := laws.fits(counts)):
            better = found[0].aic + _OWN_LAW_GAIN < laws.aic_of(fits[0], counts)
            own |= {number: _told(kind, counts, found)} if better else {}
    return _told(kind, common, fits), own


def _told(kind: str, counts: laws.Counts, fits: Sequence[laws.Fit]) -> stage.Pauses:
    return stage.Pauses(
        kind=kind,
        count=counts.total,
        mean_s=counts.mean_s,
        laws=[
            stage.Law(
                kind=one.kind,
                parameters=one.parameters,
                errors={name: error if np.isfinite(error) else None for name, error in one.errors.items()},
                aic=one.aic,
            )
            for one in fits
        ],
    )


def _class(chain: Chain, names: Sequence[str], sessions: int) -> stage.Class:
    visits = chain.visits
    columns = [*names, END]
    return stage.Class(
        share=chain.share,
        sessions_of=round(chain.share * sessions),
        operations_per_session=float(visits.sum()),
        enter={name: float(share) for name, share in zip(names, chain.enter, strict=True) if share > 0},
        mix={
            name: {
                to: float(share) for to, share in zip(columns, chain.follow[row], strict=True) if share > 0
            }
            for row, name in enumerate(names)
            if visits[row] > 1e-12
        },
    )


def _operation(number: int, one: Found, tally: Tally, own: stage.Pauses | None) -> stage.Operation:
    count = int(tally.visited[number])
    took = tally.took[number]
    p95 = None
    if took.sum():
        p95 = float(laws.FINE_EDGES[1 + np.searchsorted(np.cumsum(took), _P95 * took.sum())])
    return stage.Operation(
        name=one.name,
        method=one.method,
        path=one.template,
        count=count,
        share=count / int(tally.visited.sum()),
        files_per_visit=float(tally.files[number] / count) if count else 0.0,
        p95_s=p95,
        pauses=own,
    )


def _lines(log: Log, sources: Sequence[str]) -> stage.Lines:
    return stage.Lines(
        files=list(sources),
        format=log.format,
        lines=log.lines,
        bad=log.bad,
        bad_first=[stage.BadLine(place=place, text=text) for place, text in log.examples],
        requests=log.requests,
        files_of_pages=log.files,
        other_methods=log.other_methods,
        first_at=_iso(log.first_us / 1e6),
        last_at=_iso(log.last_us / 1e6),
        whole_seconds=log.whole_seconds,
        request_times=log.times,
    )


def _cutoff(cut: cutoff.CutOff, tried: Sequence[tuple[float, int, float]]) -> stage.CutOff:
    return stage.CutOff(
        seconds=cut.seconds,
        how=cut.how,
        median_within_s=cut.within[0] if cut.within else None,
        median_between_s=cut.between[0] if cut.between else None,
        sensitivity=[
            stage.Tried(cutoff_s=seconds, sessions=sessions, operations_per_session=length)
            for seconds, sessions, length in tried
        ],
    )


def _arrivals(tally: Tally, clients: int, pauses: stage.Pauses | None) -> stage.Arrivals:
    hour, most = busiest_hour(tally.hours)
    duration = tally.duration_s / tally.sessions
    pause = pauses.mean_s if pauses else 0.0
    return stage.Arrivals(
        sessions=sum(tally.hours.values()),
        clients=clients,
        by_hour=by_hour(tally.hours),
        busiest_hour=_iso(hour * 3600),
        busiest_sessions=most,
        mean_duration_s=duration,
        # A user of a run pauses before the next session, too.
        users_busiest=most / 3600 * (duration + pause),
    )


def _warnings(log: Log, cut: cutoff.CutOff, tally: Tally) -> list[str]:
    found = []
    if log.bad:
        place, text = log.examples[0]
        found.append(f"{log.bad:,} of {log.lines:,} lines could not be read, the first at {place}: {text!r}")
    if cut.how == "custom":
        found.append(f"the pauses show no limit between sessions: {cut.seconds:g} s is the cut-off by custom")
    if not log.times:
        found.append(
            "the log does not say how long requests took: pauses are from start to start (cycle times)"
        )
    if tally.sessions < 1000:
        found.append(f"only {tally.sessions:,} sessions to learn from: rare steps are uncertain")
    return found


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
