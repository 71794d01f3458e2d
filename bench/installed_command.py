"""The installed command beside its peers on three pages by a matrix: CPU time per request, in one run.

nginx serves three pages of 1 KB on one core; each generator runs on the other with as many connections and no
pauses. `loadstone run`, k6 and Locust walk the matrix of `loads/` user by user and check each answer. wrk
does so in Lua, all connections by one walk, and once more without it, on the first page. oha and vegeta ask
for the pages in the matrix's shares, ab for the first; these check nothing. Requests are counted by nginx,
CPU time by the kernel for the whole process, from its start to its end: reports are in it. Peers that are not
there are left out; `scripts/setup-peers generators` installs them.

    python bench/installed_command.py [--seconds 20] [--rounds 3] [--connections 64]
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

import asked
from engine import LOADS, NGINX, ROOT, compared, found, keep, measure_rounds, nginx_on

PAGES = {"home": "index.html", "list": "list.html", "item": "item.html"}
SHARES = {"": 0.2329, "list.html": 0.4795, "item.html": 0.2876}
"""Of the matrix in the long run, by path."""
LOCUST = ROOT / "target" / "locust" / "bin" / "locust"


def pages() -> dict[str, bytes]:
    """The three pages, of 1,000 bytes each."""
    return {
        file: f"<!doctype html><title>{name}</title><p>".encode().ljust(1000, b"x")
        for name, file in PAGES.items()
    }


def in_shares(url: str, count: int) -> list[str]:
    """URLs of the pages in the matrix's shares, shuffled."""
    drawn = [f"{url}{path}" for path, share in SHARES.items() for _ in range(round(count * share))]
    random.Random(1).shuffle(drawn)
    return drawn


def commands(url: str, options: argparse.Namespace, folder: Path) -> dict[str, list[str]]:
    """Command line of each generator that is there."""
    seconds, connections = str(options.seconds), str(options.connections)
    urls = in_shares(url, 1000)
    (folder / "urls").write_text("\n".join(urls) + "\n")
    (folder / "targets").write_text("".join(f"GET {one}\n\n" for one in urls))
    loadstone = Path(sys.executable).with_name("loadstone")
    # A folder of results is used once: the shell makes a new one for each run. Users without pauses bring the
    # generator to its limit, as they are to: the run says so of itself, by 7.
    run = f'"{loadstone}" run "{LOADS}/matrix.toml" --url {url.rstrip("/")} --users {connections}'
    shell = f'{run} --window {seconds} --out "$(mktemp -d "{folder}/XXXXXX")/run" || [ $? = 7 ]'
    wrk = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s"]
    all_of_them = {
        "loadstone run": ["sh", "-c", shell],
        "wrk, one page": [*wrk, url],
        "wrk, matrix.lua": [*wrk, "-s", f"{LOADS}/matrix.lua", url],
        "ab, one page": ["ab", "-q", "-k", f"-c{connections}", f"-t{seconds}", "-n100000000", url],
    }
    if oha := found("oha"):
        words = ["--no-tui", "-z", f"{seconds}s", "-c", connections, "--urls-from-file", f"{folder}/urls"]
        all_of_them["oha"] = [oha, *words]
    if vegeta := found("vegeta"):
        words = ["-workers", connections, "-max-workers", connections, "-duration", f"{seconds}s"]
        files = [f"-targets={folder}/targets", f"-output={folder}/vegeta.bin"]
        all_of_them["vegeta"] = [vegeta, "attack", "-rate=0", *words, *files]
    if k6 := found("k6"):
        words = ["-e", f"SECONDS={seconds}", "-e", f"URL={url.rstrip('/')}", "--vus", connections]
        all_of_them["k6"] = [k6, "run", "--quiet", *words, f"{LOADS}/matrix.js"]
    if LOCUST.exists():
        words = ["--headless", "--only-summary", "-u", connections, "-r", connections, "-t", f"{seconds}s"]
        all_of_them["Locust"] = [str(LOCUST), "-f", f"{LOADS}/matrix.py", "--host", url.rstrip("/"), *words]
    return all_of_them


def main() -> None:
    """Runs all rounds, prints the table, keeps the raw figures under bench/runs/."""
    options = asked.numbers(__doc__, seconds=20, rounds=3)
    with nginx_on(0, NGINX, ("port",), pages=pages()) as ports, tempfile.TemporaryDirectory() as name:
        url = f"http://127.0.0.1:{ports['port']}/"
        rounds = measure_rounds(commands(url, options, Path(name)), url, options.rounds)
    summary = compared(rounds, "wrk", lambda _: "wrk, one page")
    keep("installed-command", asked.command("bench/installed_command.py", options), rounds, summary)


if __name__ == "__main__":
    main()
