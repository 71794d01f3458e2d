"""The record of one price, `cost.json`: docs/reference/cost.md describes it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_EVEN, Context, Decimal

from loadstone.cost.bill import HORIZONS, Dollars, Line
from loadstone.cost.elastic import saved
from loadstone.cost.plan import Bill, Spread
from loadstone.cost.row import PriceRow
from loadstone.errors import LoadstoneError
from loadstone.stages import cost as stages
from loadstone.stages.dollars import ByMonths, EndsByMonths
from loadstone.stages.run_elasticity import Elasticity

_MILLIONTH = Decimal("0.000001")
_WIDE = Context(prec=60)
_MOST = Decimal(10) ** 18
"""Of anything in a bill: in dollars, ten thousand times what the world earns in a year."""


def cost_record(
    inputs: stages.Inputs,
    bills: dict[str, Bill],
    warnings: list[str],
    sources: Mapping[str, str] | None = None,
) -> stages.Cost:
    """The whole record. Machines first; a line that all SLAs share stands once, its `sla` None. Of `sources`
    those that its rows are from.

    Raises `cost-input` when a number of a bill is absurd.
    """
    told = dict.fromkeys([*warnings, *(warning for bill in bills.values() for warning in bill.warnings)])
    used = {row.source for row in rows_of(bills)}
    return stages.Cost(
        inputs=inputs,
        lines=_all_lines(bills),
        total={sla: _total(bill) for sla, bill in bills.items()},
        sources={key: text for key, text in (sources or {}).items() if key in used},
        per_user={sla: _per_user(bill) for sla, bill in bills.items()},
        warnings=list(told),
    )


def elastic_record(elasticity: Elasticity, elastic: Bill, kept: Bill) -> stages.Elastic:
    """What servers that came and went cost, and as many that stay. Raises `cost-input` as `cost_record`."""
    spent, fixed = elastic.total_without_egress.value, kept.total_without_egress.value
    length_h = elasticity.fixed_machine_h / elasticity.most
    slas = elasticity.windows[0].kept if elasticity.windows else {}
    return stages.Elastic(
        service=elasticity.service,
        policy=elasticity.policy,
        most=elasticity.most,
        mean=elasticity.machine_h / length_h,
        windows=len(elasticity.windows),
        broken={sla: sum(one.kept.get(sla) is False for one in elasticity.windows) for sla in slas},
        usd_per_month=by_months(spent),
        usd_per_month_fixed=by_months(fixed),
        usd_saved_per_month=by_months(saved(spent, fixed)),
    )


def rows_of(bills: Mapping[str, Bill]) -> list[PriceRow]:
    """The price rows that dollars of the bills come from, each once."""
    lines = [line for bill in bills.values() for line in bill.lines]
    return list(dict.fromkeys(row for line in lines for row in (line.row, *line.committed.values())))


def _all_lines(bills: dict[str, Bill]) -> list[stages.Line]:
    everywhere = [
        line for line in next(iter(bills.values())).lines if all(line in b.lines for b in bills.values())
    ]
    records = [_line(line, None) for line in everywhere]
    for sla, bill in bills.items():
        records += [_line(line, sla) for line in bill.lines if line not in everywhere]
    return sorted(records, key=lambda line: line.transfer)


def _line(line: Line, sla: str | None) -> stages.Line:
    return stages.Line(
        what=line.what,
        sla=sla,
        quantity=_number(line.quantity),
        unit=line.unit,
        price_usd=_exact(line.row.price_usd),
        row=line.row.label(),
        as_of=line.row.as_of,
        source=line.row.source,
        committed={
            str(months): stages.Committed(
                price_usd=_exact(row.price_usd), row=row.label(), as_of=row.as_of, source=row.source
            )
            for months, row in line.committed.items()
        },
        transfer=line.transfer,
        usd_per_month=by_months(line.usd_per_month),
    )


def _total(bill: Bill) -> stages.Total:
    machines, traffic = bill.total_without_egress, bill.total_with_egress
    return stages.Total(
        users=_number(bill.without_egress.users),
        usd_per_month=by_months(machines.value),
        usd_per_month_interval=_interval(machines),
        usd_per_month_with_egress=by_months(traffic.value) if traffic else None,
        usd_per_month_with_egress_interval=_interval(traffic) if traffic else None,
    )


def _per_user(bill: Bill) -> stages.PerUser:
    machines, traffic = bill.without_egress, bill.with_egress
    return stages.PerUser(
        users=_number(machines.users),
        usd_per_month=by_months(machines.value),
        usd_per_month_interval=_interval(machines),
        usd_per_month_with_egress=by_months(traffic.value) if traffic else None,
        usd_per_month_with_egress_interval=_interval(traffic) if traffic else None,
    )


def _interval(each: Spread) -> EndsByMonths:
    ends = {
        str(months): [None if end is None else _number(end[months]) for end in (each.cheap, each.dear)]
        for months in HORIZONS
    }
    return EndsByMonths.model_validate(ends)


def by_months(amounts: Dollars) -> ByMonths:
    """Dollars a month by months of operation, as a record has them."""
    return ByMonths.model_validate({str(months): _number(amounts[months]) for months in HORIZONS})


def _exact(price: Decimal) -> float:
    """As the price book has it."""
    return int(price) if price == price.to_integral_value() else float(price)


def _number(amount: Decimal) -> float:
    """Rounded once, at the end, to a millionth. Raises `cost-input`."""
    if abs(amount) > _MOST:
        raise LoadstoneError(
            "cost-input", f"the bill has a number of {amount:.2e}, more than {_MOST:.0e}",
            hint="check the users, the load and what one node carries",
        )  # fmt: skip
    rounded = amount.quantize(_MILLIONTH, ROUND_HALF_EVEN, _WIDE)
    return int(rounded) if rounded == rounded.to_integral_value() else float(rounded)
