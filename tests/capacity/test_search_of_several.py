"""A search for the most users of several scenarios at once, on simulated users."""

from __future__ import annotations

import random
from pathlib import Path

import simulated
import two_pages

import loadstone
from loadstone.capacity import Forecast, Limits, Options, Search, find
from loadstone.measure import Interrupt, Job, Silent
from loadstone.scenario import load_scenario

CAPACITY = 60
BOTH = """\
format = 1
name = "both"
[load]
ramp_up_s = 30
steady_s = 60
ramp_down_s = 1
[[scenario]]
file = "quick.toml"
share = 0.75
[[scenario]]
file = "slow.toml"
share = 0.25
[sla]
window_s = 60
goals = "slow.Search p95 < 900 ms"
"""


def respond(users: int) -> simulated.Respond:
    """Users of the slow scenario wait too long when there are too many."""

    def one(rng: random.Random, name: str) -> float:
        if users > CAPACITY and name == "slow.Search" and rng.random() < 1 / 3:
            return rng.uniform(1.1, 1.3)
        return rng.uniform(0.01, 0.03)

    return one


def silent(_number: int, _search: Search, _left: Forecast) -> Silent:
    return Silent()


def test_a_goal_of_one_of_them_ends_the_search(tmp_path: Path) -> None:
    with two_pages.listening() as port:
        for name, mean_s in (("quick", 1), ("slow", 4)):
            two_pages.scenario(
                tmp_path / f"{name}.toml", port, load="", sla="", mean_s=mean_s, most_s=5 * mean_s,
                mix=("Home = 0.3, Search = 0.7", "Home = 0.7, Search = 0.3"),
            )  # fmt: skip
        (tmp_path / "both.toml").write_text(BOTH)
        engine = simulated.SimulatedEngine(respond)
        job = Job(load_scenario(tmp_path / "both.toml"), two_pages.sut(port), engine, ["loadstone"])
        result = find(job, tmp_path / "capacity", Options(Limits(20, 1000, 0.15)), Interrupt(), silent)
    held = result.goals["slow.Search p95 < 900 ms"]
    assert held.low is not None and held.high is not None and held.low <= CAPACITY < held.high
    assert held.limited_by and held.limited_by.operation == "slow.Search"
    run = loadstone.open(tmp_path / "capacity" / result.runs[-1].folder).run
    assert [(one.name, one.share) for one in run.scenarios] == [("quick", 0.75), ("slow", 0.25)]
    quick, slow = run.scenarios
    # Three times as many users with a quarter of the pause make twelve times as many operations.
    assert quick.count_share and 0.88 < quick.count_share < 0.96
    assert quick.count + slow.count == sum(one.count for one in run.operations.values())
    mix = next(check for check in run.validity.checks if check.name == "mix")
    assert mix.verdict != "missed", mix
    shares = {name: one.mix_share for name, one in run.operations.items()}
    assert abs((shares["quick.Home"] or 0) + (shares["quick.Search"] or 0) - 1) < 1e-9
