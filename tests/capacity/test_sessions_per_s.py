"""A search where sessions arrive: the highest rate of them that holds each goal."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import simulated
import two_pages
from simulated_sessions import SessionsEngine
from typer.testing import CliRunner

from loadstone import report
from loadstone.capacity import Forecast, Limits, Options, Probes, Search, find
from loadstone.cli import app
from loadstone.cli.capacity_words import concluded, table
from loadstone.errors import LoadstoneError
from loadstone.intake import Kind
from loadstone.measure import Interrupt, Job, Silent
from loadstone.nodes.measured import read_measured, read_requests_per_user
from loadstone.scenario import load_scenario
from loadstone.stages.capacity import Capacity
from loadstone.unit import Unit

RATE = 7.25
ANSWER_S = 0.02
KIND = Kind("run-folder", "a record of a search")
OPTIONS = Options(Limits(100, 100_000, 0.05, least=10))
"""In hundredths of a session a second."""


def carries(rate: float, late: float = 1 / 3) -> Callable[[float], simulated.Respond]:
    """A service that answers at once up to its rate, and too late to one in three beyond (`late`)."""

    def at(sessions_per_s: float) -> simulated.Respond:
        def respond(rng: random.Random, _name: str) -> float:
            beyond = sessions_per_s > rate and rng.random() < late
            return rng.uniform(1.05, 1.2) if beyond else rng.uniform(0.5, 1.5) * ANSWER_S

        return respond

    return at


def arriving(folder: Path, port: int) -> Path:
    """Sessions of two operations, a second apart in the mean."""
    return two_pages.scenario(
        folder / "arriving.toml",
        port,
        load="sessions_per_s = 3\nramp_up_s = 12\nsteady_s = 30\nramp_down_s = 1",
        sla="window_s = 30",
        mean_s=1,
        most_s=5,
        mix=("Search = 1", "end = 1"),
    )


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    with two_pages.listening() as port:
        scenario = load_scenario(arriving(tmp_path, port))
        yield Job(scenario, two_pages.sut(port), SessionsEngine(carries(RATE)), ["loadstone", "capacity"])


def silent(_number: int, _search: Search, _left: Forecast) -> Silent:
    return Silent()


def test_the_highest_rate_is_found_and_its_unit_said_everywhere(job: Job, tmp_path: Path) -> None:
    folder = tmp_path / "capacity"
    result = find(job, folder, OPTIONS, Interrupt(), silent)
    found = json.loads((folder / "capacity.json").read_text())
    assert (found["format"], found["unit"], found["outcome"]) == (3, "sessions_per_s", "complete")
    for sla in ("SLA-1", "SLA-2"):
        held = found[sla]
        assert held["load"] == held["low"] <= RATE < held["high"] <= 1.05 * held["low"] + 0.01
        assert held["ended_by"] == "tolerance"
        # Two operations, of which the first waits about a second for the next: Little's law.
        assert held["sessions_live"] == pytest.approx(held["low"] * (1 - 0.007 + ANSWER_S), rel=0.1)
        assert held["throughput_ops_per_s"] == pytest.approx(2 * held["low"], rel=0.05)
    for row in found["runs"]:
        summary = json.loads((folder / row["folder"] / "run.json").read_text())
        assert summary["load"]["sessions_per_s"] == row["load"] and "users" not in summary["load"]
        assert row["folder"].endswith(f"-{row['load']}")
    assert concluded(result) == 0
    said = table(result, folder)
    low, high = (f"{result.named()['SLA-1'].content()[end]:g}" for end in ("low", "high"))
    assert f"SLA-1: {low} sessions/s hold it, {high} break it" in said and "users" not in said
    chapter = report.read_chapter(folder)
    assert f"holds {low} sessions/s at SLA-1 ({low} to {high})" in report.sentence(chapter)


def test_probes_of_sessions_say_where_to_begin(job: Job, tmp_path: Path) -> None:
    short = replace(job, scenario=load_scenario(tmp_path / "arriving.toml", {"load.steady_s": "20"}))
    probes = Probes(short, lambda _number, _load: Silent())
    found = find(job, tmp_path / "capacity", OPTIONS, Interrupt(), silent, probes)
    assert [row.load for row in found.probes][:4] == [1, 2, 4, 8]
    assert all(4 <= row.load < 9 for row in found.runs)
    low, high = found.named()["SLA-1"].low, found.named()["SLA-1"].high
    assert low is not None and high is not None and low <= RATE < high


def test_a_service_that_carries_no_rate_is_missed(job: Job, tmp_path: Path) -> None:
    none = replace(job, engine=SessionsEngine(carries(0, late=1)))
    options = Options(Limits(40, 1000, least=10))
    found = find(none, tmp_path / "none", options, Interrupt(), silent)
    assert [row.load for row in found.runs] == [0.4, 0.2, 0.1]
    held = found.named()["SLA-1"]
    assert (held.verdict, held.ended_by, held.high) == ("missed", "least", 0.1)
    assert "SLA-1: not even 0.1 sessions/s holds it" in table(found, tmp_path)
    assert "not even 0.1 sessions/s at SLA-1" in report.sentence(report.read_chapter(tmp_path / "none"))


def test_dropped_sessions_bound_the_search_and_are_named(job: Job, tmp_path: Path) -> None:
    """Up to 5 sessions a second find a socket: about one second each."""
    small = replace(job, engine=SessionsEngine(carries(RATE), room=12))
    found = find(small, tmp_path / "capacity", OPTIONS, Interrupt(), silent)
    held = found.named()["SLA-1"]
    assert held.low is not None and 2 <= held.low < RATE and held.high is None
    assert held.ended_by == found.outcome == "generator"
    assert any("generator is the limit" in warning for warning in found.warnings)
    dropping = [row for row in found.runs if row.load > held.low]
    assert dropping and not any(row.evidence or row.state == "valid" for row in dropping)


def test_nodes_count_the_sessions_that_live_at_once(job: Job, tmp_path: Path) -> None:
    folder = tmp_path / "capacity"
    held = find(job, folder, OPTIONS, Interrupt(), silent).named()["SLA-1"]
    measured = read_measured(folder)
    at = measured.require("SLA-1")
    assert held.low and held.high and held.sessions_live
    assert float(at.users) == held.sessions_live
    assert float(at.low or 0) == pytest.approx(held.sessions_live)
    assert float(at.high or 0) == pytest.approx(held.sessions_live * held.high / held.low)
    assert any("sessions that lived at once" in warning for warning in measured.warnings)
    asked = float(read_requests_per_user(folder, "SLA-1"))
    assert asked == pytest.approx(2 * held.low / held.sessions_live, rel=0.1)
    command = ["nodes", "--from", str(folder), "--users", "100"]
    told = CliRunner().invoke(app, command)
    assert told.exit_code == 0 and "sessions that lived at once" in told.output


def test_a_record_without_them_carries_no_nodes(tmp_path: Path) -> None:
    held: dict[str, Any] = {"load": 5.5, "low": 5.5, "high": 5.7, "verdict": "met"}
    content = {"format": 3, "kind": "capacity", "unit": "sessions_per_s", "SLA-1": held, "runs": []}
    (tmp_path / "capacity.json").write_text(json.dumps(content))
    with pytest.raises(LoadstoneError, match=r"error\[withheld\].*sessions a second") as refused:
        read_measured(tmp_path).require("SLA-1")
    assert "search users: --set load.users=N" in str(refused.value)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (["--from", "0.05"], "--from 0.05 is under 0.1 sessions/s"),
        (["--from", "1.234"], "--from 1.234: a search tries whole steps of 0.01 sessions/s"),
        (["--from", "3", "--to", "2.5"], "--to 2.5 is under --from 3"),
        (["--set", "load.users=5", "--from", "2.5"], "--from 2.5: a search tries whole steps of 1 user"),
    ],
)
def test_a_range_that_is_none_is_refused_in_its_unit(given: list[str], why: str, tmp_path: Path) -> None:
    path = arriving(tmp_path, 1)
    told = CliRunner().invoke(app, ["capacity", str(path), *given, "--out", str(tmp_path / "none")])
    assert isinstance(told.exception, LoadstoneError)
    assert told.exception.slug == "search-range" and why in str(told.exception)
    assert not (tmp_path / "none").exists()


def test_older_records_are_of_users() -> None:
    content = {
        "format": 2,
        "kind": "capacity",
        "SLA-1": {"users": 20},
        "binding": {"goal": "SLA-1", "users": 21},
    }
    row = {"folder": "a", "users": 20, "state": "valid", "evidence": True, "shares": {"users": 1.0}}
    found = Capacity.of(content | {"runs": [row]}, KIND, "capacity.json")
    assert found.unit is Unit.USERS and found.named()["SLA-1"].load == 20 and found.runs[0].load == 20
    assert found.binding and found.binding.load == 21
    assert found.runs[0].shares == {"users": 1.0}, "an operation of that name keeps it"
