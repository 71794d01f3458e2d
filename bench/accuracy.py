"""What the generator tells of a server whose delays are known, by each way to load it and each protocol.

The server of `delays.py` holds answers for 2, 20 and 80 ms and writes down for how long it did. Per row, what
`loadstone run` tells of the three operations is compared with that: the error is the time told less the time
held, and has the way there and back in it, and for HTTP/2 the nginx before the server. Server and generator
run on a core each.

    python bench/accuracy.py [--seconds 20] [--only users]
"""

from __future__ import annotations

import json
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asked
import kept
from engine import LOADS, free_port, nginx_on, wait_for
from protocols import SIGN

import loadstone

LOADED = {
    "users": "",
    "sessions at a rate": "load.sessions_per_s=30",
    "requests at a rate": "load.requests_per_s=200 load.connections=64",
}
"""What each way to load changes in the scenario."""
PROTOCOLS = ("http", "https", "h2", "h2c", "unix", "websocket")
OPERATIONS = {"Two": "2", "Twenty": "20", "Eighty": "80"}
NGINX = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
  access_log off; keepalive_requests 100000000;
  ssl_certificate {folder}/certificate.pem; ssl_certificate_key {folder}/key.pem;
  upstream delays {{ server 127.0.0.1:BEHIND; keepalive 256; }}
  proxy_http_version 1.1; proxy_set_header Connection "";
  server {{ listen 127.0.0.1:{h2} ssl http2; location / {{ proxy_pass http://delays; }} }}
  server {{ listen 127.0.0.1:{h2c} http2; location / {{ proxy_pass http://delays; }} }}
}}
"""
Errors = dict[str, float]
"""Milliseconds by figure."""


@contextmanager
def servers(folder: Path) -> Iterator[dict[str, str]]:
    """All of them on the first core; yields the URL of each protocol."""
    subprocess.run(SIGN.split(), cwd=folder, check=True, capture_output=True)
    plain, tls, websocket = free_port(), free_port(), free_port()
    words = [plain, tls, websocket, folder / "socket", folder / "certificate.pem", folder / "key.pem"]
    program = [sys.executable, str(Path(__file__).parent / "delays.py"), *map(str, words)]
    with subprocess.Popen(["taskset", "-c", "0", *program]) as server:
        try:
            wait_for(websocket)
            with nginx_on(0, NGINX.replace("BEHIND", str(plain)), ("h2", "h2c"), SIGN) as ports:
                yield {
                    "http": f"http://127.0.0.1:{plain}",
                    "https": f"https://127.0.0.1:{tls}",
                    "h2": f"https://127.0.0.1:{ports['h2']}",
                    "h2c": f"http://127.0.0.1:{ports['h2c']}",
                    "unix": f"unix:{folder}/socket",
                    "websocket": f"http://127.0.0.1:{websocket}",
                }
        finally:
            server.terminate()


def held(plain: str) -> dict[str, list[float]]:
    """Milliseconds for which the server held answers since it was asked last, by those asked for."""
    with urllib.request.urlopen(f"{plain}/told") as answer:
        return {asked: [1000 * one for one in times] for asked, times in json.load(answer).items()}


def measured(protocol: str, url: str, loaded: str, seconds: int, folder: Path) -> loadstone.Results:
    """A run of the installed command on the second core."""
    scenario = LOADS / ("delays-ws.toml" if protocol == "websocket" else "delays.toml")
    sets = [f"target.url={json.dumps(url)}", *shlex.split(LOADED[loaded])]
    if url.startswith("https"):
        sets.append("target.tls.insecure=true")
    if protocol.startswith("h2"):
        sets.append('target.http="2"')
    command = ["taskset", "-c", "1", str(Path(sys.executable).with_name("loadstone")), "run", str(scenario)]
    command += [word for one in sets for word in ("--set", one)]
    out = folder / f"{loaded}-{protocol}".replace(" ", "-")
    done = subprocess.run([*command, "--window", str(seconds), "--out", str(out)], stdout=subprocess.DEVNULL)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}")
    return loadstone.open(out)


def compared(results: loadstone.Results, truth: dict[str, list[float]]) -> dict[str, Errors]:
    """By operation: errors of the mean, p50, p90 and p99, in milliseconds, and the number of requests."""
    run = results.run
    assert run is not None
    rows = {}
    for operation, asked_ms in OPERATIONS.items():
        told, times = run.operations[operation], truth[asked_ms]
        cuts = statistics.quantiles(times, n=100, method="inclusive")
        known = {"mean": statistics.fmean(times), "p50": cuts[49], "p90": cuts[89], "p99": cuts[98]}
        figures: dict[str, Any] = {name: getattr(told.response_ms, name) for name in known}
        rows[operation] = {f"{name}_ms": figures[name] - value for name, value in known.items()}
        rows[operation] |= {"requests": told.count, "failed": told.count - told.ok}
        rows[operation] |= {f"held_{name}_ms": value for name, value in known.items()}
    return rows


def line(loaded: str, protocol: str, rows: dict[str, Errors]) -> str:
    """A row of the table: the range of each error over the operations, in microseconds."""
    ranges = []
    for figure in ("mean_ms", "p50_ms", "p90_ms", "p99_ms"):
        errors = [1000 * row[figure] for row in rows.values()]
        ranges.append(f"{min(errors):.0f} to {max(errors):.0f}")
    count, failed = (sum(row[name] for row in rows.values()) for name in ("requests", "failed"))
    return f"| {loaded} | {protocol} | {count:,.0f} | {failed:.0f} | {' | '.join(ranges)} |"


def main() -> None:
    """Every pair that there is, a table, and the figures under bench/runs/."""
    parser = asked.parser(__doc__)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--only", choices=LOADED)
    options = parser.parse_args()
    record: dict[str, Any] = kept.head(f"python bench/accuracy.py --seconds {options.seconds}")
    record["errors"] = rows = []
    with tempfile.TemporaryDirectory() as name, servers(Path(name)) as urls:
        print("| load | protocol | requests | failed | error of the mean, µs | of p50 | of p90 | of p99 |")
        print("|---|---|---|---|---|---|---|---|", flush=True)
        for loaded in [options.only] if options.only else LOADED:
            for protocol in PROTOCOLS:
                if (loaded, protocol) == ("requests at a rate", "websocket"):
                    continue  # A WebSocket is a session's.
                held(urls["http"])
                results = measured(protocol, urls[protocol], loaded, options.seconds, Path(name))
                time.sleep(0.2)
                errors = compared(results, held(urls["http"]))
                rows.append({"load": loaded, "protocol": protocol, "operations": errors})
                print(line(loaded, protocol, errors), flush=True)
    (kept.folder() / "accuracy.json").write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
