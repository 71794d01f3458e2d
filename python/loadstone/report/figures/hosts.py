"""CPU, memory, disk and network over time."""

from __future__ import annotations

from loadstone.report import series
from loadstone.report.figures.axes import axes, length_s, named_ends, per
from loadstone.report.figures.figure import Figure, line
from loadstone.report.figures.theme import colour
from loadstone.report.folder import Run
from loadstone.report.series import Series

ROLE_NAMES = {"sut": "SUT", "generator": "generator", "database": "database", "host": "whole host"}
ROLE_COLOURS = {"sut": "@s1", "generator": "@s2", "database": "@s4", "host": "@muted"}


def hosts(run: Run) -> list[Figure]:
    """CPU and memory by process, disk and network of the host."""
    table = run.table("hosts")
    if not table:
        return []
    width = series.bin_width_s(length_s(run))
    cpu = series.host_metric(table, "cpu_cores", width)
    memory = _scaled(series.host_metric(table, "rss_bytes", width), 1 / 2**20)
    figures = [
        _by_role(
            run,
            "cpu",
            f"CPU, cores busy of {run.summary.machine.cores or 'all'}",
            "cores",
            cpu,
            width,
        ),
        _by_role(run, "memory", "Memory, resident MiB", "MiB", memory, width),
        _host_traffic(
            run, "network", "Network of the host, MiB/s", ("rx", "tx"), ("received", "sent"), width
        ),
        _host_traffic(run, "disk", "Disk of the SUT, MiB/s", ("read", "write"), ("read", "written"), width),
    ]
    return [figure for figure in figures if figure.traces]


def _by_role(run: Run, slug: str, title: str, unit: str, lines: list[Series], width: int) -> Figure:
    top = max((value for one in lines for value in one.values if value), default=0.0) * 1.12
    if not top:
        return Figure(slug, title, "", [], {})
    tints = [ROLE_COLOURS.get(one.name, colour(4)) for one in lines]
    named = [Series(ROLE_NAMES.get(one.name, one.name), one.at_s, one.values) for one in lines]
    frame = axes(run, top)
    frame["annotations"] += named_ends(named, tints, top)
    traces = [line(one, tint, hover=f"%{{y:.3~f}} {unit}") for one, tint in zip(named, tints, strict=True)]
    return Figure(slug, f"{title}{per(width)}", f"Of {', '.join(one.name for one in named)}.", traces, frame)


def _host_traffic(
    run: Run, slug: str, title: str, metrics: tuple[str, str], names: tuple[str, str], width: int
) -> Figure:
    role = "host" if slug == "network" else "sut"
    table = run.table("hosts")
    assert table is not None
    lines = []
    for metric, name in zip(metrics, names, strict=True):
        found = [one for one in series.host_metric(table, f"{metric}_bytes_per_s", width) if one.name == role]
        lines += [Series(name, one.at_s, one.values) for one in _scaled(found, 1 / 2**20)]
    top = max((value for one in lines for value in one.values if value), default=0.0) * 1.12
    if not top:
        return Figure(slug, title, "", [], {})
    frame = axes(run, top)
    frame["annotations"] += named_ends(lines, ["@s1", "@s2"], top)
    traces = [line(one, colour(index), hover="%{y:.3~f} MiB/s") for index, one in enumerate(lines)]
    return Figure(slug, f"{title}{per(width)}", f"Bytes {' and '.join(names)}.", traces, frame)


def _scaled(lines: list[Series], factor: float) -> list[Series]:
    return [Series(one.name, one.at_s, [v if v is None else v * factor for v in one.values]) for one in lines]
