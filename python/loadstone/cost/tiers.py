"""Dollars of a service in tiers: every tier on its own machines, the cheapest plan that meets the target."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from loadstone.cost.bill import Dollars, total
from loadstone.cost.book import PriceBook
from loadstone.cost.plan import Case, Machines, Month, Traffic, machine_lines
from loadstone.cost.row import PriceRow
from loadstone.errors import LoadstoneError
from loadstone.nodes.tiers.growth import Outlook, outlook
from loadstone.nodes.tiers.plan import Allocation
from loadstone.nodes.tiers.read import Tier, Tiers
from loadstone.scenario.findings import Finding, suggest

DECIDED_OVER = 12
"""Months of operation over which the cheapest plan is the cheapest."""

_INSTANCE = re.compile(r"([^=\s]+)=([^=:\s]+)")


def rows_of(service: Tiers, typed: Iterable[str], book: PriceBook) -> list[PriceRow]:
    """The machine of each tier: of `--instance web=m7i.xlarge`, else of the file.

    Raises `cost-input` and `price-sku`, at the option or with everything that is wrong in the file.
    """
    skus = _typed(service, typed)
    rows, findings = [], []
    for tier in service.tiers:
        at = ("tier", tier.name, *(["instance"] if tier.instance else []))
        sku = skus.get(tier.name, tier.instance)
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
        if fits not in tier.deployment:
            kind = "rented" if row.kind == "instance" else "owned"
            message = f"`{sku}` is {kind}, and `{tier.name}` is deployed as `{tier.deployment}`"
            findings.append(Finding("cost-input", message, at, f"choose a machine or a deployment: {fits}"))
        rows.append(row)
    if findings:
        raise service.source.errors(findings)
    return rows


def _typed(service: Tiers, typed: Iterable[str]) -> dict[str, str]:
    names = [tier.name for tier in service.tiers]
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

    def __init__(self, service: Tiers, rows: list[PriceRow], book: PriceBook, month: Month) -> None:
        """`rows`: the machine of each tier, in order."""
        self.service, self.rows, self._book, self._month = service, rows, book, month
        self.spare = {
            tier.name: self._dollars([_machines(tier, row, 0, 1)])
            for tier, row in zip(service.tiers, rows, strict=True)
        }
        """Dollars a month of one spare of each tier."""

    def outlook(self, users: Fraction) -> Outlook:
        """The cheapest plan, and what surrounds it. Raises `cost-input` when nothing meets the target."""
        prices = {name: Fraction(spare[DECIDED_OVER]) for name, spare in self.spare.items()}
        seen = outlook(self.service, users, prices)
        if seen.found.chosen is None:
            raise LoadstoneError(
                "cost-input", f"no number of nodes meets the target: {'; '.join(seen.found.why)}",
                place=str(self.service.path), hint="`loadstone nodes --tiers` shows what can be had",
            )  # fmt: skip
        return seen

    def case(self, seen: Outlook) -> Case:
        """The plan, and those at the ends of the limits' intervals, as a bill takes them."""
        assert seen.found.chosen is not None
        users = Decimal(seen.users.numerator) / Decimal(seen.users.denominator)
        case = Case(users, tuple(self.machines(seen.found.chosen)), self._traffic())
        cheap, dear = (
            replace(case, machines=tuple(self.machines(end.chosen))) if end.chosen else None
            for end in (seen.fewest, seen.most)
        )
        return replace(case, cheap=cheap, dear=dear)

    def machines(self, chosen: Allocation) -> list[Machines]:
        """What runs each tier."""
        return [
            _machines(*each)
            for each in zip(self.service.tiers, self.rows, chosen.num, chosen.extra, strict=True)
        ]

    def dollars(self, chosen: Allocation) -> Dollars:
        """Of all tiers, a month."""
        return self._dollars(self.machines(chosen))

    def by_tier(self, chosen: Allocation) -> Mapping[str, Dollars]:
        """Of each tier, a month."""
        return {machines.tier: self._dollars([machines]) for machines in self.machines(chosen)}

    def _dollars(self, machines: list[Machines]) -> Dollars:
        return total(
            [line for each in machines for line in machine_lines(each, self._book, self._month)], False
        )

    def _traffic(self) -> Traffic:
        """Of the first tier that knows: a client sees the whole service, whichever tier it was to measure."""
        for tier in self.service.tiers:
            if (measured := tier.limit.traffic) and measured.received is not None:
                return Traffic(_decimal(measured.received), _decimal(measured.sent))
        return Traffic(None, None)


def _machines(tier: Tier, row: PriceRow, num: int, extra: int) -> Machines:
    # The pool of passive failover is cold: bought, and switched off.
    return Machines(row, num + extra, num if tier.deployment.startswith("PF") else num + extra, tier.name)


def _decimal(number: Fraction | None) -> Decimal | None:
    return None if number is None else Decimal(number.numerator) / Decimal(number.denominator)
