"""The folder of a probe: the plan first, then a line for each measurement as it arrives, the summary last."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from loadstone.intake import Kind, as_written, json_lines, read_bytes, read_object
from loadstone.probe.options import Options
from loadstone.probe.pairs import Pair
from loadstone.probe.summary import summary
from loadstone.record import (
    machine,
    make_folder,
    now,
    require_unused,
    versions,
    write_json,
    write_stage,
    write_text,
)
from loadstone.record.disk import naming_disk_errors
from loadstone.stages.origin import Machine
from loadstone.stages.probe import Asked, Host, Probe

PLAN, LINES = "probe-plan.json", "measurements.ndjson"
FORMAT = 1
_HINT = "a probe's folder must be as the probe left it: copy it again, or probe again"
_KIND = Kind("probe-folder", "a record of a probe", 64 << 20, _HINT)
_LINES = Kind("probe-folder", "the lines of a probe", 1 << 30, _HINT)


def begin(
    folder: Path,
    name: str,
    command: Sequence[str],
    hosts: Mapping[str, Mapping[str, Any]],
    pairs: Sequence[Pair],
    options: Options,
    topology: str | None,
) -> None:
    """Makes `folder` and writes what is known before the first packet.

    Errors: `folder-in-use`, `disk-full`, `cannot-write`.
    """
    require_unused(folder)
    make_folder(folder)
    if topology is not None:
        write_text(folder / "topology.toml", topology)
    write_json(
        folder / PLAN,
        {
            "format": FORMAT,
            "kind": "probe-plan",
            "name": name,
            "started_at": now(),
            "command": list(command),
            "machine": machine(),
            "versions": versions(),
            "hosts": {host: dict(about) for host, about in hosts.items()},
            "pairs": [asdict(pair) for pair in pairs],
            "options": asdict(options),
        },
    )


def append(folder: Path, entry: Mapping[str, Any]) -> None:
    """Writes one measurement, whole on disk before the next begins. Errors: `disk-full`, `cannot-write`."""
    path = folder / LINES
    line = (json.dumps(entry, ensure_ascii=False, allow_nan=False) + "\n").encode()
    with naming_disk_errors(path), path.open("ab", buffering=0) as file:
        file.write(line)
        os.fsync(file.fileno())


def conclude(folder: Path, outcome: str = "crashed") -> Probe:
    """Writes `probe.json` from the plan and the lines, whatever ended the probe, and returns the record.

    A summary that is there already is returned as it is. Errors: `probe-folder`, `disk-full`, `cannot-write`.
    """
    file = folder / Probe.FILE
    if file.is_file():
        return Probe.read(file, _KIND)
    plan = read_object(folder / PLAN, _KIND)
    entries = read_lines(folder)
    with as_written("probe-folder", folder, _HINT):
        found = Probe(
            **dict(summary(plan, entries)),
            name=plan["name"],
            outcome=outcome,
            started_at=plan["started_at"],
            ended_at=entries[-1]["at"] if outcome == "crashed" and entries else now(),
            command=plan["command"],
            machine=Machine(**plan["machine"]),
            versions=plan["versions"],
            hosts={name: Host(**about) for name, about in plan["hosts"].items()},
            options=Asked(**plan["options"]),
        )
    write_stage(folder, found)
    return Probe.read(file, _KIND)


def read_lines(folder: Path) -> list[dict[str, Any]]:
    """All measurements; a last line that was cut off is left out. LoadstoneError `probe-folder`."""
    path = folder / LINES
    if not path.is_file():
        return []
    return list(json_lines(path, _LINES, read_bytes(path, _LINES)))
