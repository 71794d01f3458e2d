"""Failures by operation and cause, each with its first example; and what pages had on other hosts."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import duckdb

from loadstone.judge import CAUSES
from loadstone.record.tables import with_causes
from loadstone.scenario import only_here
from loadstone.stages.run import Failure
from loadstone.stages.run_operations import OperationFigures

OTHER_HOST = "references_other_host"
"""The engine's counter of references that lead to another host; also what it calls their examples."""

EXAMPLE = "example"
"""The event of the first of them: `end` has them all, but a run that is under way or broke off has no end."""

Examples = Sequence[Mapping[str, Any]]
"""As the engine hands them out: `operation`, `of`, `at_s`, `said`."""


def read_failures(folder: Path, examples: Examples) -> list[Failure]:
    """The failures that the tables of `folder` count, of the whole run; the most frequent come first."""
    first = {(one["operation"], one["of"]): one for one in examples}
    source = glob.escape(str(folder / "windows.parquet"))
    sums = ", ".join(f"coalesce(sum({cause}), 0)" for cause in CAUSES)
    with duckdb.connect() as connection:
        rows = connection.execute(
            f"SELECT operation, {sums} FROM {with_causes('read_parquet(?)')} GROUP BY operation", [source]
        ).fetchall()
    found = [
        (int(count), name, cause)
        for name, *counts in rows
        for cause, count in zip(CAUSES, counts, strict=True)
        if count
    ]
    return [
        _failure(name, cause, count, first.get((name, cause), {}))
        for count, name, cause in sorted(found)[::-1]
    ]


def _failure(name: str, cause: str, count: int, example: Mapping[str, Any]) -> Failure:
    return Failure(
        operation=name, cause=cause, count=count, example=example.get("said"), at_s=example.get("at_s")
    )


def other_hosts(operations: Mapping[str, OperationFigures], examples: Examples, target: str) -> Iterator[str]:
    """Warnings of the files that were left out because they are on another host than `target`, a URL."""
    first = {one["operation"]: str(one["said"]) for one in examples if one["of"] == OTHER_HOST}
    for name, operation in operations.items():
        if count := operation.counters.get(OTHER_HOST):
            address = first.get(name)
            shown = f", the first is {address}" if address else ""
            yield (
                f"{name}: {count} references of its pages to other hosts were left out{shown}"
                f"{f': {_remedy(address, target)}' if address else ''}"
            )


def _remedy(address: str, target: str) -> str:
    """How to include what is at `address`, as a page has it.

    >>> _remedy("http://localhost:8080/a.css", "http://127.0.0.1:8080")
    '`localhost` and `127.0.0.1` are the same machine, but two sites to a browser. Measure http://localhost:8080'
    >>> _remedy("https://site/a.css", "http://site")
    'the page asks for it by HTTPS. Let the site write addresses without it, such as /a.css'
    >>> _remedy("//cdn.example/a.css", "http://127.0.0.1:8080")
    'to include them, name that host in [target.hosts]'
    """
    there, here = urlsplit(address), urlsplit(target)
    usual = 443 if here.scheme == "https" else 80
    if there.scheme.lower() not in ("", here.scheme) and there.hostname == here.hostname:
        by = there.scheme.upper()
        return f"the page asks for it by {by}. Let the site write addresses without it, such as /a.css"
    alias = only_here(there.hostname or "") and only_here(here.hostname or "")
    same = (there.port or usual) == (here.port or usual)
    if alias and same and there.scheme.lower() in ("", here.scheme):
        names = f"`{there.hostname}` and `{here.hostname}` are the same machine, but two sites to a browser"
        return f"{names}. Measure {here.scheme}://{there.netloc}{here.path.rstrip('/')}"
    return "to include them, name that host in [target.hosts]"
