"""One inference: what it is about, in words, and the figures it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loadstone.digits import digits
from loadstone.stages.probe import Estimate, Sentence

LEAST_ROUNDS = 3
"""Fewer repeats show nothing of how a figure varies."""


def told(about: str, where: str, text: str, evidence: Mapping[str, Any]) -> Sentence:
    """A sentence that says something, and the figures that it rests on."""
    return Sentence(about=about, where=where, said=True, text=text, evidence=dict(evidence))


def silent(about: str, where: str, text: str, evidence: Mapping[str, Any] | None = None) -> Sentence:
    """A sentence that says why nothing is said."""
    words = f"The evidence does not suffice: {text}"
    return Sentence(about=about, where=where, said=False, text=words, evidence=dict(evidence or {}))


def spread(found: Estimate, unit: str) -> str:
    """A mean with its interval.

    >>> spread(Estimate(value=19.12, low=19.01, high=19.23, repeats=3), "Mbit/s")
    '19.1 Mbit/s [19.0, 19.2]'
    """
    if found.low is None or found.high is None:
        return f"{digits(found.value)} {unit}"
    return f"{digits(found.value)} {unit} [{digits(found.low)}, {digits(found.high)}]"


def percent(share: float) -> str:
    """A share.

    >>> percent(0.2), percent(0.0123), percent(0.0)
    ('20 %', '1.23 %', '0 %')
    """
    return f"{100 * share:.3g} %"
