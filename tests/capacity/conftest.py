"""A search's job on simulated users."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
import simulated

from loadstone.measure import External, Job
from loadstone.scenario import load_scenario

SCENARIO = """
format = 1
name = "queue"
[target]
url = "http://127.0.0.1:{port}"
[data]
accounts = 1000
[load]
ramp_up_s = 12
steady_s = 30
ramp_down_s = 1
[pacing]
cycle = {{ kind = "neg-exp", mean_s = 2, max_s = 10 }}
[sla]
window_s = 30
rules = "cloudstone"
[[operation]]
name = "Home"
limit_s = 1
step = [{{ get = "/" }}]
[[operation]]
name = "Search"
limit_s = 1
step = [{{ get = "/search" }}]
[mix.Home]
Home = 0.3
Search = 0.7
[mix.Search]
Home = 0.7
Search = 0.3
"""


@pytest.fixture
def queued(tmp_path: Path) -> Iterator[Callable[..., Job]]:
    """Makes the job whose service answers N users after `respond(N)`; its resets are in `resets`."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        path = tmp_path / "queue.toml"
        path.write_text(SCENARIO.format(port=port))
        reset = f"echo reset >> {tmp_path / 'resets'}"
        sut = External(f"http://127.0.0.1:{port}", "127.0.0.1", port, reset=reset)

        def made(respond: Callable[[int], simulated.Respond], goals: Sequence[str] = ()) -> Job:
            engine = simulated.SimulatedEngine(respond)
            return Job(load_scenario(path, {}, goals), sut, engine, ["loadstone", "capacity"])

        yield made
