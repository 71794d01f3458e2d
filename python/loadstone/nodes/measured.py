"""What an earlier stage measured: the users and operations a second that one node carries at each SLA.

Reads `capacity.json` (from `loadstone capacity`) or else `run.json` (from `loadstone run`) of a run folder.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, read_object

SLAS = ("SLA-1", "SLA-2")
_KIND = Kind("measured", "a record", 64 << 20, "measure again")


@dataclass(frozen=True)
class AtSla:
    """Capacity at one SLA. `high` is the fewest users known to break it; a field not known is None."""

    users: Fraction
    low: Fraction | None
    high: Fraction | None
    ops_per_s: Fraction | None
    bytes_in_per_op: Fraction | None
    bytes_out_per_op: Fraction | None


@dataclass(frozen=True)
class Measured:
    """One measurement: `at` holds the SLAs that were held by some number of users."""

    file: Path
    name: str
    at: dict[str, AtSla]
    warnings: list[str] = field(default_factory=list)
    node: Fields | None = None
    """What it ran on, where the measurement made that: an appliance."""


def read_measured(folder: Path) -> Measured:
    """Reads a run folder (or one of the two files in it). Raises `measured`, naming file and field."""
    for name in ("capacity.json", "run.json"):
        file = folder if folder.name == name else folder / name
        if file.is_file():
            if name == "capacity.json":
                return _capacity(_capacity_record(file))
            return _run(_run_record(file))
    raise LoadstoneError(
        "measured", f"`{folder}` holds no capacity.json and no run.json",
        hint="give the folder that `loadstone capacity` or `loadstone run` wrote, or type the numbers",
    )  # fmt: skip


def read_requests_per_user(folder: Path, sla: str) -> Fraction:
    """Requests a second that one user made: in the run, or in the search's run at the capacity for `sla`.

    Raises `measured`, naming file and field.
    """
    if (folder / "capacity.json").is_file():
        folder = _run_at(_capacity_record(folder / "capacity.json"), folder, sla)
    file = folder / "run.json"
    if not file.is_file():
        raise LoadstoneError(
            "measured", f"`{folder}` holds no run.json", hint="type `requests_per_s_per_user` instead"
        )
    run = _run_record(file)
    load, requests = run.table("load"), run.number("requests_per_s")
    users = load.number("users") if load else None
    if users is None or requests is None:
        missing = "requests_per_s" if users else "load.users"
        raise LoadstoneError("measured", f"`{missing}` is missing", place=str(file))
    return requests / users


def _run_at(capacity: Fields, folder: Path, sla: str) -> Path:
    """The folder of the search's run with as many users as held `sla`."""
    entry = capacity.table(sla)
    users = entry.number("users") if entry else None
    if users is None:
        raise LoadstoneError("measured", f"no number of users held {sla}", place=str(capacity.file))
    runs = capacity.content.get("runs")
    for row in runs if isinstance(runs, list) else []:
        if isinstance(row, dict) and row.get("users") == users and row.get("state") == "valid":
            path = folder / str(row.get("folder"))
            if path.resolve().is_relative_to(folder.resolve()) and os.path.isdir(path):
                return path
    raise LoadstoneError(
        "measured", f"the valid run with {int(users):,} users is not there any more", place=str(capacity.file)
    )


def _run_record(file: Path) -> Fields:
    """The record of one run, of any format that is read. Raises `measured`."""
    from loadstone.stages.run import Run

    return Fields(Run.present(read_object(file, _KIND), _KIND, str(file)), file)


def _capacity_record(file: Path) -> Fields:
    """The record of a search, of any format that is read. Raises `measured`."""
    from loadstone.stages.capacity import Capacity

    return Fields(Capacity.present(read_object(file, _KIND), _KIND, str(file)), file)


def parse_record(file: Path) -> dict[str, Any]:
    """The JSON object of format 1 in a file. Raises `measured`."""
    content = read_object(file, _KIND)
    if content.get("format") != 1 or isinstance(content["format"], bool):
        raise LoadstoneError("measured", "is not a record of format 1", place=str(file), hint="measure again")
    return content


@dataclass(frozen=True)
class Fields:
    """A JSON object that knows where it stands, so that a wrong field is named in full."""

    content: dict[str, Any]
    file: Path
    path: str = ""

    def table(self, key: str) -> Fields | None:
        """The object at `key`; None when absent."""
        value = self.content.get(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self._wrong(key, "an object", value)
        return Fields(value, self.file, f"{self.path}{key}.")

    def number(self, key: str) -> Fraction | None:
        """A number above zero as it stands in the file (40.2 is 201/5, not the nearest double); None when
        absent.
        """
        value = self.content.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e18:
            raise self._wrong(key, "a number, zero or more", value)
        return Fraction(repr(value)) or None

    def tables(self, key: str) -> list[Fields]:
        """The list of objects at `key`; [] when absent."""
        value = self.content.get(key) or []
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self._wrong(key, "a list of objects", value)
        return [Fields(item, self.file, f"{self.path}{key}.{i}.") for i, item in enumerate(value, 1)]

    def text(self, key: str) -> str:
        """The text at `key`; empty when absent."""
        value = self.content.get(key, "")
        if not isinstance(value, str):
            raise self._wrong(key, "text", value)
        return value

    def _wrong(self, key: str, expected: str, value: object) -> LoadstoneError:
        return LoadstoneError(
            "measured",
            f"`{self.path}{key}` is {json.dumps(value)[:60]}, expected {expected}",
            place=str(self.file),
        )


def _capacity(record: Fields) -> Measured:
    at = {}
    for sla in SLAS:
        entry = record.table(sla)
        users = entry.number("users") if entry else None
        if entry and users:
            at[sla] = AtSla(
                users, entry.number("low"), entry.number("high"), entry.number("throughput_ops_per_s"),
                entry.number("bytes_in_per_op"), entry.number("bytes_out_per_op"),
            )  # fmt: skip
    stated = record.content.get("warnings")
    warnings = [str(warning) for warning in stated] if isinstance(stated, list) else []
    return Measured(record.file, record.text("name"), at, warnings, record.table("node"))


def _run(record: Fields) -> Measured:
    """One run knows only that its own users held the SLA or did not: a lower bound of the capacity."""
    load, traffic, goals = record.table("load"), record.table("bytes"), record.table("goals")
    users = load.number("users") if load else None
    if users is None:
        raise LoadstoneError("measured", "`load.users` is missing", place=str(record.file))
    entry = AtSla(
        users, users, None, record.number("throughput_ops_per_s"),
        traffic.number("in_per_op") if traffic else None, traffic.number("out_per_op") if traffic else None,
    )  # fmt: skip
    at, warnings = {}, ["one run, not a capacity: the node may carry more than its users"]
    for sla in SLAS:
        goal = goals.table(sla) if goals else None
        if goal and goal.text("verdict") == "met":
            at[sla] = entry
    validity = record.table("validity")
    if validity and (state := validity.text("state")) != "valid":
        warnings.append(f"the run is {state}: see its checks before you trust what follows")
    return Measured(record.file, record.text("name"), at, warnings, record.table("node"))
