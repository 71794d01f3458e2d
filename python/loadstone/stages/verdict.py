"""The words of every verdict, and what the verdicts on a run's checks make of the run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

Verdict = Literal["met", "missed", "open"]
"""`open`: what was seen is too little to say either."""

About = Literal["generator", "service", "overload", "load"]
"""Who is at fault where a check is missed: the `load` is what was asked for, or came to be. `overload`: the
service answers rightly, but is too slow for its users; that is evidence about it, and no fault of the run."""

RunState = Literal["valid", "failed", "inconclusive", "invalid"]
"""`failed`: the service answered wrongly, hung or died.
`inconclusive`: too little was seen.
`invalid`: the load was not what was asked for, so that the run says nothing of the service."""


def run_state(found: Iterable[tuple[About | None, Verdict, bool]]) -> RunState:
    """What the checks of a run make of it; each is who it is about, its verdict, and whether it is required.

    A generator out of breath explains what else is wrong. Next, a service that fails explains a load that
    strays: sessions that end early change the mix.

    >>> run_state([("load", "missed", True), ("service", "missed", True)])
    'failed'
    >>> run_state([("load", "missed", True), ("overload", "missed", True)])
    'valid'
    >>> run_state([("load", "met", True), ("service", "open", False)])
    'valid'
    """
    required = [(about, verdict) for about, verdict, needed in found if needed]
    missed = {about for about, verdict in required if verdict == "missed"}
    if "generator" in missed:
        return "invalid"
    if "service" in missed:
        return "failed"
    if "overload" in missed:
        return "valid"
    if missed:
        return "invalid"
    return "inconclusive" if any(verdict == "open" for _, verdict in required) else "valid"
