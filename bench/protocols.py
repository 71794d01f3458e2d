"""TLS and HTTP/2 beside h2load and wrk: CPU time per request on one static page, interleaved, in one run.

nginx serves a 166-byte page on one core by HTTP/1.1 and HTTP/2, with TLS and without; each generator runs on
the other core, on as many connections, one request at a time on each. Requests are counted by nginx, CPU time
by the kernel for the generator's whole process, handshakes included.

    python bench/protocols.py [--seconds 5] [--rounds 5] [--connections 64]
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine import PAGE, Round, flatout, free_port, keep, measure_rounds, medians, wait_for

NGINX = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
  access_log off; keepalive_requests 100000000; keepalive_timeout 300; default_type text/html;
  open_file_cache max=100 inactive=60s; root {folder}/site;
  ssl_certificate {folder}/certificate.pem; ssl_certificate_key {folder}/key.pem;
  server {{ listen 127.0.0.1:{http} backlog=4096; location = /count {{ stub_status; }} }}
  server {{ listen 127.0.0.1:{https} ssl backlog=4096; }}
  server {{ listen 127.0.0.1:{h2} ssl http2 backlog=4096; }}
  server {{ listen 127.0.0.1:{h2c} http2 backlog=4096; }}
}}
"""
PROTOCOLS = ("http", "https", "h2", "h2c")
SIGN = (
    "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    " -keyout key.pem -out certificate.pem"
)


@contextmanager
def page_server(core: int) -> Iterator[dict[str, int]]:
    """nginx on one core; yields its port for each protocol."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "site").mkdir()
        (folder / "site" / "index.html").write_bytes(PAGE)
        os.chmod(folder, 0o755)
        subprocess.run(SIGN.split(), cwd=folder, check=True, capture_output=True)
        ports = {protocol: free_port() for protocol in PROTOCOLS}
        (folder / "nginx.conf").write_text(NGINX.format(folder=folder, **ports))
        nginx = shutil.which("nginx") or "/usr/sbin/nginx"
        command = ["taskset", "-c", str(core), nginx, "-c", f"{folder}/nginx.conf", "-p", name]
        server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            for port in ports.values():
                wait_for(port)
            yield ports
        finally:
            server.terminate()
            server.wait()


def generators(ports: dict[str, int], seconds: int, connections: int) -> dict[str, list[str]]:
    """Command line of each generator for each protocol, whose name comes last."""
    engine = flatout()
    urls = {protocol: f"{protocol}://127.0.0.1:{port}/" for protocol, port in ports.items()}
    plain = {
        protocol: url.replace("h2c:", "http:").replace("h2:", "https:") for protocol, url in urls.items()
    }
    commands = {
        f"loadstone {protocol}": [engine, url, str(connections), str(seconds), "1"]
        for protocol, url in urls.items()
    }
    for protocol, url in plain.items():
        version = [] if protocol.startswith("h2") else ["--h1"]
        commands[f"h2load {protocol}"] = [
            *("h2load", *version, f"-c{connections}", "-m1", "-t1"),
            *(f"-D{seconds}", url),
        ]
    for protocol in ("http", "https"):
        commands[f"wrk {protocol}"] = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", plain[protocol]]
    return commands


def main() -> None:
    """Runs all rounds, prints the table, keeps the raw figures under bench/runs/."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--connections", type=int, default=64)
    options = parser.parse_args()
    with page_server(core=0) as ports:
        commands = generators(ports, options.seconds, options.connections)
        rounds = measure_rounds(commands, f"http://127.0.0.1:{ports['http']}/", options.rounds)
    summary = medians(rounds)
    print(f"{'':16} {'µs CPU/request':>15} {'user':>6} {'sys':>6} {'× h2load':>8} {'req/s':>8}")
    for name in sorted(summary, key=lambda name: PROTOCOLS.index(name.split()[1])):
        row = summary[name]
        row["cpu_ratio_to_h2load"] = ratio_to_h2load(name, rounds)
        print(
            f"{name:16} {row['cpu_us']:15.2f} {row['user_us']:6.2f} {row['sys_us']:6.2f}"
            f" {row['cpu_ratio_to_h2load']:8.2f} {row['requests_per_s']:8.0f}"
        )
    command = (
        f"python bench/protocols.py --seconds {options.seconds} --rounds {options.rounds}"
        f" --connections {options.connections}"
    )
    keep("protocols", command, rounds, summary)


def ratio_to_h2load(name: str, rounds: list[Round]) -> float:
    """The median over rounds of CPU per request beside h2load's for the same protocol in the same round."""
    peer = f"h2load {name.split()[1]}"
    return statistics.median(one[name]["cpu_us"] / one[peer]["cpu_us"] for one in rounds)


if __name__ == "__main__":
    main()
