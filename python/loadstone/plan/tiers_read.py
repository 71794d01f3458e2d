"""Reads a service in tiers: a plan file, or the older tiers file, which says less."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.nodes.shown import SLAS
from loadstone.plan.asked import Asked
from loadstone.plan.estimate import Estimate
from loadstone.plan.inputs import Inputs
from loadstone.plan.read import plan_of
from loadstone.plan.tiers_older import older_plan
from loadstone.scenario.findings import Finding
from loadstone.scenario.table_file import read_source

_OF_A_PLAN = ("name", "load", "target", "failures", "prices")
"""Keys of a plan file that a tiers file has not."""


def read_tiers(path: Path, asked: Asked) -> Inputs:
    """Reads and checks the file.

    LoadstoneError `tiers-missing`, `toml-syntax` or `nodes-input`; ScenarioError with everything that is
    wrong in the file.
    """
    if asked.sla not in (None, *SLAS):
        message = f"there is no SLA `{asked.sla}`"
        raise LoadstoneError("nodes-input", message, place="--sla", hint="SLA-1 or SLA-2")
    source = read_source(path, "tiers-missing")
    if not any(key in source.raw for key in _OF_A_PLAN):
        return older_plan(path, source, asked)
    inputs = plan_of(path, source, asked.sla)
    if not inputs.tiers[0].name:
        hint = f"`loadstone plan {path}` plans it; or give a `[tier.NAME]` for each tier"
        raise source.errors([Finding("nodes-input", "`node` is a service without tiers", ("node",), hint)])
    return replace(
        inputs,
        users=Estimate(float(asked.users)) if asked.users else inputs.users,
        availability=asked.target or inputs.availability,
        criterion=asked.criterion,
    ).built(lambda way: replace(way, without_spares=asked.without_spares))


def counted(inputs: Inputs) -> Inputs:
    """The same with nodes counted, whatever they cost."""
    return inputs.built(lambda way: replace(way, machine=None))
