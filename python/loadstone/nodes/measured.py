"""What an earlier stage measured: the users and operations a second that one node carries at each SLA.

Reads `capacity.json` (from `loadstone capacity`) or else `run.json` (from `loadstone run`) of a run folder.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, read_object

SLAS = ("SLA-1", "SLA-2")
_KIND = Kind("measured", "a record", 64 << 20, "measure again")
_STUDY_FORMATS = (1, 2)
"""What nodes read of a study has not changed between them."""


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
class Withheld:
    """Why no figure may rest on an SLA's capacity, what to do about it, and what `--anyway` would take."""

    why: str
    hint: str
    at: AtSla | None = None
    """None: there is no number at all, or it is known to be wrong."""


@dataclass(frozen=True)
class Measured:
    """One measurement: `at` holds the SLAs that were shown to be held by some number of users, `withheld` the
    others.
    """

    file: Path
    name: str
    at: dict[str, AtSla]
    warnings: list[str] = field(default_factory=list)
    node: Fields | None = None
    """What it ran on, where the measurement made that: an appliance."""
    withheld: dict[str, Withheld] = field(default_factory=dict)
    anyway: tuple[str, ...] = ()
    """Why the figures would have been withheld, had they not been asked for all the same."""

    def require(self, sla: str) -> AtSla:
        """The capacity at one SLA. Raises `withheld`: why it is not known, and what to do."""
        if sla in self.at:
            return self.at[sla]
        known = self.withheld[sla]
        others = "; ".join(f"{other} can be used: --sla {other}" for other in self.at)
        raise LoadstoneError(
            "withheld", f"no figure can rest on its capacity at {sla}: {known.why}", place=str(self.file),
            hint="; ".join(part for part in (known.hint, others) if part),
        )  # fmt: skip

    def marks(self) -> dict[str, Any]:
        """What a later record says of what it rests on: `withheld` and `anyway`."""
        return {
            "withheld": {sla: f"{known.why}; {known.hint}" for sla, known in self.withheld.items()},
            "anyway": list(self.anyway),
        }


def despite(measured: Measured) -> Measured:
    """The same, with the numbers that would be withheld, as far as there are any."""
    taken = {sla: known.at for sla, known in measured.withheld.items() if known.at}
    reasons = tuple(f"{sla}: {measured.withheld[sla].why}" for sla in taken)
    left = {sla: known for sla, known in measured.withheld.items() if sla not in taken}
    said = [f"not to be relied on, {reason}" for reason in reasons]
    return replace(
        measured, at=measured.at | taken, withheld=left, anyway=reasons, warnings=[*measured.warnings, *said]
    )


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


def _capacity_record(file: Path) -> Fields:
    """The record of a search, of any format that is read. Raises `measured`."""
    # Imported here and below: typed numbers are answered without waiting for the records' models.
    from loadstone.stages.capacity import Capacity

    return Fields(Capacity.present(read_object(file, _KIND), _KIND, str(file)), file)


def _run_record(file: Path) -> Fields:
    """The record of one run, of any format that is read. Raises `measured`."""
    from loadstone.stages.run import Run

    return Fields(Run.present(read_object(file, _KIND), _KIND, str(file)), file)


def parse_study(file: Path) -> dict[str, Any]:
    """The JSON object in a `study.json`. Raises `measured`."""
    content = read_object(file, _KIND)
    if type(content.get("format")) is not int or content["format"] not in _STUDY_FORMATS:
        raise LoadstoneError(
            "measured", "is not a study of format 1 or 2", place=str(file), hint="measure again"
        )
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
    at, withheld = {}, {}
    for sla in SLAS:
        entry = record.table(sla)
        users = entry.number("users") if entry else None
        if entry and users:
            at[sla] = AtSla(
                users, entry.number("low"), entry.number("high"), entry.number("throughput_ops_per_s"),
                entry.number("bytes_in_per_op"), entry.number("bytes_out_per_op"),
            )  # fmt: skip
        else:
            withheld[sla] = _undecided(entry, sla)
    stated = record.content.get("warnings")
    warnings = [str(warning) for warning in stated] if isinstance(stated, list) else []
    warnings += [
        f"{sla}: nothing was found to break it; the node may carry more than {float(each.users):,.6g} users"
        for sla, each in at.items()
        if each.high is None
    ]
    return Measured(record.file, record.text("name"), at, warnings, record.table("node"), withheld)


def _undecided(entry: Fields | None, sla: str) -> Withheld:
    """What a search knows of an SLA that it showed no number of users to hold."""
    high = entry.number("high") if entry else None
    ended = entry.text("ended_by") if entry and entry.content.get("ended_by") else ""
    reason = f" (what ended it: {ended})" if ended else ""
    if high is None:
        return Withheld(
            f"the search showed neither that any number of users holds {sla} nor that any breaks it{reason}",
            "search again with longer runs or more of them, or type what one node carries",
        )
    return Withheld(
        f"the search showed that {float(high):,.6g} users break {sla}, and of fewer nothing{reason}",
        "search again from fewer users, or type what one node carries",
    )


def _run(record: Fields) -> Measured:
    """One run knows only that its own users held the SLA or did not: a lower bound of the capacity."""
    load, traffic = record.table("load"), record.table("bytes")
    users = load.number("users") if load else None
    if users is None:
        raise LoadstoneError("measured", "`load.users` is missing", place=str(record.file))
    entry = AtSla(
        users, users, None, record.number("throughput_ops_per_s"),
        traffic.number("in_per_op") if traffic else None, traffic.number("out_per_op") if traffic else None,
    )  # fmt: skip
    at, withheld = {}, {}
    for sla in SLAS:
        doubt = _doubt(record, entry, sla)
        if doubt is None:
            at[sla] = entry
        else:
            withheld[sla] = doubt
    warnings = ["one run, not a capacity: the node may carry more than its users"]
    return Measured(record.file, record.text("name"), at, warnings, record.table("node"), withheld)


_STATES = {
    "invalid": (
        "the run is invalid: the service did not get the load that was asked for",
        "mend what its checks say and measure again",
    ),
    "failed": ("the service failed in this run", "mend the service and measure again"),
    "inconclusive": ("the run saw too little to be judged", "measure for longer"),
}
_ANYWAY = "or take its numbers as they are with --anyway, which marks the record"


def _doubt(record: Fields, entry: AtSla, sla: str) -> Withheld | None:
    """Why a run does not show that its users hold the SLA; None: it does."""
    verdict, state, users = _verdict(record, sla), _state(record), f"{float(entry.users):,.6g} users"
    if verdict == "missed":
        return Withheld(
            f"{users} do not hold {sla}", "measure with fewer users, or search: `loadstone capacity`"
        )
    if state in _STATES:
        why, hint = _STATES[state]
        return Withheld(why, f"{hint}; {_ANYWAY}", entry)
    if verdict != "met":
        return Withheld(
            f"the run leaves open whether {users} hold {sla}", f"measure for longer; {_ANYWAY}", entry
        )
    return None


def _verdict(record: Fields, sla: str) -> str:
    goals = record.table("goals")
    goal = goals.table(sla) if goals else None
    return goal.text("verdict") if goal else "open"


def _state(record: Fields) -> str:
    validity = record.table("validity")
    return validity.text("state") if validity else "inconclusive"
