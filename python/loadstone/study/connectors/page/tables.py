"""Tables of the connectors' study."""

from __future__ import annotations

from loadstone.report import format
from loadstone.report.folder import Json
from loadstone.report.table import Column, Row, Table, words
from loadstone.study.connectors.page.charts import TITLES
from loadstone.study.words import interval

_MARKS = {True: "✓ met", False: "✗ not met", None: "not measured"}
_CLASSES = {True: "good", False: "bad", None: ""}

_COLUMNS = (
    ("completed", "sessions completed", 0),
    ("completed_share", "share of all", 2),
    ("sessions_per_s", "sessions/s", 1),
    ("steady_sessions_per_s", "steady sessions/s", 1),
    ("replies_per_s", "replies/s", 1),
    ("life_s_mean", "life s", 1),
    ("calls_completed_mean", "calls", 1),
    ("response_ms_p50", "p50 ms", 0),
    ("response_ms_mean", "mean ms", 0),
    ("response_ms_p99", "p99 ms", 0),
    ("timeouts", "time-outs", 0),
    ("closed_by_server", "closed by server", 0),
    ("refused", "refused", 0),
    ("answered_wrong", "wrong answers, 503", 0),
    ("server_cpu_us", "server CPU µs a reply", 0),
    ("asked_in_vain_share", "database asked in vain", 2),
)


def targets(study: Json) -> Table:
    """What must be shown, with what was measured."""
    labels = {one["name"]: one["label"] for one in study["variants"]}
    rows: list[Row] = []
    for one in study["targets"]:
        bound = f"≥ {one['least']:g}" if one["least"] is not None else f"≤ {one['most']:g}"
        rows.append(
            {
                "what": one["what"],
                "who": labels.get(one["who"], one["who"]),
                "other": labels.get(one["other"] or "", one["other"] or "–"),
                "bound": bound,
                "measured": interval(one["measured"], 2),
                "verdict": _MARKS[one["met"]],
                "class": _CLASSES[one["met"]],
            }
        )
    return Table(
        "targets",
        "What must be shown",
        [
            words("what", "what"),
            words("who", "server"),
            words("other", "against"),
            Column("bound", "bound", format.text),
            Column("measured", "measured", format.text),
            words("verdict", "verdict"),
        ],
        rows,
        note="Ratios are of medians; the interval of sessions/s is of the ratios within each repetition.",
        highlight=lambda row: str(row["class"]),
    )


def paper(study: Json) -> Table:
    """The paper's findings beside ours."""
    rows: list[Row] = []
    for one in study["paper"]:
        ours = one["ours"]
        rows.append(
            {
                "place": one["place"],
                "says": one["says"],
                "figure": TITLES[one["figure"]][0],
                "load": ours and ours["sessions_per_s_offered"],
                "hybrid": interval(ours["hybrid"], 1) if ours else "not measured",
                "threaded": interval(ours["threaded"], 1) if ours else "not measured",
            }
        )
    return Table(
        "paper",
        "The paper’s findings and ours",
        [
            words("place", "place"),
            words("says", "the paper"),
            words("figure", "ours"),
            Column("load", "at sessions/s", lambda value: "–" if value is None else f"{value:g}"),
            Column("hybrid", "hybrid", format.text),
            Column("threaded", "threaded", format.text),
        ],
        rows,
        note="The paper prints drawings, not numbers: its words stand here. Its figures 1 and 2 show the "
        "architectures.",
    )


def cells(study: Json, experiment: str) -> Table:
    """Every cell of an experiment."""
    labels = {one["name"]: one["label"] for one in study["variants"]}
    order = list(labels)
    found = sorted(
        study["parts"][experiment]["cells"],
        key=lambda cell: (cell["sessions_per_s_offered"], order.index(cell["server"]), cell["client"]),
    )
    rows: list[Row] = [
        {
            "load": cell["sessions_per_s_offered"],
            "server": labels[cell["server"]]
            + ("" if cell["client"] == "loadstone" else f" ({cell['client']})"),
            "repetitions": cell["repetitions"],
            **{name: interval(cell["figures"][name], digits) for name, _, digits in _COLUMNS},
        }
        for cell in found
    ]
    return Table(
        f"cells-{experiment}",
        "Every cell: medians with intervals",
        [
            Column("load", "arrive/s", lambda value: f"{value:g}"),
            words("server", "server"),
            Column("repetitions", "repetitions"),
            *(Column(name, title, format.text) for name, title, _ in _COLUMNS),
        ],
        rows,
        note="Asked in vain: the share of calls that the database served for clients who had left.",
    )


def peer(study: Json) -> Table:
    """httperf beside our engine."""
    labels = {one["name"]: one["label"] for one in study["variants"]}
    rows: list[Row] = []
    for one in study["peer"]:
        row: Row = {"server": labels[one["server"]], "load": one["sessions_per_s_offered"]}
        for client in ("loadstone", "httperf"):
            row |= {f"{client}_{name}": interval(value, 1) for name, value in one[client].items()}
        rows.append(row | {"agree": one["agree"]})
    names = (("completed", "completed"), ("sessions_per_s", "sessions/s"), ("response_ms_mean", "mean ms"))
    return Table(
        "peer",
        "The same sessions by httperf",
        [
            words("server", "server"),
            Column("load", "arrive/s", lambda value: f"{value:g}"),
            *(
                Column(f"{client}_{name}", f"{client}: {title}", format.text)
                for name, title in names
                for client in ("loadstone", "httperf")
            ),
            words("agree", "intervals meet", format.yes),
        ],
        rows,
    )
