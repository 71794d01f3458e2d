"""Short runs against servers of known behaviour: the verdict expected, and the one seen."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

SERVER = Path(__file__).with_name("server.py")

SCENARIO = """
format = 1
name = "known"
[target]
url = "http://127.0.0.1:{port}"
[load]
users = 20
ramp_up_s = 1
steady_s = {steady_s}
ramp_down_s = 1
timeout_s = 5
[pacing]
think = 0.3
[sla]
window_s = {steady_s}
[[operation]]
name = "Page"
limit_s = 0.2
step = [{{ get = "/", expect.contains = "served" }}]
"""

CASES: dict[str, tuple[list[str], int, str]] = {
    "healthy": ([], 8, "valid: SLA-1 met, SLA-2 met; exit 0"),
    "healthy, a second time": ([], 8, "valid: SLA-1 met, SLA-2 met; exit 0"),
    "healthy, sometimes 0.1 s late": (
        ["--slow", "0.3", "--slow-s", "0.1"],
        8,
        "valid: SLA-1 met, SLA-2 met; exit 0",
    ),
    "62 % answers 404": (["--failed", "0.62"], 8, "failed: SLA-1 missed, SLA-2 missed; exit 5"),
    "5 % of the answers 404": (["--failed", "0.05"], 8, "failed: SLA-2 missed; exit 5"),
    "5 % slow": (["--slow", "0.05"], 8, "valid: SLA-1 met, SLA-2 missed; exit 1"),
    "15 % slow": (["--slow", "0.15"], 8, "valid: SLA-1 missed, SLA-2 missed; exit 1"),
    "half of what its users ask for": (["--rate", "30"], 8, "valid: SLA-1 missed, SLA-2 missed; exit 1"),
}
"""Arguments of the server, seconds, and what `loadstone run --sla 2` should say; verdicts that are left out
may be any."""


def real() -> list[dict[str, Any]]:
    """Runs every case, one after the other."""
    found = []
    for name, (arguments, seconds, expected) in CASES.items():
        with subprocess.Popen(
            [sys.executable, str(SERVER), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as server:
            assert server.stdout is not None
            port = int(server.stdout.readline())
            try:
                row = _run(port, seconds)
            finally:
                server.terminate()
        found.append({"server": name, "expected": expected, **row})
        print(found[-1], flush=True)
    return found


def _run(port: int, seconds: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as place:
        scenario, out = Path(place) / "known.toml", Path(place) / "run"
        scenario.write_text(SCENARIO.format(port=port, steady_s=seconds))
        command = ["loadstone", "run", str(scenario), "--sla", "2", "--out", str(out)]
        code = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120).returncode
        record = json.loads((out / "run.json").read_text())
    goals = ", ".join(f"{name} {goal['verdict']}" for name, goal in record["goals"].items())
    ill = [
        f"{check['name']} {check['verdict']}"
        for check in record["validity"]["checks"]
        if check["required"] and check["verdict"] != "met"
    ]
    because = f" ({', '.join(ill)})" if ill else ""
    return {
        "seen": f"{record['validity']['state']}: {goals}; exit {code}{because}",
        "operations": sum(one["count"] for one in record["operations"].values()),
    }
