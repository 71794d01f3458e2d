"""The paper's own generator beside ours: httperf's sessions, run and read."""

from __future__ import annotations

import re
import subprocess
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.study.connectors.fleet import Running
from loadstone.study.connectors.servers import program

_PATIENCE_S = 120.0


def run_httperf(
    server: Running, path: str, *, rate: float, sessions: int, calls: int, think_s: float, timeout_s: float
) -> dict[str, Any]:
    """Sessions of `calls` calls that arrive evenly; figures as of our own sessions.

    LoadstoneError `program-missing`, `peer`.
    """
    host, port = server.endpoint
    words = [
        program("httperf"),
        "--hog",
        f"--server={host}",
        f"--port={port}",
        f"--uri={path}",
        f"--rate={rate:g}",
        f"--wsess={sessions},{calls},{think_s:g}",
        f"--timeout={timeout_s:g}",
    ]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=_PATIENCE_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise LoadstoneError("peer", f"httperf did not end within {_PATIENCE_S:g} s") from error
    if done.returncode:
        raise LoadstoneError("peer", f"httperf ended with {done.returncode}: {done.stderr.strip()[-200:]}")
    return read(done.stdout)


def read(text: str) -> dict[str, Any]:
    """Figures from what httperf prints. LoadstoneError `peer` when it prints something else.

    `sessions`, `completed`, `sessions_per_s` (over the whole test), `life_s_mean`, `replies`,
    `replies_per_s`, `response_ms_mean`, `timeouts`, `refused`, `reset`, `connections`, `elapsed_s`.
    """
    patterns = {
        "connections": r"Total: connections (\d+)",
        "elapsed_s": r"test-duration ([\d.]+) s",
        "replies": r"replies (\d+) test-duration",
        "response_ms_mean": r"Reply time \[ms\]: response ([\d.]+)",
        "completed": r"Session rate \[sess/s\]: .*\((\d+)/\d+\)",
        "sessions": r"Session rate \[sess/s\]: .*\(\d+/(\d+)\)",
        "life_s_mean": r"Session lifetime \[s\]: ([\d.]+)",
        "timeouts": r"client-timo (\d+)",
        "refused": r"connrefused (\d+)",
        "reset": r"connreset (\d+)",
    }
    found: dict[str, Any] = {}
    for name, pattern in patterns.items():
        match = re.search(pattern, text)
        if match is None:
            raise LoadstoneError("peer", f"httperf printed no {name}")
        found[name] = float(match[1]) if "." in match[1] else int(match[1])
    elapsed = found["elapsed_s"]
    found["sessions_per_s"] = found["completed"] / elapsed if elapsed else 0.0
    found["replies_per_s"] = found["replies"] / elapsed if elapsed else 0.0
    return found
