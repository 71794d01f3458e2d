"""Runs on the source: connects again and again and prints each time. The standard library only.

`python3 - ADDRESS PORT COUNT INTERVAL_S TIMEOUT_S`; one line an attempt: `accepted 0.1230`,
`refused 0.1230` (milliseconds) or `silent`.
"""

from __future__ import annotations

import socket
import sys
import time
from typing import Any


def connect(family: int, place: Any, timeout_s: float) -> str:
    """One attempt. The name is looked up and the socket made before the clock starts."""
    with socket.socket(family, socket.SOCK_STREAM) as one:
        one.settimeout(timeout_s)
        started = time.perf_counter_ns()
        try:
            one.connect(place)
            answer = "accepted"
        except ConnectionRefusedError:
            answer = "refused"
        except OSError:
            return "silent"
        return f"{answer} {(time.perf_counter_ns() - started) / 1e6:.4f}"


def main(address: str, port: str, count: str, interval_s: str, timeout_s: str) -> None:
    """Attempts with a pause after each."""
    family, _, _, _, place = socket.getaddrinfo(address, int(port), type=socket.SOCK_STREAM)[0]
    for _ in range(int(count)):
        print(connect(family, place, float(timeout_s)), flush=True)
        time.sleep(float(interval_s))


if __name__ == "__main__":
    main(*sys.argv[1:])
