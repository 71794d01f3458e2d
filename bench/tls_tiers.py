"""What TLS between tiers costs: processor time for a request, by tier, with and without `tls = true`.

    sudo .venv/bin/python bench/tls_tiers.py OUT [PAIRS]

Olio over PostgreSQL behind HAProxy on four lab hosts serves its home page at a fixed rate, on kept
connections. Runs with and without TLS take turns. OUT gets the run folders, the topology, the scenario
and `summary.json`.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path

import duckdb

TOPOLOGY = """format = 1
{tls}name = "tls-tiers"
[[host]]
name = "client"
[[host]]
name = "lb"
[[host]]
name = "app"
[[host]]
name = "db"
[[service]]
name = "front"
role = "haproxy"
hosts = ["lb"]
settings = {{ backends = "site" }}
[[service]]
name = "site"
role = "olio"
hosts = ["app"]
settings = {{ database = "people", accounts = 100, media_scale = 0.01 }}
[[service]]
name = "people"
role = "postgresql"
hosts = ["db"]
"""
SCENARIO = """format = 1
name = "home"
[target]
url = "http://set-by-the-command.example"
[load]
users = 50
ramp_up_s = 3
steady_s = 30
ramp_down_s = 0
[pacing]
cycle = { kind = "fixed", value_s = 0.25 }
[sla]
window_s = 30
[[operation]]
name = "Home"
limit_s = 5
step = [{ get = "/" }]
"""
TIERS = ("front", "site", "people")
MEAN = """
SELECT service, avg(value) FROM read_parquet(?) WHERE metric = 'cpu_cores' AND second BETWEEN 5 AND 30
GROUP BY service
"""


def main() -> None:
    """Runs in turn, then the table."""
    out, pairs = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 3
    out.mkdir(parents=True)
    (out / "home.toml").write_text(SCENARIO)
    file = out / "site.toml"
    file.write_text(TOPOLOGY.format(tls=""))
    loadstone("lab", "up", file)
    found: dict[str, list[dict[str, float]]] = {"plain": [], "tls": []}
    try:
        for number in range(pairs):
            for kind in found:
                file.write_text(TOPOLOGY.format(tls="tls = true\n" if kind == "tls" else ""))
                loadstone("deploy", file)
                folder = out / f"{kind}-{number + 1}"
                command = ["run", out / "home.toml", "--topology", file, "--service", "front"]
                loadstone(*command, "--out", folder, "--window", "30")
                found[kind].append(costs(folder))
                print(kind, found[kind][-1], flush=True)
    finally:
        loadstone("undeploy", file)
        loadstone("lab", "down", file)
    (out / "summary.json").write_text(json.dumps(found, indent=1))
    for tier in TIERS:
        plain, tls = ([one[tier] for one in found[kind]] for kind in found)
        print(f"{tier}: {statistics.median(plain):.0f} -> {statistics.median(tls):.0f} µs a request")


def costs(folder: Path) -> dict[str, float]:
    """Microseconds of processor time for a request, by tier."""
    run = json.loads((folder / "run.json").read_text())
    page = run["operations"]["Home"]
    assert run["outcome"] == "complete" and not sum(page["failed"].values()), folder
    rate = page["ok"] / 30
    rows = duckdb.execute(MEAN, [str(folder / "services.parquet")]).fetchall()
    return {tier: round(1e6 * cores / rate, 1) for tier, cores in rows if tier in TIERS}


def loadstone(*words: str | Path) -> None:
    """The command, which has to end well; a verdict is no failure."""
    done = subprocess.run([sys.executable, "-m", "loadstone", *map(str, words)], check=False)
    if done.returncode not in (0, 1, 6, 7):
        sys.exit(f"{words[0]} ended with {done.returncode}")


if __name__ == "__main__":
    main()
