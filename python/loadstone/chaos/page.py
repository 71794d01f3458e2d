"""The page of `loadstone chaos`: measured beside the model."""

from __future__ import annotations

from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.report import format
from loadstone.report.badge import Badge
from loadstone.report.figures.figure import Figure, Trace, layout
from loadstone.report.folder import Json, read_json
from loadstone.report.html import page_of
from loadstone.report.sections import Article, Section, Tile, anchored, numbered
from loadstone.report.table import Column, Table, words

NAME = "chaos.json"
_WHAT = {
    "availability": "share of time with enough nodes up",
    "nodes_up": "nodes up",
    "crashes": "crashes in a life",
}


def read_chaos(folder: Path) -> Json:
    """The content of `chaos.json`. LoadstoneError `report-folder`, `report-json`."""
    found = read_json(folder / NAME)
    if found is None or found.get("kind") != "chaos":
        hint = "make one with `loadstone chaos`"
        raise LoadstoneError("report-folder", f"nothing of chaos to report in {folder}", hint=hint)
    return found


def chaos_page(folder: Path) -> str:
    """The page as HTML. Errors as `read_chaos`."""
    return page_of([chaos_article(folder)])


def chaos_article(folder: Path) -> Article:
    """What was measured, laid out. Errors as `read_chaos`."""
    found = read_chaos(folder)
    clusters = found["clusters"]
    sections = [
        Section(
            "beside",
            "Measured and modelled",
            "Crashes, failovers and repairs are sped up so that a life of "
            f"{found['life_s']:g} s sees several. Every life begins with "
            "all nodes up. Measured: the mean of the lives and its 95 % interval. Model: the chain’s answer.",
            small=numbered("s", [_figure(clusters, what) for what in _WHAT]),
            small_title="Interval: measured. Cross: the model.",
            tables=[_table(clusters)],
        ),
        *(_course(one, found["life_s"]) for one in clusters),
        _method(found, folder),
    ]
    return Article(
        key="f1",
        name="Chaos",
        sentence=_sentence(clusters),
        badges=_badges(found),
        tiles=[_tile(one) for one in clusters],
        sections=[anchored(section, "f1") for section in sections],
        absent=[],
    )


def _sentence(clusters: list[Json]) -> str:
    judged = [one for one in clusters if one["inside"]["availability"] is not None]
    if not judged:
        return "The model’s availability beside the measured one: undecided, one life has no interval."
    inside = sum(one["inside"]["availability"] for one in judged)
    spans = [one["measured"]["availability"] for one in judged]
    widest = 100 * max(one["high"] - one["low"] for one in spans)
    return (
        f"The model’s availability lies inside the measured 95 % interval for {inside} of {len(judged)} "
        f"clusters; the widest of these intervals spans {widest:.0f} percentage points."
    )


def _badges(found: Json) -> list[Badge]:
    wrong = sum(one["wrong_bodies"] for one in found["clusters"])
    badges = [Badge("bad", f"{wrong} wrong bodies") if wrong else Badge("good", "no wrong body")]
    if found["outcome"] != "complete":
        badges.append(Badge("warn", found["outcome"]))
    events = [event for one in found["clusters"] for life in one["lives"] for event in life.get("events", ())]
    if events:
        told = "faults were done that the model knows nothing of"
        badges.append(Badge("warn", told, tuple(dict.fromkeys(event["note"] for event in events))[:5]))
    if found["lives"] < 5:
        badges.append(Badge("warn", f"{found['lives']} lives: wide intervals"))
    return badges


def _tile(one: Json) -> Tile:
    measured, model = one["measured"]["availability"], one["model"]["availability"]
    note = (
        f"model {100 * model:.1f} %"
        if measured["low"] is None
        else f"interval {100 * measured['low']:.1f}–{100 * measured['high']:.1f} %, model {100 * model:.1f} %"
    )
    return Tile(one["name"], f"{100 * measured['value']:.1f} %", "of the time enough nodes up", note)


def _table(clusters: list[Json]) -> Table:
    rows = [
        {
            "cluster": one["name"],
            "what": words_,
            "value": one["measured"][what]["value"],
            "low": one["measured"][what]["low"],
            "high": one["measured"][what]["high"],
            "model": one["model"][what],
            "expected": _range(one.get("expected", {}).get(what)),
            "inside": {None: "–", True: "✓ yes", False: "✗ no"}[one["inside"][what]],
        }
        for one in clusters
        for what, words_ in _WHAT.items()
    ]
    return Table(
        "beside",
        "Every figure",
        [
            words("cluster", "cluster"),
            words("what", "figure"),
            Column("value", "measured", _four),
            Column("low", "from", _four),
            Column("high", "to", _four),
            Column("model", "model", _four),
            words("inside", "inside"),
            *(
                [Column("expected", "95 % of such runs, if the model is right", format.text)]
                if any("expected" in one for one in clusters)
                else []
            ),
        ],
        rows,
        note="An interval of 95 % misses once in twenty times, also when the model is right.",
        highlight=lambda row: "bad" if row["inside"] == "✗ no" else "",
    )


def _figure(clusters: list[Json], what: str) -> Figure:
    shown = [one for one in clusters if one["measured"][what]["low"] is not None]
    names = [one["name"] for one in shown]
    measured = [one["measured"][what] for one in shown]
    bars: Trace = {
        "type": "scatter", "mode": "markers", "name": "measured", "y": names,
        "x": [one["value"] for one in measured], "marker": {"color": "@s1", "size": 8},
        "error_x": {
            "type": "data", "symmetric": False, "array": [one["high"] - one["value"] for one in measured],
            "arrayminus": [one["value"] - one["low"] for one in measured], "color": "@s1",
        },
        "hovertemplate": "%{x:.4g}<extra>measured</extra>",
    }  # fmt: skip
    cross: Trace = {
        "type": "scatter", "mode": "markers", "name": "model", "y": names,
        "x": [one["model"][what] for one in shown],
        "marker": {"symbol": "x", "size": 10, "color": "@s2"},
        "hovertemplate": "%{x:.4g}<extra>model</extra>",
    }  # fmt: skip
    frame = layout(60 + 40 * max(1, len(names)), right=16, margin={"l": 130}, hovermode="closest")
    return Figure(what, _WHAT[what][:1].upper() + _WHAT[what][1:], "", [bars, cross], frame, quiet=True)


def _course(one: Json, life_s: float) -> Section:
    """Time by number of nodes up, in every life, and what was lost."""
    most = one["active"]
    rows = [
        {
            "life": str(number),
            **{f"up_{count}": time for count, time in enumerate(life["time_up_s"])},
            "crashes": len(life["crashes"]),
            "starts": len(life["starts"]),
            "ok": life["requests_ok"],
            "lost": life["requests_lost"],
            "faults": sum(event["kind"] == "fault" for event in life.get("events", ())),
        }
        for number, life in enumerate(one["lives"], 1)
    ]
    asked, late = one["failover_s"]["asked"], one["failover_s"]["late"]
    facts = [
        ("A node crashes after", f"{1 / one['crash_per_s']:.3g} s on average"),
        (
            "Its slot is filled after",
            f"{asked:.3g} s on average as drawn, and {late:.3g} s more until the new node answered",
        ),
        ("It is mended after", "never" if one["repair_s"] is None else f"{one['repair_s']:.3g} s on average"),
        (
            "Requests without an answer",
            f"{one['requests_lost']:,} of {one['requests_ok'] + one['requests_lost']:,}",
        ),
    ]
    table = Table(
        "lives",
        f"Every life of {life_s:g} s",
        [
            words("life", "life"),
            *(Column(f"up_{count}", f"seconds with {count} up", _four) for count in range(most + 1)),
            Column("crashes", "crashes"),
            Column("starts", "nodes started"),
            *([Column("faults", "faults done")] if any(row["faults"] for row in rows) else []),
            Column("ok", "requests answered"),
            Column("lost", "without an answer"),
        ],
        rows,
    )
    slug = "".join(letter if letter.isalnum() else "-" for letter in one["name"].lower())
    return Section(slug, one["name"], _told(one), facts=facts, tables=[table])


def _told(one: Json) -> str:
    """What the cluster is, in a sentence."""
    nodes = f"{one['active']} nodes run behind HAProxy, {one['needed']} are needed."
    if one["pool"] is None:
        return f"{nodes} Every crashed node is replaced by a new one."
    count = one["pool"]
    noun = "spare stands" if count == 1 else "spares stand"
    mended = (
        "crashed nodes stay crashed."
        if one["repair_s"] is None
        else "crashed nodes are mended and become spares."
    )
    return (
        f"{nodes} {count} {noun} by, switched off, and one of them is started when a node crashes; {mended}"
    )


def _method(found: Json, folder: Path) -> Section:
    machine = found["machine"]
    facts = [
        ("Command", " ".join(found["command"])),
        ("Started", format.moment(found["started_at"])),
        ("Ended", format.moment(found["ended_at"])),
        ("Seed", str(found["seed"])),
        ("Users", f"{found['users']}, through HAProxy"),
        ("A node takes to start", f"{found['start_s']:.2f} s"),
        ("Machine", f"{machine['cores']} cores, {machine['cpu']}"),
        ("Folder", str(folder)),
    ]
    return Section("method", "How it was done", facts=facts)


def _range(one: list[float] | None) -> str:
    return format.UNKNOWN if one is None else f"{one[0]:.4g}–{one[1]:.4g}"


def _four(value: float | None) -> str:
    return format.UNKNOWN if value is None else f"{value:.4g}"
