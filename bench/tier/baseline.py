"""The database alone: sysbench's OLTP tests from the site's host."""

from __future__ import annotations

import re
from typing import Any

from tier.ground import Ground

_TABLES, _ROWS = 4, 10_000
_LINES = {
    "transactions_per_s": re.compile(r"transactions:\s+\d+\s+\(([\d.]+) per sec"),
    "queries_per_s": re.compile(r"queries:\s+\d+\s+\(([\d.]+) per sec"),
    "latency_ms_p95": re.compile(r"95th percentile:\s+([\d.]+)"),
}


def baseline(here: Ground, test: str, seconds: int, threads: int) -> dict[str, Any]:
    """One run of a test of sysbench on tables of its own, which are made and dropped."""
    command = f"{_command(here)} --tables={_TABLES} --table-size={_ROWS}"
    _told(here, f"{command} {test} prepare")
    try:
        said = _told(here, f"{command} --threads={threads} --time={seconds} {test} run")
    finally:
        _told(here, f"{command} {test} cleanup")
    return {name: float(found[1]) for name, line in _LINES.items() if (found := line.search(said))}


def _command(here: Ground) -> str:
    """sysbench takes a password among its words only: on a host of a lab, where nobody else is."""
    database = here.base.services["database"]
    address = here.hosts.address("db")
    driver, name = {"mariadb": ("mysql", "mysql"), "postgresql": ("pgsql", "pgsql")}[database.role]
    where = f"--{name}-host={address} --{name}-port={database.port} --{name}-db=loadstone"
    who = f"--{name}-user=loadstone --{name}-password=$password"
    return f"read -r password; sysbench --db-driver={driver} {where} {who}"


def _told(here: Ground, command: str) -> str:
    password = here.base.places(here.hosts)["db"].secrets["database"]["password"]
    done = here.hosts.run("web", command, send=f"{password}\n", timeout_s=600)
    if done.code:
        raise RuntimeError(done.out + done.words)
    return done.out
