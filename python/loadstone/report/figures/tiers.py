"""Tiers of a topology over time, on the axis of load and response time; events marked in all of them."""

from __future__ import annotations

from typing import Any

from loadstone.report import series, watched
from loadstone.report.figures.axes import axes, length_s, named_ends, per
from loadstone.report.figures.figure import Figure, Layout, label, line, rule
from loadstone.report.figures.theme import colour
from loadstone.report.folder import Run
from loadstone.report.series import Series

_MOST_MARKS = 12
"""Of events; more of them would hide what they mark."""

_GOOD = ("service-came-back", "host-came-back", "host-disk-has-room")
_SPOKEN = {
    "service-down": "down",
    "service-died": "died",
    "service-came-back": "back",
    "service-restarted": "restarted",
    "host-lost": "lost",
    "host-came-back": "back",
    "host-disk-full": "disk full",
    "host-disk-has-room": "has room",
    "agent-lost": "lost",
}


def marked(run: Run, frame: Layout) -> Layout:
    """The frame of a chart over time with its events: a line at the second of each, named at the top."""
    for number, event in enumerate(watched.told(run)[:_MOST_MARKS]):
        tint = "@good" if event.kind in _GOOD else "@bad"
        at = float(event.second or 0)
        words = (
            f"{event.service or event.host or event.agent or 'load'} {_SPOKEN.get(event.kind, event.kind)}"
        )
        frame["shapes"] = [*frame["shapes"], rule(tint, x=at)]
        # Beneath each other: events of one cause come within seconds.
        place: dict[str, Any] = {"xref": "x", "xanchor": "left", "yanchor": "top"}
        named = label(f" {words}", tint, x=at, y=1 - 0.075 * (number % 4), size=11, **place)
        frame["annotations"] = [*frame["annotations"], named]
    return frame


def tiers(run: Run) -> list[Figure]:
    """CPU of each tier, all in one chart."""
    width = series.bin_width_s(length_s(run))
    lines = watched.of_tiers(run, "cpu_cores", width)
    note = "Cores that the services of each tier keep busy, all hosts of a tier together."
    return _drawn(run, "tiers", f"CPU of each tier, cores busy{per(width)}", note, lines, "cores")


def by_tier(run: Run) -> list[Figure]:
    """Of each tier the CPU of its hosts, what its services hold open, and what they do."""
    width = series.bin_width_s(length_s(run))
    figures = []
    for number, (tier, hosts) in enumerate(watched.tiers(run).items()):
        lines = watched.of_hosts(run, hosts, "cpu_cores", width)
        title = f"{tier.capitalize()}: CPU by host, cores busy{per(width)}"
        figures += _drawn(run, f"tier-cpu-{number}", title, f"Hosts {', '.join(hosts)}.", lines, "cores")
        lines = watched.of_hosts(run, hosts, "cpu_throttled_share", width)
        title = f"{tier.capitalize()}: periods in which the quota was used up, share{per(width)}"
        note = "Whatever wants the processor then, waits for the next period."
        figures += _drawn(run, f"tier-throttled-{number}", title, note, lines, "")
    for metric, what in (("connections", "connections open"), ("lock_waits", "waiting for locks")):
        lines = [one for one in watched.of_tiers(run, metric, width) if any(one.values)]
        title = f"By tier: {what}{per(width)}"
        figures += _drawn(run, f"tier-{metric}", title, "By the servers' own count.", lines, "")
    for metric in dict.fromkeys(watched.WORK.values()):
        lines = [one for one in watched.of_tiers(run, metric, width) if any(one.values)]
        title = f"By tier: {metric.removesuffix('_per_s')} a second{per(width)}"
        figures += _drawn(run, f"tier-{metric}", title, "By the servers' own count.", lines, "/s")
    return figures


def _drawn(run: Run, slug: str, title: str, note: str, lines: list[Series], unit: str) -> list[Figure]:
    top = max((value for one in lines for value in one.values if value), default=0.0) * 1.12
    if not top:
        return []
    tints = [colour(index) for index in range(len(lines))]
    frame = marked(run, axes(run, top))
    frame["annotations"] += named_ends(lines, tints, top)
    hover = f"%{{y:.3~f}} {unit}".strip()
    return [
        Figure(
            slug,
            title,
            note,
            [line(one, tint, hover=hover) for one, tint in zip(lines, tints, strict=True)],
            frame,
        )
    ]
