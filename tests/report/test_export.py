"""`loadstone export`: what other programs read, with their own readers."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from xml.etree import ElementTree

import duckdb
import pytest
import synthetic
from junitparser import Error, Failure, JUnitXml, Skipped
from typer import Typer
from typer.testing import CliRunner, Result

from loadstone.cli.export import register
from loadstone.errors import LoadstoneError


def export(*arguments: str | Path) -> Result:
    app = Typer()
    register(app)
    return CliRunner().invoke(app, [str(one) for one in arguments])


def cases(text: str) -> dict[str, tuple[str, str]]:
    """State and message by name, as a CI server's reader has them."""
    found = JUnitXml.fromstring(text.encode())
    states = {Failure: "failure", Error: "error", Skipped: "skipped"}
    made = {}
    for suite in found:
        assert suite.tests == len(list(suite))
        for case in suite:
            kinds = [one for one in case.result if type(one) in states]
            state = states[type(kinds[0])] if kinds else "passed"
            made[case.name] = (state, kinds[0].message if kinds else "")
        assert suite.failures == sum(state == "failure" for state, _ in made.values())
    return made


@pytest.fixture
def missed(tmp_path: Path) -> Path:
    folder = tmp_path / "missed"
    summary = synthetic.run(folder, ramp_up=2, steady=6)
    goals = {
        "SLA-1": {
            "name": "SLA-1",
            "verdict": "missed",
            "limit": 0.9,
            "measured": 0.8,
            "low": 0.7,
            "high": 0.85,
        },
        "SLA-2": {"name": "SLA-2", "verdict": "missed", "limit": 0.99, "measured": 0.8},
        "Tag & p95 < 300 ms \u0001": {"name": "x", "verdict": "open", "limit": 0.95},
    }
    checks = [
        {"name": "mix", "verdict": "met", "about": "load", "measured": 0.0, "expected": "at most 0.1"},
        {
            "name": "error-rate",
            "verdict": "missed",
            "about": "service",
            "measured": 0.5,
            "expected": "at most 0.01",
        },
        {
            "name": "late-starts",
            "verdict": "missed",
            "about": "generator",
            "measured": 9,
            "expected": "at most 1",
        },
        {"name": "noise", "verdict": "missed", "measured": 9, "expected": "at most 1", "required": False},
    ]
    validity = {"state": "failed", "checks": checks}
    (folder / "run.json").write_text(json.dumps(summary | {"goals": goals, "validity": validity}))
    return folder


def test_each_verdict_is_a_case(missed: Path) -> None:
    result = export(missed, "--format", "junit")
    assert result.exit_code == 0
    found = cases(result.stdout)
    assert (
        found["SLA-1"][0] == "failure"
        and "80 %" in found["SLA-1"][1]
        and "at least 90 %" in found["SLA-1"][1]
    )
    assert found["SLA-2"][0] == "skipped" and "does not decide" in found["SLA-2"][1]
    assert found["Tag & p95 < 300 ms \ufffd"] == ("error", "open: nothing was seen")
    assert found["mix"][0] == "passed"
    assert found["error-rate"][0] == "failure" and found["late-starts"][0] == "error"
    assert found["noise"][0] == "skipped" and "only noted" in found["noise"][1]
    other = cases(export(missed, "--format", "junit", "--sla", "2").stdout)
    assert (other["SLA-1"][0], other["SLA-2"][0]) == ("skipped", "failure")


def test_an_invalid_run_fails_no_goal(missed: Path) -> None:
    summary = json.loads((missed / "run.json").read_text())
    summary["validity"]["state"] = "invalid"
    (missed / "run.json").write_text(json.dumps(summary))
    state, said = cases(export(missed, "--format", "junit").stdout)["SLA-1"]
    assert state == "error" and said.startswith("the run is invalid and says nothing of the service")


def test_a_search_has_a_case_a_goal(full_folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "made" / "capacity.xml"
    assert export(full_folder, "--format", "junit", "--out", file).stdout == f"{file}\n"
    assert {name: state for name, (state, _) in cases(file.read_text()).items()} == {
        "SLA-1": "passed",
        "SLA-2": "passed",
    }
    suite = ElementTree.fromstring(file.read_text()).find("testsuite")
    assert (
        suite is not None and suite.get("timestamp") == "2026-11-21T06:00:00" and suite.get("time") == "4200"
    )


def comparison(folder: Path) -> Path:
    row = {
        "side": "new",
        "operation": "Home",
        "figure": "p90",
        "unit": "ms",
        "old": {"value": 10.0, "low": 9.0, "high": 11.0},
    }
    worse = row | {
        "new": {"value": 20.0},
        "ratio": {"value": 2.0, "low": 1.8, "high": 2.2},
        "p_corrected": 0.001,
        "said": "slower",
    }
    same = row | {"figure": "p50", "new": {"value": 10.0}, "ratio": {"value": 1.0}, "said": "~"}
    content = {
        "format": 1, "kind": "compare", "name": "shop", "by": "runs", "confidence": 0.95,
        "sides": [{"name": "old", "runs": ["a"]}, {"name": "new", "runs": ["b"]}], "rows": [worse, same],
        "unjudged": [{"side": "new", "operation": "Rare", "figure": "p99", "why": "too few"}],
    }  # fmt: skip
    folder.mkdir()
    (folder / "compare.json").write_text(json.dumps(content))
    return folder


def test_a_comparison_fails_what_is_worse(tmp_path: Path) -> None:
    folder = comparison(tmp_path / "ab")
    found = cases(export(folder, "--format", "junit").stdout)
    assert {name: state for name, (state, _) in found.items()} == {
        "Home p90": "failure",
        "Home p50": "passed",
        "Rare p99": "skipped",
    }
    assert "slower" in found["Home p90"][1]
    assert "**worse: Home p90**" in export(folder, "--format", "markdown").stdout
    export(folder, "--format", "csv", "--out", tmp_path / "made")
    rows = list(csv.DictReader((tmp_path / "made" / "compared.csv").open()))
    assert [(row["figure"], row["change"], row["said"]) for row in rows] == [
        ("p90", "2.0", "slower"),
        ("p50", "1.0", "~"),
    ]


def test_markdown_is_that_of_the_report(run_folder: Path) -> None:
    from loadstone import report

    assert export(run_folder, "--format", "markdown").stdout == report.summary(
        report.read_chapter(run_folder)
    )


def test_tables_have_every_operation_and_second(missed: Path, tmp_path: Path) -> None:
    summary = json.loads((missed / "run.json").read_text())
    names = [missed, "--format", "csv", "--out", tmp_path / "csv"]
    assert export(*names).stdout.split() == [
        str(tmp_path / "csv" / f"{one}.csv") for one in ("operations", "seconds")
    ]
    operations = list(csv.DictReader((tmp_path / "csv" / "operations.csv").open()))
    assert {row["operation"]: int(row["count"]) for row in operations} == {
        name: one["count"] for name, one in summary["operations"].items()
    }
    assert {row["run"] for row in operations} == {str(missed)} and operations[0]["unit"] == "users"
    seconds = list(csv.DictReader((tmp_path / "csv" / "seconds.csv").open()))
    steady = [row for row in seconds if row["phase"] == "steady" and row["operation"] == "HomePage"]
    assert len({row["second"] for row in steady}) == 6 and steady[0]["users"] == "200"
    home = summary["operations"]["HomePage"]
    assert sum(int(row["ok"]) + int(row["failed"]) for row in steady) == home["count"]
    answered = [float(row["response_ms_p50"]) for row in steady if row["response_ms_p50"]]
    assert min(answered) <= home["response_ms"]["p50"] <= max(answered)
    begun = [float(row["first_byte_ms_p50"]) for row in steady if row["first_byte_ms_p50"]]
    assert len(begun) == len(answered) and min(begun) <= home["first_byte_ms"]["p50"] <= max(begun)
    (row,) = (row for row in operations if row["operation"] == "HomePage")
    assert float(row["first_byte_ms_p99"]) == home["first_byte_ms"]["p99"]


def test_parquet_has_the_same_with_types(full_folder: Path, tmp_path: Path) -> None:
    assert export(full_folder, "--format", "parquet", "--out", tmp_path).exit_code == 0
    rows = duckdb.sql(f"SELECT DISTINCT run, load FROM read_parquet('{tmp_path}/seconds.parquet')").fetchall()
    assert len(rows) == 8 and {load for _, load in rows} == {100, 200, 400, 500, 515, 520, 530, 560}
    kinds = dict(
        row[:2]
        for row in duckdb.sql(
            f"DESCRIBE SELECT * FROM read_parquet('{tmp_path}/operations.parquet')"
        ).fetchall()
    )
    assert (kinds["run"], kinds["count"], kinds["response_ms_p90"]) == ("VARCHAR", "BIGINT", "DOUBLE")


def test_cells_of_csv_are_no_formulas(missed: Path, tmp_path: Path) -> None:
    summary = json.loads((missed / "run.json").read_text())
    operations = {'=HYPERLINK("x")': summary["operations"]["HomePage"]}
    (missed / "run.json").write_text(json.dumps(summary | {"operations": operations}))
    export(missed, "--format", "csv", "--out", tmp_path / "made")
    (row,) = csv.DictReader((tmp_path / "made" / "operations.csv").open())
    assert row["operation"] == '\'=HYPERLINK("x")'


def test_what_has_nothing_to_export_is_refused(tmp_path: Path) -> None:
    synthetic.nodes(tmp_path)
    for form in ("junit", "csv"):
        error = export(tmp_path, "--format", form).exception
        assert isinstance(error, LoadstoneError) and error.slug == "report-folder"
    assert export(tmp_path, "--format", "xlsx").exit_code == 2
