"""Change points: false alarms and finds by simulation, and the command over folders of runs."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import duckdb
import numpy as np
import pytest
from scipy import stats
from test_command import side

from loadstone import cli
from loadstone.compare.points import change_points, least_runs


@pytest.mark.parametrize("heavy", [False, True])
def test_a_level_that_stays_rarely_seems_to_change(heavy: bool) -> None:
    """Also where single runs stray far: t with two degrees of freedom has no variance."""
    random = np.random.default_rng(1)
    trials = 60
    found = 0
    for trial in range(trials):
        series = random.standard_t(2, 24) if heavy else random.normal(0, 1, 24)
        found += bool(change_points(series, 0.05, seed=trial))
    assert found <= stats.binom.ppf(0.999, trials, 0.05)


def test_two_changes_are_found_where_they_are() -> None:
    random = np.random.default_rng(2)
    near = 0
    for trial in range(20):
        series = random.normal(0, 0.015, 60)
        series[20:] += 0.06
        series[45:] -= 0.06
        found = [point.at for point in change_points(series, 0.05 / 18, seed=trial)]
        near += len(found) == 2 and abs(found[0] - 20) <= 2 and abs(found[1] - 45) <= 2
    assert near >= 16


def test_fewer_runs_than_it_takes_show_nothing_however_clear() -> None:
    for level in (0.05, 0.003):
        count = least_runs(level)
        for length, expected in ((count - 1, 0), (count, 1)):
            step = np.where(np.arange(length) < length // 2, 0.0, 1.0) + np.arange(length) / 1000
            assert len(change_points(step, level)) == expected


def history(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["loadstone", "history", *arguments])
    try:
        cli.main()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.fixture(scope="module")
def nightly(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixteen runs; since the ninth, `Search` takes a quarter longer."""
    made = tmp_path_factory.mktemp("nightly")
    side(made / "before", 1.0, range(1, 9), steady_s=12)
    side(made / "since", 1.25, range(11, 19), steady_s=12)
    runs = made / "runs"
    runs.mkdir()
    for number, folder in enumerate(sorted(made.glob("before/*")) + sorted(made.glob("since/*")), 1):
        kept = folder.rename(runs / f"{number:04d}")
        record = json.loads((kept / "run.json").read_text("utf-8"))
        record["started_at"] = f"2026-11-{number:02d}T03:00:00+00:00"
        (kept / "run.json").write_text(json.dumps(record), "utf-8")
    return runs


def test_the_command_names_the_run_since_which_an_operation_is_slower(
    nightly: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = history([str(nightly), "--json"], monkeypatch, capsys)
    found = json.loads(out)
    assert (code, found["kind"], len(found["runs"])) == (0, "history", 16)
    changes = {(one["operation"], one["figure"]): one for one in found["changes"]}
    mean = changes["Search", "mean"]
    assert (mean["since"]["run"], mean["said"]) == (str(nightly / "0009"), "slower")
    assert mean["ratio"]["low"] < 1.25 < mean["ratio"]["high"]
    assert not [figure for operation, figure in changes if operation == "Home"]
    _, table, _ = history([str(nightly)], monkeypatch, capsys)
    assert "2026-11-09T03:00:00+00:00 0009  Search     mean" in table


def test_the_runs_are_listed_and_each_operation_has_its_trend(
    nightly: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "made" / "history.parquet"
    code, out, err = history([str(nightly), "--last", "3", "--parquet", str(file)], monkeypatch, capsys)
    assert (code, err) == (0, f"wrote {file}\n")
    _, runs, trends, changes = out.split("\n\n")
    assert runs.splitlines()[0] == "13 earlier runs are not listed (--last)"
    assert [line.split()[0] for line in runs.splitlines()[2:]] == ["0014", "0015", "0016"]
    search = next(line for line in trends.splitlines() if line.startswith("Search"))
    blocks = re.search("[▁▂▃▄▅▆▇█]{16}", search)
    assert blocks and max(blocks[0][:8]) < min(blocks[0][8:])
    assert 15 < float(search.split()[-2]) < 35
    assert changes.splitlines()[1].startswith("2026-11-09")
    rows = duckdb.sql(f"SELECT * FROM read_parquet('{file}')")
    assert rows.columns == ["run", "started_at", "operation", "figure", "unit", "value"]
    means = rows.filter("operation = 'Search' AND figure = 'mean'").order("started_at").fetchall()
    assert len(means) == 16 and means[8][0] == str(nightly / "0009")
    assert f"{means[-1][-1]:.1f}" == search.split()[-3]


def test_a_trend_of_another_figure_can_be_asked_for(
    nightly: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = history([str(nightly), "--figure", "within", "--markdown"], monkeypatch, capsys)
    assert re.search(r"^\| Search \| within limit % \| .* points \|$", out, re.M)
    code, _, err = history([str(nightly), "--figure", "p42"], monkeypatch, capsys)
    assert code == 2 and "there is no figure `p42`" in err


def test_a_few_runs_show_no_change_and_it_is_said_how_many_it_takes(
    nightly: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(6, 12):
        (tmp_path / f"{number:04d}").symlink_to(nightly / f"{number:04d}")
    code, out, err = history([str(tmp_path)], monkeypatch, capsys)
    assert code == 0
    assert out.endswith("no change shown\n")
    assert "warning: 6 runs are too few to show any change in " in err


def test_the_page_draws_each_figure_with_its_levels_and_says_since_when(
    nightly: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "made" / "history.html"
    code, _, err = history([str(nightly), "--out", str(page)], monkeypatch, capsys)
    assert (code, err) == (0, f"wrote {page}\n")
    text = page.read_text("utf-8")
    assert "Search: mean is slower" in text and "since 0009 of 9 November 2026, 03:00 UTC." in text
    embedded = re.search(r'<script type="application/json" id="charts">(.*?)</script>', text, re.S)
    assert embedded
    charts = json.loads(embedded[1]).values()
    levels = [[one for one in chart["data"] if one["name"] == "level"] for chart in charts]
    found = next(one for one in levels if one)
    assert [one["x"] for one in found] == [[0.5, 8.5], [8.5, 16.5]]
    assert found[1]["y"][0] == pytest.approx(1.25 * found[0]["y"][0], rel=0.05)
    assert [shape["x0"] for shape in next(iter(charts))["layout"]["shapes"]] == [8.5]
    assert len(next(iter(charts))["data"][0]["y"]) == 16
    assert any(not one for one in levels), "Home, which stays, is drawn without a change"
