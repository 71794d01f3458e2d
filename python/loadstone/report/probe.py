"""The page of a probe: sentences first, then the charts of the paper again, then every figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from loadstone.report import format
from loadstone.report.badge import Badge
from loadstone.report.figures import network
from loadstone.report.figures.figure import Figure
from loadstone.report.html import page_of
from loadstone.report.probe_tables import (
    failure_table,
    flow_table,
    jitter_table,
    load_table,
    pair_table,
    path_table,
    sentence_table,
    together_table,
    trip_table,
    udp_table,
)
from loadstone.report.sections import Article, Section, Tile
from loadstone.stages.probe import Probe

__all__ = ["pair_table", "probe_page"]


def probe_page(probes: Sequence[tuple[Path, Probe]]) -> str:
    """The page of one probe folder, or of several, each with the content of its `probe.json`."""
    return page_of(
        [_article(folder, record, f"p{index}") for index, (folder, record) in enumerate(probes, 1)]
    )


def _article(folder: Path, record: Probe, key: str) -> Article:
    found = [
        _section(key, "says", "What it says", _SAYS, tables=[sentence_table(record)]),
        _trips(record, key),
        _jitter(record, key),
        _bandwidth(record, key),
        _load(record, key),
        _section(
            key, "path", "Path and pairs at once", "", tables=[path_table(record), together_table(record)]
        ),
        _section(key, "pairs", "Every pair", "", tables=[pair_table(record), failure_table(record)]),
        _method(folder, record, key),
    ]
    return Article(
        key=key,
        name=f"Probe of {record.name}",
        sentence=_headline(record),
        badges=_badges(record),
        tiles=_tiles(record),
        sections=[one for one in found if one.wide or one.small or one.tables or one.facts],
        absent=[],
    )


_SAYS = "Each sentence follows from figures by a rule that the manual names, or says why nothing can be said."


def _section(key: str, slug: str, title: str, intro: str, **content: list) -> Section:  # type: ignore[type-arg]
    tables = [table for table in content.get("tables", []) if table.rows]
    wide = _keyed(key, slug, "w", content.get("wide", []))
    small = _keyed(key, slug, "s", content.get("small", []))
    return Section(f"{key}-{slug}", title, intro, wide=wide, small=small, tables=tables)


def _keyed(key: str, slug: str, kind: str, figures: Sequence[Figure | None]) -> dict[str, Figure]:
    return {f"{key}-{slug}-{kind}{index}": one for index, one in enumerate(figures) if one}


def _trips(record: Probe, key: str) -> Section:
    picture = record.pictures.round_trips
    way = "icmp" if any("icmp" in ways for ways in picture.groups.values()) else "tcp"
    wide = [
        network.boxes(picture, "Round-trip time by group"),
        network.violins(picture, way, f"Distribution of the round-trip time by group, {network.NAMES[way]}"),
    ]
    intro = (
        "TCP is the time of `connect` on the source: the SYN and its answer, both kernels, and the waking of "
        "the process that waits. A closed port answers too."
    )
    return _section(
        key, "trips", "Round trips", intro.replace("`", ""), wide=wide, tables=[trip_table(record)]
    )


def _jitter(record: Probe, key: str) -> Section:
    small = [network.steps(name, found) for name, found in record.pictures.steps.items() if found]
    intro = "Differences of the round trips of packets sent one after the other; each group on its own axis."
    return _section(key, "jitter", "Jitter", intro, small=small, tables=[jitter_table(record)])


def _bandwidth(record: Probe, key: str) -> Section:
    wide = [network.bandwidth(record.groups)]
    tables = [flow_table(record), udp_table(record)]
    return _section(key, "bandwidth", "Bandwidth", "", wide=wide, tables=tables)


def _load(record: Probe, key: str) -> Section:
    figure = network.boxes(record.pictures.load, "Round-trip time idle and under load")
    intro = "Pings while one TCP flow fills the path: what they wait longer, they wait in its queue."
    return _section(key, "load", "Under load", intro, wide=[figure], tables=[load_table(record)])


def _headline(record: Probe) -> str:
    pairs = len(record.pairs)
    begin = f"{pairs} pair{'s' if pairs > 1 else ''} of hosts"
    known = [
        (one.icmp.median_ms, one.name)
        for one in record.groups
        if one.icmp and one.icmp.mean_ms and one.icmp.median_ms is not None
    ]
    if not known:
        return f"{begin}: no round trip came back." if not record.pairs else f"{begin} probed."
    known.sort(key=lambda one: one[0])
    (least, first), (most, last) = known[0], known[-1]
    words = f"{begin}: the median round trip is {format.figure(least)} ms ({first})"
    if len(known) > 1:
        words += f" to {format.figure(most)} ms ({last})"
    return words + "."


def _badges(record: Probe) -> list[Badge]:
    found = [
        Badge("good", "complete")
        if record.outcome == "complete"
        else Badge(
            "warn", {"interrupted": "ended early by Ctrl-C"}.get(record.outcome, "the probe was killed")
        )
    ]
    for host, about in record.lost.items():
        found.append(Badge("bad", f"lost {host} in round {about.round}", (about.words,)))
    if record.failed:
        found.append(Badge("warn", f"{len(record.failed)} measurements failed"))
    return found


def _tiles(record: Probe) -> list[Tile]:
    options, pairs = record.options, record.pairs
    sent = sum(one.icmp.sent for one in pairs if one.icmp)
    lost = sum(one.icmp.lost for one in pairs if one.icmp)
    rates = [one.bandwidth.to.mbit_per_s.value for one in pairs if one.bandwidth.to]
    spread = format.figure(min(rates)) if rates else format.UNKNOWN
    if rates and max(rates) > 1.01 * min(rates):
        spread += f"–{format.figure(max(rates))}"
    tiles = [
        Tile("Pairs", format.whole(len(pairs)), f"in {len(record.groups)} groups"),
        Tile("Rounds", format.whole(options.repeats), "planned"),
        Tile("Pings", format.whole(sent), f"{format.whole(lost)} lost"),
    ]
    return [*tiles, Tile("TCP to the target", spread, "Mbit/s of payload")] if rates else tiles


def _method(folder: Path, record: Probe, key: str) -> Section:
    options, machine = record.options, record.machine
    facts = [
        ("Command", " ".join(record.command)),
        ("Started", format.moment(record.started_at)),
        ("Ended", format.moment(record.ended_at)),
        (
            "Machine",
            ", ".join(filter(None, (machine.hostname, machine.cpu, machine.os, machine.kernel))),
        ),
        ("Versions", ", ".join(f"{name} {version}" for name, version in record.versions.items())),
        ("Hosts", ", ".join(f"{host} ({about.address})" for host, about in record.hosts.items())),
        (
            "Each round",
            f"{options.packets} pings and connections a pair, {options.interval_s:g} s apart; "
            f"{options.seconds:g} s a bandwidth test, {options.streams} streams",
        ),
        ("Intervals", "95 %: Student's t over rounds for means, Wilson for shares of packets"),
        ("Folder", str(folder)),
    ]
    return Section(f"{key}-method", "How it was measured", facts=facts)
