"""Compressed answers of a real server: what a scenario finds is the same, bytes are those of the wire."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import nginx_site

SCENARIO = """
format = 1
name = "compressed"
[target]
url = "http://127.0.0.1:{port}"
[browser]
compressed = {compressed}
styles = false
[load]
users = 1
ramp_up_s = 0
steady_s = 600
ramp_down_s = 0
timeout_s = 60
operations = 4
[pacing]
think = 0.01
[sla]
window_s = 600
[[operation]]
name = "Page"
limit_s = 60
[[operation.step]]
get = "/page.html"
expect = {{ contains = "the very end", min_bytes = {length} }}
extract.token = {{ hidden = "token" }}
extract.offer = {{ links = "/{{segment}}.css" }}
page = true
[[operation.step]]
get = "/{{token}}.html"
"""
PAGE = (
    "<html><link rel=stylesheet href=/look.css><input type=hidden name=token value=found>"
    + "<p>words that repeat</p>" * 2_000
    + "the very end</html>"
)


def test_a_scenario_finds_the_same_in_what_nginx_compresses(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "page.html").write_text(PAGE)
    (root / "found.html").write_text("found")
    (root / "look.css").write_text("a { color: red }" * 500)
    port = nginx_site.free_port()
    server = f"gzip on; gzip_types text/css; gzip_min_length 100; server {{ listen {port}; root {root}; }}"
    with nginx_site.nginx(tmp_path, server, port):
        packed, plain = (_run(tmp_path, port, compressed=compressed) for compressed in (True, False))
    for run in (packed, plain):
        page = run["operations"]["Page"]
        assert (page["ok"], sum(page["failed"].values())) == (4, 0)
    told, said = (run["operations"]["Page"]["counters"] for run in (packed, plain))
    assert told["requests"] == said["requests"]
    assert (told["compressed"] > 4, said["compressed"]) == (True, 0)
    # The style sheet is fetched, but nobody reads it.
    assert said["content_bytes"] == said["body_bytes"] > told["content_bytes"] >= 4 * len(PAGE)
    assert told["bytes_in"] * 10 < said["bytes_in"]
    assert packed["bytes"]["in_per_op"] * 10 < plain["bytes"]["in_per_op"], "what dollars are computed from"


def _run(folder: Path, port: int, *, compressed: bool) -> dict[str, Any]:
    name = "packed" if compressed else "plain"
    scenario = folder / f"{name}.toml"
    scenario.write_text(SCENARIO.format(port=port, compressed=json.dumps(compressed), length=len(PAGE)))
    command = [sys.executable, "-m", "loadstone", "run", str(scenario), "--out", str(folder / name), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.stdout, done.stderr
    return dict(json.loads(done.stdout))
