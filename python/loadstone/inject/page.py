"""The page of a campaign: what became of the faults, and where they were."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.inject.journal import read_lines
from loadstone.inject.tally import tally
from loadstone.intake import Kind
from loadstone.report import format
from loadstone.report.badge import Badge
from loadstone.report.figures.figure import Figure, Trace, layout
from loadstone.report.html import page_of
from loadstone.report.sections import Article, Section, Tile, anchored
from loadstone.report.table import Column, Table, words
from loadstone.stages.inject import Inject, Share

KIND = Kind("report-json", "a record of injections", 64 << 20, "make one with `loadstone inject`")
MEANS = {
    "masked": "right answer, nothing noticed",
    "corrupt": "wrong answer, nothing noticed: silent data corruption",
    "crash": "a signal, or another exit code",
    "detected": "the program found the fault and stopped itself",
    "recovered": "the program found the fault, put it right and answered right",
    "hang": "no end, or no answer, within the limit",
}
_MOST_PLACES = 20


def read_inject(folder: Path) -> Inject:
    """The record in a folder. LoadstoneError `report-folder`, `report-json`."""
    file = folder / Inject.FILE
    if not file.is_file():
        hint = "make one with `loadstone inject`"
        raise LoadstoneError("report-folder", f"no injections to report in {folder}", hint=hint)
    return Inject.read(file, KIND)


def inject_page(folder: Path) -> str:
    """The page as HTML. Errors as `read_inject`."""
    return page_of([inject_article(folder)])


def inject_article(folder: Path) -> Article:
    """A campaign, laid out. Errors as `read_inject`, and `inject-folder` of its journal."""
    found, lines = read_inject(folder), read_lines(folder)
    sections = [
        Section(
            "outcomes", "What became of the faults",
            "Each injection turns one bit of what one instruction has just written. Intervals are those of "
            "Wilson, with 95 % confidence.",
            wide={"outcomes": outcomes_figure([(found.variant, found.shares)])},
            tables=[_outcomes(found.shares)],
        ),
        Section(
            "places", "Where they were",
            "The same by what was hit, and by the functions that were hit most often.",
            tables=[_places("registers", "By register", lines, "register")],
            folded=[_places("functions", "By function", lines, "function")],
        ),
        _method(found, folder),
    ]  # fmt: skip
    return Article(
        key="f1",
        name=found.name,
        sentence=sentence(found),
        badges=_badges(found),
        tiles=[_tile(each) for each in found.shares if each.count or each.outcome == "corrupt"],
        sections=[anchored(section, "f1") for section in sections],
        absent=[],
    )


def sentence(found: Inject) -> str:
    """The answer in a sentence."""
    corrupt = found.share("corrupt")
    return (
        f"Of {found.injected:,} faults in {found.name} ({found.variant}), {span(corrupt)} corrupted its "
        "output silently."
    )


def span(share: Share) -> str:
    """`0.40 % (0.11–1.44 %)`."""
    return f"{100 * share.share:.2f} % ({100 * share.low:.2f}–{100 * share.high:.2f} %)"


def outcomes_figure(builds: list[tuple[str, list[Share]]]) -> Figure:
    """A bar for each class, side by side for several builds, with intervals."""
    traces: list[Trace] = []
    for number, (name, shares) in enumerate(builds, 1):
        traces.append(
            {
                "type": "bar", "name": name, "x": [each.outcome for each in shares],
                "y": [100 * each.share for each in shares], "marker": {"color": f"@s{number}"},
                "error_y": {
                    "type": "data", "symmetric": False, "color": "@ink",
                    "array": [100 * (each.high - each.share) for each in shares],
                    "arrayminus": [100 * (each.share - each.low) for each in shares],
                },
                "hovertemplate": f"%{{x}}: %{{y:.2f}} %<extra>{name}</extra>",
            }
        )  # fmt: skip
    frame = layout(320, right=16, barmode="group", showlegend=len(builds) > 1, hovermode="closest")
    note = "Bars are shares of all faults that hit something; lines are intervals of 95 %."
    return Figure("outcomes", "Share of faults, %", note, traces, frame)


def _outcomes(shares: list[Share]) -> Table:
    rows: list[dict[str, Any]] = [
        {
            "outcome": each.outcome, "count": each.count, "percent": 100 * each.share, "low": 100 * each.low,
            "high": 100 * each.high, "means": MEANS[each.outcome],
        }
        for each in shares
    ]  # fmt: skip
    return Table(
        "outcomes", "Every class",
        [
            words("outcome", "outcome"), Column("count", "faults"), Column("percent", "%", _two),
            Column("low", "from %", _two), Column("high", "to %", _two), words("means", "it means"),
        ],
        rows,
    )  # fmt: skip


def _places(slug: str, title: str, lines: list[dict[str, Any]], key: str) -> Table:
    """Outcomes by one field of the injections, the most frequent first."""
    hit = [line for line in lines if line["outcome"] != "missed"]
    often = Counter(str(line.get(key) or "not known") for line in hit)
    rows = []
    for name, count in often.most_common(_MOST_PLACES):
        shares, _ = tally(line for line in hit if str(line.get(key) or "not known") == name)
        rows.append({"name": name, "count": count} | {each.outcome: each.count for each in shares})
    columns = [Column(outcome, outcome) for outcome in MEANS]
    return Table(slug, title, [words("name", key), Column("count", "faults"), *columns], rows)


def _badges(found: Inject) -> list[Badge]:
    badges = [Badge("good", f"{found.injected:,} faults")]
    if found.status != "complete":
        badges.append(Badge("warn", found.status))
    badges += [Badge("warn", "mind", tuple(found.warnings))] if found.warnings else []
    return badges


def _tile(share: Share) -> Tile:
    return Tile(
        share.outcome, f"{100 * share.share:.1f} %", "", f"{100 * share.low:.2f}–{100 * share.high:.2f} %"
    )


def _method(found: Inject, folder: Path) -> Section:
    golden = f"{found.golden.runs} unharmed runs agree"
    facts = [
        ("Command", " ".join(found.command)),
        ("Program", " ".join(found.program)),
        ("Build", found.variant),
        ("SHA-256 of the program", found.digest),
        ("Which code", ", ".join(found.only)),
        ("Seed", str(found.seed)),
        ("Answer", f"{golden}; SHA-256 {found.golden.output}"),
        (
            "Seen" if found.server else "Traced",
            f"{found.traced.instructions:,} instructions; {found.traced.can_be_hit:,} of them, at "
            f"{found.traced.addresses:,} addresses, can be hit",
        ),
        ("Hit nothing", f"{found.missed:,}"),
        ("It took", f"{found.took_s:.0f} s"),
        ("Machine", f"{found.machine.get('cores', '?')} cores, {found.machine.get('cpu', '?')}"),
        ("Started", format.moment(found.started_at)),
        ("Folder", str(folder)),
    ]
    if found.restart_s is not None:
        facts.insert(-2, ("From start to answer", f"{1000 * found.restart_s:.0f} ms, in the mean"))
    return Section("method", "How it was done", facts=facts)


def _two(value: float | None) -> str:
    return format.UNKNOWN if value is None else f"{value:.2f}"
