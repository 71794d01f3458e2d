"""Services of the system that come with packages: what an installation of ours enables stays off, also after
the next boot. What was enabled before is somebody's, and left alone.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import List, Set

from .home import Home, write
from .systemd import PREFIX

SYSTEM = Path("/")
"""Its links say what is started at boot. They can be changed whether systemd runs or not."""


def note(home: Home) -> None:
    """Before an installation: keeps which are enabled, until `quiet`, which may be another command's."""
    if not _kept(home).exists():
        write(_kept(home), json.dumps(sorted(enabled())))


def quiet(home: Home) -> List[str]:
    """After it: disables those that are new; their names."""
    kept = _kept(home)
    if not kept.exists():
        return []
    before = set(json.loads(kept.read_text("utf-8")))
    new = sorted(name for name in enabled() - before if not name.startswith(PREFIX))
    for name in new:
        if shutil.which("systemctl"):
            _said(["systemctl", f"--root={SYSTEM}", "disable", name])
        else:
            _said(["update-rc.d", name, "disable"])
    kept.unlink()
    return new


def enabled() -> Set[str]:
    """Units of systemd, or else scripts of SysV's init, that are started at boot."""
    if shutil.which("systemctl"):
        command = [
            "systemctl",
            f"--root={SYSTEM}",
            "list-unit-files",
            "--state=enabled",
            "--no-legend",
            "--plain",
        ]
        return {line.split()[0] for line in _said(command).splitlines() if line.strip()}
    return {path.name[3:] for path in SYSTEM.glob("etc/rc[2-5].d/S[0-9][0-9]*")}


def _said(command: List[str]) -> str:
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False, timeout=60)
    return done.stdout.decode(errors="replace")


def _kept(home: Home) -> Path:
    return home.path.parent / ".units"
