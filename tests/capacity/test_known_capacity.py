"""A server of known capacity, through the real engine and the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sites
from typer.testing import CliRunner

from loadstone.cli import app

RATE = 60.0
SLAS = ("SLA-1", "SLA-2")


ATTEMPTS = 3
"""A busy machine spoils a search: the server then holds fewer users, never more than RATE, or it is not
decided because the generator came late itself."""


@pytest.mark.long
@pytest.mark.timeout(2400)
def test_a_token_bucket_is_found_within_five_per_cent_and_again(tmp_path: Path) -> None:
    # Every user asks once a second, so that RATE users are the most; beyond, the queue grows without end.
    with sites.token_bucket(RATE) as (_, port):
        scenario = sites.scenario(tmp_path / "bucket.toml", port, ramp_up_s=3, steady_s=15)
        for attempt in range(ATTEMPTS):
            first, second = (search(scenario, tmp_path / f"{attempt}-{turn}") for turn in ("first", "second"))
            if all(
                capacity["outcome"] == "complete" and capacity[sla]["low"] >= 0.95 * RATE
                for capacity in (first, second)
                for sla in SLAS
            ):
                break
        else:
            pytest.fail(f"{first}\n{second}")
    # RATE users are just as many as it holds: whether they, or one fewer, pass is chance. So two intervals
    # may miss each other by a user or two.
    for sla in SLAS:
        one, other = first[sla], second[sla]
        assert one["low"] <= 1.05 * other["high"] and other["low"] <= 1.05 * one["high"]


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_a_token_bucket_is_found_in_sessions_per_second(tmp_path: Path) -> None:
    # Each session takes one token. A little more than RATE of them only waits too long after the run's end:
    # 12 sessions that wait are 0.2 s, and 10 % of the answers are those of the last 1.5 of 18 s.
    seen_beyond = RATE + 12 / 16.5
    with sites.token_bucket(RATE) as (_, port):
        scenario = sites.scenario(tmp_path / "bucket.toml", port, ramp_up_s=3, steady_s=15, arriving=True)
        for attempt in range(ATTEMPTS):
            options = ["--from", "40", "--probe", "5", "--tolerance", "0.2", "--repeats", "2"]
            found = search(scenario, tmp_path / f"{attempt}", *options)
            if found["outcome"] == "complete" and all(found[sla]["high"] > RATE for sla in SLAS):
                break
        else:
            pytest.fail(str(found))
    assert found["unit"] == "sessions_per_s"
    for sla in SLAS:
        assert found[sla]["low"] <= seen_beyond and found[sla]["high"] <= 1.2 * found[sla]["low"] + 0.01
        # Nobody waits at the rate that holds: a session lives as long as one answer takes.
        assert found[sla]["sessions_live"] < 0.2 * RATE


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_a_token_bucket_is_found_in_requests_per_second(tmp_path: Path) -> None:
    # As with sessions: some requests beyond the rate only wait too long after the run's end.
    seen_beyond = RATE + 12 / 16.5
    with sites.token_bucket(RATE) as (_, port):
        scenario = sites.scenario(tmp_path / "bucket.toml", port, ramp_up_s=3, steady_s=15)
        for attempt in range(ATTEMPTS):
            options = ["--set", "load.requests_per_s=10", "--from", "40", "--probe", "5"]
            options += ["--tolerance", "0.2", "--repeats", "2"]
            found = search(scenario, tmp_path / f"{attempt}", *options)
            if found["outcome"] == "complete" and all(found[sla]["high"] > RATE for sla in SLAS):
                break
        else:
            pytest.fail(str(found))
    assert found["unit"] == "requests_per_s"
    for sla in SLAS:
        assert found[sla]["low"] <= seen_beyond and found[sla]["high"] <= 1.2 * found[sla]["low"] + 0.01
        assert found[sla]["sessions_live"] is None
        assert found[sla]["throughput_ops_per_s"] == pytest.approx(found[sla]["low"], rel=0.05)


def search(scenario: Path, folder: Path, *options: str) -> dict[str, Any]:
    command = [
        "capacity",
        str(scenario),
        "--from",
        "20",
        "--to",
        "500",
        *options,
        "--json",
        "--out",
        str(folder),
    ]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    capacity: dict[str, Any] = json.loads(result.stdout)
    assert capacity["outcome"] in ("complete", "generator"), capacity["warnings"]
    for sla in SLAS:
        assert (capacity[sla]["low"] or 0) <= 1.05 * RATE
    return capacity
