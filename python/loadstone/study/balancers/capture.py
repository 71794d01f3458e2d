"""tcpdump on several hosts at the same time: what passed each one's interface."""

from __future__ import annotations

import contextlib
import os
import re
import select
import shlex
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from loadstone.errors import LoadstoneError
from loadstone.sources import script
from loadstone.ssh import Ssh
from loadstone.study.balancers.pcap import Segment, segments

_SNAP = 192
"""Bytes of a packet that are kept: 66 of headers, the rest is the start of a request or of an answer."""
_READY_S = 20.0
_STOP_S = 60.0

# The kernel hands packets over in blocks, a second old at most: without the wait the last ones are lost.
# tcpdump ends with our end of the pipe, whatever becomes of us; its file comes back on the same connection.
_SCRIPT = """
dev=$(ip -o route get {peer} | sed -n 's/.* dev \\([^ ]*\\).*/\\1/p')
file=$(mktemp /tmp/loadstone-XXXXXX.pcap)
trap 'rm -f "$file"' EXIT
tcpdump -i "$dev" -n -s {snap} -B 16384 --time-stamp-precision=nano -Z root -w "$file" \\
    {match} </dev/null >&2 &
catcher=$!
read -r word
sleep 1.1
kill -INT "$catcher" 2>/dev/null
wait "$catcher"
cat "$file"
"""


@dataclass(frozen=True)
class Captured:
    """What tcpdump saw on one host."""

    segments: list[Segment]
    dropped: int
    """Packets that the kernel could not hand over: then counts are too low."""


class Capture:
    """tcpdump at work; made by `capturing`."""

    def __init__(self, catchers: Mapping[str, subprocess.Popen[bytes]]) -> None:
        """By host."""
        self._catchers = dict(catchers)

    def stop(self) -> dict[str, Captured]:
        """Ends it on all hosts; what each saw. LoadstoneError `capture` when a host's is not to be had."""
        for catcher in self._catchers.values():
            assert catcher.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                catcher.stdin.write(b"\n")
                catcher.stdin.flush()
        found = {}
        for host, catcher in self._catchers.items():
            try:
                out, said = catcher.communicate(timeout=_STOP_S)
                content = list(segments(out))
            except subprocess.TimeoutExpired:
                raise LoadstoneError("capture", f"tcpdump on `{host}` does not end") from None
            except ValueError as error:
                raise LoadstoneError("capture", f"tcpdump on `{host}`: {error}") from error
            drops = re.search(rb"(\d+) packets dropped by kernel", said)
            found[host] = Captured(content, int(drops[1]) if drops else 0)
        self._catchers.clear()
        return found

    def kill(self) -> None:
        """Ends what is still there."""
        for catcher in self._catchers.values():
            catcher.kill()
            catcher.communicate()


@contextlib.contextmanager
def capturing(ssh: Ssh, places: Mapping[str, str], match: str) -> Iterator[Capture]:
    """Captures what `match` (a filter of tcpdump) lets through, on each host of `places`: the host whose way
    to it leads over the interface to watch.

    Returns when all of them watch. LoadstoneError `capture` with tcpdump's own words.
    """
    catchers: dict[str, subprocess.Popen[bytes]] = {}
    capture = Capture({})
    try:
        for host, peer in places.items():
            script = _SCRIPT.format(peer=shlex.quote(ssh.address(peer)), snap=_SNAP, match=shlex.quote(match))
            catchers[host] = ssh.start(host, [*ssh.as_root(host), "sh", "-c", script])
        capture = Capture(catchers)
        for host, catcher in catchers.items():
            _await(host, catcher)
        yield capture
    finally:
        capture.kill()


def _await(host: str, catcher: subprocess.Popen[bytes]) -> None:
    """Until tcpdump says that it listens."""
    assert catcher.stderr is not None
    said, deadline = b"", time.monotonic() + _READY_S
    while b"listening on" not in said:
        ready, _, _ = select.select([catcher.stderr], [], [], max(0.0, deadline - time.monotonic()))
        # Past Python's buffer: a line that waits in it would not wake `select`.
        part = os.read(catcher.stderr.fileno(), 4096) if ready else b""
        if not part:
            words = said.decode(errors="replace").strip() or "no word from it"
            hint = f"{script('setup-servers')} installs tcpdump; it needs root"
            raise LoadstoneError("capture", f"tcpdump on `{host}` does not start: {words}", hint=hint)
        said += part
