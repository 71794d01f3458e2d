"""How `bench/hardened_servers.py` starts each server, and what loads it.

memcached and Redis: YCSB's workloads A (half of the requests are updates) and B (one in twenty), by
`ycsb.c`, which compares every answer; Redis also by redis-benchmark, one request at a time and 32 at once.
httpd: static files and a page of PHP (php-fpm, Debian's own, behind mod_proxy_fcgi), by the load engine.
container: pages of Olio, each made from its database, and a static file of its, by the load engine.
"""

from __future__ import annotations

import contextlib
import csv
import functools
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from loadstone import _core

Loaded = dict[str, float]
"""requests, requests_per_s, response_ms (mean)"""
PHP_FPM = "/usr/sbin/php-fpm8.2"
_SECONDS = 2.5
"""Of a load on httpd; those on the others have a number of requests that takes about as long."""
_SHORTEST_S = 0.5


@dataclass(frozen=True)
class Load:
    """One load. group: what is judged together. drive: takes the port and the share of the usual requests."""

    name: str
    group: str
    drive: Callable[[int, float], Loaded]


@dataclass(frozen=True)
class Kind:
    """A server. start: its command, and those of programs that it needs beside; fill: brings the data."""

    program: str
    start: Callable[[Path, int, Path], list[list[str]]]
    fill: Callable[[int], None]
    loads: tuple[Load, ...]
    targets: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """By group: the least native ÷ variant CPU time a request, of ILR and of TMR."""


def _start_memcached(install: Path, port: int, _scratch: Path) -> list[list[str]]:
    words = ["-l", "127.0.0.1", "-p", str(port), "-U", "0", "-u", "root", "-t", "4", "-m", "256"]
    return [[str(install / "bin" / "memcached"), *words]]


def _start_redis(install: Path, port: int, scratch: Path) -> list[list[str]]:
    words = ["--bind", "127.0.0.1", "--port", str(port), "--save", "", "--dir", str(scratch)]
    return [[str(install / "bin" / "redis-server"), *words]]


_PAGE = """<?php
header('Content-Type: text/html; charset=utf-8');
echo "<!doctype html><title>items</title><ul>\\n";
for ($number = 0; $number < 100; $number++)
    echo '<li>', htmlspecialchars("item $number & its neighbours"), ' ', md5((string) $number), "</li>\\n";
echo "</ul>\\n";
"""
_HTTPD = """
ServerName localhost
PidFile {scratch}/pid
ErrorLog {scratch}/log
MaxKeepAliveRequests 0
StartServers 2
ServerLimit 2
ThreadsPerChild 32
MaxRequestWorkers 64
MinSpareThreads 1
MaxSpareThreads 64
<IfModule !proxy_module>
LoadModule proxy_module modules/mod_proxy.so
</IfModule>
<IfModule !proxy_fcgi_module>
LoadModule proxy_fcgi_module modules/mod_proxy_fcgi.so
</IfModule>
<FilesMatch "\\.php$">
SetHandler "proxy:unix:{scratch}/php.sock|fcgi://localhost/"
</FilesMatch>
"""
_FPM = """[global]
daemonize = no
error_log = {scratch}/php.log
[www]
user = root
listen = {scratch}/php.sock
listen.mode = 0666
pm = static
pm.max_children = 2
"""


def httpd_settings(install: Path, site: Path) -> str:
    """What httpd was installed with, for the files of `site`, without a user and a port."""
    text = (install / "conf" / "httpd.conf").read_text()
    text = re.sub(r"^(User|Group|Listen) .*$", "", text, flags=re.M)
    return text.replace(str(install.absolute() / "htdocs"), str(site.absolute()))


def _start_httpd(install: Path, port: int, scratch: Path) -> list[list[str]]:
    scratch.chmod(0o755)
    (scratch / "site").mkdir()
    (scratch / "site" / "1k.bin").write_bytes(b"x" * 1024)
    (scratch / "site" / "20k.bin").write_bytes(b"x" * 20480)
    (scratch / "site" / "page.php").write_text(_PAGE)
    text = httpd_settings(install, scratch / "site") + f"\nListen 127.0.0.1:{port}\n"
    (scratch / "httpd.conf").write_text(text + _HTTPD.format(scratch=scratch))
    (scratch / "fpm.conf").write_text(_FPM.format(scratch=scratch))
    httpd = [str(install / "bin" / "httpd"), "-DFOREGROUND", "-f", str(scratch / "httpd.conf")]
    if not Path(PHP_FPM).is_file():
        raise SystemExit(f"there is no {PHP_FPM}: apt-get install php8.2-fpm")
    return [httpd, [PHP_FPM, "--allow-to-run-as-root", "--fpm-config", str(scratch / "fpm.conf")]]


_OLIO_ACCOUNTS = 400


@functools.cache
def _olio() -> Path:
    """A data set, made once; a server writes nothing to it but what its pages do."""
    folder = Path(tempfile.mkdtemp(prefix="olio-")) / "data"
    words = ["--accounts", str(_OLIO_ACCOUNTS), "--media-scale", "0.01", "--out", str(folder)]
    subprocess.run([sys.executable, "-m", "loadstone", "olio", "load", *words], check=True, timeout=600)
    return folder


def _start_container(install: Path, port: int, scratch: Path) -> list[list[str]]:
    shutil.copytree(_olio(), scratch / "data")
    words = ["app=olio", f"folder={scratch / 'data'}", "connector=hybrid", f"port={port}"]
    return [[str(install / "bin" / "loadstone-container"), *words]]


def _fill_container(port: int) -> None:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as page:
        if b"/events/" not in page.read():
            raise SystemExit("container: Olio's home page has no event")


@functools.cache
def _ycsb() -> str:
    """The program, built once."""
    program = Path(tempfile.mkdtemp(prefix="ycsb-")) / "ycsb"
    source = Path(__file__).with_name("ycsb.c")
    subprocess.run(["cc", "-O2", "-pthread", source, "-o", program, "-lm"], check=True)
    return str(program)


def _filled(store: str) -> Callable[[int], None]:
    def fill(port: int) -> None:
        subprocess.run([_ycsb(), store, str(port), "fill"], check=True, timeout=120)

    return fill


def _records(
    store: str, connections: int, updates: float, requests: int, at_once: int = 1
) -> Callable[[int, float], Loaded]:
    def drive(port: int, share: float) -> Loaded:
        words = [_ycsb(), store, port, connections, int(requests * share), updates, at_once]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600)
        if done.returncode:
            raise SystemExit(f"{store}: {done.stderr.strip()}")
        found: Loaded = json.loads(done.stdout)
        return found

    return drive


def _fill_redis(port: int) -> None:
    _filled("redis")(port)
    words = ["redis-cli", "-p", str(port), "rpush", "list", *["xxx"] * 100]
    subprocess.run(words, check=True, capture_output=True, timeout=60)


def _fill_httpd(port: int) -> None:
    """PHP may start more slowly than httpd: until its page is there."""
    for _ in range(200):
        with (
            contextlib.suppress(OSError),
            urllib.request.urlopen(f"http://127.0.0.1:{port}/page.php") as page,
        ):
            if b"item 99 &amp; its neighbours" in page.read():
                return
        time.sleep(0.1)
    raise SystemExit("httpd: the page of PHP is not there")


def _benchmark(requests: int, *words: str) -> Callable[[int, float], Loaded]:
    """redis-benchmark; `requests` of each of its tests."""

    def drive(port: int, share: float) -> Loaded:
        each = max(1000, int(requests * share))
        command = ["redis-benchmark", "-p", str(port), "-n", str(each), "--csv", *words]
        said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600).stdout
        rows = list(csv.DictReader(said.splitlines()))
        return {
            "requests": each * len(rows),
            "requests_per_s": statistics.harmonic_mean(float(row["rps"]) for row in rows),
            "response_ms": statistics.fmean(float(row["avg_latency_ms"]) for row in rows),
        }

    return drive


def _pages(path: str, connections: int) -> Callable[[int, float], Loaded]:
    """The load engine, as many requests as go."""

    def drive(port: int, share: float) -> Loaded:
        seconds = max(_SHORTEST_S, _SECONDS * share)
        run = _core.Run(json.dumps(_plan(port, path, connections, seconds)))
        requests = failed = 0
        while (summary := run.summary()) is None:
            if window := run.next(0.2):
                requests += window["requests"]
                failed += sum(sum(each["failed"]) for each in window["operations"])
        if failed or not requests:
            raise SystemExit(f"{failed} of {requests} requests for {path} failed: {summary}")
        return {
            "requests": requests,
            "requests_per_s": requests / seconds,
            # Nobody pauses: so many requests are always under way (Little's law).
            "response_ms": 1000 * connections * seconds / requests,
        }

    return drive


def _plan(port: int, path: str, connections: int, seconds: float) -> dict[str, object]:
    authority = f"127.0.0.1:{port}"
    return {
        "name": "pages", "seed": 1,
        "target": {"host": "127.0.0.1", "port": port, "authority": authority, "base_path": "", "tls": None},
        "load": {
            "users": connections, "ramp_up_s": 0, "steady_s": seconds, "ramp_down_s": 0, "timeout_s": 20,
            "threads": 1,
        },
        "slice": {"index": 0, "of": 1},
        "pacing": {"kind": "think", "law": {"kind": "fixed", "value_s": 0}},
        "session": {"first": "page"},
        "browser": {"warm_share": 0, "revalidate": False, "cached": [], "user_agent": ""},
        "operations": [{"name": "page", "limit_s": 1, "steps": [{"method": "GET", "path": path}]}],
        "mix": {"page": {"page": 1}},
    }  # fmt: skip


def _a_and_b(store: str, group: str, counts: Mapping[int, int]) -> list[Load]:
    """YCSB's A and B; `counts`: requests by the number of connections."""
    return [
        Load(f"YCSB {mix} × {users}", group, _records(store, users, updates, requests))
        for mix, updates in (("A", 0.5), ("B", 0.05))
        for users, requests in counts.items()
    ]


KINDS = {
    "memcached": Kind(
        "memcached", _start_memcached, _filled("memcached"),
        (
            *_a_and_b("memcached", "one at a time", {1: 60_000, 4: 200_000, 16: 200_000}),
            Load("YCSB B × 4, 50 at once", "50 at once", _records("memcached", 4, 0.05, 1_600_000, 50)),
        ),
        {"one at a time": (0.93, 0.90)},
    ),
    "redis": Kind(
        "redis-server", _start_redis, _fill_redis,
        (
            Load("get, set × 1", "P1", _benchmark(30_000, "-t", "get,set", "-c", "1")),
            Load("get, set × 8", "P1", _benchmark(80_000, "-t", "get,set", "-c", "8")),
            Load("get, set × 50", "P1", _benchmark(100_000, "-t", "get,set", "-c", "50")),
            Load("get, set × 50, 32 at once", "P32", _benchmark(1_000_000, "-t", "get,set", "-P", "32")),
            Load("lrange of 100 × 50", "lrange", _benchmark(60_000, "LRANGE", "list", "0", "99")),
            *_a_and_b("redis", "YCSB", {8: 80_000}),
        ),
        {"P1": (0.95, 0.93), "P32": (0.68, 0.58)},
    ),
    "httpd": Kind(
        "httpd", _start_httpd, _fill_httpd,
        (
            *(Load(f"1 KB × {users}", "static", _pages("/1k.bin", users)) for users in (1, 8, 32)),
            Load("20 KB × 32", "static", _pages("/20k.bin", 32)),
            Load("PHP × 8", "PHP", _pages("/page.php", 8)),
        ),
        {"static": (0.90, 0.85)},
    ),
    "container": Kind(
        "loadstone-container", _start_container, _fill_container,
        (
            *(Load(f"home × {users}", "Olio", _pages("/", users)) for users in (1, 8)),
            Load("event × 8", "Olio", _pages("/events/1", 8)),
            Load("person × 8", "Olio", _pages("/users/1", 8)),
            Load("static × 8", "static", _pages("/static/style.css", 8)),
        ),
    ),
}  # fmt: skip
"""How each server is started, and its loads: a name, with the number of connections, and what makes it."""
