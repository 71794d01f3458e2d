"""What became of flipped bits, beside the paper's Table I, and what others need of such a record."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from loadstone.judge.intervals import wilson
from loadstone.nodes.injected import DOWN
from loadstone.nodes.integrity import NODE_TYPES, NodeType, Spread
from loadstone.stages.inject import OUTCOMES, Share
from loadstone.study.nodes import records
from loadstone.study.nodes.asked import Build, Measured
from loadstone.study.nodes.description import Description

Json = dict[str, Any]

CONFIDENCE = 0.975
"""Of each bound: both together are an interval of 95 %."""


def outcomes(file: Description, folder: Path) -> list[Json]:
    """Table I: all kernels of a build together, the least and most of them, and the paper's node type."""
    measured = required(file)
    found = records.injection(folder / measured.injection)
    return [_outcomes(build, found) for build in measured.build]


def _outcomes(build: Build, found: records.Injection) -> Json:
    own = found.of(build.name)
    total = sum(one.injected for one in own)
    counts = {outcome: sum(one.count(outcome) for one in own) for outcome in OUTCOMES}
    each = [
        {"kernel": one.kernel, "injected": one.injected}
        | {outcome: one.count(outcome) / one.injected for outcome in OUTCOMES}
        for one in own
        if one.injected
    ]
    origin = {
        "command": found.command, "started_at": found.started_at,
        "machine": f"{found.machine.get('cores', '?')} cores, {found.machine.get('cpu', '?')}",
    }  # fmt: skip
    return beside_paper(build, counts, total) | {"kernels": each, "from": origin}


def beside_paper(build: Build, counts: Mapping[str, int], total: int) -> Json:
    """What became of `total` faults, with intervals, beside the paper's node type."""
    paper = NODE_TYPES[build.beside]
    return {
        "build": build.name,
        "beside": build.beside,
        "injected": total,
        "shares": [share_of(name, counts[name], total).content() for name in OUTCOMES],
        "down": share_of("down", sum(counts[name] for name in DOWN), total).content(),
        "paper": {"corrupt": paper.corrupts, "down": paper.crashes, "recovered": paper.retries},
    }


def share_of(outcome: str, count: int, total: int) -> Share:
    """One class with its interval of 95 % (Wilson), as a campaign has it."""
    share = count / total if total else 0.0
    low, high = wilson(share, total, CONFIDENCE)
    return Share(outcome=outcome, count=count, share=share, low=low, high=high)


def node_type(row: Json, factor: Fraction = Fraction(1)) -> NodeType:
    """The node type of a build: its shares of faults with their intervals."""
    found = {one["outcome"]: one for one in row["shares"]}
    down, corrupt, recovered = row["down"], found["corrupt"], found["recovered"]
    return NodeType(
        row["build"], factor, corrupt["share"], down["share"], recovered["share"],
        source=f"{row['injected']:,} faults",
        spread=Spread(*((one["low"], one["high"]) for one in (corrupt, down, recovered))),
    )  # fmt: skip


def required(file: Description) -> Measured:
    """What the file says of our own measurements; there is no task of them without it."""
    assert file.measured is not None, "no such task without it"
    return file.measured
