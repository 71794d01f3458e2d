"""The engine at a fixed rate beside oha and vegeta: CPU time per request on one static page, in one run.

nginx serves a 166-byte page from a private folder on one core, each generator runs on the other, in turn.
Requests are counted by nginx, CPU time by the kernel for the generator's whole process. Peers that are not
there are left out; `scripts/setup-peers generators` installs them.

    python bench/fixed_rate.py [--rate 2000] [--seconds 10] [--rounds 5] [--connections 64]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asked
from engine import compared, found, generators, keep, measure_rounds, page_server

SCENARIO = """format = 1
name = "fixed-rate"
[target]
url = "{url}"
[load]
requests_per_s = {rate}
connections = {connections}
ramp_up_s = 1
steady_s = {seconds}
ramp_down_s = 0
[[operation]]
name = "Page"
limit_s = 1
step = [{{ get = "/" }}]
"""


@contextmanager
def commands(url: str, options: argparse.Namespace) -> Iterator[dict[str, list[str]]]:
    """Command line of each generator; the engine is built first."""
    rate, seconds, connections = str(options.rate), str(options.seconds), str(options.connections)
    engine = generators(url, options.seconds, options.connections)["loadstone"]
    made = {"engine": [*engine, rate]}
    with tempfile.TemporaryDirectory() as name:
        scenario = Path(name) / "scenario.toml"
        text = SCENARIO.format(url=url.rstrip("/"), rate=rate, seconds=seconds, connections=connections)
        scenario.write_text(text, encoding="utf-8")
        loadstone = Path(sys.executable).with_name("loadstone")
        # A folder is used once: the shell makes a new one for each run.
        run = f'exec "{loadstone}" run "{scenario}" --out "$(mktemp -d "{name}/XXXXXX")/run"'
        made["loadstone run"] = ["sh", "-c", run]
        if oha := found("oha"):
            made["oha"] = [oha, "--no-tui", "-q", rate, "-z", f"{seconds}s", "-c", connections, url]
        if vegeta := found("vegeta"):
            attack = f'echo "GET {url}" | "{vegeta}" attack -rate {rate} -duration {seconds}s'
            made["vegeta"] = ["sh", "-c", f"{attack} -workers {connections} -output {name}/vegeta.bin"]
        yield made


def main() -> None:
    """Runs all rounds, prints the table, keeps the raw figures under bench/runs/."""
    options = asked.numbers(__doc__, rate=2000, seconds=10)
    with page_server(core=0) as url, commands(url, options) as made:
        rounds = measure_rounds(made, url, options.rounds)
    summary = compared(rounds, "oha", lambda _: "oha")
    keep("fixed-rate", asked.command("bench/fixed_rate.py", options), rounds, summary)


if __name__ == "__main__":
    main()
