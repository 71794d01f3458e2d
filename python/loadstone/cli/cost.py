"""`loadstone cost`: dollars per user per month."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loadstone.cli.columns import columns
from loadstone.cli.count import models_counted
from loadstone.cli.defaults import defaults_from
from loadstone.cli.tiers import is_typed, read_service, refuse_others, target_of
from loadstone.cli.written import show, warn, write_beside
from loadstone.cost import age
from loadstone.cost import book as books
from loadstone.cost.bill import HORIZONS
from loadstone.cost.book import PriceBook
from loadstone.cost.cases import elastic_cases, measured_cases, parse_instance, typed_cases
from loadstone.cost.elastic import fixed
from loadstone.cost.plan import Bill, Case, Month, Spread, bill
from loadstone.cost.profile import mean_load, parse_profile
from loadstone.errors import LoadstoneError
from loadstone.nodes.measured import read_shown
from loadstone.nodes.shown import ElasticRun, Measured

if TYPE_CHECKING:
    from loadstone.stages.cost import Cost, Elastic

EXAMPLES = """
Compute dollars per user per month, over 1, 12 and 36 months, at SLA-1 and SLA-2, with and without egress.

With --from, users and bytes come from capacity.json or run.json of that folder, machines without a count
from nodes.json, and cost.json is written beside them. Every dollar names its price row.

Examples:

  loadstone cost --from runs/olio --book aws-2026 --instance m7i.xlarge

  loadstone cost --book aws-2008 --instance c1.xlarge:2 --users-sla-1 500 --users-sla-2 250

  loadstone cost --from runs/olio --prices ours.csv --instance r640:3

  loadstone cost --tiers site/tiers.toml --users 20000 --target "five nines" --book aws-2026

With --tiers, every tier runs on the machine that the file or `--instance web=m7i.xlarge` names, the plan is
the cheapest that meets the target, and cost.json is written beside the file.
"""

_WITH_TIERS = (
    "scenario", "tiers", "users", "sla", "target", "criterion", "instance", "book", "prices", "region",
    "hours_per_month", "duty", "profile", "max_age_days", "as_json",
)  # fmt: skip
_WITH_A_PLAN = tuple(name for name in _WITH_TIERS if name not in ("instance", "book", "prices", "region"))


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("cost", help=EXAMPLES, no_args_is_help=True)(cost)


def cost(
    context: typer.Context,
    scenario: Annotated[
        Path | None,
        typer.Argument(
            help="Scenario with a table `cost` for the defaults.",
            callback=defaults_from("cost", "cost-input"),
            is_eager=True,
        ),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--from", help="Run folder with capacity.json or run.json.")
    ] = None,
    tiers: Annotated[
        Path | None,
        typer.Option(help="Plan file with tiers: find the cheapest plan, each tier on its own machines."),
    ] = None,
    users: Annotated[float | None, typer.Option(help="With --tiers: users to carry.")] = None,
    target: Annotated[str, typer.Option(help="With --tiers: target availability, as for `nodes`.")] = "0.999",
    sla: Annotated[str, typer.Option(help="With --tiers: SLA whose capacities are used.")] = "SLA-1",
    criterion: Annotated[
        str,
        typer.Option(help="With --tiers: judge availability in the `long-run` or in the `first-year`."),
    ] = "long-run",
    instance: Annotated[
        list[str] | None,
        typer.Option(
            help="Machine, as SKU:COUNT. Without COUNT, nodes.json says how many. With --tiers: "
            "TIER=SKU. Repeatable."
        ),
    ] = None,
    book: Annotated[str | None, typer.Option(help="Price book, such as aws-2026.")] = None,
    prices: Annotated[
        list[Path] | None, typer.Option(help="CSV with price books of your own. Repeatable.")
    ] = None,
    region: Annotated[str | None, typer.Option(help="Region, if the book has several.")] = None,
    users_sla_1: Annotated[float | None, typer.Option(help="Users that the service holds at SLA-1.")] = None,
    users_sla_2: Annotated[float | None, typer.Option(help="Users that the service holds at SLA-2.")] = None,
    hours_per_month: Annotated[str, typer.Option(help="Hours billed in a month.")] = "720",
    duty: Annotated[
        str, typer.Option(help="Mean load as a share (0 to 1) of the most users. Traffic is billed by it.")
    ] = "1",
    profile: Annotated[
        str | None,
        typer.Option(
            help="The load over a day instead of --duty, as HOURS:SHARE, such as `10h:1,14h:0.3`. Planned "
            "rented nodes follow it."
        ),
    ] = None,
    max_age_days: Annotated[int, typer.Option(min=1, help="Warn of prices older than this.")] = age.MOST_DAYS,
    anyway: Annotated[
        bool,
        typer.Option("--anyway", help="With --from: use a run that shows nothing, and mark the record."),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the record as JSON instead of the table.")
    ] = False,
) -> None:
    """Parses, prices, reports; the help text is `EXAMPLES`."""
    # Imported here: the other commands need not wait for the record's model.
    from loadstone.cost.record import cost_record, elastic_record, rows_of
    from loadstone.stages.cost import Inputs

    month = _month(context, hours_per_month, duty, profile)
    inputs = Inputs(
        folder=str(folder) if folder else None,
        book=book,
        prices=[str(file) for file in prices or []],
        region=region,
        instance=instance,
        hours_per_month=float(month.hours),
        duty=float(month.duty),
        profile=profile,
    )
    if tiers:
        from loadstone.plan.tiers_price import billed, case, on_machines, priced_outlook, priced_record

        refuse_others(context, _WITH_TIERS, "cost-input")
        service = read_service(context, tiers)
        if service.prices:
            hint = "machines and prices stand in the plan file"
            refuse_others(context, _WITH_A_PLAN, "cost-input", "a plan file", hint)
            service = billed(service, month)
        else:
            service = on_machines(service, instance or [], _catalogue(book, prices or [], region), month)
        assert service.prices
        with models_counted():
            seen = priced_outlook(service)
        bills = {service.sla: bill(case(seen), service.prices.on_demand(), month)}
        said = {"tiers": str(tiers), "sla": service.sla, "target": target_of(context, service)}
        record = priced_record(seen, inputs.model_copy(update=said), bills[service.sla])
        told = [*record.warnings, *age.warned(rows_of(bills), max_age_days, age.today())]
        used = {row.source for row in rows_of(bills)}
        sources = {key: text for key, text in service.prices.sources.items() if key in used}
        record = record.model_copy(update={"warnings": told, "sources": sources})
        write_beside(tiers, record)
    else:
        _refuse_tiers_options(context)
        catalogue = _catalogue(book, prices or [], region)
        measured = read_shown(folder, anyway=anyway) if folder else None
        if isinstance(measured, ElasticRun):
            _refuse_another_load(context)
        typed = {"SLA-1": users_sla_1, "SLA-2": users_sla_2}
        cases = _cases(measured, typed, instance or [], catalogue)
        bills = {sla: bill(case, catalogue, month) for sla, case in cases.items()}
        told = [
            *(measured.warnings if measured else []),
            *age.warned(rows_of(bills), max_age_days, age.today()),
        ]
        record = cost_record(inputs, bills, told, catalogue.sources)
        if isinstance(measured, ElasticRun):
            # Machines are the same at each SLA.
            sla = next(iter(cases))
            ran = elastic_record(measured.servers, bills[sla], fixed(cases[sla], catalogue, month))
            record = record.model_copy(update={"elastic": ran})
        if measured:
            record = record.model_copy(update=measured.marks())
            write_beside(measured.file, record)
    show(record, as_json, lambda record: _tables(record, bills))
    warn(record)


def _cases(
    measured: Measured | ElasticRun | None,
    typed: dict[str, float | None],
    instance: list[str],
    catalogue: PriceBook,
) -> dict[str, Case]:
    """Machines and users without tiers. Raises `cost-input` and `price-sku`."""
    wanted = [parse_instance(text, catalogue) for text in instance]
    if not wanted:
        raise LoadstoneError("cost-input", "no machine is given", hint="give --instance, such as c1.xlarge:2")
    if any(typed.values()) == (measured is not None):
        raise LoadstoneError(
            "cost-input", "give the users exactly once",
            hint="either --from a run folder, or --users-sla-1 and --users-sla-2",
        )  # fmt: skip
    match measured:
        case None:
            return typed_cases(typed, wanted)
        case ElasticRun():
            return elastic_cases(measured, wanted)
    return measured_cases(measured, wanted)


def _refuse_tiers_options(context: typer.Context) -> None:
    for name in ("users", "target", "sla", "criterion"):
        if is_typed(context, name):
            raise LoadstoneError(
                "cost-input", f"--{name} is only for --tiers", place=f"--{name}",
                hint="without tiers the users are --users-sla-1 and --users-sla-2, or measured",
            )  # fmt: skip


def _refuse_another_load(context: typer.Context) -> None:
    for name in ("duty", "profile"):
        if is_typed(context, name):
            raise LoadstoneError(
                "cost-input", "the run's servers came and went with its own load", place=f"--{name}",
                hint=f"leave --{name} out",
            )  # fmt: skip


def _catalogue(book: str | None, files: list[Path], region: str | None) -> PriceBook:
    own = PriceBook(())
    for file in files:
        own = own.beside(books.read(file))
    if book is None and not files:
        names = ", ".join(dict.fromkeys(row.book for row in books.shipped().rows))
        raise LoadstoneError(
            "cost-input", "no price book is given", hint=f"give --book ({names}) or --prices"
        )
    if book is None:
        found = own
    else:
        # A book of the user's own comes before a shipped one of the same name.
        mine = any(row.book == book for row in own.rows)
        found = (own if mine else own.beside(books.shipped())).named(book)
    return found.in_region(region) if region else found


def _month(context: typer.Context, hours: str, duty: str, profile: str | None) -> Month:
    """What of a month is billed. Raises `cost-input`."""
    billed_h = _number(hours, "--hours-per-month", 744)
    if profile is None:
        return Month(billed_h, _number(duty, "--duty", 1))
    if is_typed(context, "duty"):
        raise LoadstoneError(
            "cost-input", "--duty and --profile both say what the load is", place="--profile", hint="give one"
        )
    parts = parse_profile(profile)
    return Month(billed_h, mean_load(parts), parts)


def _number(text: str, flag: str, most: int) -> Decimal:
    """A decimal number above 0 and up to `most`, exactly as typed."""
    if not text.replace(".", "", 1).isascii() or not text.replace(".", "", 1).isdigit() or len(text) > 12:
        raise LoadstoneError("cost-input", f"`{text[:40]}` is not a plain number", place=flag)
    if not 0 < Decimal(text) <= most:
        raise LoadstoneError("cost-input", f"`{text}` is not above 0 and up to {most}", place=flag)
    return Decimal(text)


def _tables(record: Cost, bills: dict[str, Bill]) -> str:
    """The total first, then each user's part of it, then where every dollar comes from."""
    months = [_months(count) for count in HORIZONS]
    totals, users = [], []
    for sla, priced in bills.items():
        number = f"{float(priced.without_egress.users):,.6g}"
        both = [("without", priced.total_without_egress, priced.without_egress)]
        if priced.total_with_egress and priced.with_egress:
            both.append(("with", priced.total_with_egress, priced.with_egress))
        for egress, total, each in both:
            totals.append([sla, number, egress, *_spread(total, 2)])
            users.append([sla, number, egress, *_spread(each, 3)])
    head, numbers = ["SLA", "users", "egress", *months], {"users", *months}
    parts = [
        "Dollars a month, in all, by months of operation:",
        columns(head, totals, numbers),
        "",
        "Dollars per user per month:",
        columns(head, users, numbers),
        "",
        "Where every dollar comes from:",
        _lines(record),
    ]
    if record.elastic:
        parts += ["", *_elastic(record.elastic)]
    parts += [f"{sla} is withheld: {why}." for sla, why in record.withheld.items()]
    if record.plan:
        # Imported here: what is not in tiers need not wait for the model.
        from loadstone.cli.tiers_tables import plan_text

        parts += ["", plan_text(record.plan)]
    return "\n".join(parts)


def _lines(record: Cost) -> str:
    months = [_months(count) for count in HORIZONS]
    rows, terms = [], []
    for line in record.lines:
        quantity = f"{line.quantity:,.6g} {line.unit}"
        each = [f"{usd:,.2f}" for usd in line.usd_per_month.named().values()]
        rows.append([line.what, line.sla or "both", quantity, f"{line.price_usd:g}", *each, line.row])
        terms += [
            f"{line.what}: over {_months(int(count))} at {paid.price_usd:g}, committed to ({paid.row})."
            for count, paid in line.committed.items()
        ]
    head = ["what", "SLA", "quantity", "price", *months, "price row"]
    return "\n".join([columns(head, rows, {"quantity", "price", *months}), *dict.fromkeys(terms)])


def _elastic(ran: Elastic) -> list[str]:
    """What servers that came and went saved."""
    broken = ", ".join(f"{sla} in {count}" for sla, count in ran.broken.items())
    rows = (
        ("as they came and went", ran.mean, ran.usd_per_month),
        ("as many all the time", ran.most, ran.usd_per_month_fixed),
        ("saved", ran.most - ran.mean, ran.usd_saved_per_month),
    )
    months = [_months(count) for count in HORIZONS]
    table = [
        [what, f"{servers:.3g}", *(f"{usd:,.2f}" for usd in by.named().values())]
        for what, servers, by in rows
    ]
    return [
        f"Servers of `{ran.service}` came and went (policy {ran.policy}); of {ran.windows} windows were "
        f"broken: {broken}. Dollars a month for machines, this load again and again:",
        columns(["servers", "in the mean", *months], table, {"in the mean", *months}),
    ]


def _months(count: int) -> str:
    return f"{count} months" if count > 1 else "1 month"


def _spread(each: Spread, digits: int) -> list[str]:
    """`2.304`, or with the interval of the capacity `2.304 (2.259–2.304)`."""
    cells = []
    for months in HORIZONS:
        ends = ["?" if end is None else f"{end[months]:,.{digits}f}" for end in (each.cheap, each.dear)]
        known = each.cheap or each.dear
        cells.append(f"{each.value[months]:,.{digits}f}" + (f" ({'–'.join(ends)})" if known else ""))
    return cells
