"""What a deployment is judged by: its long run, or the first year of its life.

The *long run* is the share of time down when it has run for ever; the *first year* starts with every node up.
Where nodes are mended the first year is never worse than the long run. What nobody mends has no long run, for
all its nodes are lost in the end: it is always judged by its first year.
"""

from __future__ import annotations

from typing import Literal, get_args

from loadstone.errors import LoadstoneError

Criterion = Literal["long-run", "first-year"]
CRITERIA: tuple[Criterion, ...] = get_args(Criterion)
LONG_RUN: Criterion = "long-run"
FIRST_YEAR: Criterion = "first-year"

SENTENCES: dict[str, str] = {
    LONG_RUN: "Judged in the long run; what nobody mends, in a first year that starts with every node up.",
    FIRST_YEAR: "Judged in a first year that starts with every node up.",
}
"""How tables and pages say it."""


def judged(mended: bool, criterion: Criterion) -> Criterion:
    """What such a deployment is judged by when `criterion` is asked for."""
    return criterion if mended else FIRST_YEAR


def parse_criterion(text: str) -> Criterion:
    """Raises `nodes-input`.

    >>> parse_criterion("first-year")
    'first-year'
    """
    for known in CRITERIA:
        if text.strip().lower() == known:
            return known
    raise LoadstoneError(
        "nodes-input", f"there is no criterion `{text}`", place="--criterion", hint=" or ".join(CRITERIA)
    )
