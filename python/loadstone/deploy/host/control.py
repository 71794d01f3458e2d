"""One service on this host, brought to what is wanted, asked, removed.

Plain Python 3.9, sent to the host with the modules beside it and run as `control VERB SERVICE`, by ssh or
by Ansible, with JSON on its input where the verb takes some. Its answer is one line of JSON.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
from typing import Any, Mapping, Optional, Sequence

from .home import ROOT, UNIT, Answer, Home, Refused, Unit, digest, folders, read, swap, texts, write
from .processes import age_s, members, running
from .program import check, missing, ready, reload, start, stop, version


def prepare(service: str, text: str, files: Sequence[str]) -> Answer:
    """Makes the folders for `files`, removes files that are no longer wanted, and notes the unit's text;
    tells which programs are missing.
    """
    home, unit = Home(service), json.loads(text)
    before = digest(home.wanted)
    with home.lock():
        folders(home)
        for path in [path for path in home.wanted.rglob("*") if path.is_file()]:
            if str(path.relative_to(home.wanted)) not in files:
                path.unlink()
        for name in files:
            (home.wanted / name).parent.mkdir(parents=True, exist_ok=True)
        write(home.wanted / UNIT, text)
    return {"changed": digest(home.wanted) != before, "missing": missing(unit)}


def configure(service: str, files: Mapping[str, str]) -> Answer:
    """Replaces what is wanted by `files` (text by path), and applies it."""
    home = _deployed(service)
    with home.lock():
        draft = home.path / "wanted.draft"
        shutil.rmtree(draft, ignore_errors=True)
        for name, text in files.items():
            (draft / name).parent.mkdir(parents=True, exist_ok=True)
            write(draft / name, text)
        shutil.rmtree(home.wanted, ignore_errors=True)
        draft.rename(home.wanted)
    return apply(service)


def apply(service: str) -> Answer:
    """Brings what runs to what is wanted; changes nothing when it is that already.

    Refused `config-refused` (the old one goes on), `program-missing`, or `service-failed` after the old
    configuration was put back and, if it ran before, runs again.
    """
    home = Home(service)
    with home.lock():
        unit = home.unit("wanted")
        new = digest(home.wanted)
        alive = running(home)
        accepted = read(home.run / "accepted")
        if accepted == new == digest(home.conf) and (alive or not unit["start"]) and ready(home, unit):
            return {"changed": False, "action": "unchanged", "digest": new, "pids": members(home)}
        check(home, unit)
        old = home.unit() if (home.conf / UNIT).exists() else None
        swap(home)
        try:
            # What runs may be older than what is in `conf`, when we were killed in between.
            action = _renew(home, unit, old, alive and accepted == digest(home.before))
        except Refused:
            _put_back(home, old, alive)
            raise
        shutil.rmtree(home.before, ignore_errors=True)
        write(home.run / "accepted", new)
        return {"changed": True, "action": action, "digest": new, "pids": members(home)}


def restart(service: str) -> Answer:
    """Ends the service and starts it again as it is configured."""
    home = _deployed(service)
    with home.lock():
        unit = home.unit()
        stop(home, unit)
        start(home, unit)
        write(home.run / "accepted", digest(home.conf))
    return {"changed": True, "action": "restarted", "pids": members(home)}


def status(service: str, files: Mapping[str, str]) -> Answer:
    """`state` is absent, failed (it should run and does not), silent (no answer), or running; `wanted`
    whether its configuration is `files`.
    """
    home = Home(service)
    if not (home.conf / UNIT).exists():
        return {"state": "absent" if not home.path.exists() else "failed", "pids": [], "version": ""}
    unit = home.unit()
    alive = running(home) or not unit["start"]
    state = "failed" if not alive else "running" if ready(home, unit) else "silent"
    return {
        "state": state,
        "pids": members(home),
        "version": version(home, unit),
        "digest": digest(home.conf),
        "wanted": texts(home.conf) == dict(files),
        "since_s": round(age_s(home), 3) if unit["start"] and alive else None,
    }


def configuration(service: str) -> Answer:
    """Every file of the configuration in use, as text, and the version of the program."""
    home = _deployed(service)
    return {"version": version(home, home.unit()), "files": texts(home.conf)}


def logs(service: str) -> Answer:
    """Every log file, as text."""
    return {"files": texts(Home(service).log)}


def remove(service: str) -> Answer:
    """Ends the service and removes everything of it."""
    home = Home(service)
    if not home.path.exists():
        return {"changed": False, "action": "absent"}
    with home.lock():
        for folder in ("conf", "wanted"):
            if (home.path / folder / UNIT).exists():
                stop(home, home.unit(folder))
                break
        shutil.rmtree(home.path)
    with contextlib.suppress(OSError):
        ROOT.rmdir()
    return {"changed": True, "action": "removed"}


def _deployed(service: str) -> Home:
    home = Home(service)
    if not (home.conf / UNIT).exists():
        raise Refused("service-missing", f"`{service}` is not deployed here")
    return home


def _renew(home: Home, unit: Unit, old: Optional[Unit], sound: bool) -> str:
    """Has the program take the new configuration: by a reload where it can, else by a restart."""
    same = old is not None and all(
        old[key] == unit[key] for key in ("start", "prepare", "env", "user", "port")
    )
    if sound and same and (unit["reload"] or unit["reload_signal"]):
        reload(home, unit)
        return "reloaded"
    was = running(home)
    stop(home, old or unit)
    start(home, unit)
    return "restarted" if was else "started" if unit["start"] else "applied"


def _put_back(home: Home, old: Optional[Unit], alive: bool) -> None:
    """The configuration before, and the program with it, after the new one did not come up."""
    if old is None or not home.before.exists():
        return
    shutil.rmtree(home.conf)
    home.before.rename(home.conf)
    if not alive:
        return
    with contextlib.suppress(Refused):  # the reported error is why the new one failed
        if running(home) and (old["reload"] or old["reload_signal"]):
            reload(home, old)
        else:
            stop(home, old)
            start(home, old)
        write(home.run / "accepted", digest(home.conf))


def answered(verb: str, service: str, given: Any) -> Answer:
    """What the verb answers, or why it cannot: `{"refused": slug, "message": ..., "log": [...]}`."""
    verbs = {
        "apply": apply, "restart": restart, "configuration": configuration, "logs": logs, "remove": remove,
    }  # fmt: skip
    try:
        if verb == "prepare":
            return prepare(service, given["unit"], given["files"])
        if verb == "configure":
            return configure(service, given)
        if verb == "status":
            return status(service, given)
        return verbs[verb](service)
    except Refused as error:
        return {"refused": error.slug, "message": error.message, "log": error.log}
    except OSError as error:
        message = f"{error.strerror or error}: {error.filename or ROOT / service}"
        return {"refused": "host-write", "message": message, "log": []}
    except subprocess.TimeoutExpired as error:
        message = f"`{error.cmd[0]}` did not end within {error.timeout:g} s"
        return {"refused": "service-failed", "message": message, "log": []}


def main() -> None:
    """The verb and the service of the command line."""
    text = sys.stdin.buffer.read()
    print(json.dumps(answered(sys.argv[1], sys.argv[2], json.loads(text) if text else None)))
