"""The pages of comparisons: releases beside each other, and one figure over a history of runs."""

from __future__ import annotations

from pathlib import Path

from loadstone.intake import Kind
from loadstone.report import format
from loadstone.report.badge import Badge
from loadstone.report.differences import level, operation_of, points, ratio, sentence
from loadstone.report.figures import compared as drawn
from loadstone.report.figures import history as over_time
from loadstone.report.folder import HINT
from loadstone.report.html import page_of
from loadstone.report.sections import Article, Section, Tile, anchored, numbered
from loadstone.report.table import Column, Row, Table, words
from loadstone.stages.compare import Change, Compared, Comparison, History, LeftOut
from loadstone.stages.origin import Origin

_KIND = Kind("report-json", "a comparison", 64 << 20, HINT)
_BY = {"pairs": "pairs of runs", "runs": "runs", "seconds": "the seconds of single runs"}


def read_comparison(folder: Path) -> Comparison:
    """What `compare.json` of the folder says. LoadstoneError `report-json`."""
    return Comparison.read(folder / Comparison.FILE, _KIND)


def comparison_page(found: Comparison) -> str:
    """A comparison as HTML."""
    told = sentence(found)
    worse = found.worse()
    differs = any(one.said != "~" for one in found.rows)
    lead = Badge("bad", "worse beyond chance") if worse else Badge("good", "nothing is worse beyond chance")
    newer = ", ".join(_short(side.name) for side in found.sides[1:])
    claim = told[0].upper() + told[1:] if differs else f"No difference shown in {len(found.rows)} figures"
    sections = [
        *(_side(found, side.name) for side in found.sides[1:]),
        _unjudged(found),
        _method(
            found,
            [
                ("Compared", _BY[found.by]),
                *((f"Side {one.name}", f"{len(one.runs)} runs") for one in found.sides),
            ],
        ),
    ]
    return _page(
        found,
        f"{claim}: {newer} beside {_short(found.sides[0].name)}.",
        [lead, *_remarks(found, [one for side in found.sides for one in side.left_out], found.unlike)],
        [
            Tile("Figures compared", format.whole(len(found.rows))),
            Tile("Worse", format.whole(len(worse))),
            Tile("Better", format.whole(sum(one.said != "~" for one in found.rows) - len(worse))),
            Tile(
                "Runs",
                " + ".join(format.whole(len(one.runs)) for one in found.sides),
                "",
                f"by {_BY[found.by]}",
            ),
        ],
        sections,
    )


def history_page(found: History) -> str:
    """A history as HTML: each figure that changed, with its levels."""
    count = len(found.runs)
    if found.changes:
        claim = _latest(found)
        bad = {"slower", "worse"} & {one.said for one in found.changes}
        lead = Badge("bad" if bad else "good", f"{_counted(len(found.changes), 'change')} of a level")
    else:
        claim = f"No change is shown in {found.series} figures of {count} runs."
        lead = Badge("good", "no change shown")
    moved = over_time.changed(found)
    sections = [
        Section(
            "changes",
            "Changes",
            f"Where nothing changes, the chance of any line is at most {format.share(1 - found.confidence)}. "
            "Points are runs, thick lines levels, dashed lines their changes.",
            small=numbered("c", moved),
            tables=[_changes(found)],
        )
        if found.changes
        else None,
        Section(
            "unchanged",
            "No change shown",
            small=numbered("s", over_time.unchanged(found)),
            small_title="The mean response time of each operation, and the throughput",
        )
        if over_time.unchanged(found)
        else None,
        Section("runs", "Runs", folded=[_runs(found)]),
        _method(found, []),
    ]
    tiles = [
        Tile("Runs", format.whole(count)),
        Tile("Figures looked at", format.whole(found.series)),
        Tile("Changes", format.whole(len(found.changes))),
    ]
    return _page(found, claim, [lead, *_remarks(found, found.left_out, found.unlike)], tiles, sections)


def _page(
    found: Origin, claim: str, badges: list[Badge], tiles: list[Tile], sections: list[Section | None]
) -> str:
    return page_of(
        [
            Article(
                key="f1",
                name=found.name or found.KIND,
                sentence=claim,
                badges=badges,
                tiles=tiles,
                sections=[anchored(section, "f1") for section in sections if section],
                absent=[],
            )
        ]
    )


def _remarks(found: Origin, left_out: list[LeftOut], unlike: list[str]) -> list[Badge]:
    remarks = [Badge("warn", f"not made alike: {one}") for one in unlike]
    remarks += [Badge("warn", f"left out: {one.run}: {one.why}") for one in left_out]
    return remarks + [Badge("warn", warning) for warning in found.warnings]


def _side(found: Comparison, side: str) -> Section:
    rows = [_row(one) for one in found.rows if one.side == side]
    note = f"Intervals at {format.share(found.confidence)}. ~: no difference is shown."
    title = "Differences" if len(found.sides) == 2 else f"Differences: {_short(side)}"
    return Section(
        f"differences-{[one.name for one in found.sides].index(side)}",
        title,
        small=numbered("s", drawn.ratios(found, side)),
        small_title="Response times, new ÷ old, with their intervals",
        tables=[Table("compared", "Old and new", _columns(), rows, note, highlight=_highlight)],
    )


def _columns() -> list[Column]:
    return [
        words("operation", "operation"),
        words("figure", "figure"),
        Column("old", "old", said="old_said"),
        Column("new", "new", said="new_said"),
        Column("change", "new / old, or difference", said="change_said"),
        Column("p", "p", _p),
        words("said", "the newer is", lambda said: "~" if said == "~" else _SAID[said]),
    ]


_SAID = {"faster": "✓ faster", "better": "✓ better", "slower": "✗ slower", "worse": "✗ worse"}


def _row(one: Compared) -> Row:
    change = one.ratio or one.difference
    return {
        "operation": operation_of(one),
        "figure": one.figure,
        "old": one.old.value,
        "new": one.new.value,
        "change": change and change.value,
        "p": one.p_corrected,
        "said": one.said,
        "old_said": level(one.old, one.unit),
        "new_said": level(one.new, one.unit),
        "change_said": ratio(one.ratio) if one.ratio else points(one.difference) if one.difference else "",
    }


def _p(value: float | None) -> str:
    return format.UNKNOWN if value is None else f"{value:.2g}" if value >= 1e-4 else "<0.0001"


def _highlight(row: Row) -> str:
    return {"slower": "bad", "worse": "bad"}.get(row["said"], "")


def _unjudged(found: Comparison) -> Section | None:
    rows: list[Row] = [
        {"side": _short(one.side), "operation": operation_of(one), "figure": one.figure, "why": one.why}
        for one in found.unjudged
    ]
    columns = [words(key, key) for key in ("side", "operation", "figure", "why")]
    return (
        Section(
            "unjudged",
            "Not judged",
            folded=[Table("unjudged", "Figures with too little to say", columns, rows)],
        )
        if rows
        else None
    )


def _changes(found: History) -> Table:
    rows = [_row(one) | _since(one) for one in found.changes]
    columns = [words("since", "since"), words("at", "began", format.moment), *_columns()]
    return Table("changes", "Changes of a level", columns, rows, "", highlight=_highlight)


def _latest(found: History) -> str:
    """The latest change; of several at once, that of an operation of its own."""
    last = found.changes[-1].since
    one = min((one for one in found.changes if one.since == last), key=lambda one: one.operation == "*")
    what = over_time.told(one)
    since = f"{Path(last.run).name} of {format.moment(last.started_at)}"
    return f"{what[0].upper()}{what[1:]} is {over_time.said(one)}, since {since}."


def _since(change: Change) -> Row:
    return {"since": Path(change.since.run).name, "at": change.since.started_at}


def _runs(found: History) -> Table:
    rows: list[Row] = [
        {"number": at, "run": one.run, "at": one.started_at} for at, one in enumerate(found.runs, 1)
    ]
    columns = [Column("number", "run"), words("run", "folder"), words("at", "began", format.moment)]
    return Table("history-runs", "Runs in the order of time", columns, rows)


def _method(found: Origin, more: list[tuple[str, str]]) -> Section:
    machine = found.machine
    facts = [
        *more,
        ("From", format.moment(found.started_at)),
        ("To", format.moment(found.ended_at)),
        ("Machine", ", ".join(filter(None, (machine.hostname, machine.cpu)))),
        ("Versions", ", ".join(f"{name} {version}" for name, version in found.versions.items())),
    ]
    shown = [(name, value) for name, value in facts if value and value != format.UNKNOWN]
    return Section("method", "How it was measured", facts=shown)


def _short(name: str) -> str:
    return Path(name).name or name


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
