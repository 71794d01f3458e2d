"""The page of a plan: what `plan.json` says, drawn and told."""

from __future__ import annotations

from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.nodes.quantities import spell_duration
from loadstone.report import format
from loadstone.report.answer import Badge
from loadstone.report.figures.plan import front_figure, nodes, served_figure, tornado_figure
from loadstone.report.folder import Json, read_json
from loadstone.report.html import page_of
from loadstone.report.sections import Part, Section, Tile, anchored, numbered
from loadstone.report.table import Column, Table, words

NAME = "plan.json"


def read_plan(folder: Path) -> Json:
    """The content of `plan.json`. LoadstoneError `report-folder`, `report-json`."""
    found = read_json(folder / NAME)
    if found is None or found.get("kind") != "plan":
        hint = "make one with `loadstone plan FILE --out DIR`"
        raise LoadstoneError("report-folder", f"no plan to report in {folder}", hint=hint)
    return found


def plan_page(folder: Path) -> str:
    """The plan as HTML. Errors as `read_plan`."""
    found = read_plan(folder)
    sections = [
        _options(found),
        _front(found),
        _sensitivity(found),
        _uncertainty(found),
        _served(found),
        _method(found),
    ]
    part = Part(
        key="f1",
        name=found["name"],
        sentence=_sentence(found),
        badges=_badges(found),
        tiles=_tiles(found),
        sections=[anchored(section, "f1") for section in sections if section],
        absent=[],
    )
    return page_of([part])


def _sentence(found: Json) -> str:
    inputs, chosen = found["inputs"], found["chosen"]
    asked = f"{format.whole(inputs['users']['value'])} users, up {inputs['availability']:.10g} of the year"
    if not chosen:
        return f"{asked}: nothing in the file meets the targets."
    return f"{asked}: {nodes(chosen)} of {chosen['instance']}, ${chosen['usd_per_month']:,.2f} a month."


def _badges(found: Json) -> list[Badge]:
    badges = [] if found["chosen"] else [Badge("bad", "no option meets the targets")]
    if unsure := found["uncertainty"]:
        kind = "good" if unsure["chosen_holds"] >= 0.95 else "warn"
        badges.append(Badge(kind, f"holds in {100 * unsure['chosen_holds']:.0f} % of the draws"))
    return badges + [Badge("warn", warning) for warning in found["warnings"]]


def _tiles(found: Json) -> list[Tile]:
    chosen, unsure = found["chosen"], found["uncertainty"]
    if not chosen:
        return []
    counts = unsure and unsure["nodes"]
    dollars = unsure and unsure["usd_per_month"]
    users = found["inputs"]["users"]["value"]
    return [
        Tile("Nodes", format.whole(chosen["nodes"]), nodes(chosen), _range(counts)),
        Tile("A month", f"${chosen['usd_per_month']:,.0f}", "", _range(dollars, "$")),
        Tile("A user and month", f"${chosen['usd_per_month'] / users:.4f}"),
        Tile(
            "Down a year", spell_duration(chosen["down_s_per_year"]), "", f"{chosen['availability']:.8f} up"
        ),
    ]


def _range(one: Json | None, unit: str = "") -> str:
    return f"{unit}{one['low']:,.0f}–{unit}{one['high']:,.0f} over the draws" if one else ""


def _options(found: Json) -> Section:
    table = Table(
        "options",
        "The best of each option",
        [
            words("option", "option"),
            words("plan", "nodes"),
            Column("needed", "needed for the load"),
            Column("down", "down a year", format.text),
            Column("usd_per_month", "$ a month", _money),
            words("why", "why not"),
        ],
        [
            {**one, "plan": nodes(one), "down": spell_duration(one["down_s_per_year"])}
            if "why" not in one
            else one
            for one in found["options"]
        ],
        highlight=lambda row: (
            "chosen" if found["chosen"] and row["option"] == found["chosen"]["option"] else ""
        ),
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
            {**line, **{f"usd_{months}": line["usd_per_month"][str(months)] for months in (1, 12, 36)}}
            for line in found["bill"]
        ],
    )
    return Section("options", "What to build", tables=[table, *([bill] if found["bill"] else [])])


def _front(found: Json) -> Section | None:
    if not found["front"]:
        return None
    return Section(
        "front",
        "What better availability costs",
        "Each point is a number of nodes and spares. On the line nothing is both cheaper and more available.",
        wide=numbered("w", [front_figure(found)]),
        tables=[
            Table(
                "front",
                "On the line",
                [
                    words("option", "option"),
                    words("plan", "nodes"),
                    Column("availability", "availability", lambda value: f"{value:.10f}"),
                    Column("down", "down a year", format.text),
                    Column("usd_per_month", "$ a month", _money),
                ],
                [
                    {**one, "plan": nodes(one), "down": spell_duration(one["down_s_per_year"])}
                    for one in found["front"]
                ],
            )
        ],
    )


def _sensitivity(found: Json) -> Section | None:
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
                        **bar,
                        "plan_low": _end(bar["at_low"]),
                        "plan_high": _end(bar["at_high"]),
                        "kind": "assumed" if bar["assumed"] else "95 %",
                    }
                    for bar in found["sensitivity"]
                ],
            )
        ],
    )


def _end(one: Json | None) -> str:
    return f"{nodes(one)}, ${one['usd_per_month']:,.0f}" if one else "nothing meets the targets"


def _uncertainty(found: Json) -> Section | None:
    one = found["uncertainty"]
    if not one:
        return None
    facts = [("Draws", format.whole(one["draws"]))]
    if one["nodes"]:
        facts.append(("Nodes of the cheapest plan", f"{one['nodes']['median']:.0f}, {_range(one['nodes'])}"))
        dollars = one["usd_per_month"]
        facts.append(("Dollars a month", f"${dollars['median']:,.0f}, {_range(dollars, '$')}"))
    facts.append(("The chosen plan meets the target", f"in {100 * one['chosen_holds']:.1f} % of the draws"))
    if sure := one["sure"]:
        words_ = f"{nodes(sure)}, ${sure['usd_per_month']:,.2f} a month ({100 * one['sure_holds']:.1f} %)"
        facts.append(("To meet it in 95 %", words_))
    facts.append(("Nothing meets the targets", f"in {100 * one['unmet']:.1f} %"))
    facts += [(f"“{name}” is the cheapest", f"in {100 * share:.1f} %") for name, share in one["wins"].items()]
    intro = "Load, capacity of a node and crash rate drawn anew from their intervals, a plan for each draw."
    return Section("uncertainty", "How sure it is", intro, facts=facts)


def _served(found: Json) -> Section | None:
    if not found["served"]:
        return None
    return Section(
        "served",
        "Users served at the SLA",
        "Not only nodes up: the users that those still up hold, and for what share of the year.",
        wide=numbered("w", [served_figure(found)]),
        facts=_outages(found["served"]),
    )


def _outages(one: Json) -> list[tuple[str, str]]:
    facts = [
        ("Mean share of users served", f"{one['mean_share']:.10f}"),
        ("User hours not served a year", f"{one['user_hours_lost']:,.4g}"),
        ("First shortage, on average after", _span(one["first_outage_s"])),
    ]
    if one["outages_per_s"] and one["outage_s"]:
        facts.append(("Shortages a year", f"{one['outages_per_s'][1] * 31_557_600:.4g}"))
        facts.append(("Mean length of a shortage", _span(one["outage_s"])))
    return facts


def _span(bounds: list[float | None]) -> str:
    return "never" if bounds[1] is None else spell_duration(bounds[1])


def _method(found: Json) -> Section:
    inputs = found["inputs"]
    facts = [
        ("Plan file", inputs["file"]),
        ("Command", " ".join(inputs["command"])),
        ("Users", _estimate(inputs["users"])),
        ("Users a native node holds", _estimate(inputs["users_per_node"])),
        *((f"Crashes a year, {name}", _estimate(one)) for name, one in inputs["crashes_a_year"].items()),
    ]
    return Section("method", "From what", facts=facts)


def _estimate(one: Json) -> str:
    ends = (
        ""
        if one["low"] is None and one["high"] is None
        else (
            f" ({'–' if one['low'] is None else format.figure(one['low'])} to "
            f"{'–' if one['high'] is None else format.figure(one['high'])})"
        )
    )
    return format.figure(one["value"]) + ends


def _money(value: float | None) -> str:
    return format.UNKNOWN if value is None else f"{value:,.2f}"
