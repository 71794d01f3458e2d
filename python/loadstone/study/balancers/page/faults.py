"""Balancers in trouble: what was broken, and what it cost."""

from __future__ import annotations

from collections.abc import Sequence

from loadstone.report import format
from loadstone.report.figures.figure import Figure, Trace, band, layout, rule
from loadstone.report.folder import Json
from loadstone.report.table import Column, Table, words
from loadstone.study.balancers.page.variants import Variants

_SMALL = 210

FAULTS = {
    "server-killed": "server killed",
    "server-cut": "server's network cut",
    "lossy-link": "2 % loss on a link",
    "drained": "server drained",
    "balancer-killed": "balancer killed",
}


def table(found: Sequence[Json], variants: Variants) -> Table:
    """What each trouble cost."""
    rows = [
        {
            "fault": FAULTS[one["fault"]],
            "variant": variants.labels[one["balancer"]],
            "asked": one["answered"] + one["lost"],
            "lost": one["lost"],
            "causes": ", ".join(f"{count} {cause}" for cause, count in one["lost_by_cause"].items()) or "–",
            "noticed": _noticed(one),
            "back": _back(one),
            "silence": 1000 * one["silence_s"],
            "before": one["before_p99_ms"],
            "during": one["during_p99_ms"],
            "repeated": one["repeated_segments"],
        }
        for kind in FAULTS
        for one in variants.sorted(found)
        if one["fault"] == kind
    ]
    return Table(
        "faults",
        "Everything that was broken",
        [
            words("fault", "what"),
            words("variant", "variant"),
            Column("asked", "requests"),
            Column("lost", "lost"),
            words("causes", "by cause"),
            words("noticed", "asked until"),
            words("back", "back after"),
            Column("silence", "longest silence ms", format.figure),
            Column("before", "p99 ms before", format.figure),
            Column("during", "p99 ms during", format.figure),
            Column("repeated", "packets sent again"),
        ],
        rows,
        note="Asked until: how long the victim still got requests after it broke, by packets at its own "
        "interface, until the first pause of half a second. Back after: from its mending to the first "
        "request that it answered.",
    )


def course(one: Json, variants: Variants) -> Figure:
    """Answers and failures in each tenth of a second while something breaks and is mended."""
    line = one["timeline"]
    begun, mended = one["begun_s"], one["mended_s"]
    frame = layout(
        _SMALL,
        right=14,
        barmode="stack",
        bargap=0,
        xaxis={"range": [0, max(line["at_s"][-1] + 0.1, mended)], "ticksuffix": " s", "nticks": 7},
        yaxis={"rangemode": "tozero", "nticks": 4},
        shapes=[band(begun, mended, "@shade"), rule("@bad", x=begun), rule("@good", x=mended)],
    )
    at = [round(at + 0.05, 3) for at in line["at_s"]]
    traces: list[Trace] = [
        {"type": "bar", "name": "answered", "x": at, "y": line["ok"], "marker": {"color": "@s1"},
         "hovertemplate": "%{y} answered"},
        {"type": "bar", "name": "failed", "x": at, "y": line["failed"], "marker": {"color": "@bad"},
         "hovertemplate": "%{y} failed"},
    ]  # fmt: skip
    title = variants.labels[one["balancer"]]
    return Figure(f"course-{one['balancer']}", title, _lost(one), traces, frame)


def _lost(one: Json) -> str:
    lost = f"{one['lost']} of {one['answered'] + one['lost']} lost"
    longest = f"longest silence {1000 * one['silence_s']:,.0f} ms"
    return f"{lost}; {longest}."


def _noticed(one: Json) -> str:
    if one["fault"] in ("lossy-link", "balancer-killed"):
        return "–"
    return "to the end" if one["noticed_s"] is None else f"{one['noticed_s']:.2f} s"


def _back(one: Json) -> str:
    if one["fault"] == "lossy-link":
        return "–"
    return (
        "not seen"
        if one["back_s"] is None
        else "at once"
        if one["back_s"] < 0.05
        else f"{one['back_s']:.2f} s"
    )
