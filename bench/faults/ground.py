"""The lab that is broken: commands on it, what is on its hosts, what a command has left on this machine."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(__file__).parent
LAB = FOLDER / "lab.toml"
SCENARIO = FOLDER / "scenario.toml"
NAME = "faults"
HOSTS = ("lb", "app1", "app2", "db", "gen1", "gen2")
LOADSTONE = (sys.executable, "-m", "loadstone")
_KINDS = ("ansible", "content", "ssh")
SETTLED_S = 40.0
"""A helper on a host that nobody listens to ends after 15 s."""

_LEFT = """ps -e -o args= | grep -v -e '^ps ' -e '^sshd' -e 'sleep 2147483647' -e '^sh -c' -e '^grep'
find /tmp /var/lib/loadstone ~root/.cache/loadstone -maxdepth 1 -mindepth 1 2>/dev/null | grep -v /agent-"""
_COUNT = "mariadb --defaults-file=/var/lib/loadstone/database/conf/client.cnf -N -e"


def loadstone(*words: str | Path, timeout_s: float = 300) -> subprocess.CompletedProcess[str]:
    """A command as a person types it."""
    command = [*LOADSTONE, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout_s)


def begin(*words: str | Path, errors: Path) -> subprocess.Popen[bytes]:
    """The same, which goes on meanwhile; what it says goes to a file."""
    with errors.open("wb") as file:
        return subprocess.Popen([*LOADSTONE, *map(str, words)], stdout=file, stderr=subprocess.STDOUT)


def on(host: str, script: str) -> str:
    """What a script on a host prints; empty where the host is down."""
    return loadstone("lab", "exec", "--lab", NAME, host, "--", "sh", "-c", script).stdout


def kill(host: str, service: str) -> None:
    """Ends all processes of a service at once, and nobody is told."""
    on(host, f"pkill -9 -s $(cut -d' ' -f1 /var/lib/loadstone/{service}/run/first)")


def rows() -> int:
    """Orders that the database has."""
    said = on("db", f"{_COUNT} 'SELECT COUNT(*) FROM loadstone.goods'").strip()
    return int(said) if said.isdigit() else -1


def traces() -> dict[str, set[str]]:
    """By host its processes, and the files that Loadstone may have there."""
    return {host: set(on(host, _LEFT).splitlines()) for host in HOSTS}


def left(before: dict[str, set[str]]) -> dict[str, list[str]]:
    """What is on the hosts beside what was there, once it has had the time to go."""
    deadline = time.monotonic() + SETTLED_S
    while True:
        more = {host: sorted(now - before[host]) for host, now in traces().items()}
        found = {host: lines for host, lines in more.items() if lines}
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(1)


def stale() -> set[str]:
    """Private folders of this machine's commands whose command is gone: the next one removes them."""
    found = set()
    for path in (path for kind in _KINDS for path in Path("/tmp").glob(f"loadstone-{kind}-*")):
        try:
            held = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            continue
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            found.add(path.name)
        except BlockingIOError:
            pass
        finally:
            os.close(held)
    return found


def until(true: object, what: str, most_s: float = 120.0) -> None:
    """Waits for a condition; ends the program when it does not come true."""
    assert callable(true)
    deadline = time.monotonic() + most_s
    while not true():
        if time.monotonic() > deadline:
            sys.exit(f"waited in vain: {what}")
        time.sleep(0.1)
