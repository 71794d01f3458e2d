"""Two releases measured in turn: pairs of short runs, so that what drifts hits both alike."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from loadstone import record
from loadstone.measure import Interrupt, Job, Progress, measure_scenario

SIDES = ("a", "b")
"""The old one and the new one: names of their folders."""

Watch = Callable[[int, str], Progress]
"""Makes the progress of a run, given the pair's number and the side."""


def measure_pairs(
    jobs: Mapping[str, Job],
    folder: Path,
    *,
    pairs: int,
    seed: int,
    users: int | None,
    interrupt: Interrupt,
    watch: Watch,
) -> bool:
    """Measures the pairs into `a/0001`, `b/0001` and so on of `folder`; False if Ctrl-C ended it early.

    Both runs of a pair have one seed, so that the same users make the same choices. Each run is in its folder
    when it has ended, whatever comes later. Errors: `folder-in-use`; those of `measure_scenario`.
    """
    record.require_unused(folder)
    with interrupt.between_runs():
        try:
            for number, side in turns(pairs, seed):
                measure_scenario(
                    jobs[side],
                    folder / side / f"{number:04d}",
                    load=users,
                    seed=seed + number - 1,
                    interrupt=interrupt,
                    progress=watch(number, side),
                )
                if interrupt.requested:
                    return False
        except KeyboardInterrupt:
            if interrupt.insisted:
                raise
            return False
    return True


def turns(pairs: int, seed: int) -> Iterator[tuple[int, str]]:
    """The runs in their order: numbers of pairs from 1, and sides.

    Of every two pairs one begins with the old release and one with the new one; which is first is drawn.
    A steady drift then favours neither, and nothing that comes and goes regularly can keep in step.

    >>> "".join(side for _, side in turns(4, seed=1))
    'abbaabba'
    """
    drawn = random.Random(seed)
    first = 0
    for number in range(1, pairs + 1):
        first = drawn.randrange(2) if number % 2 else 1 - first
        yield number, SIDES[first]
        yield number, SIDES[1 - first]
