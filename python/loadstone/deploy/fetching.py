"""Logs of services, fetched: from all hosts at once, the newest part of each, in pieces straight to disk."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from loadstone.deploy.outcome import Outcome, SiteError, Step, host_error
from loadstone.deploy.remote import at_once, ended, start
from loadstone.deploy.site import Site
from loadstone.errors import LoadstoneError
from loadstone.ssh import Ssh

MOST = 64 << 20
"""Bytes of one log that are fetched: the newest. Older ones stay on the host."""
_PIECE = 1 << 16


def collect_logs(
    site: Site, ssh: Ssh, folder: Path, note: Callable[[str], None] = lambda _: None, most: int = MOST
) -> list[Path]:
    """Copies the last `most` bytes of every log of all services into `folder`/logs/HOST/SERVICE/; the files.
    `note` is told of each log that was longer.

    SiteError after all others were fetched, with `helper-killed`, `logs-cut`, `host-unreachable`,
    `host-refused` of those that were not; what had come of them stays.
    """
    steps = [Step(one.name, host) for one in site.services.values() for host in one.hosts]

    def work(step: Step) -> list[Path]:
        try:
            return _fetch(ssh, step, folder / "logs" / step.host / step.service, note, most)
        except LoadstoneError as error:
            step.error = error
            return []

    written = [path for paths in at_once(work, steps) for path in paths]
    outcome = Outcome(steps)
    if outcome.failed:
        raise SiteError(outcome)
    return written


def _fetch(ssh: Ssh, step: Step, folder: Path, note: Callable[[str], None], most: int) -> list[Path]:
    process = start(ssh, step.host, "logs", step.service, {"most": most})
    assert process.stdout and process.stderr
    written: list[Path] = []
    complete = False
    try:
        stream = _Inflated(process.stdout)
        while head := json.loads(stream.line() or b"null"):
            path = _inside(folder, head["name"])
            path.parent.mkdir(parents=True, exist_ok=True)
            written.append(path)
            with path.open("wb") as log:
                while length := int(stream.line() or b"0"):
                    log.write(stream.exactly(length))
            if head["skipped"]:
                where = f"{step.service} on {step.host}: {head['name']}"
                note(f"{where}: the last {most / 2**20:g} MiB of {head['size'] / 2**20:.1f} MiB were fetched")
        complete = head == {}
    except (ValueError, zlib.error):
        pass  # it ends in the middle; why is known from how the helper ended
    finally:
        process.stdout.close()
        words = process.stderr.read().decode(errors="replace")
        process.stderr.close()
        code = process.wait()
    ended(ssh, step.host, "logs", step.service, code, words)
    if not complete:
        raise host_error("logs-cut", "the logs end in the middle", step.service, step.host)
    return written


class _Inflated:
    """Compressed bytes of a pipe, read as they come; holds one piece at a time."""

    def __init__(self, pipe: IO[bytes]) -> None:
        """`pipe` ends with the stream."""
        self._pipe = pipe
        self._unpack = zlib.decompressobj()
        self._ready = bytearray()

    def line(self) -> bytes:
        """The next line without its end; empty at the end of the stream."""
        while b"\n" not in self._ready:
            if not self._more():
                return b""
        text, _, rest = self._ready.partition(b"\n")
        self._ready = rest
        return bytes(text)

    def exactly(self, length: int) -> bytes:
        """So many bytes. ValueError when there are fewer."""
        while len(self._ready) < length:
            if not self._more():
                raise ValueError("the stream ends")
        some = bytes(self._ready[:length])
        del self._ready[:length]
        return some

    def _more(self) -> bool:
        packed = self._unpack.unconsumed_tail or self._pipe.read1(_PIECE)  # type: ignore[attr-defined]
        some = self._unpack.decompress(packed, _PIECE) if packed else self._unpack.flush()
        self._ready += some
        return bool(packed or some)


def _inside(folder: Path, name: Any) -> Path:
    """ValueError for a path that leads out of the folder: what a host says is not believed."""
    path = folder / str(name)
    if not path.resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"{name} is no name of a log")
    return path
