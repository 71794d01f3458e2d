"""The gate: nobody loses an answer."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def no_answer_is_lost(served: str | Path, folder: Path, *options: str | Path) -> None:
    """All the clients of `public.py`, at an image or a connector: every answer comes whole, and of a phase's
    no more than one in twenty is a 503.
    """
    if os.geteuid() or not Path("/dev/net/tun").exists() or not shutil.which("nginx"):
        pytest.skip("needs root, TAP devices and nginx")
    rooms = ":".join(str(room) for room in (HERE, HERE.parent / "parity", HERE.parent / "fakes"))
    done = subprocess.run(
        ["unshare", "--net", sys.executable, HERE / "public.py", served, folder, *options],
        env=os.environ | {"PYTHONPATH": f"{rooms}:{os.environ.get('PYTHONPATH', '')}"},
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["end"] is None
    assert found["flood"]["sent"] >= 4000
    for name, phase in found["phases"].items():
        assert phase["lost"] == [], (name, phase)
        assert phase["answered"] >= 19 * phase["refused"], (name, phase)
