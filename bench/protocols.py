"""TLS and HTTP/2 beside h2load and wrk: CPU time per request on one static page, interleaved, in one run.

nginx serves a 166-byte page on one core by HTTP/1.1 and HTTP/2, with TLS and without; each generator runs on
the other core, on as many connections, one request at a time on each (`-m10`: ten). Requests are
counted by nginx, CPU time by the kernel for the generator's whole process, handshakes included.

    python bench/protocols.py [--seconds 5] [--rounds 5] [--connections 64]
"""

from __future__ import annotations

import asked
from engine import compared, flatout, keep, measure_rounds, nginx_on

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


def generators(ports: dict[str, int], seconds: int, connections: int) -> dict[str, list[str]]:
    """Command line of each generator for each protocol, whose name comes second."""
    engine, load, commands = flatout(), (f"-c{connections}", "-t1"), {}
    for protocol, port in ports.items():
        url = f"{protocol}://127.0.0.1:{port}/"
        plain = url.replace("h2c:", "http:").replace("h2:", "https:")
        commands[f"loadstone {protocol}"] = [engine, url, str(connections), str(seconds), "1"]
        if protocol in ("http", "https"):
            commands[f"h2load {protocol}"] = ["h2load", "--h1", *load, "-m1", f"-D{seconds}", plain]
            commands[f"wrk {protocol}"] = ["wrk", *load, f"-d{seconds}s", plain]
            continue
        # Ten at once is what its users have; nothing of ours asks so without pause, it is there to know.
        for at_once, name in ((1, protocol), (10, f"{protocol} -m10")):
            commands[f"h2load {name}"] = ["h2load", *load, f"-m{at_once}", f"-D{seconds}", plain]
    return commands


def main() -> None:
    """Runs all rounds, prints the table, keeps the raw figures under bench/runs/."""
    options = asked.numbers(__doc__)
    with nginx_on(0, NGINX, PROTOCOLS, SIGN) as ports:
        commands = generators(ports, options.seconds, options.connections)
        rounds = measure_rounds(commands, f"http://127.0.0.1:{ports['http']}/", options.rounds)
    summary = compared(rounds, "h2load", lambda name: f"h2load {name.split()[1]}")
    keep("protocols", asked.command("bench/protocols.py", options), rounds, summary)


if __name__ == "__main__":
    main()
