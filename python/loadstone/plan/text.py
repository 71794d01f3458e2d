"""A plan as a chain in the PRISM language, for other solvers."""

from __future__ import annotations

from loadstone.availability.text import prism, series
from loadstone.plan.candidate import Candidate, crewed, sharing
from loadstone.plan.inputs import Inputs
from loadstone.plan.part import Values, cluster_of


def text(inputs: Inputs, values: Values, plan: Candidate) -> str:
    """The whole service with the label `down`: a module for each tier, independent or tied by crews."""
    if len(plan.parts) == 1:
        return prism(cluster_of(inputs, values, plan.parts[0]))
    shared = sharing(inputs, plan.parts)
    alone = [
        (inputs.tiers[part.at].name.replace("-", "_"), cluster_of(inputs, values, part))
        for part in plan.parts
        if part not in shared
    ]
    return series(alone, crewed(inputs, values, shared) if shared else None)
