"""`ab`, the paper's own load generator, on a host: its figures beside our agents'."""

from __future__ import annotations

import re
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.sources import script
from loadstone.ssh import Ssh
from loadstone.study.offered import PATH, Target

_LONGEST_S = 120.0


def run_ab(ssh: Ssh, host: str, target: Target, concurrency: int, requests: int) -> dict[str, Any]:
    """`ab -k -q` with this number of requests, as figures.

    LoadstoneError `peer` with its words when it fails.
    """
    url = f"http://{target.address}:{target.port}{PATH}"
    command = ["ab", "-k", "-q", "-n", str(requests), "-c", str(concurrency), "-s", "30", url]
    answer = ssh.run(host, command, timeout_s=_LONGEST_S)
    if answer.code:
        hint = f"{script('setup-servers')} installs it"
        raise LoadstoneError("peer", f"ab on `{host}` failed: {answer.words}", hint=hint)
    return parse(answer.out)


def parse(text: str) -> dict[str, Any]:
    """The figures in what `ab` prints. LoadstoneError `peer` when they are not there."""

    def figure(pattern: str) -> float:
        found = re.search(pattern, text, re.M)
        if not found:
            raise LoadstoneError("peer", f"ab printed no `{pattern}`")
        return float(found[1])

    complete, failed = figure(r"^Complete requests:\s+(\d+)"), figure(r"^Failed requests:\s+(\d+)")
    wrong = re.search(r"^Non-2xx responses:\s+(\d+)", text, re.M)
    lost = int(failed) + (int(wrong[1]) if wrong else 0)
    return {
        "ok": int(complete) - lost,
        "failed": {"failed": lost} if lost else {},
        "elapsed_s": figure(r"^Time taken for tests:\s+([\d.]+)"),
        "requests_per_s": figure(r"^Requests per second:\s+([\d.]+)"),
        "response_us": {
            "mean": figure(r"^Time per request:\s+([\d.]+) \[ms\] \(mean\)$") * 1000,
        },
    }
