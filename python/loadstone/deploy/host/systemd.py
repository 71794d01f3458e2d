"""A service as a unit of systemd, where the host runs that: up again after its end, and at boot if asked.

The unit runs `launch`, a script in the service's folder that only root can read: it has the environment, and
keeps the logs small. What the processes are, where they log and how they are asked is as elsewhere.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Dict, List, Optional, Sequence

from .home import Home, Refused, Unit, write

RUNS = Path("/run/systemd/system")
"""There while systemd runs; units in it are gone after a boot."""
KEPT = Path("/etc/systemd/system")
PREFIX = "loadstone-"
_LATER_S = 30.0
_UNIT = """# Written by loadstone.
[Unit]
Description=Loadstone: {service}
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0
[Service]
Type=exec
ExecStart=/bin/sh {launch}
WorkingDirectory={run}
StandardOutput=append:{log}
StandardError=append:{log}
Restart=always
RestartSec=1
KillMode=mixed
KillSignal={signal}
TimeoutStopSec={stop_s:g}
[Install]
WantedBy=multi-user.target
"""


def runs(unit: Unit) -> bool:
    """Whether the service is to be a unit here."""
    return bool(unit["managed"]) and RUNS.is_dir()


def start(home: Home, unit: Unit, words: Sequence[str], env: Dict[str, str], keeper: Sequence[str]) -> None:
    """Writes the unit and starts it; `keeper` are words of what looks after the logs. Refused
    `service-failed`.
    """
    lines = [f"export {name}={shlex.quote(value)}" for name, value in env.items()]
    lines += ['ulimit -n "$(ulimit -Hn)"', f"setsid -f {shlex.join(keeper)}", f"exec {shlex.join(words)}"]
    write(home.path / "launch", "\n".join(lines) + "\n", 0o600)
    folder = KEPT if unit["at_boot"] else RUNS
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / _name(home), text(home, unit))
    _must(["daemon-reload"])
    if unit["at_boot"]:
        _must(["enable", "--quiet", _name(home)])
    _must(["start", "--no-block", _name(home)])


def text(home: Home, unit: Unit) -> str:
    """The unit."""
    return _UNIT.format(
        service=home.service, launch=home.path / "launch", run=home.run, log=home.log / "service.log",
        signal=unit["stop_signal"], stop_s=unit["stop_s"],
    )  # fmt: skip


def ended(home: Home) -> Optional[int]:
    """The exit code of a start that came to nothing; None while it may still come up."""
    said = _asked(["show", "-p", "ActiveState", "-p", "SubState", "-p", "ExecMainStatus", _name(home)])
    found = dict(re.findall(r"^(\w+)=(.*)$", said, re.M))
    failed = found.get("ActiveState") == "failed" or found.get("SubState") == "auto-restart"
    return int(found.get("ExecMainStatus") or 1) if failed else None


def stop(home: Home) -> None:
    """Ends it and removes the unit, where there is one."""
    there = [folder / _name(home) for folder in (KEPT, RUNS) if (folder / _name(home)).exists()]
    if there and shutil.which("systemctl"):
        if RUNS.is_dir():
            _asked(["stop", _name(home)], longest_s=None)
        _asked(["disable", "--quiet", _name(home)])
    for path in there:
        path.unlink()
    if there and RUNS.is_dir():
        _asked(["daemon-reload"])
        _asked(["reset-failed", _name(home)])
    with contextlib.suppress(FileNotFoundError):
        (home.path / "launch").unlink()


def _name(home: Home) -> str:
    return f"{PREFIX}{home.service}.service"


def _must(words: List[str]) -> None:
    done = subprocess.run(
        ["systemctl", *words], stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_LATER_S
    )
    if done.returncode:
        said = done.stderr.decode(errors="replace").splitlines()
        raise Refused("service-failed", f"`systemctl {' '.join(words)}` failed", said)


def _asked(words: List[str], longest_s: Optional[float] = _LATER_S) -> str:
    done = subprocess.run(
        ["systemctl", *words], stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=longest_s
    )
    return done.stdout.decode(errors="replace")
