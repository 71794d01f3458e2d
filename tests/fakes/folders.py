"""Run folders made from simulated windows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import simulated

from loadstone import record


def beginning(plan: Mapping[str, Any], checks: Iterable[Mapping[str, Any]] = ()) -> record.Beginning:
    """What is known before a run of `plan`; its SLA window is its steady state."""
    return record.Beginning(
        goals=[],
        scenario_text="format = 1\n",
        plan=plan,
        target="http://127.0.0.1:1",
        accounts=1000,
        sla_window_s=plan["load"]["steady_s"],
        sla_rules=None,
        expectations=simulated.expectations(plan),
        checks=list(checks),
        command=["loadstone", "run", "simulated"],
    )


def made(
    folder: Path,
    plan: Mapping[str, Any],
    windows: Iterable[Mapping[str, Any]],
    checks: Iterable[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """A completed run folder; its `run.json`."""
    journal = record.begin(folder, beginning(plan, checks))
    last = -1
    for window in windows:
        journal.window(window)
        last = window["second"]
    journal.event("end", outcome="complete", at=record.now(), ended_s=last + 1.0, threads=1, examples=[])
    journal.close()
    return record.recover(folder).content()
