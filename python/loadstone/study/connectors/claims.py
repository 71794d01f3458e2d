"""Sentences about the connectors' study, each made from its cells and targets. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from loadstone.study.connectors.compared import ratio
from loadstone.study.finding import Status, beyond, finding, weakest
from loadstone.study.words import interval

Json = dict[str, Any]

_NEARLY = 0.8
"""Of the sessions of the best: servers that complete fewer are not compared by their response times."""


def claims(content: Json) -> list[Json]:
    """All findings: experiments with targets as they were asked come first."""
    asked = {one["experiment"] for one in content["targets"] if not one["replaces"]}
    labels = {one["name"]: one["label"] for one in content["variants"]}
    names = sorted(content["parts"], key=lambda name: name not in asked)
    made: list[Json | None] = []
    for name in names:
        part = content["parts"][name]
        most = at_most(part)
        if most:
            made += [
                _compared(name, part, most, labels),
                _nobody(name, part, most, labels),
                _tail(name, part, most, labels),
                _closed(name, part, most, labels),
            ]
        made.append(_unhurried(name, part, labels))
    made += [_targets(content["targets"], later) for later in (False, True)]
    made.append(_peer(content["peer"], labels))
    return [one for one in made if one]


def at_most(part: Json) -> list[Json]:
    """Our own client's cells under the highest load."""
    own = [cell for cell in part["cells"] if cell["client"] == "loadstone"]
    most = max((cell["sessions_per_s_offered"] for cell in own), default=None)
    return [cell for cell in own if cell["sessions_per_s_offered"] == most]


def _compared(name: str, part: Json, cells: Sequence[Json], labels: dict[str, str]) -> Json | None:
    """Hybrid against threaded, as the paper compares them."""
    by_name = {cell["server"]: cell for cell in cells}
    first, second = (by_name.get(server) for server in part["compare"])
    if first is None or second is None:
        return None
    figure = "steady_sessions_per_s" if first["figures"]["steady_sessions_per_s"] else "sessions_per_s"
    mine, other, times = first["figures"][figure], second["figures"][figure], ratio(first, second, figure)
    capacity = part["capacity_sessions_per_s"]
    bound = f" and the bottleneck can serve {capacity:.1f}" if capacity else ""
    lasting = " while the overload lasts" if figure.startswith("steady") else ""
    told = f", {interval(times, 2)} times as many" if times else ""
    text = (
        f"{part['title']}: when {first['sessions_per_s_offered']:g} sessions arrive a second{bound}, "
        f"“{labels[first['server']]}” completes {interval(mine, 1)} a second{lasting}{told} as "
        f"“{labels[second['server']]}” ({interval(other, 1)})."
    )
    if not times:
        text = text.replace(f" as “{labels[second['server']]}”", f", “{labels[second['server']]}”")
    rows = first["repetitions"] + second["repetitions"]
    figures = {"first": mine, "second": other, "ratio": times}
    return finding(f"{name}-compared", text, beyond(times, 1.0), name, rows, **figures)


def _nobody(name: str, part: Json, cells: Sequence[Json], labels: dict[str, str]) -> Json | None:
    """Servers through which no session came to its end, and which was completed by the fewest else."""
    none = [cell for cell in cells if cell["figures"]["completed"]["value"] == 0]
    if not none:
        return None
    once = [cell for cell in none if cell["repetitions"] == 1]
    named = ", ".join(f"“{labels[cell['server']]}”" for cell in none)
    text = f"{part['title']}: no session at all is completed by {named}"
    text += f" ({len(once)} of {len(none)} measured once)." if once else "."
    held = all((cell["figures"]["completed"]["high"] or 0) == 0 for cell in none)
    status: Status = "undecided" if once or not held else "shown"
    return finding(f"{name}-nobody", text, status, name, sum(cell["repetitions"] for cell in none))


def _tail(name: str, part: Json, cells: Sequence[Json], labels: dict[str, str]) -> Json | None:
    """One call in a hundred, of servers that complete nearly as many sessions."""
    by_name = {cell["server"]: cell for cell in cells}
    first = by_name.get(part["compare"][0])
    if first is None or not first["figures"]["response_ms_p99"]:
        return None
    enough = _NEARLY * first["figures"]["completed"]["value"]
    others = [
        cell
        for cell in cells
        if cell is not first
        and cell["figures"]["completed"]["value"] >= enough
        and cell["figures"]["response_ms_p99"]
    ]
    if not others:
        return None
    own = first["figures"]["response_ms_p99"]
    told = "; ".join(
        f"“{labels[cell['server']]}” {interval(cell['figures']['response_ms_p99'])}"
        for cell in sorted(others, key=lambda cell: float(cell["figures"]["response_ms_p99"]["value"]))
    )
    text = (
        f"{part['title']}: the slowest call in a hundred is quicker with “{labels[first['server']]}” "
        f"({interval(own)} ms) than with every server that completes at least {100 * _NEARLY:.0f} % as many "
        f"sessions: {told}."
    )
    status = weakest(*(beyond(ratio(cell, first, "response_ms_p99"), 1.0) for cell in others))
    rows = sum(cell["repetitions"] for cell in (first, *others))
    return finding(f"{name}-tail", text, status, name, rows, own=own)


def _closed(name: str, part: Json, cells: Sequence[Json], labels: dict[str, str]) -> Json | None:
    """Connections closed by the hybrid server, and by the threaded one."""
    by_name = {cell["server"]: cell for cell in cells}
    first, second = (by_name.get(server) for server in part["compare"])
    if first is None or second is None:
        return None
    mine, other = (cell["figures"]["closed_by_server"] for cell in (first, second))
    text = (
        f"{part['title']}: “{labels[first['server']]}” closes {interval(mine)} connections, "
        f"“{labels[second['server']]}” {interval(other)}."
    )
    status: Status = "undecided"
    if mine["high"] is not None and other["low"] is not None:
        status = "shown" if mine["high"] < other["low"] else "not shown"
    rows = first["repetitions"] + second["repetitions"]
    return finding(f"{name}-closed", text, status, name, rows, first=mine, second=other)


def _unhurried(name: str, part: Json, labels: dict[str, str]) -> Json | None:
    """Who completes every session under the lowest load."""
    own = [cell for cell in part["cells"] if cell["client"] == "loadstone"]
    loads = sorted({cell["sessions_per_s_offered"] for cell in own})
    if len(loads) < 2:
        return None
    cells = [cell for cell in own if cell["sessions_per_s_offered"] == loads[0]]
    lost = [cell for cell in cells if cell["figures"]["completed_share"]["value"] < 1]
    text = f"{part['title']}: when {loads[0]:g} sessions arrive a second, "
    text += f"{len(cells) - len(lost)} of {len(cells)} servers complete all of them"
    if lost:
        told = (
            f"“{labels[one['server']]}” {100 * one['figures']['completed_share']['value']:.0f} %"
            for one in lost
        )
        text += f", and not {', '.join(told)}"
    once = all(cell["repetitions"] == 1 for cell in cells)
    text += " (measured once)." if once else "."
    status: Status = "not shown" if lost else "undecided" if once else "shown"
    return finding(f"{name}-unhurried", text, status, name, sum(cell["repetitions"] for cell in cells))


def _targets(targets: Sequence[Json], later: bool) -> Json | None:
    """What was to be shown, and was or was not: as asked, and apart from it by later definitions."""
    judged = [one for one in targets if one["verdict"] and bool(one["replaces"]) is later]
    if not judged:
        asked = {one["experiment"] for one in targets if not one["replaces"]}
        if later or not any(one["verdict"] for one in targets):
            return None
        text = f"The targets as they were asked are of {', '.join(sorted(asked))}: not measured here."
        return finding("targets-asked", text, "undecided")
    met = sum(one["verdict"] == "met" for one in judged)
    by = "by a later definition" if later else "as they were asked"
    text = f"Targets {by}: {met} of {len(judged)} are met."
    for verdict in ("missed", "open"):
        told = [_target(one) for one in judged if one["verdict"] == verdict]
        text += f" {verdict.capitalize()}: {'; '.join(told)}." if told else ""
    verdicts = {one["verdict"] for one in judged}
    status: Status = "not shown" if "missed" in verdicts else "undecided" if "open" in verdicts else "shown"
    return finding("targets-later" if later else "targets-asked", text, status)


def _target(one: Json) -> str:
    bound = f"at least {one['least']:g}" if one["least"] is not None else f"at most {one['most']:g}"
    digits = 0 if one["measured"]["value"] >= 100 else 3
    return f"{one['what']}: {interval(one['measured'], digits)}, asked {bound}"


def _peer(pairs: Sequence[Json], labels: dict[str, str]) -> Json | None:
    """Completed sessions by httperf and by our engine."""
    if not pairs:
        return None
    told = "; ".join(
        f"“{labels[one['server']]}” {interval(one['loadstone']['completed'])} by ours, "
        f"{interval(one['httperf']['completed'])} by httperf"
        for one in pairs
    )
    agree = [one["agree"] for one in pairs]
    text = f"Sessions completed by the same servers under two generators: {told}."
    status: Status = "shown" if all(agree) else "not shown" if False in agree else "undecided"
    return finding("peer", text, status)
