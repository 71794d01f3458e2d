"""Processes that outlive the page: runs go on when it is closed, ended or killed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import psutil

_START = 'log=$1; shift; "$@" >"$log" 2>&1 & echo $!'
"""The shell ends at once: what it leaves behind is a child of nobody here, and no signal of ours finds it."""

_MOST_SAID = 16_384


class Apart:
    """A command of Loadstone in a session of its own; what it says goes into a file."""

    def __init__(self, arguments: Sequence[str], log: Path) -> None:
        """Starts it in the current folder."""
        # `-P`: a file of that folder that happens to be called `loadstone.py` is not meant.
        command = [sys.executable, "-P", "-m", "loadstone", *arguments]
        started = subprocess.run(
            ["/bin/sh", "-c", _START, "sh", str(log), *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=True,
            start_new_session=True,
        )
        self._log = log
        try:
            self._process: psutil.Process | None = psutil.Process(int(started.stdout))
        except psutil.NoSuchProcess:
            self._process = None

    @property
    def lives(self) -> bool:
        """Whether it has not ended yet."""
        try:
            return (
                self._process is not None
                and self._process.is_running()
                and self._process.status() != psutil.STATUS_ZOMBIE
            )
        except psutil.NoSuchProcess:
            return False

    @property
    def said(self) -> str:
        """The end of what it has said."""
        with self._log.open("rb") as file:
            length = file.seek(0, 2)
            file.seek(max(0, length - _MOST_SAID))
            return file.read().decode("utf-8", "replace").strip()

    def stop(self) -> None:
        """As Ctrl-C does, before it has a folder in which it can be asked."""
        if self._process is not None and self.lives:
            self._process.terminate()
