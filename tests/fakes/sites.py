"""Scenarios for the real engine, and the servers they drive."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SCENARIO = """
format = 1
name = "bucket"
[target]
url = "http://127.0.0.1:{port}"
[load]
{load}
ramp_up_s = {ramp_up_s}
steady_s = {steady_s}
ramp_down_s = 0
timeout_s = 10
[session]
{session}
[pacing]
cycle = {{ kind = "fixed", value_s = 1 }}
[sla]
window_s = {steady_s}
[[operation]]
name = "Page"
limit_s = 0.2
step = [{{ get = "/", expect.contains = "served" }}]
"""


def scenario(path: Path, port: int, ramp_up_s: float, steady_s: float, *, arriving: bool = False) -> Path:
    """A scenario of one page, asked for by every user once a second; `arriving`: once by each session."""
    load = "sessions_per_s = 10" if arriving else "users = 10"
    session = "max_operations = 1" if arriving else ""
    path.write_text(
        SCENARIO.format(port=port, load=load, session=session, ramp_up_s=ramp_up_s, steady_s=steady_s)
    )
    return path


@contextmanager
def token_bucket(rate: float) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server that answers so many requests a second; its process and port."""
    command = [sys.executable, str(Path(__file__).with_name("token_bucket.py")), str(rate)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process, int(process.stdout.readline())
        finally:
            process.kill()
