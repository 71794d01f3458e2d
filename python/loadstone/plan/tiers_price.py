"""Dollars of a service of a tiers file: every tier on its own machines, the cheapest plan that meets the
target.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from loadstone.cost.bill import Dollars, total
from loadstone.cost.book import PriceBook
from loadstone.cost.plan import Bill, Case, Machines, Month, Traffic, machine_lines, power_of
from loadstone.cost.record import by_months, cost_record
from loadstone.cost.row import PriceRow
from loadstone.errors import LoadstoneError
from loadstone.plan.candidate import Candidate
from loadstone.plan.inputs import Machine
from loadstone.plan.part import Part
from loadstone.plan.tiers_outlook import Outlook, outlook
from loadstone.plan.tiers_read import Service
from loadstone.plan.tiers_record import tiers_record
from loadstone.scenario.findings import Finding, suggest
from loadstone.stages.cost import Cost, Inputs

_INSTANCE = re.compile(r"([^=\s]+)=([^=:\s]+)")


def rows_of(service: Service, typed: Iterable[str], book: PriceBook) -> list[PriceRow]:
    """The machine of each tier: of `--instance web=m7i.xlarge`, else of the file.

    Raises `cost-input` and `price-sku`, at the option or with everything that is wrong in the file.
    """
    skus = _typed(service, typed)
    rows, findings = [], []
    for tier, stated in zip(service.inputs.tiers, service.stated, strict=True):
        at = ("tier", tier.name, *(["instance"] if stated.instance else []))
        sku = skus.get(tier.name, stated.instance)
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
        fits = "cloud" if row.kind == "instance" else "on-prem"
        if fits not in stated.deployment:
            kind = "rented" if row.kind == "instance" else "owned"
            message = f"`{sku}` is {kind}, and `{tier.name}` is deployed as `{stated.deployment}`"
            findings.append(Finding("cost-input", message, at, f"choose a machine or a deployment: {fits}"))
        rows.append(row)
    if findings:
        raise service.source.errors(findings)
    return rows


def _typed(service: Service, typed: Iterable[str]) -> dict[str, str]:
    names = [tier.name for tier in service.inputs.tiers]
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


class Priced:
    """A service in tiers with a price on every node."""

    def __init__(self, service: Service, rows: list[PriceRow], book: PriceBook, month: Month) -> None:
        """`rows`: the machine of each tier, in order."""
        self._rows, self._book, self._month = rows, book, month
        machines = [Machine(row, power_of(row, book), month.hours) for row in rows]
        tiers = tuple(
            replace(tier, ways=tuple(replace(way, machine=machine) for way in tier.ways))
            for tier, machine in zip(service.inputs.tiers, machines, strict=True)
        )
        self.service = replace(service, inputs=replace(service.inputs, tiers=tiers))

    def outlook(self) -> Outlook:
        """The cheapest plan, and what surrounds it. Raises `cost-input` when nothing meets the target."""
        seen = outlook(self.service)
        found = seen.found.answer
        if found.chosen is None:
            raise LoadstoneError(
                "cost-input", f"no number of nodes meets the target: {'; '.join(found.why)}",
                place=str(self.service.inputs.path), hint="`loadstone nodes --tiers` shows what can be had",
            )  # fmt: skip
        return seen

    def case(self, seen: Outlook) -> Case:
        """The plan, and those at the ends of the limits' intervals, as a bill takes them."""
        assert seen.found.answer.chosen is not None
        users = Decimal(repr(seen.values.users))
        case = Case(users, self._machines(seen.found.answer.chosen), self._traffic())
        cheap, dear = (
            replace(case, machines=self._machines(end.answer.chosen)) if end.answer.chosen else None
            for end in (seen.fewest, seen.most)
        )
        return replace(case, cheap=cheap, dear=dear)

    def record(self, seen: Outlook, inputs: Inputs, sla: str, paid: Bill) -> Cost:
        """cost.json of a service in tiers: as that of one at `sla`, and `plan`, its nodes.json with dollars a
        month by months beside every tier, every step of the growth, and one more node of each tier.
        """
        plan = tiers_record(seen, inputs.content()).content()
        chosen = seen.found.answer.chosen
        assert chosen is not None
        for tier, part, row in zip(plan["tiers"], chosen.parts, self._rows, strict=True):
            tier |= {"instance": row.sku, "usd_per_month": self._dollars([self._of(part)])}
        for each, part in zip(plan["one_more"], chosen.parts, strict=True):
            # A spare of a pool is cold: bought, and switched off.
            powered = 0 if part.way.deployment == "passive" else 1
            each["usd_per_month"] = self._dollars([Machines(self._rows[part.at], 1, powered)])
        for step, each in zip(seen.growth.steps, plan["growth"], strict=True):
            nodes = step.answer.chosen
            each["usd_per_month"] = self._dollars(self._machines(nodes)) if nodes else None
        record = cost_record(inputs, {sla: paid}, plan.pop("warnings"))
        lines = [line.model_copy(update={"sla": sla}) for line in record.lines]
        return record.model_copy(update={"lines": lines, "plan": plan})

    def _machines(self, chosen: Candidate) -> tuple[Machines, ...]:
        """What runs each tier."""
        return tuple(self._of(part) for part in chosen.parts)

    def _of(self, part: Part) -> Machines:
        return Machines(self._rows[part.at], part.nodes, part.active, self.service.inputs.tiers[part.at].name)

    def _dollars(self, machines: Iterable[Machines]) -> dict[str, float]:
        lines = [line for each in machines for line in machine_lines(each, self._book, self._month)]
        found: Dollars = total(lines, with_transfer=False)
        return by_months(found)

    def _traffic(self) -> Traffic:
        """Of the first tier that knows: a client sees the whole service, whichever tier it was to measure."""
        for stated in self.service.stated:
            if (measured := stated.limit.traffic) and measured.received is not None:
                return Traffic(_decimal(measured.received), _decimal(measured.sent))
        return Traffic(None, None)


def _decimal(number: Fraction | None) -> Decimal | None:
    return None if number is None else Decimal(number.numerator) / Decimal(number.denominator)
