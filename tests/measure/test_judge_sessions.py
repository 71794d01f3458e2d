"""Sessions that arrive by themselves: Little's law by integrals, and the law of their arrivals."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scripted_site
import simulated

from loadstone.judge import Histogram, Measurement, Rules
from loadstone.judge.flow import arrivals
from loadstone.judge.little import littles_law
from loadstone.judge.sessions import Sessions, Tally
from loadstone.stages.run import Check

RAMP_UP_S, SECONDS = 8, 20


def rules(rate: float, law: str = "even") -> Rules:
    plan = simulated.plan()
    load = plan["load"] | {"users": None, "sessions_per_s": rate, "arrivals": law}
    return Rules(plan | {"load": load}, SECONDS, 1000, {}, {})


def seen(at: list[float], life_s: float) -> Measurement:
    """What the engine records of sessions that arrive at these times and all live so long.

    `users` is their number at the end of each second, `sessions_s` its integral over that second.
    """
    end = RAMP_UP_S + SECONDS
    begun = [time for time in at if RAMP_UP_S <= time < end]
    ended = sum(RAMP_UP_S <= time + life_s < end for time in at)
    seconds = range(RAMP_UP_S, end)
    zeros = np.zeros(SECONDS)
    tally = Tally(len(begun), len(begun), {}, 0)
    sessions = Sessions(
        steady=tally, whole=tally, whole_s=end, completed=ended, ended=ended, ended_life_s=ended * life_s,
        waits=0, connections={}, whole_connections={}, longest_s=life_s,
        life_ms=Histogram(np.array([1e3 * life_s]), np.array([float(len(begun))])),
        arrived=np.array([float(sum(s <= time < s + 1 for time in at)) for s in seconds]),
    )  # fmt: skip
    return Measurement(
        start_s=RAMP_UP_S, end_s=end, settled_s=RAMP_UP_S, operations=(), threads=1, sessions=sessions,
        users=np.array([float(sum(time <= s + 1 < time + life_s for time in at)) for s in seconds]),
        sessions_s=np.array(
            [sum(max(0.0, min(time + life_s, s + 1) - max(time, s)) for time in at) for s in seconds]
        ),
        requests=zeros, bytes_in=zeros, bytes_out=zeros, cpu_s=zeros,
    )  # fmt: skip


def evenly(rate: float, first: float = 0.0) -> list[float]:
    return [first + number / rate for number in range(int(rate * (RAMP_UP_S + SECONDS + 5)))]


def poisson(rate: float, seed: int) -> list[float]:
    rng, at = random.Random(seed), [0.0]
    while at[-1] < RAMP_UP_S + SECONDS + 5:
        at.append(at[-1] + rng.expovariate(rate))
    return at


@pytest.mark.parametrize("first", [0.0, 0.1, 0.25])
@pytest.mark.parametrize("life_s", [0.02, 0.13, 0.3])
def test_even_arrivals_do_not_deceive_littles_law(first: float, life_s: float) -> None:
    """Once a second sees two sessions a second always alike: at their beginning, or when none is there."""
    measurement = seen(evenly(2, first), life_s)
    assert measurement.sessions_s is not None
    assert measurement.sessions_s.sum() == pytest.approx(2 * life_s * SECONDS)
    assert littles_law(measurement, rules(2)).verdict == "met"
    taken_for_integrals = replace(measurement, sessions_s=measurement.users)
    assert littles_law(taken_for_integrals, rules(2)).verdict == "missed"
    only_samples = replace(measurement, sessions_s=None)
    assert littles_law(only_samples, rules(2)).verdict != "missed", "an older folder has nothing else"


def test_sessions_that_pile_up_break_littles_law() -> None:
    """As many arrive as should, and a third of them never ends."""
    measurement = seen(evenly(10), 0.6)
    assert measurement.sessions is not None
    stuck = replace(
        measurement.sessions,
        ended=measurement.sessions.ended * 2 // 3,
        ended_life_s=measurement.sessions.ended_life_s * 2 / 3,
    )
    assert littles_law(replace(measurement, sessions=stuck), rules(10)).verdict == "missed"


def judged(at: list[float], rate: float, law: str = "even") -> Check:
    [check] = arrivals(seen(at, 0.1), rules(rate, law))
    return check


@pytest.mark.parametrize("rate", [0.4, 1.0, 2.0, 2.5, 33.3])
@pytest.mark.parametrize("first", [0.0, 0.3])
def test_even_arrivals_are_even(rate: float, first: float) -> None:
    assert judged(evenly(rate, first), rate).verdict == "met"


def test_a_poisson_stream_is_one() -> None:
    """Chance may call a healthy run anything else once in 200: more than one of a hundred is no chance."""
    for rate in (0.5, 2.0, 30.0):
        verdicts = [judged(poisson(rate, seed), rate, "poisson").verdict for seed in range(100)]
        assert verdicts.count("missed") <= 1, rate


@pytest.mark.parametrize(
    ("at", "law"),
    [
        pytest.param(evenly(12), "even", id="a fifth too many"),
        pytest.param(evenly(8), "even", id="a fifth too few"),
        pytest.param(poisson(16, 1), "poisson", id="Poisson, far too many"),
        pytest.param(poisson(5, 1), "poisson", id="Poisson, far too few"),
        pytest.param([at // 2 * 2 for at in evenly(10)], "even", id="every other second, twice as many"),
        pytest.param([at // 3 * 3 for at in poisson(10, 1)], "poisson", id="Poisson, every third second"),
        pytest.param(evenly(10), "poisson", id="even where Poisson was asked for"),
        pytest.param(poisson(10, 1), "even", id="Poisson where even was asked for"),
    ],
)
def test_arrivals_against_their_law_are_the_generators_fault(at: list[float], law: str) -> None:
    check = judged(at, 10, law)
    assert (check.verdict, check.about) == ("missed", "generator")


def noticed(at: list[float], stalls: dict[float, float]) -> list[float]:
    """Those that were due while the generator stood still, from a time on for so long, begin after it."""
    for start, length in stalls.items():
        at = [start + length if start <= time < start + length else time for time in at]
    return at


@pytest.mark.parametrize("law", ["even", "poisson"])
def test_the_machine_may_stand_still_for_a_moment(law: str) -> None:
    at = evenly(60) if law == "even" else poisson(60, 1)
    briefly = noticed(at, {RAMP_UP_S + 2.95: 0.09, RAMP_UP_S + 9.92: 0.09})
    assert judged(briefly, 60, law).verdict == "met"
    for_long = noticed(at, {RAMP_UP_S + second + 0.5: 0.9 for second in range(1, 19, 2)})
    assert judged(for_long, 60, law).verdict == "missed"


def test_dropped_sessions_have_arrived() -> None:
    measurement = seen(evenly(10), 0.1)
    assert measurement.sessions is not None
    tally = replace(measurement.sessions.steady, begun=150, completed=150, dropped=50)
    dropped = replace(measurement, sessions=replace(measurement.sessions, steady=tally))
    assert [check.verdict for check in arrivals(dropped, rules(10))] == ["met"]


def test_users_do_not_arrive() -> None:
    users = Rules(simulated.plan(), SECONDS, 1000, {}, {})
    assert arrivals(seen(evenly(2), 0.1), users) == []


@pytest.mark.long
def test_a_quiet_page_with_two_sessions_a_second_is_not_invalid(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with scripted_site.site(lambda _path, _number: scripted_site.OK) as port:
        settings = ["load.sessions_per_s=2", "session.max_operations=1", "load.ramp_up_s=4"]
        command = ["run", "page", "--url", f"http://127.0.0.1:{port}", "--window", "10", "--out", str(folder)]
        for setting in settings:
            command += ["--set", setting]
        subprocess.run([sys.executable, "-m", "loadstone", *command], capture_output=True)
    run = json.loads((folder / "run.json").read_text())
    checks = {check["name"]: check["verdict"] for check in run["validity"]["checks"]}
    assert (checks["littles-law"], checks["arrivals"]) == ("met", "met")
    assert run["sessions"]["begun"] == run["sessions"]["completed"] == 20
