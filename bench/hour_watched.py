"""An hour's run, watched on its page in a real browser the whole time.

The built-in Olio is served, `loadstone run olio --ui` drives it, and Chromium has its page open. Once a
minute the script takes what the command, the page's server and the page itself hold in memory, and every
line that the browser's console said. At the end it takes pictures, for a desk and for a phone.

    python bench/hour_watched.py --out FOLDER [--users 100] [--seconds 3600]

In FOLDER: `samples.csv`, `summary.json`, `desk.png` and `phone.png`; the run itself is in FOLDER/runs, and
is not kept.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
from accounting import resident_bytes

ROOT = Path(__file__).parents[1]
LOADSTONE = ROOT / ".venv/bin/loadstone"
MIB = 1 << 20
sys.path.insert(0, str(ROOT / "tests" / "fakes"))
from chromium import chromium  # noqa: E402  (of the tests)

PAGE = """
    const held = performance.memory ? performance.memory.usedJSHeapSize : 0;
    return [held, document.getElementsByTagName('*').length, document.body.innerText.length]"""


def main() -> None:
    """Runs, watches, writes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--users", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=3600)
    options = parser.parse_args()
    options.out.mkdir(parents=True)
    with serving_olio(options.users) as url:
        watched(options, url)


@contextlib.contextmanager
def serving_olio(users: int) -> Iterator[str]:
    """The built-in site with ten accounts a user; its URL."""
    accounts = max(1000, 10 * users)
    words = [LOADSTONE, "serve", "olio", "--accounts", str(accounts), "--port", "0", "--rules", "benchmark"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as site:
        assert site.stdout
        addresses = (re.search(r"http://[^ ,;]+", line) for line in site.stdout)
        found = next((one for one in addresses if one), None)
        if not found:
            raise SystemExit("the site did not start")
        try:
            yield found[0].rstrip("/")
        finally:
            site.terminate()


def watched(options: argparse.Namespace, url: str) -> None:
    """The run with its page, sampled once a minute."""
    words = [LOADSTONE, "run", "olio", "--users", str(options.users), "--ui", "--out", "runs/hour"]
    settings = ["--set", f"target.url={url}", "--set", f"load.steady_s={options.seconds}"]
    said = options.out / "said.log"
    with said.open("w") as log, chromium() as browser:
        run = subprocess.Popen([*words, *settings], stdout=log, stderr=log, cwd=options.out)
        address = page_of(said, run)
        browser.set_window_size(1200, 900)
        browser.get(address)
        lines: list[str] = []
        with (options.out / "samples.csv").open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(
                ["second", "run_mib", "page_server_mib", "page_heap_mib", "elements", "console_lines"]
            )
            begun = time.monotonic()
            while run.poll() is None:
                heap, elements, _ = browser.execute_script(PAGE)
                lines += [line["message"] for line in browser.get_log("browser")]
                browser.get_log("performance")
                server = sum(resident_bytes(pid) for pid in beside(run.pid))
                rows.writerow(
                    [
                        round(time.monotonic() - begun),
                        *(round(one / MIB, 1) for one in (resident_bytes(run.pid), server, heap)),
                        elements,
                        len(lines),
                    ]
                )
                file.flush()
                time.sleep(min(60, options.seconds / 20))
        time.sleep(5)
        pictures(browser, options.out)
        lines += [line["message"] for line in browser.get_log("browser")]
    summary = {"exit_code": run.returncode, "console": lines, "load_average": os.getloadavg()}
    (options.out / "summary.json").write_text(json.dumps(summary, indent=1) + "\n")


def page_of(said: Path, run: subprocess.Popen[bytes]) -> str:
    """The page's address, as soon as the command says it."""
    while run.poll() is None:
        if found := re.search(r"http://127\.0\.0\.1:\d+/\S+", said.read_text()):
            return found[0]
        time.sleep(0.2)
    raise SystemExit(f"the run ended with {run.returncode}: {said.read_text()[-500:]}")


def beside(pid: int) -> list[int]:
    """Processes that serve the page of a run and end after it."""
    found = psutil.process_iter(["cmdline"])
    return [one.pid for one in found if f"--beside={pid}" in (one.info["cmdline"] or [])]


def pictures(browser: Any, out: Path) -> None:
    """The page as it ends, for a desk and for a phone."""
    for name, width in (("desk", 1200), ("phone", 390)):
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        time.sleep(1)
        browser.save_screenshot(str(out / f"{name}.png"))


if __name__ == "__main__":
    main()
