"""Agents on a Ray cluster of four nodes, each a lab host with an address of its own; nodes that are lost.

    sudo .venv/bin/python bench/ray_agents.py --out bench/runs/DATE-MACHINE/ray

The command is typed on this machine, outside of the cluster (`ray://`), and once on the head (`ray`). A run
of all four is made first; then one in whose middle the lab kills a node (`killed/` keeps its folder); then
one in whose middle a node's link is cut, which nobody tells to Ray. Writes `ray.json`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import asked

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "fakes"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "lab"))

from labs import lab, loadstone, ssh
from ray_in_lab import RayInLab

NAME = "b-ray"
NODES = ("node1", "node2", "node3", "node4")
SCENARIO = """
format = 1
name = "page"
[target]
url = "http://{address}"
[load]
users = 80
ramp_up_s = 2
steady_s = 20
ramp_down_s = 0
[pacing]
cycle = {{ kind = "fixed", value_s = 0.5 }}
[sla]
window_s = 20
[[operation]]
name = "Page"
limit_s = 2
step = [{{ get = "/", expect.contains = "page" }}]
"""
SERVER = (
    "import http.server as h; H = h.SimpleHTTPRequestHandler; H.protocol_version = 'HTTP/1.1'; "
    "H.log_message = lambda *_: None; h.ThreadingHTTPServer(('', 80), H).serve_forever()"
)
_STRIKE_S = 6


def main() -> None:
    """From no lab to no lab."""
    parser = asked.parser(__doc__)
    parser.add_argument("--out", type=asked.folder, required=True)
    out: Path = parser.parse_args().out
    hosts = "".join(f'[[host]]\nname = "{name}"\n' for name in ("head", *NODES, "web"))
    with tempfile.TemporaryDirectory() as scratch, lab(Path(scratch), NAME, hosts):
        serve = f'cd /srv; echo page >index.html; setsid python3 -c "{SERVER}" </dev/null >/dev/null 2>&1 &'
        assert ssh(NAME, "web", serve).returncode == 0
        cluster = RayInLab(NAME, "head", NODES)
        found: dict[str, Any] = {"load_average": os.getloadavg()[0], "started_s": round(cluster.start(), 1)}
        scenario = Path(scratch) / "page.toml"
        scenario.write_text(SCENARIO.format(address=cluster.addresses["web"]))
        kill = ["lab", "host", "kill", "node3"]
        cut = ["lab", "link", "set", "node2", "--cut"]
        parts = {
            "all": lambda: _all(cluster, scenario, Path(scratch) / "all"),
            "on_head": lambda: _on_head(cluster),
            "killed": lambda: _lost(cluster, scenario, NODES, out / "killed", kill),
            "cut": lambda: _lost(cluster, scenario, ("node1", "node2", "node4"), Path(scratch) / "cut", cut),
            "refused": lambda: _refused(cluster),
        }
        for name, part in parts.items():
            found[name] = part()
            print(name, json.dumps(found[name]), flush=True)
            (out / "ray.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def _run(cluster: RayInLab, scenario: Path, nodes: Sequence[str], *more: object) -> subprocess.Popen[str]:
    command = ["run", scenario, "--on", cluster.client, "--agents", ",".join(nodes), *more]
    return subprocess.Popen(
        [sys.executable, "-m", "loadstone", *map(str, command)],
        env=cluster.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def _figures(folder: Path) -> dict[str, Any]:
    result = json.loads((folder / "run.json").read_text())
    agents = ("host", "users", "requests", "clock_error_s", "lost_at_s")
    return {
        "outcome": result["outcome"],
        "validity": result["validity"]["state"],
        "agents": [{key: agent[key] for key in agents} for agent in result["agents"]],
        "operations": result["operations"]["Page"],
    }


def _all(cluster: RayInLab, scenario: Path, folder: Path) -> dict[str, Any]:
    began = time.monotonic()
    running = _run(cluster, scenario, NODES, "--out", folder)
    _, said = running.communicate(timeout=180)
    assert running.returncode == 0, said
    return {"command_s": round(time.monotonic() - began, 1)} | _figures(folder)


def _on_head(cluster: RayInLab) -> dict[str, Any]:
    """Where no address has to be typed; a page by the built-in scenario."""
    url = f"http://{cluster.addresses['web']}"
    short = ["--window", "3", "--set", "load.ramp_up_s=1", "--out", "/tmp/run", "--json"]
    program = [sys.executable, "-m", "loadstone", "run", "page", "--url", url, "--users", "40"]
    done = cluster.on_head(*program, "--on", "ray", "--agents", "4", *short)
    result = json.loads(done.stdout)
    return {
        "outcome": result["outcome"],
        "clock_error_s": {agent["host"]: agent["clock_error_s"] for agent in result["agents"]},
    }


def _refused(cluster: RayInLab) -> dict[str, str]:
    """What is said of mistakes, typed on the head."""
    url = ["--url", f"http://{cluster.addresses['web']}"]
    program = [sys.executable, "-m", "loadstone", "run", "page", *url, "--on"]
    gone = f"ray://{cluster.addresses['head']}:10099"
    tried = {
        "token": cluster.on_head(*program, "ray", token="0" * 64),
        "agents": cluster.on_head(*program, "ray", "--agents", "9"),
        "nobody": cluster.on_head(*program, gone),
    }
    assert all(done.returncode in (2, 3) for done in tried.values()), tried
    return {name: done.stderr.strip() for name, done in tried.items()}


def _lost(
    cluster: RayInLab, scenario: Path, nodes: Sequence[str], folder: Path, deed: list[str]
) -> dict[str, Any]:
    """A run in whose middle a node is lost; how long until it is told."""
    shutil.rmtree(folder, ignore_errors=True)
    node = deed[3]  # `lab VERB VERB NODE`
    running = _run(cluster, scenario, nodes, "--out", folder)
    assert running.stderr
    journal = folder / "journal.ndjson"
    while not journal.is_file() or journal.read_text().count('{"window":') < _STRIKE_S:
        assert running.poll() is None, running.stderr.read()
        time.sleep(0.05)
    began = time.monotonic()
    loadstone(*deed, "--lab", NAME)
    struck = time.monotonic()
    said = ""
    while f"agent {node} lost" not in said:
        said = running.stderr.readline()
        assert said, "the run ended and told nothing"
    told = time.monotonic()
    running.communicate(timeout=180)
    # The deed is a command of its own, and is done somewhere between its start and its end.
    return {
        "told_after_s": [round(told - struck, 2), round(told - began, 2)],
        "words": said.strip(),
        "exit_code": running.returncode,
    } | _figures(folder)


if __name__ == "__main__":
    main()
