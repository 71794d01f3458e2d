"""Moves an instance in service to another host, by ssh.

It ends in good order, its disk is copied and compared, and a supervisor of its own starts it there. If that
does not come about, it is started again here.
"""

from __future__ import annotations

import contextlib
import hashlib
import shlex
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.image.qemu import arch_of
from loadstone.image.service.instance import Instance

_SSH_FAILED = 255
_ASK_S = 60.0
_COPY_S = 3600.0
_SSH = {"BatchMode": "yes", "ConnectTimeout": "10", "ServerAliveInterval": "5", "LogLevel": "ERROR"}
_CHECK = """
import pathlib, shutil, socket, sys
folder, host, port, emulator = sys.argv[1:]
if shutil.which(emulator) is None:
    sys.exit(f"there is no {emulator}")
try:
    import loadstone.image
except ImportError as error:
    sys.exit(f"{sys.executable} has no Loadstone: {error}")
with socket.socket() as one:
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        one.bind((host, int(port)))
    except OSError as error:
        sys.exit(f"port {port} of {host}: {error.strerror}")
try:
    pathlib.Path(folder).mkdir(mode=0o700, parents=True)
except OSError as error:
    sys.exit(f"{folder}: {error.strerror}")
"""
"""Run there before anything ends here: an error, or a new folder."""


@dataclass(frozen=True)
class Elsewhere:
    """Where to: a host, as ssh knows it, and what is used there."""

    host: str
    folder: str
    """Is made there, and holds image, disk and state."""
    python: str
    """With Loadstone."""
    address: str
    """Of the host, to be reached at."""
    port: int
    config: Path | None = None
    """For ssh; None for the user's own."""

    def run(self, line: str, *, send: bytes | Path = b"", within_s: float = _ASK_S) -> str:
        """What a shell line says there. LoadstoneError `host-unreachable`, `host-refused`."""
        given: dict[str, Any] = {"input": send} if isinstance(send, bytes) else {"stdin": send.open("rb")}
        try:
            done = subprocess.run(
                self.ssh(line), capture_output=True, timeout=within_s, check=False, **given,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise self._failed("host-unreachable", f"no answer within {within_s:g} s") from None
        finally:
            if "stdin" in given:
                given["stdin"].close()
        if done.returncode:
            said = (done.stderr or done.stdout).decode(errors="replace").strip()[-600:]
            slug = "host-unreachable" if done.returncode == _SSH_FAILED else "host-refused"
            raise self._failed(slug, said or f"exit code {done.returncode}")
        return str(done.stdout, errors="replace")

    def ssh(self, line: str) -> list[str]:
        """The command that runs a line there."""
        config = ["-F", str(self.config)] if self.config else []
        options = [word for name, value in _SSH.items() for word in ("-o", f"{name}={value}")]
        return ["ssh", *config, *options, "-T", self.host, "--", line]

    def _failed(self, slug: str, why: str) -> LoadstoneError:
        return LoadstoneError(slug, f"`{self.host}`: {why}")


@dataclass(frozen=True)
class Moved:
    """What a move cost."""

    down_s: float
    """From the order to end here until it was well there; nobody took connections meanwhile."""


def move_elsewhere(instance: Instance, to: Elsewhere) -> Moved:
    """Moves it; runs on its thread, and its thread ends when it has gone.

    What it has acknowledged is on its disk before it ends, and the disk there is the same, byte for byte. The
    file here is named `FILE.moved` in the end, so that no start takes it by mistake.

    LoadstoneError `image-state`, `image-options` and as `Elsewhere.run` before anything has ended; later ones
    mean that it is started again here.
    """
    life, machine, number = instance.life, instance.machine, instance.place.number
    if life is None or not life.served:
        raise LoadstoneError(
            "image-state", f"instance {number} is {instance.state}: only one that serves moves"
        )
    if machine.tls:
        raise LoadstoneError(
            "image-options",
            f"instance {number} serves with TLS, and its key is copied to no other host",
            hint="start it there by `image run --tls-cert --tls-key`; `image backup` copies its disk",
        )
    words = [to.python, "-I", "-", to.folder, to.address, str(to.port), arch_of(machine.board).emulator]
    to.run(shlex.join(words), send=_CHECK.encode())
    try:
        to.run(f"cat > {_there(to, 'image.elf')}", send=machine.kernel, within_s=_COPY_S)
    except LoadstoneError:
        _undo(to)
        raise
    began = time.monotonic()
    instance.retire(life, f"moved to {to.host}")
    instance.life = None
    try:
        if machine.disk:
            _copy(machine.disk.file, to)
        _start(instance, to)
    except (LoadstoneError, OSError) as error:
        _undo(to)
        instance.due = time.monotonic()
        if isinstance(error, OSError):
            raise LoadstoneError("image-disk", f"the disk cannot be copied: {error}") from error
        raise
    down_s = time.monotonic() - began
    if machine.disk and machine.disk.file.is_file():
        machine.disk.file.rename(machine.disk.file.with_name(f"{machine.disk.file.name}.moved"))
    instance.leave()
    return Moved(down_s)


def _copy(disk: Path, to: Elsewhere) -> None:
    """Holes stay holes; what arrives is compared."""
    pack = ["tar", "-C", str(disk.parent), "--sparse", "--transform", "s,.*,disk,", "-cf", "-", disk.name]
    with subprocess.Popen(pack, stdout=subprocess.PIPE) as packing:
        line = f"tar -C {shlex.quote(to.folder)} --sparse -xf - && sync {_there(to, 'disk')}"
        done = subprocess.run(
            to.ssh(f"{line} && sha256sum < {_there(to, 'disk')}"), stdin=packing.stdout, capture_output=True,
            timeout=_COPY_S, check=False,
        )  # fmt: skip
        if packing.stdout:
            packing.stdout.close()
    if done.returncode or packing.returncode:
        why = done.stderr.decode(errors="replace").strip()[-600:] or "tar failed"
        raise LoadstoneError("host-write", f"`{to.host}`: the disk was not copied: {why}")
    with disk.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if done.stdout.decode().split()[0] != digest:
        raise LoadstoneError("host-write", f"`{to.host}`: the disk that arrived is not the same")


def _start(instance: Instance, to: Elsewhere) -> None:
    """A supervisor there, and waits until its instance is well."""
    machine, policy = instance.machine, instance.policy
    said = [word for word in machine.words if word.partition("=")[0] not in machine.fixed]
    has_address = any(word.startswith("ip=") for word in said) or "ip" in machine.fixed
    loadstone = shlex.join([to.python, "-m", "loadstone", "image"])
    words = [
        *("run", f"{to.folder}/image.elf", "--machine", machine.board, "--memory", str(machine.memory_mib)),
        *("--cmdline", " ".join(said), *(() if has_address else ("--dhcp",))),
        *("--host", to.address, "--port", str(to.port), "--check", policy.path),
        *("--state", f"{to.folder}/state", *(("--disk", f"{to.folder}/disk") if machine.disk else ())),
    ]
    log, state, ended = (_there(to, name) for name in ("run.log", "state", "ended"))
    # A guest that refuses ends its supervisor at once: nobody waits for it then.
    supervise = shlex.quote(f"{loadstone} {shlex.join(words)}; : > {ended}")
    to.run(f"setsid -f sh -c {supervise} > {log} 2>&1 < /dev/null")
    patience = max(1, round(policy.patience_s))
    asked = f"{loadstone} status {state} > /dev/null 2>&1"
    wait = f"until {asked}; do [ ! -e {ended} ] || exit 1; sleep 0.1; done"
    to.run(
        f"timeout {patience} sh -c {shlex.quote(wait)} || {{ tail -n 20 {log} >&2; exit 1; }}",
        within_s=patience + _ASK_S,
    )


def _undo(to: Elsewhere) -> None:
    """Leaves nothing there; a host that cannot be reached any more keeps what it has, which serves nobody."""
    stop = shlex.join([to.python, "-m", "loadstone", "image", "stop"])
    with contextlib.suppress(LoadstoneError):
        to.run(f"{stop} {_there(to, 'state')} > /dev/null 2>&1; rm -rf {shlex.quote(to.folder)}")


def _there(to: Elsewhere, name: str) -> str:
    return shlex.quote(f"{to.folder}/{name}")
