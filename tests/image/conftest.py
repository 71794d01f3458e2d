"""Supervisors with a program in QEMU's place."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from in_service import HERE, Running, image

from loadstone.image.service import Policy


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder; another program is in QEMU's place."""
    program = tmp_path / "qemu-system-x86_64"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -IS {HERE / "fake_qemu.py"} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path


@pytest.fixture
def run(place: Path) -> Iterator[Callable[..., Running]]:
    """Starts supervisors; ends them."""
    with contextlib.ExitStack() as started:

        def start(
            text: str, count: int = 1, policy: Policy | None = None, disks: tuple[Path, ...] = ()
        ) -> Running:
            one = Running(place, image(place, text), count, policy or Policy(), list(disks))
            started.callback(one.stop)
            return one

        yield start
