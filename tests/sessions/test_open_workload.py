"""An open workload end to end: from the scenario file to the run folder, with servers that misbehave."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest
from good_files import recovered
from scripted_site import LAST, OK, SCENARIO, Script, site

from loadstone.errors import LoadstoneError
from loadstone.measure import Interrupt, Job, Silent, measure_scenario, sut_of
from loadstone.measure.engine import RustEngine
from loadstone.record import measurement_of
from loadstone.scenario import load_scenario
from loadstone.unit import Unit

Json = dict[str, Any]


def measured(folder: Path, script: Script, timeout_s: float = 30, **settings: str) -> Json:
    """The content of `run.json` of a run against a site."""
    with site(script) as port:
        path = folder / "scenario.toml"
        path.write_text(SCENARIO.format(port=port, timeout_s=timeout_s), encoding="utf-8")
        scenario = load_scenario(path, {name.replace("__", "."): value for name, value in settings.items()})
        job = Job(scenario, sut_of(scenario), RustEngine(), ["test"])
        run = measure_scenario(
            job, folder / "run", load=None, seed=1, interrupt=Interrupt(), progress=Silent()
        )
        return run.content()


def test_every_session_is_counted(tmp_path: Path) -> None:
    run = measured(tmp_path, lambda _path, _number: OK, load__ramp_up_s="1")
    sessions = run["sessions"]
    assert (sessions["per_s"], sessions["arrivals"]) == (60.0, "even")
    assert (sessions["begun"], sessions["completed"], sessions["completed_share"]) == (60, 60, 1.0)
    assert (sum(sessions["lost"].values()), sessions["dropped"], sessions["unfinished"]) == (0, 0, 0)
    assert sessions["operations"] == dict.fromkeys(sessions["operations"], 2.0)
    assert sessions["life_s"]["p50"] >= 0.05
    whole = sessions["whole_run"]
    assert (whole["begun"], whole["completed"]) == (120, 120)
    assert whole["connections"] == {"opened": 120, "reopened": 0, "closed_idle": 0, "closed_with_answer": 0}
    assert 2 <= whole["seconds"] < 62, "it ends with the last session"
    checks = {check["name"]: check for check in run["validity"]["checks"]}
    assert checks["sessions"]["verdict"] == checks["mix"]["verdict"] == "met"
    assert "users" not in run["load"]


def test_the_seconds_add_up_to_the_summary(tmp_path: Path) -> None:
    run = measured(
        tmp_path,
        lambda path, _number: None if path.endswith("7/second") else OK,
        timeout_s=3,
        load__arrivals="poisson",
    )
    [seconds] = duckdb.execute(
        f"SELECT sum(begun), sum(completed), sum(timeout) FROM '{tmp_path}/run/sessions.parquet'"
    ).fetchall()
    whole = run["sessions"]["whole_run"]
    assert seconds == (whole["begun"], whole["completed"], whole["lost"]["timeout"])
    # Sessions 7, 17, 27 and so on; a Poisson count has a deviation of its root.
    assert whole["lost"]["timeout"] == sum(number % 10 == 7 for number in range(whole["begun"]))
    assert abs(whole["begun"] - 60) < 5 * 60**0.5
    assert whole["completed"] + whole["lost"]["timeout"] == whole["begun"]
    mix = next(check for check in run["validity"]["checks"] if check["name"] == "mix")
    assert not mix["required"] and "were lost" in mix["measured"]


def test_the_time_that_sessions_lived_is_an_integral_not_a_sample(tmp_path: Path) -> None:
    measured(tmp_path, lambda _path, _number: OK, load__ramp_up_s="1")
    measurement = measurement_of(tmp_path / "run")
    assert measurement.sessions_s is not None and measurement.users_s is not None
    assert len(measurement.sessions_s) == len(measurement.users)
    [(lived,)] = duckdb.execute(f"SELECT sum(sessions_s) FROM '{tmp_path}/run/engine.parquet'").fetchall()
    lives = read_lives(tmp_path / "run")
    # Lives are cut to whole milliseconds; all 120 sessions ended.
    assert lives <= lived <= lives + 0.120
    assert 0 < measurement.users_s.sum() <= lived


def read_lives(folder: Path) -> float:
    """Sum of the lives of completed sessions, seconds, to the millisecond below."""
    [(lives,)] = duckdb.execute(
        f"SELECT sum(bucket * count) / 1000 FROM '{folder}/histograms.parquet' WHERE kind = 'session_life_ms'"
    ).fetchall()
    return float(lives)


def test_an_older_folder_knows_no_integrals(tmp_path: Path) -> None:
    recovered(tmp_path)
    measurement = measurement_of(tmp_path)
    assert len(measurement.users) and measurement.users_s is None and measurement.sessions_s is None


def test_connections_that_the_server_closes_are_opened_again(tmp_path: Path) -> None:
    run = measured(tmp_path, lambda _path, _number: LAST)
    whole = run["sessions"]["whole_run"]
    assert whole["completed"] == 60
    assert whole["connections"] == {
        "opened": 120,
        "reopened": 60,
        "closed_idle": 0,
        "closed_with_answer": 120,
    }


def test_users_and_sessions_exclude_each_other_but_settings_choose(tmp_path: Path) -> None:
    path = tmp_path / "scenario.toml"
    path.write_text(SCENARIO.format(port=1, timeout_s=1), encoding="utf-8")
    closed = load_scenario(path, {"load.users": "7"})
    assert closed.unit is Unit.USERS and closed.plan()["load"]["users"] == 7
    again = load_scenario(path, {"load.sessions_per_s": "9", "load.arrivals": "poisson"})
    assert again.plan()["load"]["arrivals"] == "poisson" and "users" not in again.plan()["load"]
    assert again.plan(load=5)["load"]["sessions_per_s"] == 5 and "users" not in again.plan(load=5)["load"]
    with pytest.raises(LoadstoneError) as refused:
        load_scenario(path).require_users("--users is a number")
    assert "scenario.toml:7, [load.sessions_per_s]" in str(refused.value)
    with pytest.raises(LoadstoneError) as refused:
        load_scenario(path, {"load.users": "7", "load.sessions_per_s": "9"})
    assert refused.value.slug == "open-workload"
