"""Tables of the connectors' study."""

from __future__ import annotations

from loadstone.report import format
from loadstone.report.folder import Json
from loadstone.report.table import Column, Row, Table, words
from loadstone.study.connectors.page.charts import TITLES
from loadstone.study.words import interval

_MARKS = {"met": "✓ met", "missed": "✗ missed", "open": "? open", None: "not measured"}
_CLASSES = {"met": "good", "missed": "bad", "open": "", None: ""}

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
    """What must be shown, with what was measured: each target as asked, then its later definitions."""
    labels = {one["name"]: one["label"] for one in study["variants"]}
    rows: list[Row] = []
    order = [one.get("id") for one in study["targets"] if not one.get("replaces")]
    targets = sorted(study["targets"], key=lambda one: bool(one.get("replaces")))
    for one in sorted(targets, key=lambda one: order.index(one.get("replaces") or one.get("id"))):
        bound = f"≥ {one['least']:g}" if one["least"] is not None else f"≤ {one['most']:g}"
        rows.append(
            {
                "what": one["what"],
                "experiment": one["experiment"],
                "who": labels.get(one["who"], one["who"]),
                "other": labels.get(one["other"] or "", one["other"] or "–"),
                "bound": bound,
                "measured": interval(one["measured"], 2),
                "asked": "later" if one.get("replaces") else "as asked",
                "definition": _definition(one),
                "verdict": _MARKS[one["verdict"]],
                "class": _CLASSES[one["verdict"]],
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
            words("asked", "definition"),
            words("definition", "its version"),
        ],
        rows,
        note="Ratios are of medians, with the interval of the ratios within each repetition. Missed: the "
        "figure itself misses the bound. Open: it does not, but its interval reaches beyond, or there is one "
        "repetition only. A later definition asks the same of another experiment; it does not undo a miss.",
        highlight=lambda row: str(row["class"]),
    )


def _definition(one: Json) -> str:
    """The version by which the target is judged, and today's where that is another."""
    then, now = one.get("definition"), one.get("today")
    if then is None:
        return "not kept"
    if then == now:
        return str(then)
    return f"{then}; today {now or 'no longer asked'}"


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
