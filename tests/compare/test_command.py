"""`loadstone compare` from the outside: a table, a page's worth of Markdown, JSON, exit codes, refusals.

`LOADSTONE_UPDATE_GOLDEN=1 pytest tests/compare` writes the golden files anew: read the difference.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
from pathlib import Path

import folders
import pytest
import simulated

from loadstone import cli
from loadstone.stages.compare import Comparison

GOLDEN = Path(__file__).parent / "golden"
PRINTED = {
    "sides": ["old", "new"],
    "pairs": ["old", "new", "--paired", "--markdown"],
    "three": ["old", "new", "same", "--fail-on", "nothing"],
    "single": ["old/0001", "new/0001"],
    "beside": ["old/0001", "new"],
}
REFUSED = {
    "one": ["old"],
    "nothing": ["old", "empty"],
    "missing": ["old", "none"],
    "load": ["old", "busier"],
    "no-pairs": ["old/0001", "new/0002", "--paired"],
    "pairs-of-three": ["old", "new", "same", "--paired"],
    "cut-short": ["old", "cut"],
    "no-pair-left": ["half/a", "half/b", "--paired"],
}


def side(folder: Path, scale: float, seeds: range, users: int = 12, steady_s: float = 30) -> None:
    """Runs of a simulated service whose operation `Search` takes `scale` times as long."""

    def respond(rng: random.Random, name: str) -> float:
        return rng.lognormvariate(0, 0.2) * 0.04 * (scale if name == "Search" else 1)

    for number, seed in enumerate(seeds, 1):
        plan = simulated.plan(users=users, ramp_up_s=1, steady_s=steady_s, ramp_down_s=0, mean_s=0.5)
        folders.made(folder / f"{number:04d}", plan, simulated.windows(plan, respond, seed))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("runs")
    side(made / "old", 1.0, range(1, 5))
    side(made / "new", 1.12, range(11, 15))
    side(made / "same", 1.0, range(21, 25))
    side(made / "busier", 1.0, range(31, 32), users=14)
    side(made / "cut", 1.0, range(41, 42))
    record = made / "cut/0001/run.json"
    record.write_text(json.dumps(json.loads(record.read_text("utf-8")) | {"outcome": "interrupted"}), "utf-8")
    (made / "empty").mkdir()
    for name, number, source in (
        ("a", 1, "old/0001"),
        ("a", 2, "cut/0001"),
        ("b", 1, "cut/0001"),
        ("b", 2, "new/0002"),
    ):
        shutil.copytree(made / source, made / "half" / name / f"{number:04d}")
    return made


def compare(
    arguments: list[str], runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, str]:
    monkeypatch.chdir(runs)
    monkeypatch.setattr(sys, "argv", ["loadstone", "compare", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    code = ended.value.code
    said = capsys.readouterr()
    return code if isinstance(code, int) else 0, said.out, said.err


def check(name: str, text: str) -> None:
    file = GOLDEN / name
    if os.environ.get("LOADSTONE_UPDATE_GOLDEN"):
        GOLDEN.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")
    assert text == file.read_text("utf-8")


@pytest.mark.parametrize("name", PRINTED)
def test_what_is_printed(
    name: str, runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = compare(PRINTED[name], runs, monkeypatch, capsys)
    assert code == (0 if name == "three" else 1), out
    check(f"{name}.out", out)
    check(f"{name}.err", err)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(
    name: str, runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = compare(REFUSED[name], runs, monkeypatch, capsys)
    assert (code, out) == (2, "")
    check(f"{name}.err", err)


def test_runs_that_differ_are_compared_anyway_and_it_is_said(
    runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = compare(["old", "busier", "--anyway", "--json"], runs, monkeypatch, capsys)
    found = Comparison.model_validate(json.loads(out))
    assert found.unlike[0] == "load.users: 12 in old/0001, 14 in busier/0001"
    assert "warning: not made alike: load.users: 12 in old/0001, 14 in busier/0001" in err
    assert code == (1 if found.worse() else 0)


def test_a_machine_that_was_slower_in_some_runs_is_told_of(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, memory_us in (("old", 90.0), ("same", 300.0)):
        shutil.copytree(runs / name, tmp_path / name)
        for record in (tmp_path / name).glob("*/run.json"):
            run = json.loads(record.read_text("utf-8"))
            noise = {"control_ms": {}, "compute_us": 60.0, "memory_us": memory_us}
            record.write_text(json.dumps(run | {"noise": noise}), "utf-8")
    _, out, err = compare(["old", "same", "--json"], tmp_path, monkeypatch, capsys)
    (told,) = [one for one in json.loads(out)["warnings"] if "equally fast" in one]
    assert "the same reads of memory took 90 µs in old/0001 and 300 µs in same/0004" in told
    assert told in err


def test_json_holds_what_the_table_shows_and_nothing_differs_from_itself(
    runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = compare(["old", "same", "--json"], runs, monkeypatch, capsys)
    found = json.loads(out)
    assert code == 0
    assert (found["kind"], found["by"], found["confidence"]) == ("compare", "runs", 0.95)
    assert {row["said"] for row in found["rows"]} == {"~"}
    search = next(row for row in found["rows"] if (row["operation"], row["figure"]) == ("Search", "mean"))
    assert search["ratio"]["low"] < 1 < search["ratio"]["high"]
    assert search["old"]["low"] < search["old"]["value"] < search["old"]["high"]


def test_only_slower_times_fail_a_gate_that_asks_for_them(
    runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, expected in (
        (["old", "new", "--fail-on", "slower"], 1),
        (["new", "old", "--fail-on", "slower"], 0),
        (["old", "new", "--fail-on", "nothing"], 0),
    ):
        assert compare(arguments, runs, monkeypatch, capsys)[0] == expected


def test_a_comparison_is_drawn_as_a_page(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "compared.html"
    code, _, err = compare(["old", "new", "--out", str(page)], runs, monkeypatch, capsys)
    assert code == 1 and f"wrote {page}" in err
    text = page.read_text("utf-8")
    assert "worse beyond chance" in text and "✗ slower" in text
    assert text.count('<div class="plot"') == 3, "Home, Search, and all together"
    # The same from the record, as `loadstone ab` leaves it in its folder.
    _, out, _ = compare(["old", "new", "--json"], runs, monkeypatch, capsys)
    (tmp_path / "compare.json").write_text(out, "utf-8")
    monkeypatch.setattr(sys, "argv", ["loadstone", "report", str(tmp_path)])
    with pytest.raises(SystemExit):
        cli.main()
    assert (tmp_path / "report.html").read_text("utf-8") == text
