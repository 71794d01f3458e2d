"""A stack as a process: what its `start` is told, and when it takes requests."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import signal
import socket
import subprocess
import time
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from loadstone import _core, leave
from loadstone.errors import LoadstoneError
from loadstone.scratch import scratch
from loadstone.site.listen import not_taken
from loadstone.site.stack import FOLDER
from loadstone.sources import checkout

_DONE = "set-up-for"
"""Holds the digest of the files that what is here was built from."""
_LOCK = "set-up-lock"
_READY_S = 120.0
_END_S = 30.0
_LOOK_S = 0.05
_OLDEST_S = 1_224_633_600
"""Midnight of 2008-10-22, UTC: when the data were loaded, in the story that they tell."""
_YEAR_S = 365 * 86_400


@dataclass(frozen=True)
class Wanted:
    """How a stack is to run."""

    folder: str
    """Below `FOLDER`."""
    database: str
    """`postgres://…`, `mysql://…` or `sqlite:///PATH`."""
    files: Path
    """Static files and masters of pictures, as `prepared` makes them."""
    state: Path
    host: str = "127.0.0.1"
    port: int = 0
    """0: a free one."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Fields of `StackOptions`."""


@dataclass(frozen=True)
class Running:
    """A stack that takes requests."""

    url: str
    name: str
    process: subprocess.Popen[bytes]

    def wait(self) -> None:
        """Returns when somebody has asked us to end. Error `sut-died` when it ends by itself."""
        asked = False

        def ask(*_: object) -> None:
            nonlocal asked
            asked = True
            self.process.terminate()

        with leave.handling((signal.SIGINT, signal.SIGTERM), ask):
            code = self.process.wait()
        if not asked:
            raise LoadstoneError("sut-died", f"the stack `{self.name}` ended by itself, with {code}")


def _date(folder: Path) -> None:
    """Gives files dates that follow from their content.

    Web servers make entity tags of them. Were they those of the files' making, a browser that comes to
    another server would get everything anew.
    """
    for path in folder.rglob("*"):
        if path.is_file():
            at = _OLDEST_S + zlib.crc32(path.read_bytes()) % _YEAR_S
            os.utime(path, (at, at))


@contextlib.contextmanager
def prepared(data: Mapping[str, Any], kept: Path | None = None) -> Iterator[tuple[Path, Path]]:
    """The stack's files and a folder for what it writes, both gone after the block; `kept`: a new folder
    that stays instead of the latter.

    `data`: fields of the data set. Errors: `serve-options`.
    """
    with scratch("stack") as folder:
        # Servers change to a user of their own.
        folder.chmod(0o755)
        try:
            _core.olio_files(str(folder / "files"), data["profile"], data["media_scale"])
        except ValueError as error:
            raise LoadstoneError("serve-options", f"no stack serves this: {error}") from error
        _date(folder / "files")
        state = kept or folder / "state"
        try:
            state.mkdir(parents=True)
        except OSError as error:
            raise LoadstoneError("serve-options", f"cannot make {state}: {error.strerror}") from error
        yield folder / "files", state


def database_of(place: str) -> str:
    """The database of a folder that `loadstone olio load` has made; a database's URL stays as it is."""
    return place if "://" in place else f"sqlite://{Path(place).resolve() / 'olio.db'}"


def set_up(folder: str, *, quiet: bool = True) -> Path:
    """Installs what a stack needs and builds it; the folder of what was built. Done once for the same files.

    Error `stack-setup` with what its `setup` said.
    """
    built, digest = checkout() / "target" / "stacks" / folder, _digest()
    # Hosts that a stack is deployed on may only read here.
    if not _is_built(built, digest):
        with _lock(folder, built) as lock:
            # Another command may be building it now.
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not _is_built(built, digest):
                _build(folder, built, quiet=quiet)
                (built / _DONE).write_text(digest, "ascii")
    return built


def _lock(folder: str, built: Path) -> IO[str]:
    """A file for who builds it to lock. Error `stack-setup` where this user may not build it."""
    try:
        built.mkdir(parents=True, exist_ok=True)
        return (built / _LOCK).open("w")
    except OSError as error:
        message = f"the stack `{folder}` is not built, and cannot be here: {built}: {error.strerror}"
        raise LoadstoneError("stack-setup", message, hint=f"run scripts/setup-stacks {folder}") from error


def _is_built(built: Path, digest: str) -> bool:
    done_for = built / _DONE
    return done_for.is_file() and done_for.read_text("ascii") == digest


def _build(folder: str, built: Path, *, quiet: bool) -> None:
    command = [str(FOLDER / folder / "setup"), str(built)]
    done = subprocess.run(command, capture_output=quiet, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode:
        said = "\n".join(f"{done.stdout or ''}{done.stderr or ''}".strip().splitlines()[-20:])
        raise LoadstoneError(
            "stack-setup",
            f"the stack `{folder}` cannot be set up" + (f":\n{said}" if said else ""),
            hint=f"see {FOLDER / folder / 'README.md'}, or run {' '.join(command)} by hand",
        )


def _digest() -> str:
    """Of every file of every stack: some share code."""
    found = hashlib.sha256()
    for file in sorted(
        path for path in FOLDER.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    ):
        found.update(f"{file.relative_to(FOLDER)}\0".encode() + file.read_bytes())
    return found.hexdigest()


def environment(wanted: Wanted, built: Path) -> dict[str, str]:
    """What `start` is told, `built` being what `set_up` returned."""
    return {
        **os.environ,
        "OLIO_DATABASE": wanted.database,
        "OLIO_FILES": str(wanted.files),
        "OLIO_BUILD": str(built),
        "OLIO_STATE": str(wanted.state),
        "OLIO_ADDRESS": wanted.host,
        "OLIO_PORT": str(wanted.port),
        **{f"OLIO_{name.upper()}": str(value) for name, value in wanted.options.items()},
    }


@contextlib.contextmanager
def running(wanted: Wanted) -> Iterator[Running]:
    """The running stack; the end of the block ends every process of it.

    Errors: `stack-setup`; `sut-start` when something else listens there, and when it ends at once or does not
    listen within two minutes.
    """
    not_taken(wanted.host, wanted.port)
    built = set_up(wanted.folder)
    wanted = replace(wanted, port=wanted.port or _free_port(wanted.host))
    process = subprocess.Popen(
        [str(FOLDER / wanted.folder / "start")],
        env=environment(wanted, built),
        stdin=subprocess.DEVNULL,
        stdout=2,
        start_new_session=True,
    )
    try:
        _await(process, wanted.folder, wanted.host, wanted.port)
        yield Running(f"http://{wanted.host}:{wanted.port}", wanted.folder, process)
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_END_S)
        # Whatever it has left, at the latest now.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _await(process: subprocess.Popen[bytes], name: str, host: str, port: int) -> None:
    deadline = time.monotonic() + _READY_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise LoadstoneError("sut-start", f"the stack `{name}` ended with {process.returncode} at once")
        with socket.socket() as probe:
            if probe.connect_ex((host, port)) == 0:
                return
        time.sleep(_LOOK_S)
    raise LoadstoneError("sut-start", f"the stack `{name}` takes no connections after {_READY_S:g} s")


def _free_port(host: str) -> int:
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])
