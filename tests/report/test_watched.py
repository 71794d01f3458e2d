"""Hosts under watch on the page: tiers beside load and response time, events marked, the limit in words."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
import synthetic

from loadstone import report
from loadstone.report.chapter import article
from loadstone.report.sections import Article

SAID = "database `db` on host h3: CPU 97 %"
DIED = "database `db` on h3 died after 50 s"
SERVICES = {"h1": ("web", "nginx", "web server"), "h3": ("db", "postgresql", "database")}
SUMMARY = {
    "hosts": [
        {"host": host, "cores": 2, "services": [{"name": name, "role": role, "tier": tier}]}
        for host, (name, role, tier) in SERVICES.items()
    ],
    "limited_by": {
        "resource": "cpu", "share": 0.97, "host": "h3", "service": "db", "tier": "database", "said": SAID,
    },
    "events": [
        {"kind": "service-died", "second": 50, "host": "h3", "service": "db", "note": DIED},
        {"kind": "interrupted", "second": 60},
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("watched") / "run"
    synthetic.run(folder, **SUMMARY)
    hosts, services = folder / "hosts.parquet", folder / "services.parquet"
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT second, NULL::VARCHAR AS host, role, metric, value FROM '{hosts}' UNION ALL "
            "SELECT s, h, 'watched', m, v FROM range(155) a(s), (VALUES ('h1', 'cpu_cores', 0.4), "
            f"('h3', 'cpu_cores', 1.9), ('h3', 'cpu_throttled_share', 0.9)) b(h, m, v)) "
            f"TO '{hosts}.new' (FORMAT parquet)"
        )
        rows = ", ".join(
            f"('{host}', '{SERVICES[host][0]}', '{metric}', {value})"
            for host, metric, value in (
                ("h1", "cpu_cores", 0.3), ("h3", "cpu_cores", 1.8), ("h3", "connections", 40),
                ("h3", "commits_per_s", 90),
            )
        )  # fmt: skip
        connection.execute(
            "COPY (SELECT s AS second, h AS host, n AS service, m AS metric, v AS value "
            f"FROM range(155) a(s), (VALUES {rows}) b(h, n, m, v)) TO '{services}' (FORMAT parquet)"
        )
    hosts.with_name("hosts.parquet.new").replace(hosts)
    return folder


def laid_out(folder: Path) -> Article:
    return article(report.read_chapter(folder), "a")


def test_tiers_stand_beside_load_and_response_time_with_events_marked(folder: Path) -> None:
    found = laid_out(folder)
    over_time = {one.slug: one for one in found.sections[1].wide.values()}
    assert {"throughput", "response", "users", "tiers"} <= set(over_time)
    assert [trace["name"] for trace in over_time["tiers"].traces] == ["web server", "database"]
    assert over_time["tiers"].traces[1]["y"][0] == pytest.approx(1.8)
    for figure in over_time.values():
        at = [shape["x0"] for shape in figure.layout["shapes"] if shape["type"] == "line"]
        assert 50.0 in at and 60.0 not in at
        assert any("db died" in one["text"] for one in figure.layout["annotations"])


def test_the_section_of_hosts_says_what_was_used_up(folder: Path) -> None:
    [section] = [one for one in laid_out(folder).sections if one.title == "Hosts"]
    assert section.intro == f"Limited by: {SAID}."
    titles = [figure.title for figure in section.small.values()]
    assert "Database: CPU by host, cores busy" in titles and "By tier: commits a second" in titles
    hosts, events = section.tables
    assert [(row["host"], row["services"]) for row in hosts.rows] == [("h1", "web"), ("h3", "db")]
    assert hosts.rows[1]["cpu_cores"] == pytest.approx(1.9)
    assert "Database: periods in which the quota was used up, share" in titles
    assert not any(title.startswith("Web server: periods") for title in titles)
    shown = [dict((column.label, text) for column, text in hosts.cells(row)) for row in hosts.rows]
    assert [row["periods throttled"] for row in shown] == ["–", "90 %"]
    assert [row["note"] for row in events.rows] == [DIED]
    assert ("Limited by", "database", "db", SAID) in [
        (tile.label, tile.value, tile.unit, tile.note) for tile in laid_out(folder).tiles
    ]


def test_a_folder_of_before_has_no_such_section(run_folder: Path) -> None:
    found = laid_out(run_folder)
    assert "Hosts" not in [section.title for section in found.sections]
    assert "tiers" not in {figure.slug for section in found.sections for figure in section.wide.values()}
    assert "limited_by" not in json.loads((run_folder / "run.json").read_text())
