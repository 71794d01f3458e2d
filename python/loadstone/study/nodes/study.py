"""The study from beginning to end: every table and figure of the file computed, and what they amount to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from loadstone import record
from loadstone.study.nodes import counts, curves, points
from loadstone.study.nodes.description import Description
from loadstone.study.nodes.findings import findings
from loadstone.study.nodes.throughput import throughput

FORMAT = 1
NAME = "study.json"

Json = dict[str, Any]


def run(description: Description, folder: Path, command: Sequence[str], say: Callable[[str], None]) -> Json:
    """Computes everything into a new folder; returns the content of `study.json`.

    LoadstoneError `folder-in-use`, `cannot-write`, and what the solver refuses.
    """
    record.require_unused(folder)
    record.make_folder(folder)
    started = record.now()
    tables = []
    for printed in description.table:
        say(f"{printed.place}: {printed.title}")
        tables.append(counts.table(printed, description))
    say("Figures 5 to 7")
    parts: Json = {
        "base": counts.base(description),
        "tables": tables,
        "availability": [points.availability(one, description) for one in description.availability],
        "corrupt": [points.corrupt(one, description) for one in description.corrupt],
        "throughput": throughput(description),
        "curves": {
            "one_node": curves.one_node(description),
            "clusters": curves.clusters(description),
            "integrity": curves.integrity(description),
        },
    }
    content = {
        "format": FORMAT,
        "kind": "study",
        "name": description.name,
        "summary": description.summary,
        "outcome": "complete",
        "inputs": {
            "year": description.year,
            "month": description.month,
            "target": description.target,
            "load": description.load,
        },
        "machine": record.machine(),
        "versions": record.versions(),
        "command": list(command),
        "started_at": started,
        "ended_at": record.now(),
        "findings": findings(description, parts),
        "parts": parts,
    }
    content["disagreements"] = disagreements(parts)
    record.write_json(folder / NAME, content)
    return content


def disagreements(parts: Json) -> list[str]:
    """Cells and points that compare with the paper and differ, by place; readings and fits left out."""
    cells = [
        f"{table['place']}, {cell['column']}, {cell['node']}: paper {cell['paper']}, ours {cell['ours']}"
        for table in parts["tables"]
        for cell in table["cells"]
        if cell["fitting"] and cell["agrees"] is False
    ]
    availability = [
        f"{one['place']}, {one['nodes']} at {one['crash']}: paper {one['paper']}, ours {one['ours'][0]:.7f}"
        for one in parts["availability"]
        if one["agrees"] is False
    ]
    corrupt = [
        f"Figure 7, {one['node']}, {one['end']}: paper {one['paper']:g} %, ours {one['ours'][0]:.4g} %"
        for one in parts["corrupt"]
        if one["agrees"] is False and not one["fitted"] and one["checker"] is None
    ]
    return cells + availability + corrupt
