"""The targets of `bench/container.py`, and its figures as tables."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from peer_servers import (
    ACTIX,
    APACHE_EVENT,
    AXUM,
    EVENT,
    FILES,
    FILES_BY_TLS,
    HYBRID,
    HYPER,
    MAY,
    NGINX_CACHE,
    NGINX_PLAIN,
    THREADED,
    TOMCAT,
    TOMCAT_VIRTUAL,
)

SMALL_PAGE, LARGE_PAGE = "166 B from memory", "10 KB from memory"
SMALL_FILE, LARGE_FILE = "166 B file", "10 KB file"
ITEM = "page from SQLite"
IN_MEMORY = (EVENT, HYBRID, THREADED, HYPER, AXUM, ACTIX, MAY)
FROM_FILES = (FILES, NGINX_PLAIN, NGINX_CACHE, APACHE_EVENT, TOMCAT)
DYNAMIC = (HYBRID, EVENT, AXUM, TOMCAT, TOMCAT_VIRTUAL)
TABLES: dict[str, tuple[str, tuple[str, ...]]] = {
    SMALL_PAGE: ("/", IN_MEMORY),
    LARGE_PAGE: ("/10k", IN_MEMORY),
    SMALL_FILE: ("/small.html", FROM_FILES),
    LARGE_FILE: ("/large.html", FROM_FILES),
    ITEM: ("/item", DYNAMIC),
}
"""The path of each table and who is in it."""
IDLE = (EVENT, HYBRID, FILES, FILES_BY_TLS, HYPER, AXUM, ACTIX, MAY, NGINX_CACHE, APACHE_EVENT, TOMCAT)

Round = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Of one round: table, server, figure."""


@dataclass(frozen=True)
class Target:
    """One server's CPU time a request over another's, and what it may be at most."""

    table: str
    server: str
    against: tuple[str, ...]
    most: float


TARGETS = (
    Target(SMALL_PAGE, EVENT, (HYPER, ACTIX, MAY), 1.0),
    Target(SMALL_PAGE, HYBRID, (EVENT,), 1.15),
    Target(SMALL_PAGE, THREADED, (EVENT,), 1.5),
    Target(SMALL_FILE, FILES, (NGINX_CACHE,), 1.0),
    Target(LARGE_FILE, FILES, (NGINX_CACHE,), 1.0),
    Target(ITEM, HYBRID, (AXUM,), 0.9),
    Target(ITEM, HYBRID, (TOMCAT, TOMCAT_VIRTUAL), 0.6),
)
IDLE_BYTES = 4096


def medians(rounds: Sequence[Round]) -> dict[str, dict[str, dict[str, float]]]:
    """Of each table, server and figure the median over the rounds, and of CPU time the range."""
    summary: dict[str, dict[str, dict[str, float]]] = {}
    for table in rounds[0] if rounds else ():
        for server in rounds[0][table]:
            rows = [each[table][server] for each in rounds]
            figures = {key: statistics.median(row[key] for row in rows) for key in rows[0]}
            figures["cpu_us_least"] = min(row["cpu_us"] for row in rows)
            figures["cpu_us_most"] = max(row["cpu_us"] for row in rows)
            summary.setdefault(table, {})[server] = figures
    return summary


def ratio(rounds: Sequence[Round], table: str, server: str, against: str) -> float:
    """Median of the rounds' ratios: what slows a whole round down slows both."""
    return statistics.median(
        each[table][server]["cpu_us"] / each[table][against]["cpu_us"] for each in rounds
    )


def judge(rounds: Sequence[Round], idle: Mapping[str, Mapping[str, float]]) -> list[dict[str, object]]:
    """Each target that was measured: what it was and whether it is met."""
    found: list[dict[str, object]] = []
    tables = medians(rounds)
    for target in TARGETS:
        present = tables.get(target.table, {})
        rivals = [name for name in target.against if name in present]
        if target.server not in present or not rivals:
            continue
        best = min(rivals, key=lambda name: present[name]["cpu_us"])
        value = ratio(rounds, target.table, target.server, best)
        what = f"{target.table}: {target.server} ≤ {target.most} × {best}"
        found.append({"target": what, "measured": round(value, 3), "met": value <= target.most})
    for server in (EVENT, HYBRID):
        if server in idle:
            size = idle[server]["bytes"]
            what = f"idle connection: {server} ≤ {IDLE_BYTES} bytes"
            found.append({"target": what, "measured": round(size), "met": size <= IDLE_BYTES})
    return found


def markdown(rounds: Sequence[Round], idle: Mapping[str, Mapping[str, float]]) -> str:
    """The tables of a run, ratio first, and the targets."""
    lines: list[str] = []
    for table, rows in medians(rounds).items():
        reference = REFERENCE[table] if REFERENCE[table] in rows else next(iter(rows))
        head = (table, f"× {reference}", "µs CPU/request", "range", "user", "sys", "requests/s")
        lines += ["", *_header(head)]
        for server, row in rows.items():
            relative = ratio(rounds, table, server, reference)
            span = f"{row['cpu_us_least']:.2f}–{row['cpu_us_most']:.2f}"
            cells = [server, f"{relative:.2f}", f"{row['cpu_us']:.2f}", span]
            cells += [f"{row['user_us']:.2f}", f"{row['sys_us']:.2f}", f"{row['requests_per_s']:,.0f}"]
            lines.append(_line(cells))
    if idle:
        lines += ["", *_header(("idle connections", "bytes each", "connections"))]
        lines += [
            _line([name, f"{row['bytes']:,.0f}", f"{row['connections']:,.0f}"]) for name, row in idle.items()
        ]
    lines += ["", *_header(("target", "measured", "met"))]
    for each in judge(rounds, idle):
        lines.append(_line([each["target"], each["measured"], "yes" if each["met"] else "**no**"]))
    return "\n".join(lines).strip() + "\n"


REFERENCE = {
    SMALL_PAGE: HYPER,
    LARGE_PAGE: HYPER,
    SMALL_FILE: NGINX_CACHE,
    LARGE_FILE: NGINX_CACHE,
    ITEM: AXUM,
}
"""Whose CPU time is 1 in each table."""


def _header(cells: tuple[str, ...]) -> list[str]:
    return [_line(cells), _line(["---"] * len(cells))]


def _line(cells: Iterable[object]) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"
