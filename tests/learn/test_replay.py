"""The engine, told by a learned scenario, does what the log's users did."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from handed import loadstone
from simulated_logs import WORKLOADS, write

pytestmark = pytest.mark.long
BODY = b"<html></html>"


class Anything(http.server.BaseHTTPRequestHandler):
    """Answers whatever is asked for."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY)

    do_POST = do_GET

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Anything) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.mark.parametrize("workload", ["browse", "two-classes"])
def test_a_run_has_the_mix_of_the_replay(workload: str, site: str, tmp_path: Path) -> None:
    write(tmp_path / "log", WORKLOADS[workload], 1000)
    ended = loadstone("learn", str(tmp_path / "log"), "--out", str(tmp_path / "learned"), "--url", site)
    assert ended.code == 0, ended.err
    ended = loadstone(
        "run", str(tmp_path / "learned" / "scenario.toml"), "--out", str(tmp_path / "run"), "--window", "30",
        "--set", "load.users=25", "--set", "load.ramp_up_s=1", "--set", "load.ramp_down_s=0",
        "--set", 'pacing.cycle={ kind = "neg-exp", mean_s = 0.2 }',
    )  # fmt: skip
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    counts: dict[str, int] = {}
    for name, one in run["operations"].items():
        assert sum(one["failed"].values()) == 0, ended.err
        if name != "enter":
            plain = name.rsplit("-c", 1)[0] if workload == "two-classes" else name
            counts[plain] = counts.get(plain, 0) + one["count"]
    total = sum(counts.values())
    record = json.loads((tmp_path / "learned" / "learn.json").read_text())
    held = record["held_out"]
    replayed = {one["operation"]: one["share_replayed"] for one in held["rates"]}
    distance = sum(abs(counts.get(name, 0) / total - share) for name, share in replayed.items()) / 2
    # Operations of one session depend on each other: chance goes with the number of sessions.
    sessions = total / held["session_length_replayed"]
    by_chance = held["mix_distance_by_chance"] * (held["sessions"] / sessions) ** 0.5
    assert total > 1000 and distance < 5 * by_chance
