"""Functions that steps call: whether they held the load back."""

from __future__ import annotations

import numpy as np

from loadstone.digits import digits
from loadstone.judge.checks import HOOKS_BUSY, met_if
from loadstone.judge.measurement import Measurement, Rules
from loadstone.judge.noise_checks import LESS_LOAD
from loadstone.stages.run import Check
from loadstone.unit import Unit

CPU_SHARE = 0.7
"""Of one processor: an interpreter of Python has no more. Beyond, calls queue, as all work would."""


def hooks_check(measurement: Measurement, rules: Rules) -> list[Check]:
    """Whether the functions kept up. Not checked where none was called.

    Users who wait for their turn with a function make less load than was asked for; what arrives at a rate
    does not.
    """
    if not measurement.hooks:
        return []
    where, share = busiest(measurement)
    waited = _waiting_share(measurement)
    turns = digits(100 * waited, 2)
    of_users = not Unit.of(rules.plan["load"]).is_rate
    most = max(measurement.hooks, key=lambda hook: hook.cpu_s).name
    return [
        Check(
            name=HOOKS_BUSY,
            verdict=met_if(share < CPU_SHARE and not (of_users and waited >= LESS_LOAD)),
            measured=(f"{where}: " if where else "")
            + f"{digits(100 * share, 2)} % of a processor, most for {most}"
            + (f"; users waited {turns} % of their time for their turn" if of_users else ""),
            expected=f"under {100 * CPU_SHARE:.0f} %"
            + (f", and under {100 * LESS_LOAD:g} %" if of_users else ""),
            hint="functions in Python held the load back: say with templates, draws and extractions what "
            "they can say, make the function cheaper, or let several agents make the load",
            about="generator",
        )
    ]


def busiest(measurement: Measurement) -> tuple[str, float]:
    """The agent whose functions needed most, and their share of a processor; "" where there are no agents."""
    if measurement.agents:
        shares = {
            agent.name: float(agent.hooks_cpu_s.sum()) / max(1.0, min(len(agent.cpu_s), measurement.steady_s))
            for agent in measurement.agents
        }
        worst = max(shares, key=shares.__getitem__)
        return worst, shares[worst]
    spent = sum(hook.cpu_s for hook in measurement.hooks)
    return "", spent / measurement.steady_s if measurement.steady_s else 0.0


def _waiting_share(measurement: Measurement) -> float:
    """Of the users' time, how much they waited for a function to begin."""
    lived = measurement.users if measurement.users_s is None else measurement.users_s
    waits = (hook.waited for hook in measurement.hooks)
    waited = sum(float((one.values_us * one.counts).sum()) for one in waits) / 1e6
    return waited / float(np.sum(lived)) if np.sum(lived) else 0.0
