"""A service's logs: kept within bounds where they are written, sent in pieces, never whole in memory."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import zlib
from pathlib import Path
from typing import BinaryIO, List, Sequence

from .home import Home, read, write

LARGEST = 256 << 20
"""Bytes of a log, or a twentieth of its disk: then it becomes the older part, `NAME.1`, and begins anew."""
_PIECE = 1 << 16
_TAIL = 15

# A session of its own: its end takes the sleep along. Files are copied and emptied: programs keep them open.
_KEEPER = """
while sleep 10 && [ -d "$1" ]; do
  for file in "$1"/*.log; do
    [ -f "$file" ] || continue
    [ "$(stat -c %s "$file")" -gt "$2" ] && cp "$file" "$file.1" && : >"$file"
  done
done
"""


def keep_small(home: Home, user: Sequence[str]) -> None:
    """Starts a process that looks after the logs, as the service's user (words before a command)."""
    let_grow(home)
    process = subprocess.Popen(
        keeper(home, user), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    write(home.path / "keeper", str(process.pid))


def keeper(home: Home, user: Sequence[str]) -> List[str]:
    """Words of that process."""
    place = os.statvfs(home.log)
    most = min(LARGEST, place.f_frsize * place.f_blocks // 20)
    return [*user, "sh", "-c", _KEEPER, "loadstone-logs", str(home.log), str(most)]


def let_grow(home: Home) -> None:
    """Ends that process."""
    pid = read(home.path / "keeper")
    # The number may be another process's by now.
    if pid and f"loadstone-logs\0{home.log}\0" in read(Path("/proc", pid, "cmdline")):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(int(pid), signal.SIGKILL)
    with contextlib.suppress(FileNotFoundError):
        (home.path / "keeper").unlink()


def tail(home: Home) -> List[str]:
    """The last lines of the log that was written last."""
    files = [path for path in home.log.rglob("*") if path.is_file() and path.stat().st_size]
    if not files:
        return []
    with max(files, key=lambda path: path.stat().st_mtime).open("rb") as log:
        log.seek(max(0, os.fstat(log.fileno()).st_size - _PIECE))
        return log.read().decode(errors="replace").splitlines()[-_TAIL:]


def send(home: Home, most: int, to: BinaryIO) -> None:
    """Writes the last `most` bytes of every log, compressed.

    A file is a line of JSON (`name`, `size`, `skipped`) and pieces, each a line with its length, then the
    bytes; a piece of length 0 ends it. A line `{}` ends all: without it, something is missing.
    """
    packer = zlib.compressobj(1)

    def put(some: bytes) -> None:
        to.write(packer.compress(some))

    for path in sorted(path for path in home.log.rglob("*") if path.is_file()):
        with path.open("rb") as log:
            size = os.fstat(log.fileno()).st_size
            skipped = max(0, size - most)
            log.seek(skipped)
            if skipped:
                skipped += len(log.readline())  # its beginning is not there
            head = {"name": str(path.relative_to(home.log)), "size": size, "skipped": skipped}
            put(json.dumps(head).encode() + b"\n")
            left = size - skipped
            while left > 0 and (piece := log.read(min(_PIECE, left))):
                put(b"%d\n" % len(piece) + piece)
                left -= len(piece)
            put(b"0\n")
    put(b"{}\n")
    to.write(packer.flush())
    to.flush()
