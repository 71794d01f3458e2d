"""The state folder of a supervisor: whose it is, what its instances are, how they ended.

lock                held by the supervisor while it runs
control             the socket that it listens on
images/             copies of the images in use: what is built anew meanwhile changes no restart
1/console.log       of the first instance; console.log.1 and so on are older
1/monitor           the socket of QEMU's monitor, for `image backup --running`
1/ends.json         the latest ends, the last one at the end
1/process-PID.json  QEMU's process while it runs
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import signal
import time
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError

_ENDS = 20
_SOCKET_BYTES = 107
"""A socket's path has no more."""
_LONGEST_NAME = "/256/monitor-999999"
_GONE_S = 10.0
_LOOK_S = 0.02


class StateFolder:
    """The folder, held by this process."""

    def __init__(self, path: Path) -> None:
        """Makes it, or takes over what an earlier supervisor has left. LoadstoneError `image-state`."""
        self.path = path.absolute()
        if len(os.fsencode(self.path)) + len(_LONGEST_NAME) > _SOCKET_BYTES:
            most = _SOCKET_BYTES - len(_LONGEST_NAME)
            raise LoadstoneError(
                "image-state",
                f"{self.path} is too long for the sockets in it: at most {most} bytes",
                hint="choose another folder with --state",
            )
        if self.path.exists() and not (self.path / "lock").exists() and any(self._listed()):
            raise LoadstoneError(
                "image-state",
                f"{path} is not empty, and no supervisor made it",
                hint="choose another folder with --state",
            )
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path.chmod(0o700)
            self._held = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self.images = self.path / "images"
            self.images.mkdir(exist_ok=True)
        except OSError as error:
            raise LoadstoneError("image-state", f"{path}: {error}") from error
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._held)
            raise LoadstoneError(
                "image-state",
                f"another supervisor runs in {path}",
                hint=f"`loadstone image status {path}`, or choose another folder with --state",
            ) from None

    def close(self) -> None:
        """Lets go of it."""
        os.close(self._held)

    def instance(self, number: int) -> Path:
        """Where the things of an instance are."""
        folder = self.path / str(number)
        folder.mkdir(exist_ok=True)
        return folder

    def keep_image(self, image: Path) -> Path:
        """A copy of it, named by its content. OSError."""
        content = image.read_bytes()
        copy = self.images / f"{image.stem}-{hashlib.sha256(content).hexdigest()[:12]}.elf"
        if not copy.exists():
            partial = copy.with_suffix(".partial")
            partial.write_bytes(content)
            partial.replace(copy)
        return copy

    def drop_images(self, used: set[Path]) -> None:
        """Removes the copies that no instance has."""
        for image in self.images.iterdir():
            if image not in used:
                image.unlink(missing_ok=True)

    def left_over(self) -> list[str]:
        """Ends and clears what a supervisor that was killed has left; a sentence for each instance of it."""
        told = []
        for note in sorted(self.path.glob("*/process-*.json")):
            number = note.parent.name
            one = read_json(note) or {}
            pid, lives = one.get("pid", 0), _ticks(one.get("pid", 0)) == one.get("ticks", 0) != 0
            if lives:
                os.kill(pid, signal.SIGKILL)
                _wait_gone(pid)
            what = f"QEMU ({pid}) still ran and was killed" if lives else f"QEMU ({pid}) ended with it"
            told.append(f"{number}: the last supervisor ended without stopping this instance; {what}")
            remember_end(note.parent, {"at": now(), "reason": "its supervisor was killed", "console": []})
            note.unlink()
        for monitor in self.path.glob("*/monitor*"):
            monitor.unlink()
        return told

    def _listed(self) -> list[Path]:
        try:
            return list(self.path.iterdir())
        except OSError as error:
            raise LoadstoneError("image-state", f"{self.path}: {error}") from error


def await_end(state: Path) -> None:
    """Waits until no supervisor has this folder. OSError without one."""
    with (state / "lock").open("rb") as lock:
        while True:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            time.sleep(_LOOK_S)


def remember_process(folder: Path, pid: int) -> Path:
    """Notes the process of an instance; the file to remove when it has ended."""
    note = folder / f"process-{pid}.json"
    write_json(note, {"pid": pid, "ticks": _ticks(pid)})
    return note


def remember_end(folder: Path, end: dict[str, Any]) -> None:
    """Adds an end to the latest."""
    write_json(folder / "ends.json", [*(read_json(folder / "ends.json") or []), end][-_ENDS:])


def read_json(file: Path) -> Any:
    """What is in it; None when there is nothing that can be read."""
    with contextlib.suppress(OSError, ValueError):
        return json.loads(file.read_text("utf-8"))
    return None


def write_json(file: Path, content: Any) -> None:
    """Writes all of it or nothing. A full disk loses the note, not the instance."""
    partial = file.with_name(f"{file.name}.partial")
    with contextlib.suppress(OSError):
        partial.write_text(json.dumps(content, indent=2), "utf-8")
        partial.replace(file)


def now() -> str:
    """The time of day, with its zone."""
    return time.strftime("%Y-%m-%dT%H:%M:%S%z")


def _ticks(pid: int) -> int:
    """When a process began, since boot; 0 without a process. It tells apart two that have the same number."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8")
    except OSError:
        return 0
    state, *fields = stat.rpartition(")")[2].split()
    return 0 if state == "Z" else int(fields[18])


def _wait_gone(pid: int) -> None:
    deadline = time.monotonic() + _GONE_S
    while _ticks(pid) and time.monotonic() < deadline:
        time.sleep(_LOOK_S)
