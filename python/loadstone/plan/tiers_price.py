"""Dollars of a service in tiers: the cheapest plan that meets the target, every tier on its own machines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import TypeVar

from loadstone.cost.bill import total
from loadstone.cost.book import PriceBook
from loadstone.cost.plan import Bill, Case, Machines, Month, Traffic, power_of
from loadstone.cost.record import by_months, cost_record
from loadstone.errors import LoadstoneError
from loadstone.plan.candidate import Candidate
from loadstone.plan.inputs import Inputs, Machine, Tier
from loadstone.plan.part import Part, lines, machines
from loadstone.plan.tiers_outlook import Outlook, outlook
from loadstone.plan.tiers_record import tiers_record
from loadstone.scenario.findings import Finding, suggest
from loadstone.stages import cost as stages
from loadstone.stages.dollars import ByMonths
from loadstone.stages.nodes import OneMore, PlannedTier, Step

Priced = TypeVar("Priced", PlannedTier, OneMore, Step)
"""A part of nodes.json with a price."""

_INSTANCE = re.compile(r"([^=\s]+)=([^=:\s]+)")


def on_machines(inputs: Inputs, typed: Iterable[str], book: PriceBook, month: Month) -> Inputs:
    """A tiers file's service, each tier on its machine: of `--instance web=m7i.xlarge`, else of the file.

    Raises `cost-input` and `price-sku`, at the option or with everything that is wrong in the file.
    """
    skus = _typed(inputs, typed)
    tiers: list[Tier] = []
    findings: list[Finding] = []
    for tier in inputs.tiers:
        (way,) = tier.ways
        at = ("tier", tier.name, *(["instance"] if way.instance else []))
        sku = skus.get(tier.name, way.instance)
        if sku is None:
            hint = f'add `instance = "SKU"`, or give --instance {tier.name}=SKU'
            findings.append(Finding("cost-input", f"what `{tier.name}` runs on is not known", at, hint))
            continue
        try:
            row = book.machine(sku, f"--instance {tier.name}={sku}")
        except LoadstoneError as error:
            if tier.name in skus:
                raise
            findings.append(Finding(error.slug, error.message, at, error.hint or ""))
            continue
        if row.rented != way.endless:
            kind, fits = ("rented", "cloud") if row.rented else ("owned", "on-prem")
            message = f"`{sku}` is {kind}, and `{tier.name}` is deployed as `{way.name}`"
            findings.append(Finding("cost-input", message, at, f"choose a machine or a deployment: {fits}"))
        machine = Machine(row, power_of(row, book), month.hours)
        tiers.append(replace(tier, ways=(replace(way, machine=machine, instance=sku),)))
    if findings:
        assert inputs.source
        raise inputs.source.errors(findings)
    return replace(inputs, tiers=tuple(tiers), prices=book)


def billed(inputs: Inputs, month: Month) -> Inputs:
    """A plan file's service, on the machines of its options for so many hours."""
    return inputs.built(
        lambda way: replace(way, machine=way.machine and replace(way.machine, hours=month.hours))
    )


def _typed(inputs: Inputs, typed: Iterable[str]) -> dict[str, str]:
    names = [tier.name for tier in inputs.tiers]
    found = {}
    for text in typed:
        match = _INSTANCE.fullmatch(text.strip())
        if match is None or match[1] not in names:
            message = (
                f"`{text}` is not the machine of a tier"
                if match is None
                else f"there is no tier `{match[1]}`"
            )
            hint = suggest(match[1], names, f"the tiers are {', '.join(names)}") if match else ""
            raise LoadstoneError(
                "cost-input",
                message,
                place="--instance",
                hint=hint or f"write TIER=SKU, such as {names[0]}=m7i.xlarge",
            )
        found[match[1]] = match[2]
    return found


def priced_outlook(inputs: Inputs) -> Outlook:
    """The cheapest plan, and what surrounds it. Raises `cost-input` when nothing meets the target."""
    seen = outlook(inputs)
    found = seen.found.answer
    if found.chosen is None:
        raise LoadstoneError(
            "cost-input", f"no number of nodes meets the target: {'; '.join(found.why)}",
            place=str(inputs.path), hint="`loadstone nodes --tiers` shows what can be had",
        )  # fmt: skip
    return seen


def case(seen: Outlook) -> Case:
    """The plan, and those at the ends of the limits' intervals, as a bill takes them."""
    value, cheap, dear = (
        Case(
            Decimal(repr(seen.values.users)), _machines(seen.inputs, end.answer.chosen), _traffic(seen.inputs)
        )
        if end.answer.chosen
        else None
        for end in (seen.found, seen.fewest, seen.most)
    )
    assert value is not None
    return replace(value, cheap=cheap, dear=dear)


def priced_record(seen: Outlook, typed: stages.Inputs, paid: Bill) -> stages.Cost:
    """cost.json of a service in tiers: as that of one at its SLA, and `plan`, its nodes.json with dollars a
    month by months beside every tier, every step of the growth, and one more node of each tier.
    """
    plan = tiers_record(seen, typed.content())
    chosen, sla = seen.found.answer.chosen, seen.inputs.sla
    assert chosen is not None
    steps = [step.answer.chosen.parts if step.answer.chosen else None for step in seen.growth.steps]
    priced = {
        "tiers": _priced(plan.tiers, [[part] for part in chosen.parts]),
        "one_more": _priced(plan.one_more, [[_one_of(part)] for part in chosen.parts]),
        "growth": _priced(plan.growth, steps),
        "warnings": [],
    }
    record = cost_record(typed, {sla: paid}, plan.warnings)
    at_sla = [line.model_copy(update={"sla": sla}) for line in record.lines]
    return record.model_copy(update={"lines": at_sla, "plan": plan.model_copy(update=priced)})


def _priced(each: Sequence[Priced] | None, built: Sequence[Sequence[Part] | None]) -> list[Priced]:
    """With the dollars of what was built; None: nothing was."""
    return [
        one.model_copy(update={"usd_per_month": _dollars(parts) if parts else None})
        for one, parts in zip(each or [], built, strict=True)
    ]


def _one_of(part: Part) -> Part:
    """One more node of it alone: a spare where it has a pool."""
    spare = part.pool is not None and part.way.deployment != "active"
    return replace(part, active=0, pool=1) if spare else replace(part, active=1, pool=0)


def _machines(inputs: Inputs, chosen: Candidate) -> tuple[Machines, ...]:
    """What runs each tier."""
    return tuple(
        machines(part.way, part.active, part.pool, inputs.tiers[part.at].name) for part in chosen.parts
    )


def _dollars(parts: Iterable[Part]) -> ByMonths:
    bill = [line for part in parts for line in lines(part.way, part.active, part.pool)]
    return by_months(total(bill, with_transfer=False))


def _traffic(inputs: Inputs) -> Traffic:
    """Of the first tier that knows: a client sees the whole service, whichever tier it was to measure."""
    for tier in inputs.tiers:
        if tier.limit and (measured := tier.limit.traffic) and measured.received is not None:
            return Traffic(_decimal(measured.received), _decimal(measured.sent))
    return Traffic(None, None)


def _decimal(number: Fraction | None) -> Decimal | None:
    return None if number is None else Decimal(number.numerator) / Decimal(number.denominator)
