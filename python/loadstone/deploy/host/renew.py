"""Data of a service brought back to what Loadstone loaded, once a run has used them.

Beside the folders of a service (see `home.py`):
  run/used       when the data were made that a run has used: other data are fresh
  pristine/      a copy of `data` as loaded, made by the first reset, and how it was made
"""

from __future__ import annotations

import shutil
import subprocess
from typing import Callable

from .data import _MAKING, Order, guard
from .home import UNIT, Answer, Home, Refused, Unit, read, write
from .processes import members
from .program import major, must, start, stop


def use(service: str, order: Order) -> Answer:
    """Notes that a run uses the data from now on. `used`: an earlier one has. `resets`: what a reset would
    do, empty when the data are not Loadstone's to renew.
    """
    home, unit = _deployed(service)
    if not unit["resets"]:
        return {"resets": "", "used": False}
    with home.lock():
        made = _made_at(home)
        used = read(home.run / "used") == made
        write(home.run / "used", made)
    return {"resets": unit["resets"], "used": used}


def reset(service: str, order: Order) -> Answer:
    """Makes its data anew where they are its own: in its own way while it runs, else as they were made, with
    a new start.

    Refused `service-owned`, `data-loss` as `guard`, and `service-failed`.
    """
    home, unit = _deployed(service)
    if not unit["resets"]:
        raise Refused("service-failed", f"the data of `{service}` are not what Loadstone loaded")
    with home.lock():
        guard(home, unit, order, lambda: major(home, unit))
        if unit["reset"]:
            copied = False
            for command in unit["reset"]:
                must(home, unit, command, unit["prepare_s"])
        else:
            stop(home, unit)
            copied = unit["resets"] == "data" and _renew(home, unit)
            start(home, unit, order)
        write(home.run / "used", _made_at(home))
    action = "copied" if copied else "loaded" if unit["resets"] == "data" else "restarted"
    return {"changed": True, "action": action, "pids": members(home)}


def _renew(home: Home, unit: Unit) -> bool:
    """Makes the data as they were made before; whether a copy did. A kill in between makes them anew."""
    made, copy = read(home.run / "made"), home.path / "pristine"
    write(home.run / "made", _MAKING)
    for path in home.data.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    there = read(copy / "made") == made and _copy(str(copy / "data"), str(home.data))
    if not there:
        shutil.rmtree(copy, ignore_errors=True)
        for command in unit["prepare"]:
            must(home, unit, command, unit["prepare_s"])
        if any(home.data.iterdir()):
            copy.mkdir(mode=0o700)
            if _copy(str(home.data), str(copy / "data")):
                write(copy / "made", made)
            else:
                # No room for a second one: the next reset loads again.
                shutil.rmtree(copy, ignore_errors=True)
    write(home.run / "made", made)
    return there


def _copy(source: str, target: str) -> bool:
    words = ["cp", "-a", "--reflink=auto", "-T", source, target]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def _made_at(home: Home) -> str:
    made = home.run / "made"
    return str(made.stat().st_mtime_ns) if made.exists() else "0"


def _deployed(service: str) -> "tuple[Home, Unit]":
    home = Home(service)
    if not (home.conf / UNIT).exists():
        raise Refused("service-missing", f"`{service}` is not deployed here")
    return home, home.unit()


VERBS: "dict[str, Callable[[str, Order], Answer]]" = {"use": use, "reset": reset}
"""For `control`."""
