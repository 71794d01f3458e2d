"""A run under way as lines of text: what the page shows, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from loadstone.live import Live, Second
from loadstone.stages.run import Run
from loadstone.unit import Unit

_MOST_FAILURES = 5
_ROLES = {"sut": "service", "host": "machine"}


def one_line(live: Live) -> str:
    """The last second in a line."""
    now = live.seconds[-1]
    return (
        f"{now.phase:9}  {now.second + 1} s of {live.total_s:.0f}  {now.load} {_who(live.unit)}  "
        f"{now.ok_per_s:.1f} ops/s  p90 {_ms(now.p90_ms)}  {now.failed} failed"
    )


def lines(live: Live, so_far: Run | None = None) -> Iterator[str]:
    """Time, load, response times, throughput, resources, failures; verdicts and warnings of `so_far`."""
    if not live.seconds:
        yield "no second has passed yet"
        return
    now = live.seconds[-1]
    yield (
        f"{now.phase:9}  {now.second + 1} s of {live.total_s:.0f}, {clock(live.left_s)} left  "
        f"{_load(live, now)}"
    )
    yield (
        f"{now.ok_per_s:.1f} ops/s  {now.requests_per_s:.1f} requests/s  p50 {_ms(now.p50_ms)}  "
        f"p90 {_ms(now.p90_ms)}  p99 {_ms(now.p99_ms)}  {now.failed} failed"
        + (f"  {now.dropped} dropped" if now.dropped else "")
    )
    if cores := latest_cores(live):
        yield "CPU cores: " + "  ".join(f"{_ROLES.get(of, of)} {busy:.2f}" for of, busy in cores.items())
    failures = list(live.failures())
    for failure in failures[:_MOST_FAILURES]:
        yield f"failed: {failure.told()}"
    if len(failures) > _MOST_FAILURES:
        yield f"... and {len(failures) - _MOST_FAILURES} more kinds of failures"
    if so_far:
        yield from verdicts(so_far)


def verdicts(so_far: Run) -> Iterator[str]:
    """Goals and checks as they are now."""
    from loadstone.report.goals import asked, seen

    if not any(one.count for one in so_far.operations.values()):
        yield "no verdict yet: the steady state has not begun, or nothing ended in it"
        return
    for goal in so_far.goals.values():
        of = f"{goal.operation} " if goal.operation else ""
        yield f"{goal.name}: {goal.verdict} so far ({of}{seen(goal)}; {asked(goal)})"
    for check in so_far.validity.checks:
        if check.required and check.verdict == "missed":
            yield f"check {check.name}: missed so far ({check.measured}, expected {check.expected})"
    for warning in so_far.warnings:
        yield f"warning: {warning}"


def latest_cores(live: Live) -> dict[str, float]:
    """Of the last second that is known of each."""
    known: dict[str, float] = {}
    for one in live.resources[-_LOOK_BACK:]:
        known |= one.cores
    return known


_LOOK_BACK = 200
"""Lines in which every host that is watched has spoken."""


def clock(seconds: float) -> str:
    """A span of time for people.

    >>> clock(59.2), clock(60), clock(3725)
    ('59 s', '1:00 min', '1:02:05 h')
    """
    whole = round(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    if hours:
        return f"{hours}:{minutes:02}:{rest:02} h"
    return f"{minutes}:{rest:02} min" if minutes else f"{rest} s"


def _load(live: Live, now: Second) -> str:
    wanted = f" ({live.unit.amount(live.wanted)} asked for by hand)" if live.wanted is not None else ""
    return f"{now.load} {_who(live.unit)}{wanted}, {now.waiting} waiting"


def _who(unit: Unit) -> str:
    return "requests waiting or under way" if unit is Unit.REQUESTS else unit.things


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f} ms"
