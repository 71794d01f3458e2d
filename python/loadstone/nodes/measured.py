"""Reads what an earlier stage measured: the users and operations a second that one node carries at each SLA.

Where sessions arrive, the users of a node are the sessions that lived at once, in the mean.

Reads `capacity.json` (from `loadstone capacity`) or else `run.json` (from `loadstone run`) of a run folder.
"""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind
from loadstone.nodes.shown import SLAS, AtSla, ElasticRun, Measured, Withheld, despite
from loadstone.unit import Unit

if TYPE_CHECKING:
    from loadstone.stages.capacity import Capacity, Held
    from loadstone.stages.run import Run
    from loadstone.stages.run_elasticity import Elasticity

_KIND = Kind("measured", "a record", 64 << 20, "measure again")


def read_measured(folder: Path, *, anyway: bool = False) -> Measured:
    """As `read_shown`. Raises `withheld`, too, where it is not one node that was measured."""
    found = read_shown(folder, anyway=anyway)
    if isinstance(found, ElasticRun):
        raise LoadstoneError(
            "withheld", "no plan can rest on this run: its servers came and went", place=str(found.file),
            hint="measure one server that stays, without `[scaling]`; `loadstone cost` prices this run",
        )  # fmt: skip
    return found


def read_shown(folder: Path, *, anyway: bool = False) -> Measured | ElasticRun:
    """Reads a run folder (or one of the two files in it); `anyway`: as `despite`.

    Raises `measured`, naming file and field.
    """
    for name in ("capacity.json", "run.json"):
        file = folder if folder.name == name else folder / name
        if file.is_file():
            found = _capacity(_search(file), file) if name == "capacity.json" else _run(_one_run(file), file)
            return despite(found) if anyway else found
    raise LoadstoneError(
        "measured", f"`{folder}` holds no capacity.json and no run.json",
        hint="give the folder that `loadstone capacity` or `loadstone run` wrote, or type the numbers",
    )  # fmt: skip


def read_requests_per_user(folder: Path, sla: str) -> Fraction:
    """Requests a second that one user made: in the run, or in the search's run at the capacity for `sla`.

    Raises `measured`, naming file and field.
    """
    if (folder / "capacity.json").is_file():
        folder = _run_at(folder, sla)
    file = folder / "run.json"
    if not file.is_file():
        raise LoadstoneError(
            "measured", f"`{folder}` holds no run.json", hint="type `requests_per_s_per_user` instead"
        )
    run = _one_run(file)
    users, name = _users_of(run, file)
    requests = exact(run.requests_per_s, "requests_per_s", file)
    if users is None or requests is None:
        missing = "requests_per_s" if users else name
        raise LoadstoneError("measured", f"`{missing}` is missing", place=str(file))
    return requests / users


def exact(value: float | None, field: str, file: Path) -> Fraction | None:
    """A figure as it stands in the file (40.2 is 201/5, not the nearest double); None when not known, or 0.

    Raises `measured` for one below zero.
    """
    if value is not None and value < 0:
        message = f"`{field}` is {value:g}, expected a number, zero or more"
        raise LoadstoneError("measured", message, place=str(file))
    return Fraction(repr(value)) if value else None


def _run_at(folder: Path, sla: str) -> Path:
    """The folder of the search's run with the load that held `sla`."""
    file = folder / "capacity.json"
    search = _search(file)
    held = search.named().get(sla)
    load = exact(held.load, f"{sla}.load", file) if held else None
    if load is None:
        raise LoadstoneError("measured", f"no number of {search.unit.words} held {sla}", place=str(file))
    for row in search.runs:
        path = folder / row.folder
        inside = path.resolve().is_relative_to(folder.resolve())
        if exact(row.load, "load", file) == load and row.valid and inside and os.path.isdir(path):
            return path
    raise LoadstoneError(
        "measured",
        f"the valid run with {search.unit.amount(float(load))} is not there any more",
        place=str(file),
    )


def _search(file: Path) -> Capacity:
    """The record of a search, of any format that is read. Raises `measured`."""
    # Imported here and below: typed numbers are answered without waiting for the records' models.
    from loadstone.stages.capacity import Capacity

    return Capacity.read(file, _KIND)


def _one_run(file: Path) -> Run:
    """The record of one run, of any format that is read. Raises `measured`."""
    from loadstone.stages.run import Run

    return Run.read(file, _KIND)


def _capacity(record: Capacity, file: Path) -> Measured:
    at, withheld, named = {}, {}, record.named()
    for sla in SLAS:
        held = named.get(sla)
        if record.unit is Unit.REQUESTS and held and held.load:
            withheld[sla] = _of_requests(held.load)
            continue
        entry = _at(held, sla, record.unit, file) if held else None
        if entry:
            at[sla] = entry
        elif held and held.load:
            withheld[sla] = _UNCOUNTED
        else:
            withheld[sla] = _undecided(held, sla, record.unit)
    warnings = list(record.warnings)
    if record.unit is Unit.SESSIONS:
        warnings += [
            f"{sla}: users are sessions that lived at once, {float(each.users):.4g} of them at "
            f"{record.unit.amount(named[sla].load or 0)}, and in proportion at other rates"
            for sla, each in at.items()
        ]
    warnings += [
        f"{sla}: nothing was found to break it; the node may carry more than {float(each.users):,.6g} users"
        for sla, each in at.items()
        if each.high is None
    ]
    return Measured(file, record.name or "", at, warnings, record.node, withheld)


def _of_requests(per_s: float) -> Withheld:
    """Users ask again after a think time, of which a rate of requests knows nothing."""
    return Withheld(
        f"{Unit.REQUESTS.amount(per_s)} were measured, which belong to no users: a user asks again after a "
        "think time",
        f"with so many seconds between two operations of a user, one node carries {per_s:g} times as many "
        "users: type --users-per-node; or plan for operations: --load and --throughput-per-node "
        f"{per_s:g}",
    )


_UNCOUNTED = Withheld(
    "the search is one of sessions a second, and its record does not say how many lived at once",
    "type what one node carries, search again, or search users: --set load.users=N",
)


def _at(held: Held, sla: str, unit: Unit, file: Path) -> AtSla | None:
    """The capacity at an SLA; None where no number of users is known to hold it.

    Users live at once. Of sessions that arrive it is the mean number that lived at the rate that was held; at
    other rates as many more or fewer as arrive, for their lives are known there only.
    """

    def known(name: str) -> Fraction | None:
        return exact(getattr(held, name), f"{sla}.{name}", file)

    load = known("load")
    users = load if unit is Unit.USERS else known("sessions_live")
    if load is None or users is None:
        return None
    low, high = (end and end * users / load for end in (known("low"), known("high")))
    return AtSla(
        users, low, high, known("throughput_ops_per_s"),
        known("bytes_in_per_op"), known("bytes_out_per_op"),
    )  # fmt: skip


def _undecided(held: Held | None, sla: str, unit: Unit) -> Withheld:
    """What a search knows of an SLA that it showed no load to hold."""
    high = held.high if held else None
    reason = f" (what ended it: {held.ended_by})" if held and held.ended_by else ""
    if high is None:
        return Withheld(
            f"the search showed neither that any number of {unit.words} holds {sla} nor that any breaks it"
            f"{reason}",
            "search again with longer runs or more of them, or type what one node carries",
        )
    return Withheld(
        f"the search showed that {unit.amount(high)} break {sla}, and of fewer nothing{reason}",
        f"search again from fewer {unit.words}, or type what one node carries",
    )


def _run(record: Run, file: Path) -> Measured | ElasticRun:
    """One run knows only that its own users held the SLA or did not: a lower bound of the capacity."""
    if record.load.unit is Unit.REQUESTS:
        known = _of_requests(record.load.amount or 0.0)
        return Measured(file, record.name or "", {}, [], record.node, dict.fromkeys(SLAS, known))
    users, name = _users_of(record, file)
    traffic, servers = record.bytes, record.elasticity
    warnings = ["one run, not a capacity: the node may carry more than its users"]
    if servers:
        most = max((one.users or 0.0 for one in servers.windows), default=0.0)
        warnings = [f"users are the mean of the run's; there were {most:.4g} at most"]
    if users is None:
        raise LoadstoneError("measured", f"`{name}` is missing", place=str(file))
    entry = AtSla(
        users, users, None, exact(record.throughput_ops_per_s, "throughput_ops_per_s", file),
        exact(traffic.in_per_op, "bytes.in_per_op", file) if traffic else None,
        exact(traffic.out_per_op, "bytes.out_per_op", file) if traffic else None,
    )  # fmt: skip
    at, withheld = {}, {}
    for sla in SLAS:
        doubt = _doubt(record, entry, sla)
        if doubt is None:
            at[sla] = entry
        else:
            withheld[sla] = doubt
    if servers:
        return ElasticRun(file, record.name or "", at, warnings, record.node, withheld, servers=servers)
    if record.load.unit is Unit.SESSIONS:
        warnings.append(f"users are the {float(users):.4g} sessions that lived at once, in the mean")
    return Measured(file, record.name or "", at, warnings, record.node, withheld)


def _in_windows(servers: Elasticity) -> Fraction | None:
    """Mean number of users of a run whose load changed; None: not known."""
    known = [one for one in servers.windows if one.users is not None]
    length_s = sum(one.end_s - one.start_s for one in known)
    there = sum((one.users or 0.0) * (one.end_s - one.start_s) for one in known)
    return Fraction(repr(round(there / length_s, 6))) if there else None


def _users_of(run: Run, file: Path) -> tuple[Fraction | None, str]:
    """Users of a run, or sessions that lived at once, and the field that says so.

    While servers came and went the load changed: `load.users` is where it began.
    """
    if run.elasticity:
        return _in_windows(run.elasticity), "elasticity.windows"
    if not run.load.unit.is_rate:
        return exact(run.load.users, "load.users", file), "load.users"
    live = run.sessions.live_mean if run.sessions else None
    return exact(live, "sessions.live_mean", file), "sessions.live_mean"


_STATES = {
    "invalid": (
        "the run is invalid: the service did not get the load that was asked for",
        "mend what its checks say and measure again",
    ),
    "failed": ("the service failed in this run", "mend the service and measure again"),
    "inconclusive": ("the run saw too little to be judged", "measure for longer"),
}
_ANYWAY = "or take its numbers as they are with --anyway, which marks the record"


def _doubt(record: Run, entry: AtSla, sla: str) -> Withheld | None:
    """Why a run does not show that its users hold the SLA; None: it does."""
    goal, state, users = record.goals.get(sla), record.validity.state, f"{float(entry.users):,.6g} users"
    verdict = goal.verdict if goal else "open"
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
