"""Advice on length: given once, computed from the rarest operation, and not where a run was long enough."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import folders
import pytest
import simulated

from loadstone.cli.run import on_length
from loadstone.intake import Kind
from loadstone.stages.run import Run

RARE = {"Home": {"Home": 0.9, "Buy": 0.1}, "Buy": {"Home": 1}}


def quick(rng: random.Random, name: str) -> float:
    return rng.uniform(0.01, 0.05)


def ran(folder: Path, seconds: float, *, mix: Any = None, **more: Any) -> Run:
    plan = simulated.plan(users=10, ramp_up_s=5.0, steady_s=seconds, mix=mix)
    plan["load"] |= more
    folders.made(folder, plan, simulated.windows(plan, quick))
    return Run.read(folder / Run.FILE, Kind("run-folder", "a run"))


def test_a_run_of_the_length_that_is_advised_is_long_enough(tmp_path: Path) -> None:
    short = ran(tmp_path / "short", 30, mix=RARE)
    assert short.validity.state != "inconclusive"
    [said] = on_length(short)
    found = re.fullmatch(
        r"99 % of an operation show in 100 of it: a steady state of about (\d+) s \(--window \1\) has"
        r" so many of Buy, the rarest; more users are another way",
        said,
    )
    assert found, said
    long = ran(tmp_path / "long", 1.5 * int(found[1]), mix=RARE)
    assert on_length(long) == []


def test_an_operation_that_never_came_is_reckoned_by_its_share_of_the_mix(tmp_path: Path) -> None:
    never = {"Home": {"Home": 0.9999, "Buy": 0.0001}, "Buy": {"Home": 1}}
    found = ran(tmp_path / "run", 30, mix=never)
    assert found.operations["Buy"].count == 0
    [said] = on_length(found)
    # 10 users with cycles of 2 s make 5 a second, one in 10,000 of them a Buy: 100 take 200,000 s.
    seconds = re.search(r"--window (\d+)", said)
    assert seconds and 180_000 <= int(seconds[1]) <= 220_000


def test_a_run_of_a_number_of_operations_is_advised_a_number(tmp_path: Path) -> None:
    found = ran(tmp_path / "run", 30, mix=RARE, operations=100)
    [said] = on_length(found)
    assert "(--set load.operations=" in said and "--window" not in said


@pytest.mark.parametrize("change", ["claims", "interrupted"])
def test_no_advice_where_something_else_is_said(tmp_path: Path, change: str) -> None:
    short = ran(tmp_path / "run", 30, mix=RARE)
    if change == "claims":
        other = short.model_copy(update={"sla": short.sla.model_copy(update={"compliant": False})})
    else:
        other = short.model_copy(update={"outcome": "interrupted"})
    assert on_length(short) and on_length(other) == []


def test_a_run_without_evidence_is_told_so_and_not_advised_twice(tmp_path: Path) -> None:
    found = ran(tmp_path / "run", 2, mix=RARE)
    [enough] = [check for check in found.validity.checks if check.name == "enough-operations"]
    assert found.validity.state == "inconclusive" and enough.required
    assert on_length(found) == []
