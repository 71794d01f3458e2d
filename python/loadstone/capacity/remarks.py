"""What whoever reads a search has to know besides its numbers. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from loadstone.capacity.evidence import unjudged
from loadstone.capacity.points import Point
from loadstone.capacity.search import Search
from loadstone.goals import Goal
from loadstone.judge.evenness import Speed, uneven
from loadstone.stages.capacity import SearchRun
from loadstone.unit import Unit


def remarks(
    search: Search,
    rows: Sequence[SearchRun],
    points: Collection[Point],
    goals: Sequence[Goal],
    unit: Unit,
    disturbed: Sequence[int],
    young_s: float,
) -> list[str]:
    """`disturbed`: loads in steps that were measured anew; `young_s`: how much longer sessions live than the
    ramp-up.
    """
    rare = sorted({name for point in points for name in unjudged(point.trials, goals)})
    found = [f"too few operations to judge {name}: a longer window shows more" for name in rare]
    found += [
        f"{unit.amount(unit.load(steps))} were measured anew: they broke a goal that more held"
        for steps in disturbed
    ]
    if young_s > 0:
        found.append(
            f"sessions live longer than the ramp-up, so that runs began with too few of them: make it "
            f"{young_s:.0f} s longer (--set load.ramp_up_s=...)"
        )
    open_loads = set().union(*(bracket.noisy for bracket in search.brackets.values()))
    early = [row for row in rows if row.trend == "better" and unit.steps(row.load) in open_loads]
    if early:
        found.append(
            f"in {len(early)} runs at loads that stayed open the service still got better, which shows "
            f"nothing of what breaks: a longer ramp-up lets it settle first (--set load.ramp_up_s=...)"
        )
    found += uneven([Speed(row.folder, row.compute_us, row.memory_us) for row in rows])
    if slow := sum(row.slowed for row in rows):
        found.append(
            f"in {slow} of {len(rows)} runs the machine was slow, and not by the load: what "
            f"they broke does not count; what they held does"
        )
    match search.outcome:
        case "generator":
            found.append(
                "the generator is the limit: the service may carry more; give the generator threads "
                "(--threads) or a machine of its own"
            )
        case "invalid":
            found.append("runs stayed invalid for the load they made: see `validity` in their run.json")
        case "max-runs":
            found.append(f"stopped after {search.limits.runs} runs; the interval is what they show")
    return found
