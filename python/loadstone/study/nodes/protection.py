"""What our own measurements say of protection, in sentences made from their figures."""

from __future__ import annotations

from statistics import geometric_mean
from typing import Any

from loadstone.study.finding import Status, beyond, finding

Json = dict[str, Any]

_TABLE_I = {"native": "native", "ilr": "ILR", "tx": "TX"}
_ZERO: Json = {"share": 0.0, "low": 0.0, "high": 0.0, "count": 0}


def protection(measured: Json) -> list[Json]:
    """A sentence for each build, then what it carries, how its month is spent and what it costs."""
    outcomes = measured.get("outcomes", [])
    return [
        *([_native(outcomes[0])] if outcomes else []),
        *(_hardened(row, outcomes[0]) for row in outcomes[1:]),
        *_carried(measured.get("throughput", [])),
        *_served(measured.get("servers", [])),
        *_live(measured.get("live", [])),
        *_spent(measured.get("integrity", [])),
        *_paid(measured.get("cost", [])),
    ]


def span(one: Json) -> str:
    """`0.40 % (0.11–1.44)`."""
    return f"{100 * one['share']:.2f} % ({100 * one['low']:.2f}–{100 * one['high']:.2f})"


def share(row: Json, outcome: str) -> Json:
    """One class of a build's faults."""
    return next((one for one in row["shares"] if one["outcome"] == outcome), _ZERO)


def _native(row: Json) -> Json:
    each = sorted(row["kernels"], key=lambda one: float(one["corrupt"]))
    corrupt = share(row, "corrupt")
    text = (
        f"Measured: of {row['injected']:,} faults in {len(each)} native programs {span(corrupt)} corrupt "
        f"silently; Table I has {100 * row['paper']['corrupt']:.2f} %. Programs differ more than that: from "
        f"{100 * each[0]['corrupt']:.1f} % ({each[0]['kernel']}) to {100 * each[-1]['corrupt']:.1f} % "
        f"({each[-1]['kernel']})."
    )
    return finding("measured-native", text, "shown", "measured", row["injected"], corrupt=_figure(corrupt))


def _hardened(row: Json, native: Json) -> Json:
    corrupt, paper = share(row, "corrupt"), row["paper"]
    server = row.get("server")
    where = f"in live {server} " if server else ""
    text = (
        f"Measured: {where}with `{row['build']}` {span(corrupt)} of {row['injected']:,} faults corrupt "
        f"silently{_fewer(corrupt, share(native, 'corrupt'))}, {span(row['down'])} end the program"
    )
    if (recovered := share(row, "recovered"))["count"]:
        text += f", {span(recovered)} are put right"
    text += (
        f". Table I has {100 * paper['corrupt']:.2f} % corrupt and {100 * paper['down']:.2f} % crashed for "
        f"{_TABLE_I[row['beside']]}; at most as many corrupt here: "
    )
    status = beyond(_figure(corrupt), paper["corrupt"], below=True)
    text += {"shown": "yes.", "not shown": "no.", "undecided": "the interval allows both."}[status]
    key = "-".join(["measured", *([server] if server else []), *row["build"].split()])
    figures = {"corrupt": _figure(corrupt), "down": _figure(row["down"]), "recovered": _figure(recovered)}
    return finding(key, text, status, "measured", row["injected"], **figures)


def _live(rows: list[Json]) -> list[Json]:
    """A sentence for each build of each server, native first."""
    found: list[Json] = []
    native: dict[str, Json] = {}
    for row in rows:
        server, corrupt = row["server"], share(row, "corrupt")
        if server in native:
            found.append(_hardened(row, native[server]))
            continue
        native[server] = row
        text = (
            f"Measured: of {row['injected']:,} faults in live {server}, native, {span(corrupt)} corrupt "
            f"silently, {span(row['down'])} end it; Table I has {100 * row['paper']['corrupt']:.2f} % and "
            f"{100 * row['paper']['down']:.2f} %."
        )
        figures = {"corrupt": _figure(corrupt), "down": _figure(row["down"])}
        found.append(
            finding(f"measured-{server}-native", text, "shown", "measured", row["injected"], **figures)
        )
    return found


def _fewer(corrupt: Json, native: Json) -> str:
    if corrupt["share"]:
        return f", {native['share'] / corrupt['share']:,.0f} times fewer than native"
    return (
        f", at least {native['share'] / corrupt['high']:,.0f} times fewer than native"
        if corrupt["high"]
        else ""
    )


def _figure(one: Json) -> Json:
    return {"value": one["share"], "low": one["low"], "high": one["high"], "count": one["count"]}


def _carried(rows: list[Json]) -> list[Json]:
    if not rows:
        return []
    told = []
    for row in rows:
        each = sorted(row["kernels"].items(), key=lambda one: float(one[1]))
        ends = " to ".join(f"{100 * factor:.0f} % for {name}" for name, factor in (each[0], each[-1]))
        told.append(f"{100 * row['mean']:.0f} % with `{row['build']}` ({ends})")
    plans = dict.fromkeys(f"{100 * row['paper_plans']:.0f} % for {_TABLE_I[row['beside']]}" for row in rows)
    text = (
        f"Measured: of native, {len(rows[0]['kernels'])} programs that only compute carry (geometric means) "
        f"{'; '.join(told)}. The paper plans with {', '.join(plans)}, "
        "from servers: much of their time is the kernel's, which nobody hardens."
    )
    return [finding("measured-throughput", text, "shown", "measured", len(rows[0]["kernels"]))]


def _served(rows: list[Json]) -> list[Json]:
    """A sentence for each server: what its builds carry, over all loads."""
    found = []
    for server in dict.fromkeys(row["server"] for row in rows):
        own = [row for row in rows if row["server"] == server and row["cpu"] and row["build"]]
        told = []
        for build in list(dict.fromkeys(row["build"] for row in own))[1:]:
            each = sorted((row["cpu"], row["load"]) for row in own if row["build"] == build)
            ends = " to ".join(f"{100 * ratio:.0f} % for {load}" for ratio, load in (each[0], each[-1]))
            mean = geometric_mean(ratio for ratio, _ in each)
            told.append(f"{100 * mean:.0f} % with `{build}` ({ends})")
        if told:
            text = (
                f"Measured: of native, {server} carries by the CPU time of a request (geometric means over "
                f"its loads) {'; '.join(told)}."
            )
            found.append(finding(f"served-{server}", text, "shown", "measured", len(own)))
    return found


def _spent(rows: list[Json]) -> list[Json]:
    if not rows:
        return []
    faults = rows[0]["points"][1]["faults"]
    points = [(row["build"], next(p for p in row["points"] if p["faults"] == faults)) for row in rows]
    told = "; ".join(
        f"{build} {100 * point['corrupt']['value']:.3g} % (Table I: {100 * point['corrupt']['paper']:.3g} %)"
        for build, point in points
    )
    words = f"Measured: with {faults} faults a node is corrupt this share of a month: {told}."
    return [finding("measured-integrity", words, "shown", "measured", len(rows))]


def _paid(rows: list[Json]) -> list[Json]:
    return [_price(row) for row in rows if row["extra"] > 0 and row["times_least"] is not None]


def _price(row: Json) -> Json:
    """A sentence; where no fault at all corrupted, by the upper end of the interval."""
    least = row["times_less"] is None
    times = row["times_least"] if least else row["times_less"]
    seconds = row["corrupt_s_a_month_high"] if least else row["corrupt_s_a_month"]
    status: Status = "shown" if row["times_least"] > 1 else "undecided"
    fewer, most = ("at least ", "at most ") if least else ("", "")
    text = (
        f"A user costs {100 * row['extra']:.0f} % more a month on nodes of `{row['node']}` than on native "
        f"ones (${row['usd_per_user_month']:.4f}; {row['num']} nodes for the load). For it the service is "
        f"corrupt {fewer}{_times(times)} times less: {most}{_long(seconds)} a month with {row['faults']} "
        f"faults a node, down {100 * row['down']:.2g} %."
    )
    return finding(f"cost-{row['node'].replace(', ', '-').replace(' ', '-')}", text, status, "measured")


def _times(value: float) -> str:
    """With three digits, or all before the point.

    >>> _times(21.55), _times(2011.6)
    ('21.6', '2,012')
    """
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _long(seconds: float) -> str:
    """A length of time in its unit."""
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"
