"""What the pass protected and what it did not: the lines that it appends to LOADSTONE_HARDEN_STATS."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.intake.records import json_of

_FORMAT = 1


@dataclass
class Protected:
    """Sums over the files of a program.

    functions: by mode. counts: instructions seen, `repeated` in every flow, `loads` made again, results
    `copied`, and checks by what they stand before. whole: functions that stayed as they are, with the reason.
    part: what stayed as it is within hardened functions, with how often.
    """

    files: int = 0
    modes: Counter[str] = field(default_factory=Counter)
    functions: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    whole: list[tuple[str, str]] = field(default_factory=list)
    part: Counter[tuple[str, str]] = field(default_factory=Counter)
    outside: Counter[str] = field(default_factory=Counter)
    left_as_asked: list[str] = field(default_factory=list)

    def add(self, line: dict[str, Any]) -> None:
        """One line: one file that was compiled."""
        self.files += 1
        self.modes[line["mode"]] += 1
        self.functions.update(line["functions"])
        self.counts.update(line["counts"])
        self.whole += [(each["function"], each["construct"]) for each in line["functions_not_protected"]]
        for each in line["protected_in_part"]:
            self.part[each["function"], each["construct"]] += each["times"]
        self.outside.update(line["outside_functions"])
        self.left_as_asked += line["left_as_asked"]

    def record(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "files": self.files,
            "modes": dict(self.modes),
            "functions": dict(self.functions),
            "counts": dict(sorted(self.counts.items())),
            "functions_not_protected": [{"function": one, "construct": other} for one, other in self.whole],
            "protected_in_part": [
                {"function": one, "construct": other, "times": times}
                for (one, other), times in sorted(self.part.items())
            ],
            "outside_functions": dict(self.outside),
            "left_as_asked": self.left_as_asked,
        }


def read_statistics(file: Path) -> Protected:
    """The sums of a file of statistics. LoadstoneError `harden-statistics` where it is none."""
    found, number = Protected(), 0
    try:
        with file.open(encoding="utf-8") as lines:
            for text in lines:
                number += 1
                line = json_of(text)
                if line.get("format") != _FORMAT:
                    raise ValueError(f"format {line.get('format')} is not {_FORMAT}")
                found.add(line)
    except OSError as error:
        raise LoadstoneError("harden-statistics", error.strerror or str(error), place=str(file)) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise LoadstoneError(
            "harden-statistics",
            f"this is no line of the hardening pass: {error}",
            place=f"{file}:{number}",
            hint="compile with LOADSTONE_HARDEN_STATS=FILE to get one",
        ) from error
    if not found.files:
        raise LoadstoneError(
            "harden-statistics",
            "the file has no line",
            place=str(file),
            hint="compile with LOADSTONE_HARDEN_STATS=FILE",
        )
    return found
