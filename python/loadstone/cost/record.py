"""`cost.json`: the record of one price, as docs/reference/cost.md describes it."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any

from loadstone.cost.bill import HORIZONS, Dollars, Line
from loadstone.cost.plan import Bill, PerUser
from loadstone.cost.tiers import Priced
from loadstone.nodes.tiers.growth import Outlook
from loadstone.nodes.tiers.record import tiers_record

FILE = "cost.json"
_MILLIONTH = Decimal("0.000001")
_WIDE = Context(prec=60)


def cost_record(inputs: dict[str, Any], bills: dict[str, Bill], warnings: list[str]) -> dict[str, Any]:
    """The whole record. Machines first; a line that all SLAs share stands once, `sla` null."""
    with_egress = {sla: bill.with_egress for sla, bill in bills.items() if bill.with_egress}
    told = dict.fromkeys([*warnings, *(warning for bill in bills.values() for warning in bill.warnings)])
    return {
        "format": 1,
        "kind": "cost",
        "inputs": inputs,
        "lines": _all_lines(bills),
        "per_user": {sla: _per_user(bill.without_egress) for sla, bill in bills.items()},
        "per_user_interval": {sla: _interval(bill.without_egress) for sla, bill in bills.items()},
        "per_user_with_egress": {sla: _per_user(each) for sla, each in with_egress.items()},
        "per_user_with_egress_interval": {sla: _interval(each) for sla, each in with_egress.items()},
        "warnings": list(told),
    }


def tiers_cost_record(
    inputs: dict[str, Any], sla: str, priced: Priced, seen: Outlook, paid: Bill
) -> dict[str, Any]:
    """The record of a service in tiers: as above at one SLA, and `plan`, its nodes.json with dollars a month
    by months beside every tier, every step of the growth, and one more node of each tier.
    """
    plan = tiers_record(seen, inputs)
    assert seen.found.chosen is not None
    by_tier = priced.by_tier(seen.found.chosen)
    for tier, row in zip(plan["tiers"], priced.rows, strict=True):
        tier |= {"instance": row.sku, "usd_per_month": _dollars(by_tier[tier["name"]])}
    for each in plan["one_more"]:
        each["usd_per_month"] = _dollars(priced.spare[each["tier"]])
    for step, each in zip(seen.growth, plan["growth"], strict=True):
        each["usd_per_month"] = _dollars(priced.dollars(step.chosen)) if step.chosen else None
    record = cost_record(inputs, {sla: paid}, plan.pop("warnings"))
    for line in record["lines"]:
        line["sla"] = sla
    return record | {"plan": plan}


def _all_lines(bills: dict[str, Bill]) -> list[dict[str, Any]]:
    everywhere = [
        line for line in next(iter(bills.values())).lines if all(line in b.lines for b in bills.values())
    ]
    records = [_line(line, None) for line in everywhere]
    for sla, bill in bills.items():
        records += [_line(line, sla) for line in bill.lines if line not in everywhere]
    return sorted(records, key=lambda line: bool(line["transfer"]))


def _line(line: Line, sla: str | None) -> dict[str, Any]:
    return {
        "what": line.what,
        "sla": sla,
        "quantity": _number(line.quantity),
        "unit": line.unit,
        "price_usd": _number(line.row.price_usd),
        "row": line.row.label(),
        "transfer": line.transfer,
        "usd_per_month": _dollars(line.usd_per_month),
    }


def _per_user(each: PerUser) -> dict[str, Any]:
    return {"users": _number(each.users)} | _dollars(each.value)


def _interval(each: PerUser) -> dict[str, list[float | None]]:
    return {
        str(months): [None if end is None else _number(end[months]) for end in (each.cheap, each.dear)]
        for months in HORIZONS
    }


def _dollars(amounts: Dollars) -> dict[str, float]:
    return {str(months): _number(amounts[months]) for months in HORIZONS}


def _number(amount: Decimal) -> float:
    """Rounded once, at the end, to a millionth."""
    rounded = amount.quantize(_MILLIONTH, ROUND_HALF_EVEN, _WIDE)
    return int(rounded) if rounded == rounded.to_integral_value() else float(rounded)
