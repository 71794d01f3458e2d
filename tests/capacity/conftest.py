"""A search's job on simulated users."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
import simulated
import two_pages

from loadstone.measure import Job
from loadstone.scenario import load_scenario


@pytest.fixture
def queued(tmp_path: Path) -> Iterator[Callable[..., Job]]:
    """Makes the job whose service answers N users after `respond(N)`; its resets are in `resets`."""
    with two_pages.listening() as port:
        path = two_pages.scenario(
            tmp_path / "queue.toml",
            port,
            load="ramp_up_s = 12\nsteady_s = 30\nramp_down_s = 1",
            sla='window_s = 30\nrules = "cloudstone"',
            mean_s=2,
            most_s=10,
            mix=("Home = 0.3, Search = 0.7", "Home = 0.7, Search = 0.3"),
        )
        sut = two_pages.sut(port, reset=f"echo reset >> {tmp_path / 'resets'}")

        def made(respond: Callable[[int], simulated.Respond], goals: Sequence[str] = ()) -> Job:
            engine = simulated.SimulatedEngine(respond)
            return Job(load_scenario(path, {}, goals), sut, engine, ["loadstone", "capacity"])

        yield made
