"""A plan from beginning to end: choice, front, influence of the inputs, growth, users served."""

from __future__ import annotations

from dataclasses import dataclass

from loadstone.parallel import Parallel
from loadstone.plan.candidate import Outcome, cheapest
from loadstone.plan.front import Front, front
from loadstone.plan.growth import Growth, growth
from loadstone.plan.inputs import Inputs
from loadstone.plan.part import Values, base
from loadstone.plan.served import Served, served
from loadstone.plan.tornado import Bar, tornado
from loadstone.plan.uncertain import Uncertainty, draws, uncertainty

_FURTHER = 2
"""The growth is computed up to this many times the planned users."""


@dataclass(frozen=True)
class Planned:
    """Everything that is known of a plan. The last two are None when nothing meets the targets."""

    inputs: Inputs
    values: Values
    outcome: Outcome
    front: Front
    bars: list[Bar]
    growth: Growth
    served: Served | None
    uncertainty: Uncertainty | None


def plan(inputs: Inputs, count: int, seed: int, parallel: Parallel) -> Planned:
    """Makes the plan; `count` draws of the inputs (0: none). Errors as the solver's and the bill's."""
    values = base(inputs)
    outcome = cheapest(inputs, values)
    chosen = outcome.chosen
    return Planned(
        inputs,
        values,
        outcome,
        front(inputs, values, parallel),
        tornado(inputs, parallel),
        growth(inputs, values, _FURTHER * values.users, parallel),
        served(inputs, values, chosen) if chosen else None,
        uncertainty(inputs, chosen, draws(inputs, count, seed), parallel) if chosen and count else None,
    )
