"""Faults in live servers: one bit turns in mid-traffic, and all answers are compared.

Each FOLDER is what `loadstone harden server NAME --mode MODE --into FOLDER` made. Each campaign is
`loadstone inject --server`; it works in FOLDER/injected, and OUT/NAME-MODE gets its record and every
injection. OUT/README.md is the table of all that are there. The same command goes on where it was ended.
A busy machine makes it slow; an answer may take a minute, so that waiting for a processor is no hang.

    .venv/bin/python bench/injection_servers.py --out OUT memcached-off memcached-ilr ... [--runs 500]

memcached with four threads and Redis get 300 commands; httpd, one worker process of four threads, gets the
files, listings and errors of a small site.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asked
from server_loads import httpd_settings

from loadstone.harden.servers import Built, built

LOADSTONE = Path(__file__).resolve().parents[1] / ".venv/bin/loadstone"
WORK = Path("injected")
"""In the folder of a server, from where it is started: so a record names no folder of one machine."""
_PATIENCE_S = 60
_HTTPD = """
ServerName localhost
UseCanonicalName On
Mutex pthread default
MaxKeepAliveRequests 0
KeepAliveTimeout 600
StartServers 1
ServerLimit 1
ThreadsPerChild 4
MaxRequestWorkers 4
MinSpareThreads 1
MaxSpareThreads 4
AsyncRequestWorkerFactor 8
"""
_PATHS = (
    "/", "/index.html", "/1k.txt", "/20k.bin", "/style.css?v=3", "/list/", "/list/7.txt", "/list/%C3%A9.txt",
    "/list", "/missing", "/list/../1k.txt", "/empty.txt",
)  # fmt: skip
_REQUESTS = 120


def main() -> None:
    """Injects, tells."""
    options = _options()
    for folder in options.folders:
        _campaign(folder, built(folder), options)
    found = [json.loads(each.read_text("utf-8")) for each in options.out.glob("*/inject.json")]
    text = markdown(sorted(found, key=_place))
    (options.out / "README.md").write_text(text)
    print(text)


def _options() -> argparse.Namespace:
    parser = asked.parser(__doc__)
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--out", type=asked.folder, required=True)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    for folder in options.folders:
        if built(folder).server not in _STARTED:
            parser.error(f"{folder} holds none of {', '.join(_STARTED)}")
    return options


def _campaign(folder: Path, made: Built, options: argparse.Namespace) -> None:
    name = f"{made.server} {made.mode}"
    words = [
        "inject", "--runs", options.runs, "--seed", options.seed, "--jobs", options.jobs,
        "--patience", _PATIENCE_S, "--out", WORK, "--name", name, *_STARTED[made.server](folder.absolute()),
    ]  # fmt: skip
    print(name, file=sys.stderr, flush=True)
    subprocess.run([LOADSTONE, *map(str, words)], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    kept = options.out / name.replace(" ", "-")
    kept.mkdir(exist_ok=True)
    for file in ("inject.json", "injections.ndjson"):
        shutil.copy(folder / WORK / file, kept / file)


def _place(one: dict[str, Any]) -> tuple[str, int]:
    """By server, native first."""
    server, mode = one["name"].split()
    return server, ("off", "ilr", "tmr", "tx").index(mode)


def _memcached(_folder: Path) -> list[str]:
    port = ["-p", "{port}", "-U", "0", "-l", "127.0.0.1"]
    return ["--server", "memcached", "install/bin/memcached", *port, "-u", "root", "-t", "4"]


def _redis(_folder: Path) -> list[str]:
    port = ["--port", "{port}", "--bind", "127.0.0.1"]
    return ["--server", "redis", "install/bin/redis-server", *port, "--save", ""]


def _httpd(folder: Path) -> list[str]:
    """Its settings and its site are made beside it."""
    install, site = folder / "install", folder / "site"
    _make_site(site)
    (install / "conf" / "inject.conf").write_text(httpd_settings(install, site) + _HTTPD)
    chance = random.Random("httpd")
    paths = [*_PATHS, *chance.choices(_PATHS, k=_REQUESTS - len(_PATHS))]
    (folder / "paths.txt").write_text("".join(f"{path}\n" for path in paths))
    own = ["-c", "Listen 127.0.0.1:{port}", "-c", "PidFile logs/{port}.pid"]
    return [
        "--server", "http", "--requests", "paths.txt",
        "install/bin/httpd", "-DFOREGROUND", "-d", "install", "-f", "conf/inject.conf", *own,
    ]  # fmt: skip


def _make_site(site: Path) -> None:
    """The same bytes and times each time: a listing shows them."""
    (site / "list").mkdir(parents=True, exist_ok=True)
    chance = random.Random("site")
    content = {
        "index.html": b"<!doctype html><title>small site</title><p>Read.</p>\n",
        "1k.txt": b"0123456789abcdef" * 64,
        "20k.bin": chance.randbytes(20480),
        "style.css": b"p { color: #333 }\n" * 40,
        "empty.txt": b"",
        "list/\u00e9.txt": "\u00e9\n".encode(),
    } | {f"list/{number}.txt": b"%d\n" % number * number for number in range(20)}
    for name, text in content.items():
        (site / name).write_bytes(text)
        os.utime(site / name, (1_790_000_000, 1_790_000_000))


_STARTED: dict[str, Callable[[Path], list[str]]] = {
    "memcached": _memcached, "redis": _redis, "httpd": _httpd,
}  # fmt: skip
"""By server: options of `loadstone inject`, the program and its arguments, as typed in its folder."""


def markdown(campaigns: list[dict[str, Any]]) -> str:
    """The table of all campaigns, and what made each."""
    outcomes = ("masked", "corrupt", "crash", "detected", "recovered", "hang")
    lines = [
        "# Flipped bits in live servers",
        "",
        f"| server | build | faults | missed | {' | '.join(outcomes)} |",
        "|---" * (4 + len(outcomes)) + "|",
    ]
    for one in campaigns:
        shares = {each["outcome"]: each for each in one["shares"]}
        server, mode = one["name"].split()
        cells = [_cell(shares[each], each == "corrupt") for each in outcomes]
        lines.append(f"| {server} | {mode} | {one['injected']} | {one['missed']} | {' | '.join(cells)} |")
    lines += [
        "",
        "In brackets: an interval of 95 %. By `bench/injection_servers.py`, each in its server's folder:",
        "",
    ]
    for one in campaigns:
        machine = one["machine"]
        command = " ".join(word if word and " " not in word else f'"{word}"' for word in one["command"])
        lines.append(
            f"- {one['name']}: `{command}`, {machine['cores']} cores of {machine['cpu']}, {one['started_at']}"
            f" to {one['ended_at']}."
        )
    return "\n".join(lines) + "\n"


def _cell(share: dict[str, float], spanned: bool) -> str:
    text = f"{100 * share['share']:.2f} %"
    return f"{text} ({100 * share['low']:.2f}\u2013{100 * share['high']:.2f})" if spanned else text


if __name__ == "__main__":
    main()
