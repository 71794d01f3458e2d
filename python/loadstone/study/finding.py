"""What a study found: sentences made from its record, each with how sure it is and what it rests on."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from loadstone.intake.shapes import Count, Known, Word
from loadstone.judge.estimates import Estimate
from loadstone.stages.base import Json, Piece

Status = Literal["shown", "not shown", "undecided"]
"""Undecided: the data hold neither with the claim nor against it, or are too few to say."""


class Evidence(Piece):
    """A figure that a sentence rests on."""

    value: Known = None
    low: Known = None
    high: Known = None
    count: Count = 0
    """Independent repetitions behind it."""


class Finding(Piece):
    """One claim."""

    key: Word
    """The same for the same claim in every run of the study."""
    text: Word
    status: Status
    part: Word = ""
    """Of the study; empty where it is drawn from several."""
    rows: Count = 0
    """Measurements that it rests on."""
    figures: dict[str, Evidence] = Field(default_factory=dict)


def finding(
    key: str, text: str, status: Status, part: str = "", rows: int = 0, **figures: Json | Estimate | None
) -> Json:
    """A finding as JSON; of each figure its value, interval and count are kept.

    >>> finding("most", "A carries 3.", "shown", "throughput", 4, rate=Estimate(3.0, 2.0, 4.0, 4))["status"]
    'shown'
    """
    kept = {name: _evidence(one) for name, one in figures.items() if one is not None}
    return Finding(key=key, text=text, status=status, part=part, rows=rows, figures=kept).content()


def beyond(one: Json | None, bound: float, *, below: bool = False) -> Status:
    """Whether a figure lies above (or `below`) a bound, by its interval; undecided without one.

    >>> beyond({"value": 1.3, "low": 1.2, "high": 1.4}, 1.0), beyond({"value": 1, "low": 0.9, "high": 1.1}, 1)
    ('shown', 'undecided')
    """
    if one is None or one["low"] is None or one["high"] is None:
        return "undecided"
    far, near = (one["high"], one["low"]) if below else (-one["low"], -one["high"])
    bound = bound if below else -bound
    return "shown" if far < bound else "not shown" if near >= bound else "undecided"


def weakest(*statuses: Status) -> Status:
    """Of several claims that must all hold.

    >>> weakest("shown", "undecided"), weakest("undecided", "not shown"), weakest()
    ('undecided', 'not shown', 'undecided')
    """
    if "not shown" in statuses:
        return "not shown"
    if "undecided" in statuses:
        return "undecided"
    return "shown" if statuses else "undecided"


def _evidence(one: Json | Estimate) -> Evidence:
    if isinstance(one, Estimate):
        return Evidence(value=one.value, low=one.low, high=one.high, count=one.count)
    return Evidence(**{name: one.get(name) for name in ("value", "low", "high")}, count=one.get("count") or 0)
