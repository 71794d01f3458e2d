"""What is in a service's `data/`: whose it is, how it was made, when it may go, and where it is kept then.

Beside the folders of a service (see `home.py`):
  owner.json     the topology that it belongs to: its name, its own number, and from where it was deployed
  run/made       the role, recipe and major version of the data; `making` while they are made
/var/lib/loadstone/.backups/SERVICE-TIME/ has `data`, `made`, `conf` and `owner.json` of data that gave way.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Optional

from .home import Home, Refused, Unit, read, write

KEEP, REPLACE, DISCARD = "keep", "replace", "discard"
_MAKING = "making"
_TIME = r"\d{8}T\d{6}(-\d+)?"

Major = Callable[[], str]
"""Asks the program for its major version; empty when it has none."""
Run = Callable[[List[str], float], None]
"""Runs a command of the unit for at most so many seconds."""


class Order(NamedTuple):
    """Who asks, and what they consent to: `keep`, `replace` data after a backup, `discard` without one."""

    topology: str
    consent: str = KEEP
    identity: str = ""
    origin: str = ""


def owner(home: Home) -> Order:
    """Whose the service is, as they asked; with an empty topology when nothing says so."""
    try:
        kept = json.loads(read(home.path / "owner.json"))
        return Order(kept["topology"], KEEP, kept.get("identity", ""), kept.get("origin", ""))
    except (ValueError, KeyError, TypeError, AttributeError):
        return Order("")


def claim(home: Home, order: Order) -> None:
    """The service is that topology's from now on."""
    kept = {"topology": order.topology, "identity": order.identity, "origin": order.origin}
    write(home.path / "owner.json", json.dumps({key: value for key, value in kept.items() if value}))


def claimed(home: Home, order: Order) -> bool:
    """Whether it bears the number of that topology: the first version wrote none."""
    return owner(home)[:1] + owner(home)[2:3] == order[:1] + order[2:3]


def foreign(home: Home, order: Order) -> bool:
    """Whether it is another topology's. Without a number on either side, the name tells."""
    whose = owner(home)
    other = bool(whose.identity and order.identity and whose.identity != order.identity)
    return bool(whose.topology) and (other or whose.topology != order.topology)


def words_of(whose: Order) -> str:
    """A topology as people know it."""
    of = f" of {whose.origin}, owner {whose.identity}" if whose.identity else ""
    return f"the topology `{whose.topology}`{of}"


def guard(home: Home, unit: Unit, order: Order, major: Major) -> None:
    """Refused `service-owned`, `data-loss`, unless that is consented to. Nothing is changed before it."""
    if order.consent != KEEP:
        return
    if foreign(home, order):
        raise Refused("service-owned", f"it belongs to {words_of(owner(home))}, with {held(home)}")
    if why := loss(home, unit, major):
        raise Refused("data-loss", f"{why}: {held(home)} would be lost")


def loss(home: Home, unit: Unit, major: Major) -> str:
    """Why the data would be made anew, as a sentence; empty when they stay or there are none."""
    text = read(home.run / "made")
    if text == _MAKING or not (_files(home) or text):
        return ""
    made = _made(text)
    if made is None:
        return "nothing says how these data were made" if _files(home) else ""
    if not _files(home) and not made.get("holds"):
        return ""
    if made["role"] != unit["role"]:
        return f"the role changes from {made['role']} to {unit['role']}"
    if made["recipe"] != _recipe(unit):
        return f"the data would be made in another way ({_words(made['recipe'], _recipe(unit))})"
    now = major() if made["major"] else ""
    if now and now != made["major"]:
        return f"the data are of version {made['major']}, and the program is of version {now}"
    return ""


def make(home: Home, unit: Unit, order: Order, major: Major, run: Run) -> None:
    """Makes what is in `data`, unless this very way made it to its end before. Data that give way are kept in
    a folder of `backups`, unless the order is to discard them.
    """
    wanted = {"role": unit["role"], "recipe": _recipe(unit), "holds": unit["holds"]}
    made = _made(read(home.run / "made"))
    same = made is not None and all(made[key] == wanted[key] for key in wanted)
    if same and not foreign(home, order) and not loss(home, unit, major):
        return
    if read(home.run / "made") != _MAKING and _files(home) and order.consent != DISCARD:
        _keep(home)
    write(home.run / "made", _MAKING)
    for path in home.data.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    for command in unit["prepare"]:
        run(command, unit["prepare_s"])
    write(home.run / "made", json.dumps({**wanted, "major": major() if unit["prepare"] else ""}))


def restore(home: Home, backup: str) -> None:
    """Puts data that were kept back in their place."""
    shutil.rmtree(home.data)
    (Path(backup) / "data").rename(home.data)
    write(home.run / "made", read(Path(backup) / "made"))
    shutil.rmtree(backup)


def backups(home: Home) -> List[str]:
    """Folders with data of this service that gave way."""
    found = home.path.parent.glob(f".backups/{home.service}-[0-9]*")
    return sorted(str(path) for path in found if re.fullmatch(_TIME, path.name[len(home.service) + 1 :]))


def held(home: Home) -> str:
    """What the data are, in words."""
    files = _files(home)
    made = _made(read(home.run / "made")) or {}
    words = [made["holds"]] if made.get("holds") else []
    if files:
        size = sum(path.stat().st_size for path in files)
        last = time.strftime("%Y-%m-%d %H:%M", time.localtime(max(path.stat().st_mtime for path in files)))
        words.append(f"{size / 2**20:.1f} MiB in {len(files)} files of {home.data}, last written {last}")
    return " and ".join(words) or "no data"


def major_made(home: Home) -> str:
    """The major version that made the data; empty without any."""
    return str((_made(read(home.run / "made")) or {}).get("major", ""))


def major_of(version: str) -> str:
    """The first number of what a program says of its version: `15` of `postgres (PostgreSQL) 15.14`."""
    found = re.search(r"\d+(?=\.)", version)
    return found[0] if found else ""


def _keep(home: Home) -> None:
    """Moves the data aside, in one step and without room on the disk."""
    name = f"{home.service}-{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}"
    every = home.path.parent / ".backups"
    every.mkdir(exist_ok=True)
    every.chmod(0o700)
    folder, number = every / name, 1
    while folder.exists():
        number += 1
        folder = every / f"{name}-{number}"
    folder.mkdir()
    # The old configuration is needed to read the data: its role, version and passwords.
    before = home.before if home.before.exists() else home.conf
    if before.exists():
        shutil.copytree(before, folder / "conf")
    for path in (home.run / "made", home.path / "owner.json"):
        if path.exists():
            shutil.copy2(path, folder)
    stat = home.data.stat()
    home.data.rename(folder / "data")
    home.data.mkdir()
    home.data.chmod(stat.st_mode & 0o777)
    os.chown(home.data, stat.st_uid, stat.st_gid)


def _made(text: str) -> Optional[Dict[str, Any]]:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _files(home: Home) -> List[Path]:
    return [path for path in home.data.rglob("*") if path.is_file()] if home.data.exists() else []


def _recipe(unit: Unit) -> List[str]:
    return list(unit["recipe"]) or [word for command in unit["prepare"] for word in command]


def _words(old: List[str], new: List[str]) -> str:
    """Which words differ, each with `{data}` and the like as they stand."""
    gone = [word for word in old if word not in new][:4]
    come = [word for word in new if word not in old][:4]
    return f"`{' '.join(gone) or 'nothing'}` becomes `{' '.join(come) or 'nothing'}`"
