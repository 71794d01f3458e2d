"""The page of a plan: what `plan.json` says, drawn and told."""

from __future__ import annotations

from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind
from loadstone.nodes.quantities import spell_duration
from loadstone.report import format
from loadstone.report.badge import Badge
from loadstone.report.figures.plan import (
    front_figure,
    nodes,
    nodes_figure,
    tornado_figure,
    ways,
)
from loadstone.report.folder import HINT
from loadstone.report.html import page_of
from loadstone.report.plan_answer import judged
from loadstone.report.plan_growth import plan_growth
from loadstone.report.plan_served import plan_served
from loadstone.report.sections import Article, Section, Tile, anchored, numbered
from loadstone.report.table import Column, Row, Table, words
from loadstone.stages.plan import Candidate, Estimate, GivenTier, Interval, Plan

_KIND = Kind("report-json", "a plan", 64 << 20, HINT)


def read_plan(folder: Path) -> Plan:
    """What `plan.json` says. LoadstoneError `report-folder`, `report-json`."""
    file = folder / Plan.FILE
    if not file.is_file():
        hint = "make one with `loadstone plan FILE --out DIR`"
        raise LoadstoneError("report-folder", f"no plan to report in {folder}", hint=hint)
    return Plan.read(file, _KIND)


def plan_page(folder: Path) -> str:
    """The plan as HTML. Errors as `read_plan`."""
    found = read_plan(folder)
    sections = [
        _options(found),
        _front(found),
        _sensitivity(found),
        _uncertainty(found),
        plan_served(found),
        plan_growth(found),
        _method(found),
    ]
    article = Article(
        key="f1",
        name=found.name,
        sentence=_sentence(found),
        badges=_badges(found),
        tiles=_tiles(found),
        sections=[anchored(section, "f1") for section in sections if section],
        absent=[],
        rest=judged(found.inputs.criterion).strip() if found.chosen else "",
    )
    return page_of([article])


def _sentence(found: Plan) -> str:
    asked = f"{format.whole(found.inputs.users.value)} users up {format.share(found.inputs.availability)}"
    if not found.chosen:
        return f"Nothing in the file keeps {asked} of the year."
    verb = "keeps" if found.chosen.nodes == 1 else "keep"
    total = f"${found.chosen.usd_per_month:,.2f} a month"
    return f"{total}: {built(found.chosen)} {verb} {asked} of the year."


def built(one: Candidate) -> str:
    """A plan in a clause: its nodes, and what they run on."""
    if len(one.parts) == 1:
        return f"{nodes(one)} of {one.parts[0].instance}"
    return f"{nodes(one)} ({one.nodes} nodes)"


def _badges(found: Plan) -> list[Badge]:
    if not found.chosen:
        lead = Badge("bad", "missed: no option meets the targets")
    elif unsure := found.uncertainty:
        kind = "good" if unsure.chosen_holds >= 0.95 else "warn"
        lead = Badge(kind, f"met in {100 * unsure.chosen_holds:.0f} % of the draws")
    else:
        lead = Badge("good", "met")
    return [lead, *(Badge("warn", warning) for warning in found.warnings)]


def _tiles(found: Plan) -> list[Tile]:
    chosen, unsure = found.chosen, found.uncertainty
    if not chosen:
        return []
    counts, dollars = (unsure.nodes, unsure.usd_per_month) if unsure else (None, None)
    users = found.inputs.users.value
    return [
        Tile("A month", f"${chosen.usd_per_month:,.0f}", "", _range(dollars, "$")),
        Tile("A user and month", f"${chosen.usd_per_month / users:.4f}"),
        Tile("Nodes", format.whole(chosen.nodes), nodes(chosen), _range(counts)),
        Tile("Down a year", spell_duration(chosen.down_s_per_year), "", f"{chosen.availability:.8f} up"),
    ]


def _range(one: Interval | None, unit: str = "") -> str:
    return f"{unit}{one.low:,.0f}–{unit}{one.high:,.0f} over the draws" if one else ""


def _options(found: Plan) -> Section:
    several = len(found.inputs.tiers) > 1
    chosen = {(part.tier, part.option) for part in (found.chosen.parts if found.chosen else [])}
    table = Table(
        "options",
        "The best plan with each option" if several else "The best of each option",
        [
            *([words("tier", "tier")] if several else []),
            words("option", "option"),
            words("nodes", "nodes"),
            *([] if several else [Column("needed", "needed for the load")]),
            Column("down", "down a year", format.text),
            Column("usd_per_month", "$ a month", _money),
            words("why", "why not"),
        ],
        [
            {"tier": one.tier, "why": one.why, **(_row(one.plan) if one.plan else {}), "option": one.option}
            for one in found.options
        ],
        highlight=lambda row: "chosen" if (row["tier"], row["option"]) in chosen else "",
    )
    bill = Table(
        "bill",
        "The bill of the chosen one",
        [
            words("what", "what"),
            Column("quantity", "quantity", format.figure),
            words("unit", "unit"),
            Column("price_usd", "$", format.figure),
            words("row", "price row"),
            *(Column(f"usd_{months}", f"$ a month over {months}", _money) for months in (1, 12, 36)),
        ],
        [
            vars(line) | {f"usd_{months}": line.usd_per_month[str(months)] for months in (1, 12, 36)}
            for line in found.bill
        ],
    )
    tables = [table, *([bill] if found.bill else [])]
    if found.chosen:
        tables.insert(0, _parts(found.chosen, several=several))
    return Section("options", "What to build", _coupling(found) if several else "", tables=tables)


def _coupling(found: Plan) -> str:
    crews, shared = found.inputs.crews, [name for name in found.share_crews if name]
    if not shared:
        return "No tier's broken nodes wait for those of another one, so shares of time up are multiplied."
    noun = "crew mends" if crews == 1 else "crews mend"
    ranks = {tier.tier: tier.rank for tier in found.inputs.tiers if tier.tier in shared}
    order = sorted(shared, key=lambda name: ranks[name])
    rule = (
        "sharing their work among all that is broken"
        if len(set(ranks.values())) == 1
        else f"in the order {', '.join(order)}"
    )
    return f"{crews} {noun} the nodes of {', '.join(shared)}, {rule}: one chain of all of them."


def _parts(chosen: Candidate, *, several: bool) -> Table:
    images = any(part.images for part in chosen.parts)
    return Table(
        "parts",
        "The chosen plan",
        [
            *([words("tier", "tier")] if several else []),
            words("option", "option"),
            words("instance", "machine"),
            words("node_type", "node type"),
            Column("needed", "needed for the load"),
            Column("active", "active"),
            Column("pool", "spares"),
            *([Column("images", "images")] if images else []),
            Column("usd_per_month", "$ a month", _money),
        ],
        [vars(part) | {"pool": part.pool or 0} for part in chosen.parts],
    )


def _row(one: Candidate) -> Row:
    """A plan as a row of a table."""
    return {
        "option": ways(one),
        "nodes": nodes(one),
        "needed": one.parts[0].needed,
        "availability": one.availability,
        "down": spell_duration(one.down_s_per_year),
        "usd_per_month": one.usd_per_month,
    }


def _front(found: Plan) -> Section | None:
    if not found.front:
        return None
    return Section(
        "front",
        "What better availability costs",
        "Each point is a number of nodes and spares. On the line nothing is both cheaper and more available.",
        wide=numbered("w", [front_figure(found), nodes_figure(found)]),
        tables=[
            Table(
                "front",
                "On the line",
                [
                    words("option", "option"),
                    words("nodes", "nodes"),
                    Column("availability", "availability", lambda value: f"{value:.10f}"),
                    Column("down", "down a year", format.text),
                    Column("usd_per_month", "$ a month", _money),
                ],
                [_row(one) for one in found.front],
            )
        ],
    )


def _sensitivity(found: Plan) -> Section | None:
    figure = tornado_figure(found)
    if not figure:
        return None
    return Section(
        "sensitivity",
        "Which input matters",
        "One input at a time goes to both ends of its 95 % interval; one without an interval is halved and "
        "doubled, which is a what-if and no uncertainty. The plan is made anew each time.",
        wide=numbered("w", [figure]),
        tables=[
            Table(
                "sensitivity",
                "The plans at both ends",
                [
                    words("input", "input"),
                    words("low", "from"),
                    words("high", "to"),
                    words("plan_low", "plan"),
                    words("plan_high", "plan"),
                    words("kind", "interval"),
                ],
                [
                    {
                        **vars(bar),
                        "plan_low": _end(bar.at_low),
                        "plan_high": _end(bar.at_high),
                        "kind": "assumed" if bar.assumed else "95 %",
                    }
                    for bar in found.sensitivity
                ],
            )
        ],
    )


def _end(one: Candidate | None) -> str:
    return f"{nodes(one)}, ${one.usd_per_month:,.0f}" if one else "nothing meets the targets"


def _uncertainty(found: Plan) -> Section | None:
    one = found.uncertainty
    if not one:
        return None
    facts = [("Draws", format.whole(one.draws))]
    if one.nodes and (dollars := one.usd_per_month):
        facts.append(("Nodes of the cheapest plan", f"{one.nodes.median:.0f}, {_range(one.nodes)}"))
        facts.append(("Dollars a month", f"${dollars.median:,.0f}, {_range(dollars, '$')}"))
    facts.append(("The chosen plan meets the target", f"in {100 * one.chosen_holds:.1f} % of the draws"))
    if sure := one.sure:
        words_ = f"{nodes(sure)}, ${sure.usd_per_month:,.2f} a month ({100 * (one.sure_holds or 0):.1f} %)"
        facts.append(("To meet it in 95 %", words_))
    facts.append(("Nothing meets the targets", f"in {100 * one.unmet:.1f} %"))
    facts += [
        (
            f"{win.tier}: “{win.option}” is in the cheapest"
            if win.tier
            else f"“{win.option}” is the cheapest",
            f"in {100 * win.share:.1f} %",
        )
        for win in one.wins
    ]
    intro = "Load, capacity of a node and crash rate drawn anew from their intervals, a plan for each draw."
    return Section("uncertainty", "How sure it is", intro, facts=facts)


def _method(found: Plan) -> Section:
    inputs = found.inputs
    facts = [
        ("Plan file", inputs.file),
        ("Command", " ".join(inputs.command)),
        ("Users", _estimate(inputs.users)),
        *(fact for tier in inputs.tiers for fact in _given(tier)),
    ]
    return Section("method", "From what", facts=facts)


def _given(tier: GivenTier) -> list[tuple[str, str]]:
    of = f"{tier.tier}: " if tier.tier else ""
    return [
        (f"{of}users a native node holds", _estimate(tier.users_per_node)),
        *((f"{of}crashes a year, {name}", _estimate(one)) for name, one in tier.crashes_a_year.items()),
    ]


def _estimate(one: Estimate) -> str:
    ends = (
        ""
        if one.low is None and one.high is None
        else (
            f" ({'–' if one.low is None else format.figure(one.low)} to "
            f"{'–' if one.high is None else format.figure(one.high)})"
        )
    )
    return format.figure(one.value) + ends


def _money(value: float | None) -> str:
    return format.UNKNOWN if value is None else f"{value:,.2f}"
