"""What a service of the user's own was brought, in `app/DIGEST` of its folder, beside earlier ones in use."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any, Mapping

from .data import Order, claim, guard, owner
from .home import Answer, Home, Refused, folders, own, texts, user
from .program import attempt, lines_of, major


def ask_for(home: Home, order: Order, given: Mapping[str, Any]) -> Answer:
    """Whether the content is `there`, else an empty folder for it. Refused as `guard`."""
    unit = given["unit"]
    guard(home, unit, order, lambda: major(home, unit))
    with home.lock():
        folders(home)
        if not owner(home).topology:
            claim(home, order)
        folder, there = home.path / "app" / given["digest"], _mark(home, given["digest"]).exists()
        if not there:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
    return {"there": there, "folder": str(folder)}


def install(home: Home, order: Order, given: Mapping[str, Any]) -> Answer:
    """Runs the lines in what was unpacked, as the service's user; earlier content that is not in use goes.

    Refused `service-build` with the last lines of what failed, `config-refused` without such a user.
    """
    unit, digest = given["unit"], given["digest"]
    folder = home.path / "app" / digest
    with home.lock():
        own(home, unit)
        _give(folder, *user(home, unit))
        for line in given["lines"]:
            words = ["sh", "-e", "-c", f"cd '{folder}'\n{line}"]
            done = attempt(home, {**unit, "env": given["env"]}, words, longest_s=unit["prepare_s"])
            if done.returncode:
                message = f"`{line}` ended with exit code {done.returncode}"
                raise Refused("service-build", message, lines_of(done))
        _mark(home, digest).touch()
        used = "".join([*texts(home.conf).values(), *texts(home.wanted).values()])
        for other in folder.parent.iterdir():
            if other.is_dir() and other != folder and other.name not in used:
                shutil.rmtree(other)
                _mark(home, other.name).unlink(missing_ok=True)
    return {"changed": True, "action": "installed"}


def _mark(home: Home, digest: str) -> Path:
    """Says that the content is there as a whole."""
    return home.path / "app" / f"{digest}.done"


def _give(folder: Path, uid: int, gid: int) -> None:
    os.chown(folder, uid, gid)
    for above, names, files in os.walk(folder):
        for name in [*names, *files]:
            os.chown(os.path.join(above, name), uid, gid, follow_symlinks=False)
