"""The runs of each side: found, completed, and left out where they may not be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from loadstone.compare.seen import Seen, read_seen
from loadstone.errors import LoadstoneError
from loadstone.record import journal, recover
from loadstone.stages.compare import LeftOut
from loadstone.stages.run import Run

_HINT = "give a run folder, or a folder whose folders are runs"


@dataclass(frozen=True)
class Counted:
    """A run that counts."""

    folder: Path
    run: Run
    seen: dict[str, Seen]


@dataclass
class Side:
    """Runs of one release, in the order of their folders' names."""

    name: str
    runs: list[Counted] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def read_sides(places: Sequence[Path], anyway: bool) -> list[Side]:
    """Each place is a run folder, or a folder of run folders. Runs that crashed are completed first.

    A run that was cut short or is invalid is left out unless `anyway`. Errors: `compare-folder` when there is
    no run, or none is left; those of `recover`.
    """
    return [_side(place, anyway) for place in places]


def run_folders(place: Path) -> list[Path]:
    """`place` itself, or the run folders in it by name. Error `compare-folder`."""
    if _is_run(place):
        return [place]
    try:
        found = sorted(child for child in place.iterdir() if child.is_dir() and _is_run(child))
    except OSError as error:
        message = f"{place} cannot be read: {error.strerror}"
        raise LoadstoneError("compare-folder", message, hint=_HINT) from error
    if not found:
        raise LoadstoneError("compare-folder", f"{place} holds no run", hint=_HINT)
    return found


def in_pairs(old: Side, new: Side) -> None:
    """Keeps the runs whose folders have the same name on both sides. Error `compare-folder` without one."""
    without = [*old.left_out, *new.left_out]
    names = {one.folder.name for one in old.runs} & {one.folder.name for one in new.runs}
    for side in (old, new):
        for one in side.runs:
            if one.folder.name not in names:
                side.left_out.append(LeftOut(run=str(one.folder), why="the other run of its pair is missing"))
        side.runs = [one for one in side.runs if one.folder.name in names]
    if not names:
        message = f"{old.name} and {new.name} have no runs of the same name, which would be pairs"
        hint = "leave out --paired"
        if without:
            message = f"no pair of {old.name} and {new.name} is left: {without[0].run} is {without[0].why}"
            hint = f"runs left out: {len(without)}; see what disturbs the machine, or count them --anyway"
        raise LoadstoneError("compare-folder", message, hint=hint)


def _is_run(folder: Path) -> bool:
    return (folder / Run.FILE).is_file() or (folder / journal.NAME).is_file()


def _side(place: Path, anyway: bool) -> Side:
    side = Side(str(place))
    for folder in run_folders(place):
        run = recover(folder)
        why = None if anyway else _untrusted(run)
        if why:
            side.left_out.append(LeftOut(run=str(folder), why=why))
        else:
            side.runs.append(Counted(folder, run, read_seen(folder)))
    if not side.runs:
        first = side.left_out[0]
        message = f"no run of {place} may be trusted; the first, {first.run}, is {first.why}"
        raise LoadstoneError("compare-folder", message, hint="measure it again, or compare it --anyway")
    return side


def _untrusted(run: Run) -> str | None:
    """Why the run may not be compared. What the service did wrong is no reason: it is what is compared."""
    if run.outcome != "complete":
        return f"not whole: {run.outcome}"
    if run.validity.state != "invalid":
        return None
    missed = [
        check.name
        for check in run.validity.checks
        if check.required and check.verdict == "missed" and check.about != "service"
    ]
    return f"invalid: {', '.join(missed)}"
