"""What a call of a function in Python costs: on users who make one between two requests, and at most.

A server of one page and the generator run on a core each. Three scenarios of two requests: without a call,
with one of a function that returns its argument, and with one that signs it (HMAC-SHA256). CPU time is the
kernel's, of the whole process of `loadstone run`, over its operations; what a scenario needs more than the
first is what a call costs in all. `most` is a run of users without pauses: the calls a second of one process.

    python bench/hooks.py [--rate 1000] [--seconds 20] [--rounds 3] [--users 16]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import asked
from engine import page_server

FUNCTIONS = """import hashlib
import hmac


def same(text):
    return {"mark": text}


def signed(text):
    return {"mark": hmac.new(b"c0ffee-for-a-bench", text.encode(), hashlib.sha256).hexdigest()}
"""
SCENARIO = """format = 1
name = "hooks"
[target]
url = "{url}"
[load]
{load}
ramp_up_s = {ramp_up_s}
steady_s = {seconds}
ramp_down_s = 0
{pacing}
[[operation]]
name = "Page"
limit_s = 1
step = [{{ get = "/" }}{call}, {{ get = "/" }}]
"""
CALL = ', {{ call = "functions.py:{name}", arguments = {{ text = "{{user}}" }}, returns = "mark" }}'


def measured(folder: Path, scenario: str) -> tuple[dict[str, Any], float]:
    """The record of a run, and the CPU seconds of its process."""
    (folder / "functions.py").write_text(FUNCTIONS, encoding="utf-8")
    (folder / "scenario.toml").write_text(scenario, encoding="utf-8")
    out = Path(tempfile.mkdtemp(dir=folder)) / "run"
    command = [
        str(Path(sys.executable).with_name("loadstone")),
        "run",
        str(folder / "scenario.toml"),
        "--out",
        str(out),
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.sched_setaffinity(process.pid, {max(os.sched_getaffinity(0))})
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return json.loads((out / "run.json").read_text("utf-8")), usage.ru_utime + usage.ru_stime


def row(folder: Path, url: str, name: str | None, options: argparse.Namespace) -> dict[str, float]:
    """One run at a rate: CPU of an operation in all, and what the record says of calls."""
    call = CALL.format(name=name) if name else ""
    load = f"requests_per_s = {options.rate}\nconnections = 64"
    text = SCENARIO.format(url=url, load=load, ramp_up_s=1, seconds=options.seconds, pacing="", call=call)
    result, cpu_s = measured(folder, text)
    operations = result["operations"]["Page"]["ok"] * (options.seconds + 1) / options.seconds
    found = {"cpu_us": 1e6 * cpu_s / operations, "ok": result["operations"]["Page"]["ok"]}
    for hook in result["hooks"]:
        found |= {"call_cpu_us": hook["cpu_us_mean"], "p50_us": 1000 * hook["ms"]["p50"]}
        found |= {"p99_us": 1000 * hook["ms"]["p99"], "wait_p50_us": 1000 * hook["wait_ms"]["p50"]}
        found |= {"wait_p99_us": 1000 * hook["wait_ms"]["p99"], "share": hook["cpu_share"]}
    return found


def most(folder: Path, url: str, name: str, options: argparse.Namespace) -> dict[str, float]:
    """Users without pauses: calls a second, and whether the run says that they were the bottleneck."""
    text = SCENARIO.format(
        url=url,
        load=f"users = {options.users}",
        ramp_up_s=0,
        seconds=options.seconds,
        pacing="[pacing]\nthink = 0",
        call=CALL.format(name=name) * 20,
    )
    result, _ = measured(folder, text)
    [hook] = result["hooks"]
    [check] = [one for one in result["validity"]["checks"] if one["name"] == "hooks"]
    return {
        "calls_per_s": hook["returned"] / options.seconds,
        "call_cpu_us": hook["cpu_us_mean"],
        "share": hook["cpu_share"],
        "missed": float(check["verdict"] == "missed"),
    }


def main() -> None:
    """Prints a table of medians; the raw figures as JSON on request."""
    parser = asked.parser(__doc__)
    parser.add_argument("--rate", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--users", type=int, default=16)
    parser.add_argument("--json", action="store_true", help="print every figure")
    options = parser.parse_args()
    raw: dict[str, list[dict[str, float]]] = {}
    with page_server(core=0) as url, tempfile.TemporaryDirectory() as name:
        for _ in range(options.rounds):
            for function in (None, "same", "signed"):
                found = row(Path(name), url.rstrip("/"), function, options)
                raw.setdefault(function or "none", []).append(found)
            for function in ("same", "signed"):
                raw.setdefault(f"most {function}", []).append(
                    most(Path(name), url.rstrip("/"), function, options)
                )
    if options.json:
        print(json.dumps(raw, indent=1))
    for what, rounds in raw.items():
        medians = {key: statistics.median(one[key] for one in rounds) for key in rounds[0]}
        print(f"{what:12}", *(f"{key} {value:.4g}" for key, value in medians.items()))


if __name__ == "__main__":
    main()
