"""One service on this host, brought to what is wanted, asked, removed.

Plain Python 3.9, sent to the host with the modules beside it and run as `control VERB SERVICE TOPOLOGY
CONSENT IDENTITY ORIGIN`, by ssh or by Ansible, with JSON on its input where the verb takes some. Its answer
is one line of JSON, but of `logs` a stream. Who asks and what they consent to is the `Order`; see `data.py`.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import subprocess
import sys
from typing import Any, Mapping, Optional, Sequence

from . import content
from .data import KEEP, Order, backups, claim, claimed, foreign, guard, owner, restore, words_of
from .home import ROOT, UNIT, Answer, Home, Refused, Unit, digest, folders, own, read, swap, texts, write
from .logs import send
from .processes import age_s, members, running
from .program import check, kill, lag, major, missing, ready, reload, room, start, stop, version
from .renew import VERBS
from .units import note, quiet

_ANSWER_S = 5.0
_BEHIND_S = 10.0
"""A replica that is further behind has not caught up."""


def prepare(service: str, order: Order, text: str, files: Sequence[str]) -> Answer:
    """Makes the folders for `files`, removes files that are no longer wanted, and notes the unit's text;
    tells which programs are missing. Refused as `guard`.
    """
    home, unit = Home(service), json.loads(text)
    _guard(home, unit, order)
    before = digest(home.wanted)
    with home.lock():
        folders(home)
        if not owner(home).topology:
            claim(home, order)
        for path in [path for path in home.wanted.rglob("*") if path.is_file()]:
            if str(path.relative_to(home.wanted)) not in files:
                path.unlink()
        for name in files:
            (home.wanted / name).parent.mkdir(parents=True, exist_ok=True)
        write(home.wanted / UNIT, text)
        absent = missing(home, unit)
        if absent:
            note(home)
    return {"changed": digest(home.wanted) != before, "missing": absent}


def configure(service: str, order: Order, files: Mapping[str, str]) -> Answer:
    """Replaces what is wanted of a service that is there, as `place`; tasks of its role must have run for it.

    Refused `service-missing`, `role-tasks`, and as `place`.
    """
    home = _deployed(service)
    if json.loads(files[UNIT])["tasks"] != home.unit()["tasks"]:
        raise Refused("role-tasks", "tasks of its role are to run, which only `loadstone deploy` does")
    return place(service, order, files)


def place(service: str, order: Order, files: Mapping[str, str]) -> Answer:
    """Makes what is wanted of `files` (text by path), and applies it. Refused as `guard` and `apply`."""
    home = Home(service)
    _guard(home, json.loads(files[UNIT]), order)
    with home.lock():
        folders(home)
        if not owner(home).topology:
            claim(home, order)
        draft = home.path / "wanted.draft"
        shutil.rmtree(draft, ignore_errors=True)
        secret = json.loads(files[UNIT])["secret"]
        for name, text in files.items():
            (draft / name).parent.mkdir(parents=True, exist_ok=True)
            write(draft / name, text, 0o600 if name in secret else 0o644)
        shutil.rmtree(home.wanted, ignore_errors=True)
        draft.rename(home.wanted)
    return apply(service, order)


def apply(service: str, order: Order) -> Answer:
    """Brings what runs to what is wanted; changes nothing when it is that already.

    Refused as `guard`, `config-refused` (the old one goes on), `program-missing`, or `service-failed` after
    the old configuration and data were put back and, if it ran before, it runs again.
    """
    home = Home(service)
    with home.lock():
        quiet(home)
        unit = home.unit("wanted")
        new = digest(home.wanted)
        alive = running(home)
        accepted = read(home.run / "accepted")
        _guard(home, unit, order)
        same = accepted == new == digest(home.conf) and not foreign(home, order)
        if same and (alive or not unit["start"]) and ready(home, unit):
            if not claimed(home, order):
                claim(home, order)
            return {"changed": False, "action": "unchanged", "digest": new, "pids": members(home)}
        check(home, unit)
        room(home, unit)
        kept = backups(home)
        old = home.unit() if (home.conf / UNIT).exists() else None
        swap(home)
        own(home, unit)
        try:
            # What runs may be older than what is in `conf`, when we were killed in between.
            sound = alive and accepted == digest(home.before) and not foreign(home, order)
            action = _renew(home, unit, old, order, sound)
        except Refused:
            _put_back(home, old, alive, [path for path in backups(home) if path not in kept])
            raise
        shutil.rmtree(home.before, ignore_errors=True)
        write(home.run / "accepted", new)
        claim(home, order)
        made = [path for path in backups(home) if path not in kept]
        return {"changed": True, "action": action, "digest": new, "pids": members(home), "backups": made}


def restart(service: str, order: Order) -> Answer:
    """Ends the service and starts it again as it is configured. Refused as `guard`, `service-failed`."""
    home = _deployed(service)
    with home.lock():
        unit = home.unit()
        _guard(home, unit, order)
        room(home, unit)
        stop(home, unit)
        start(home, unit, order)
        write(home.run / "accepted", digest(home.conf))
    return {"changed": True, "action": "restarted", "pids": members(home)}


def halt(service: str, order: Order, how: str) -> Answer:
    """Ends the service, which stays deployed: `stop` asks its processes first, `kill` does not. Refused as
    `guard`, and `service-failed` when there is nothing to end.
    """
    home = _deployed(service)
    unit = home.unit()
    _guard(home, unit, order)
    if how == "kill":
        return {"changed": True, "action": "killed", "pids": kill(home)}
    with home.lock():
        if not running(home):
            raise Refused("service-failed", f"`{service}` does not run here")
        stop(home, unit)
    return {"changed": True, "action": "stopped", "pids": []}


def status(service: str, order: Order, files: Mapping[str, str]) -> Answer:
    """`state` is absent, foreign (another topology's), failed (it should run and does not), silent (no
    answer), behind (a replica that has not caught up, `lag_s` seconds) or running; `wanted` whether its
    configuration is `files`.
    """
    home = Home(service)
    if foreign(home, order):
        why = f"it belongs to {words_of(owner(home))}"
        return {"state": "foreign", "pids": [], "version": "", "why": why}
    if not (home.conf / UNIT).exists():
        return {"state": "absent" if not home.path.exists() else "failed", "pids": [], "version": ""}
    unit = home.unit()
    alive = running(home) or not unit["start"]
    state = "failed" if not alive else "running" if ready(home, unit) else "silent"
    behind_s, why = lag(home, unit) if state == "running" else (None, "")
    if why or (behind_s or 0.0) > _BEHIND_S:
        state, why = "behind", why or f"it is {behind_s:g} s behind its primary"
    return {
        "state": state,
        "why": why,
        "lag_s": behind_s,
        "pids": members(home),
        "version": version(home, unit),
        "digest": digest(home.conf),
        "wanted": texts(home.conf) == dict(files),
        "since_s": round(age_s(home), 3) if unit["start"] and alive else None,
    }


def plan(service: str, order: Order, files: Mapping[str, str]) -> Answer:
    """What `apply` would do with `files`, without doing it: the action, the files in use, and a refusal."""
    home, unit = Home(service), json.loads(files[UNIT])
    there = (home.conf / UNIT).exists()
    old = home.unit() if there else None
    alive = there and running(home)
    if old is None or (not alive and old["start"]):
        action = "started" if unit["start"] else "applied"
    elif (
        texts(home.conf) == dict(files)
        and read(home.run / "accepted") == digest(home.conf)
        and not foreign(home, order)
        and ready(home, old)
    ):
        action = "unchanged"
    else:
        action = "reloaded" if _reloads(old, unit) and not foreign(home, order) else "restarted"
    secret = [*unit["secret"], *(old["secret"] if old else [])]
    answer = {
        "action": action, "owner": owner(home).topology, "missing": missing(home, unit),
        "files": texts(home.conf, secret),
        "secrets": [name for name in unit["secret"] if read(home.conf / name) != files[name].strip()],
    }  # fmt: skip
    # What consent would do away with is told, too.
    try:
        _guard(home, unit, order._replace(consent=KEEP))
    except Refused as error:
        answer["loses"] = {"refused": error.slug, "message": error.message}
    return answer


def configuration(service: str, order: Order) -> Answer:
    """Every file of the configuration in use, as text, but no secrets; and the version of the program."""
    home = _deployed(service)
    unit = home.unit()
    return {"version": version(home, unit), "files": texts(home.conf, unit["secret"])}


def reach(service: str, order: Order, where: Sequence[Any]) -> Answer:
    """Whether this host reaches an address and port: `why` it does not, else empty."""
    try:
        socket.create_connection((where[0], where[1]), _ANSWER_S).close()
    except OSError as error:
        return {"why": error.strerror or str(error)}
    return {"why": ""}


def remove(service: str, order: Order) -> Answer:
    """Ends the service and removes everything of it, but no backup. What is another topology's is left."""
    home = Home(service)
    if not home.path.exists():
        return {"changed": False, "action": "absent"}
    if foreign(home, order):
        return {"changed": False, "action": "left", "owner": owner(home).topology}
    with home.lock():
        for folder in ("conf", "wanted"):
            if (home.path / folder / UNIT).exists():
                stop(home, home.unit(folder))
                break
        shutil.rmtree(home.path)
    with contextlib.suppress(OSError):
        ROOT.rmdir()
    return {"changed": True, "action": "removed", "backups": backups(home)}


def _guard(home: Home, unit: Unit, order: Order) -> None:
    guard(home, unit, order, lambda: major(home, unit))


def _deployed(service: str) -> Home:
    home = Home(service)
    if not (home.conf / UNIT).exists():
        raise Refused("service-missing", f"`{service}` is not deployed here")
    return home


def _renew(home: Home, unit: Unit, old: Optional[Unit], order: Order, sound: bool) -> str:
    """Has the program take the new configuration: by a reload where it can, else by a restart."""
    if sound and old is not None and _reloads(old, unit):
        reload(home, unit)
        return "reloaded"
    was = running(home)
    stop(home, old or unit)
    start(home, unit, order)
    return "restarted" if was else "started" if unit["start"] else "applied"


def _reloads(old: Unit, unit: Unit) -> bool:
    same = all(
        old[key] == unit[key] for key in ("start", "prepare", "env", "user", "port", "tasks", "low_ports")
    )
    return same and bool(unit["reload"] or unit["reload_signal"])


def _put_back(home: Home, old: Optional[Unit], alive: bool, kept: Sequence[str]) -> None:
    """The configuration before, its data, and the program with both, after the new one did not come up."""
    if old is None or not home.before.exists():
        return
    shutil.rmtree(home.conf)
    home.before.rename(home.conf)
    if kept:
        stop(home, old)
    for backup in kept:
        restore(home, backup)
    if not alive:
        return
    with contextlib.suppress(Refused):  # the reported error is why the new one failed
        if running(home) and (old["reload"] or old["reload_signal"]):
            reload(home, old)
        else:
            stop(home, old)
            start(home, old, owner(home))
        write(home.run / "accepted", digest(home.conf))


def answered(verb: str, service: str, order: Order, given: Any) -> Answer:
    """What the verb answers, or why it cannot: `{"refused": slug, "message": ..., "log": [...]}`."""
    verbs = {
        "apply": apply, "restart": restart, "configuration": configuration, "remove": remove, **VERBS,
    }  # fmt: skip
    try:
        if verb == "prepare":
            return prepare(service, order, given["unit"], given["files"])
        if verb == "configure":
            return configure(service, order, given)
        if verb == "place":
            return place(service, order, given)
        if verb == "status":
            return status(service, order, given)
        if verb == "reach":
            return reach(service, order, given)
        if verb == "plan":
            return plan(service, order, given)
        if verb == "content":
            return content.ask_for(_deployed(service) if given["deployed"] else Home(service), order, given)
        if verb == "halt":
            return halt(service, order, given)
        if verb == "install":
            return content.install(Home(service), order, given)
        return verbs[verb](service, order)
    except Refused as error:
        return {"refused": error.slug, "message": error.message, "log": error.log}
    except OSError as error:
        message = f"{error.strerror or error}: {error.filename or ROOT / service}"
        return {"refused": "host-write", "message": message, "log": []}
    except subprocess.TimeoutExpired as error:
        message = f"`{error.cmd[0]}` did not end within {error.timeout:g} s"
        return {"refused": "service-failed", "message": message, "log": []}


def main() -> None:
    """The verb, the service and the order of the command line."""
    verb, service, *order = sys.argv[1:]
    text = sys.stdin.buffer.read()
    given: Any = json.loads(text) if text else None
    if verb == "logs":
        send(Home(service), given["most"], sys.stdout.buffer)
    else:
        print(json.dumps(answered(verb, service, Order(*order), given)))
