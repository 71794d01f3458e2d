"""Goals in people's words: `Search p95 < 300 ms`, `failed < 0.1 %`, `throughput > 100 /s in every 60 s`.

A goal names whom it judges, what of them, and a bound:

    [OPERATION | every] MEASURE RELATION BOUND [in every N s]

Of several scenarios an operation is `readers.Search`. Without an operation a goal judges all operations
together, with `every` each one of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Measure = Literal["response", "failed", "dropped", "throughput"]

SlaRules = Literal["cloudstone"]
"""Rules for the SLA that make figures comparable; a scenario may claim that it follows them."""

MOST = 100
"""Goals of one run."""

_LONGEST = 200
_SHAPE = re.compile(
    r"\s*(?:(?P<operation>[A-Za-z][A-Za-z0-9_-]*(?:\.[A-Za-z][A-Za-z0-9_-]*)?)\s+)?"
    r"(?P<measure>p[0-9]{1,2}(?:\.[0-9]{1,4})?|median|failed|dropped|throughput)\s*"
    r"(?P<relation><=?|>=?)\s*"
    r"(?P<bound>limit|[0-9]{1,12}(?:\.[0-9]{1,9})?)\s*(?P<unit>ms|s|%|/s)?"
    r"(?:\s+in\s+every\s+(?P<window>[0-9]{1,8}(?:\.[0-9]{1,3})?)\s*s)?\s*"
)
_MEASURES: dict[str, Measure] = {"failed": "failed", "dropped": "dropped", "throughput": "throughput"}
"""Every other word is a percentile of response times."""
_EXAMPLES = "for example `Search p95 < 300 ms`, `every p99 < limit`, `failed < 0.1 %` or `throughput > 50 /s`"


class GoalError(ValueError):
    """A text that is not a goal; `hint` says how goals are written."""

    def __init__(self, message: str, hint: str = _EXAMPLES) -> None:
        """`message` in words."""
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True)
class Goal:
    """One goal."""

    text: str
    """As it was written: its name in every record."""
    measure: Measure
    bound: float
    """Seconds of a response, a share of failed and dropped, operations a second of throughput. NaN for the
    limit that each operation has itself."""
    share: float | None = None
    """Of a response: the share of operations that must be within the bound."""
    operation: str | None = None
    """None for all together, or for each."""
    each: bool = False
    window_s: float | None = None
    """It holds in every window of this length; None for the steady state as a whole."""

    @property
    def own_limit(self) -> bool:
        """Whether each operation's own limit is the bound."""
        return math.isnan(self.bound)

    @property
    def least(self) -> float:
        """The least good figure that meets it: a share of good operations, or operations a second."""
        if self.measure in ("failed", "dropped"):
            return 1 - self.bound
        return self.bound if self.share is None else self.share

    @property
    def unsearched(self) -> str:
        """Why no search for the most load can answer it; "" where one can."""
        if self.measure == "throughput":
            return "grows with the load: more load does not break it"
        return "" if self.least < 1 else "cannot be shown to hold: none may fail, however many are seen"


def parse(text: str) -> Goal:
    """The goal that `text` says. Error `GoalError`.

    >>> parse("Search p95 < 300 ms")
    Goal(text='Search p95 < 300 ms', measure='response', bound=0.3, share=0.95, operation='Search', \
each=False, window_s=None)
    >>> parse("failed < 0.1 % in every 60 s").window_s
    60.0
    """
    found = _SHAPE.fullmatch(text) if len(text) <= _LONGEST else None
    if not found:
        raise GoalError(f"`{text[:_LONGEST]}` is not a goal")
    measure = found["measure"]
    quantity = _MEASURES.get(measure, "response")
    bound = _bound(quantity, found)
    window = float(found["window"]) if found["window"] else None
    if window is not None and window < 1:
        raise GoalError(f"`{text}` has windows of {window:g} s", "a window is at least 1 s long")
    each = found["operation"] == "every"
    if quantity == "response" and math.isnan(bound) and not (each or found["operation"]):
        raise GoalError(f"`{text}` does not say whose limit", f"write `every {text.strip()}`")
    return Goal(
        text=" ".join(text.split()),
        measure=quantity,
        bound=bound,
        share=_share(measure, text) if quantity == "response" else None,
        operation=None if each else found["operation"],
        each=each,
        window_s=window,
    )


def parse_all(texts: Sequence[str], operations: Iterable[str]) -> list[Goal]:
    """The goals of a run whose operations are these. Error `GoalError` for an unknown one, too."""
    known, goals = set(operations), [parse(text) for text in texts]
    for goal in goals:
        if goal.operation and goal.operation not in known:
            raise UnknownOperation(goal)
    return goals


class UnknownOperation(GoalError):
    """A goal about an operation that the scenario does not have."""

    def __init__(self, goal: Goal) -> None:
        """`operation` is the unknown name."""
        super().__init__(f"`{goal.text}` is about `{goal.operation}`, which is not an operation", "")
        self.operation = str(goal.operation)


def _bound(measure: Measure, found: re.Match[str]) -> float:
    """The bound in the measure's own unit. What makes no sense is refused."""
    unit, at_most, text = found["unit"], found["relation"][0] == "<", found[0].strip()
    units = {"response": ("ms", "s"), "throughput": ("/s",)}.get(measure, ("%",))
    if measure == "throughput" and at_most:
        raise GoalError(f"`{text}` asks for little throughput", "write `throughput > 50 /s`")
    if measure != "throughput" and not at_most:
        raise GoalError(f"`{text}` asks for bad service", f"write `{found['measure']} < …`")
    if found["bound"] == "limit":
        if measure != "response" or unit:
            raise GoalError(f"`{text}`: only a response time can have `limit` as its bound, without a unit")
        return math.nan
    if unit not in units:
        what = "has no unit" if unit is None else f"has the unit {unit}"
        raise GoalError(f"`{text}` {what}", f"`{found['measure']}` is in {' or '.join(units)}")
    bound = float(found["bound"]) * {"ms": 1e-3, "%": 1e-2}.get(unit, 1.0)
    if bound <= 0 and measure in ("response", "throughput"):
        raise GoalError(f"`{text}` has the bound 0", "a bound is above 0")
    if measure in ("failed", "dropped") and bound > 1:
        raise GoalError(f"`{text}` is over 100 %")
    return bound


def _share(measure: str, text: str) -> float:
    share = 0.5 if measure == "median" else float(measure[1:]) / 100
    if not 0 < share < 1:
        raise GoalError(f"`{text}` is about p{100 * share:g}", "percentiles lie between 0 and 100")
    return share
