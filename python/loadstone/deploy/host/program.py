"""A service's program: checked, started, reloaded, ended, and asked whether it is ready."""

from __future__ import annotations

import contextlib
import glob
import json
import os
import re
import resource
import shutil
import signal
import socket
import ssl
import subprocess
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from . import systemd
from .data import Order, major_made, major_of, make
from .home import Home, Refused, Unit, own, read, user
from .logs import keep_small, keeper, let_grow, tail
from .processes import identity, listener, listening, members, running, starts

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_DIE_S = 10.0
_ANSWER_S = 5.0
_LINES = 15
_READS, _LOW_PORTS = "+dac_read_search", "+net_bind_service"

# The shell notes its own identity before it becomes the program: nothing is lost when we are killed.
_LAUNCH = (
    'echo "$$ $(cut -d" " -f22 /proc/$$/stat) $(cat /proc/sys/kernel/random/boot_id)" >"$1"; shift; exec "$@"'
)


def missing(home: Home, unit: Unit) -> List[str]:
    """Programs of the unit that are not on this host."""
    programs = _fill(home, unit, unit["programs"])
    return [program for program in programs if shutil.which(program, path=_PATH) is None]


def check(home: Home, unit: Unit) -> None:
    """The program's own check of what is wanted. Refused `program-missing`, `config-refused`."""
    if absent := missing(home, unit):
        raise Refused("program-missing", f"not installed: {', '.join(absent)}")
    own(home, unit)
    _let_read(home, unit)
    if unit["check"]:
        done = attempt(home, unit, unit["check"], conf="wanted")
        if done.returncode:
            raise Refused("config-refused", f"{unit['check'][0]} refuses the configuration", lines_of(done))


def room(home: Home, unit: Unit) -> None:
    """Nothing is stopped that could not start again: the user has room on the disk for what a start writes.

    Refused `host-write`.
    """
    script = 'head -c "$1" /dev/zero >"$2"; code=$?; rm -f "$2"; exit $code'
    words = ["sh", "-c", script, "sh", str(unit["room_mib"] << 20), "{run}/room"]
    done = attempt(home, unit, words)
    if done.returncode:
        why = f"no room for the {unit['room_mib']} MiB that a start needs; nothing was stopped"
        raise Refused("host-write", why, lines_of(done))


def start(home: Home, unit: Unit, order: Order) -> None:
    """Starts it, with its data made, and waits until it answers; what has no process of its own is applied.

    Refused `service-failed`.
    """
    if not unit["start"]:
        must(home, unit, unit["reload"])
        return
    if unit["port"] and (other := listener(unit["port"])):
        raise Refused("service-failed", f"port {unit['port']} is taken by {other}")
    own(home, unit)
    make(home, unit, order, lambda: major(home, unit), lambda command, s: must(home, unit, command, s))
    # One that was killed has left its sockets, and some programs do not start over them.
    for path in home.run.glob("*.sock"):
        path.unlink()
    ended = _launch(home, unit)
    deadline = time.monotonic() + unit["ready_s"]
    pause = 0.02
    while not ready(home, unit):
        if (code := ended()) is not None:
            systemd.stop(home)
            raise Refused("service-failed", f"ended at once, with exit code {code}", tail(home))
        if time.monotonic() > deadline:
            stop(home, unit)
            raise Refused("service-failed", f"not ready within {unit['ready_s']:g} s", tail(home))
        time.sleep(pause)
        pause = min(0.2, pause * 1.5)
    for command in unit["after"]:
        must(home, unit, command, unit["after_s"])


def _launch(home: Home, unit: Unit) -> Callable[[], Optional[int]]:
    """Starts the first process; what tells its exit code once it has ended."""
    command = _fill(home, unit, unit["start"])
    words = ["sh", "-c", _LAUNCH, "sh", str(home.run / "first"), *_as(home, unit), *command]
    environment = _environment(home, unit)
    with open(home.log / "service.log", "ab") as log:
        os.fchown(log.fileno(), *user(home, unit))  # who keeps it small
        if systemd.runs(unit):
            systemd.start(home, unit, words, environment, keeper(home, _as(home, unit)))
            return lambda: systemd.ended(home)
        # Balancers hold thousands of connections; the limit of a login is 1024 files.
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        keep_small(home, _as(home, unit))
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            cwd=home.run, env=environment,
        )  # fmt: skip
        return process.poll


def stop(home: Home, unit: Unit) -> None:
    """Ends it: asks first, then kills whatever is left."""
    # Children that have left the session are not known as its own once their parent is gone.
    known = starts(members(home))
    systemd.stop(home)
    _each(home, unit, unit["stop"])
    if running(home):
        with contextlib.suppress(ProcessLookupError):
            os.kill(identity(home)[0], unit["stop_signal"])
    deadline = time.monotonic() + unit["stop_s"]
    while running(home) and time.monotonic() < deadline:
        time.sleep(0.02)
    _kill_all(home, known, deadline + _DIE_S)
    _each(home, unit, unit["clear"])
    let_grow(home)
    with contextlib.suppress(FileNotFoundError):
        (home.run / "first").unlink()


def _each(home: Home, unit: Unit, commands: Sequence[Sequence[str]]) -> None:
    """Runs commands as root, whatever comes of them."""
    for command in commands:
        words = _fill(home, unit, command)
        subprocess.run(words, capture_output=True, check=False, env=_environment(home, unit))


def kill(home: Home) -> List[int]:
    """Ends all its processes without a word, as `kill -9` does; their numbers. Refused `service-failed` when
    it has none.
    """
    known = starts(members(home))
    if not known:
        raise Refused("service-failed", f"`{home.service}` has no process here that could be killed")
    _kill_all(home, known, time.monotonic() + _DIE_S)
    return sorted(known)


def _kill_all(home: Home, known: Dict[int, int], deadline: float) -> None:
    """Kills its processes, and those of `known` (when each started) that live. Refused `service-failed`."""
    while left := {**starts(members(home)), **dict(known.items() & starts(list(known)).items())}:
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)
        if time.monotonic() > deadline:
            raise Refused("service-failed", f"processes {sorted(left)} do not die")


def reload(home: Home, unit: Unit) -> None:
    """Returns when the new configuration serves. Refused `service-failed`."""
    first = identity(home)[0]
    old = listening(home, unit["port"]) - {first} if unit["workers"] else set()
    if unit["reload"]:
        must(home, unit, unit["reload"])
    else:
        os.kill(first, unit["reload_signal"])
    deadline = time.monotonic() + unit["ready_s"]
    # The first process starts new workers and then retires the old ones, which go on accepting users until
    # they have let go of the port.
    while (old and old & listening(home, unit["port"])) or not ready(home, unit):
        if time.monotonic() > deadline or not running(home):
            raise Refused("service-failed", "did not take the new configuration", tail(home))
        time.sleep(0.01)


def ready(home: Home, unit: Unit) -> bool:
    """Whether the service answers on its port, and it is this service's process that does."""
    if unit["start"] and not running(home):
        return False
    if unit["port"]:
        listeners = listening(home, unit["port"])
        if not listeners or len(listeners - {identity(home)[0]}) < unit["workers"]:
            return False
    probe = unit["ready"]
    if probe.get("command"):
        return attempt(home, unit, probe["command"]).returncode == 0
    return "send" not in probe or _talk(home, unit["port"], probe)


def connected(home: Home, port: int, way: Mapping[str, str], longest_s: float) -> socket.socket:
    """A connection to a port of this host; by TLS where `way` names the `authority`. OSError."""
    connection = socket.create_connection(("127.0.0.1", port), longest_s)
    if "authority" not in way:
        return connection
    try:
        believed = ssl.create_default_context(cafile=home.fill([way["authority"]])[0])
        return believed.wrap_socket(connection, server_hostname="127.0.0.1")
    except OSError:
        connection.close()
        raise


def _talk(home: Home, port: int, probe: Mapping[str, Any]) -> bool:
    send, expect = probe["send"], probe["expect"]
    beginnings = tuple(one.encode() for one in ([expect] if isinstance(expect, str) else expect))
    longest = max(map(len, beginnings))
    try:
        with connected(home, port, probe, _ANSWER_S) as connection:
            connection.sendall(send.encode())
            said = b""
            while len(said) < longest and (more := connection.recv(4096)):
                said += more
            return said.startswith(beginnings)
    except OSError:
        return False


def must(home: Home, unit: Unit, command: Sequence[str], longest_s: float = 0.0) -> None:
    """Runs a command of the unit. Refused `service-failed` with what it says."""
    done = attempt(home, unit, command, longest_s=longest_s or unit["ready_s"])
    if done.returncode:
        raise Refused("service-failed", f"`{command[0]}` failed", lines_of(done) or tail(home))


def attempt(
    home: Home, unit: Unit, command: Sequence[str], conf: str = "conf", longest_s: float = 60.0
) -> "subprocess.CompletedProcess[bytes]":
    """Runs a command as the unit's user, with its environment."""
    words = [*_as(home, unit), *_fill(home, unit, command, conf)]
    return subprocess.run(
        words, capture_output=True, stdin=subprocess.DEVNULL, check=False, cwd=home.run,
        env=_environment(home, unit, conf), timeout=longest_s,
    )  # fmt: skip


def client(home: Home, unit: Unit, command: Sequence[str]) -> "subprocess.Popen[bytes]":
    """A command of the unit that stays, with pipes for its input and output."""
    return subprocess.Popen(
        [*_as(home, unit), *_fill(home, unit, command)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, cwd=home.run, env=_environment(home, unit),
    )  # fmt: skip


def version(home: Home, unit: Unit) -> str:
    """What the program says of its version; empty when it is not there."""
    if not unit["version"] or shutil.which(_fill(home, unit, unit["version"])[0], path=_PATH) is None:
        return ""
    return (lines_of(attempt(home, unit, unit["version"])) or [""])[0]


def lag(home: Home, unit: Unit) -> Tuple[Optional[float], str]:
    """How many seconds a replica is behind, or why it follows nobody; None of what is no replica."""
    if not unit["lag"]:
        return None, ""
    done = attempt(home, unit, unit["lag"], longest_s=_ANSWER_S)
    said = done.stdout.decode(errors="replace").strip()
    try:
        return float(said), ""
    except ValueError:
        return None, " ".join(lines_of(done)) or "it follows nobody"


def _fill(home: Home, unit: Unit, words: Sequence[str], conf: str = "conf") -> List[str]:
    return home.fill(words, conf, _binaries(home, unit)) if unit["bin"] else home.fill(words, conf)


def _binaries(home: Home, unit: Unit) -> str:
    """The folder of the program's newest version, but of the one that made the data while it is here."""
    found = glob.glob(str(unit["bin"]))
    numbers = {path: [int(number) for number in re.findall(r"\d+", path)] for path in found}
    made = major_made(home)
    same = [path for path in found if made and int(made) in numbers[path]]
    return max(same or found, key=lambda path: numbers[path], default=str(unit["bin"]))


def major(home: Home, unit: Unit) -> str:
    """The major version of the program that makes the data."""
    return major_of(version(home, unit))


def _as(home: Home, unit: Unit) -> List[str]:
    """Words that make a command run as the unit's user."""
    if unit["user"] == "root":
        return []
    uid, gid = user(home, unit)
    words = ["setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups"]
    more = [_READS] if (home.path / "reads").exists() else []
    more += [_LOW_PORTS] if unit["low_ports"] else []
    return [*words, *(f"--{kind}-caps={','.join(more)}" for kind in ("inh", "ambient") if more)]


def _let_read(home: Home, unit: Unit) -> None:
    """Lets the user read in all places, where the program is in one that is closed to it; and only there."""
    (home.path / "reads").unlink(missing_ok=True)
    if unit["reads"] and attempt(home, unit, unit["version"]).returncode:
        (home.path / "reads").touch()


def _environment(home: Home, unit: Unit, conf: str = "conf") -> Dict[str, str]:
    own = {name: home.fill([value], conf)[0] for name, value in unit["env"].items()}
    if unit["secret_env"]:
        own.update(json.loads(read(home.path / conf / unit["secret_env"]) or "{}"))
    return {"PATH": _PATH, "LANG": "C.UTF-8", "HOME": str(home.run), **own}


def lines_of(done: "subprocess.CompletedProcess[bytes]") -> List[str]:
    """The last lines of what a command said."""
    text = (done.stderr or b"") + (done.stdout or b"")
    return [line for line in text.decode(errors="replace").splitlines() if line.strip()][-_LINES:]
