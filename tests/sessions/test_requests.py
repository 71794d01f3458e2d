"""Requests that arrive at a rate, end to end: from the scenario file to run folder, page and plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from scripted_site import OK, Script, site
from typer.testing import CliRunner

from loadstone import report
from loadstone.cli import app
from loadstone.cli.run_table import table
from loadstone.errors import LoadstoneError
from loadstone.judge import Measurement, Rules, offered
from loadstone.judge.flow import arrivals
from loadstone.measure import Interrupt, Job, Silent, measure_scenario, sut_of
from loadstone.measure.engine import RustEngine
from loadstone.nodes.measured import read_measured
from loadstone.record import measurement_of
from loadstone.scenario import load_scenario
from loadstone.stages.run import Run

SCENARIO = """
format = 1
name = "requests"
[target]
url = "http://127.0.0.1:{port}"
[load]
requests_per_s = 80
ramp_up_s = 1
steady_s = 3
ramp_down_s = 0.5
[sla]
window_s = 3
[[operation]]
name = "First"
limit_s = 1
step = [{{ get = "/{{user}}/first" }}]
[[operation]]
name = "Second"
limit_s = 1
step = [{{ get = "/{{user}}/second" }}]
"""


def measured(folder: Path, script: Script, **settings: str) -> Run:
    """A run against a site."""
    with site(script) as port:
        path = folder / "scenario.toml"
        path.write_text(SCENARIO.format(port=port), encoding="utf-8")
        scenario = load_scenario(path, {name.replace("__", "."): value for name, value in settings.items()})
        job = Job(scenario, sut_of(scenario), RustEngine(), ["test"])
        return measure_scenario(
            job, folder / "run", load=None, seed=1, interrupt=Interrupt(), progress=Silent()
        )


def answering(_path: str, _number: int) -> bytes:
    return OK


def test_a_run_is_recorded_judged_and_told_in_its_unit(tmp_path: Path) -> None:
    run = measured(tmp_path, answering)
    assert (run.load.requests_per_s, run.load.connections, run.load.users) == (80, 256, None)
    assert run.sessions is None
    checks = {check.name: check.verdict for check in run.validity.checks if check.required}
    assert {checks[name] for name in ("dropped", "littles-law", "arrivals", "mix")} == {"met"}
    assert "pace" not in {check.name for check in run.validity.checks}
    # Without a mix both are asked for alike: binomial, five deviations.
    counts = [one.count for one in run.operations.values()]
    assert abs(sum(counts) - 240) <= 4 and abs(counts[0] - 120) <= 5 * 60**0.5
    assert table(run, tmp_path).startswith("requests: 80 requests/s, 3.00 s steady".replace("3.00", "3"))
    chapter = report.read_chapter(tmp_path / "run")
    assert "of 80 requests a second" in report.sentence(chapter)
    page = tmp_path / "page.html"
    told = CliRunner().invoke(app, ["report", str(tmp_path / "run"), "--out", str(page)])
    assert told.exit_code == 0, told.output
    shown = page.read_text("utf-8") if page.is_file() else (page / "index.html").read_text("utf-8")
    assert "requests/s" in shown and "Requests at once" in shown


def test_the_tables_are_those_of_the_other_kinds(tmp_path: Path) -> None:
    run = measured(tmp_path, answering)
    columns = {}
    for name in ("windows", "histograms", "engine", "steps"):
        rows = duckdb.execute(f"DESCRIBE SELECT * FROM '{tmp_path}/run/{name}.parquet'").fetchall()
        columns[name] = {row[0] for row in rows}
    assert {"ok", "late", "dropped", "timeout"} <= columns["windows"]
    assert {"arrived", "waited", "turned_away", "users_s", "in_flight"} <= columns["engine"]
    [(arrived, turned_away)] = duckdb.execute(
        f"SELECT sum(arrived), sum(turned_away) FROM '{tmp_path}/run/engine.parquet'"
    ).fetchall()
    assert (arrived, turned_away) == (360, 0)
    measurement = measurement_of(tmp_path / "run")
    # Counted when the generator notices them.
    assert all(abs(count - 80) <= 9 for count in measurement.arrived)
    assert run.operations["First"].pace_mean_s is None


def test_late_failed_and_dropped_are_three_counts(tmp_path: Path) -> None:
    silent = measured(
        tmp_path,
        lambda _path, number: OK if number < 10 else None,
        load__connections="4",
        load__most_waiting="20",
        load__timeout_s="1",
    )
    failed = sum(sum(one.failed.values()) for one in silent.operations.values())
    dropped = sum(one.dropped or 0 for one in silent.operations.values())
    assert failed > 0 and dropped > 100
    assert all(one.failed["timeout"] == sum(one.failed.values()) for one in silent.operations.values())
    check = next(check for check in silent.validity.checks if check.name == "dropped")
    assert (check.verdict, check.about) == ("missed", "overload")
    assert silent.validity.state == "failed"


def test_a_rate_belongs_to_no_users(tmp_path: Path) -> None:
    measured(tmp_path, answering)
    with pytest.raises(LoadstoneError, match=r"withheld.*80 requests/s.*think time") as refused:
        read_measured(tmp_path / "run").require("SLA-1")
    assert "--throughput-per-node 80" in str(refused.value)


def test_setting_one_unit_removes_the_others(tmp_path: Path) -> None:
    path = tmp_path / "users.toml"
    text = SCENARIO.format(port=1).replace("requests_per_s = 80", "users = 5\nprofile = [[0, 50]]")
    path.write_text(text.replace("[sla]", '[pacing]\nthink = 1\n[mix."*"]\nFirst = 1\nSecond = 1\n[sla]'))
    path.write_text(
        path.read_text().replace("First = 1\n", "First = 0.5\n").replace("Second = 1\n", "Second = 0.5\n")
    )
    load = load_scenario(path, {"load.requests_per_s": "20"}).plan()["load"]
    assert (load["requests_per_s"], load["profile"]) == (20, []), "a profile of users is none of requests"
    assert "users" not in load and "sessions_per_s" not in load
    kept = load_scenario(path, {"load.users": "9"}).plan()["load"]
    assert (kept["users"], kept["profile"]) == (9, [[0, 50]]) and "connections" not in kept


@pytest.mark.parametrize("law", ["even", "poisson"])
@pytest.mark.parametrize("rate", [5.0, 200.0, 5_000.0])
def test_arrivals_noticed_late_are_no_fault_and_missing_ones_are(law: str, rate: float) -> None:
    rng, seconds, alarms = np.random.default_rng(7), 60, 0
    load = {"requests_per_s": rate, "arrivals": law, "ramp_up_s": 0, "profile": []}
    rules = Rules({"load": load}, 60, None, mix={}, pace_mean_s={})

    def verdict(times: Any) -> str:
        counts = np.bincount(times.astype(int), minlength=seconds + 1)[: seconds + 1].astype(float)
        none = np.zeros(seconds + 1)
        measurement = Measurement(
            0.0, seconds + 1.0, 0.0, (), none, none, none, none, none, 1, arrived=counts, waited=none
        )
        [check] = arrivals(measurement, rules)
        return check.verdict

    for _ in range(100):
        count = (seconds + 1) * rate
        gaps = np.full(int(count), 1 / rate) if law == "even" else rng.exponential(1 / rate, int(1.2 * count))
        times = np.cumsum(gaps) - gaps[0]
        # Nearly all are noticed within 10 ms; twice the machine stands still for 80 ms.
        noticed = times + rng.uniform(0, 0.01, len(times))
        for at in rng.uniform(0, seconds, 2):
            noticed = np.where((noticed > at) & (noticed < at + 0.08), at + 0.08, noticed)
        alarms += verdict(noticed[times < seconds + 1]) != "met"
    assert alarms <= 1, "less than one in a hundred"
    # A generator that makes fewer, or in bursts of seconds.
    assert verdict(times[(times < seconds) & (rng.random(len(times)) < 0.7)]) == "missed" or rate < 20
    assert verdict(times[times < seconds] // 4 * 4) == "missed"


def test_the_arrivals_of_a_changing_rate_follow_its_integral(tmp_path: Path) -> None:
    run = measured(tmp_path, answering, load__profile="[[1, 20], [2, 120]]")
    check = next(check for check in run.validity.checks if check.name == "arrivals")
    assert check.verdict == "met", check
    for seen, wanted in zip(measurement_of(tmp_path / "run").arrived, [80, 20, 120], strict=True):
        assert abs(seen - wanted) <= 13
    load = {"requests_per_s": 80, "ramp_up_s": 1, "profile": [[1, 20], [2, 120]]}
    assert np.array_equal(offered.by_second(load, 0, 5), [80, 80, 20, 120, 120])
    other: dict[str, Any] = {"load": load}
    changed = offered.as_it_was(other, [{"kind": "load-changed", "at_s": 2.5, "load": 10.0}])["load"]
    assert np.array_equal(offered.by_second(changed, 0, 5), [80, 80, 15, 10, 10])
