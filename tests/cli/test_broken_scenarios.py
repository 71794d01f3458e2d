"""Every broken scenario is refused with the message of its golden file, and with exit code 2.

`LOADSTONE_UPDATE_GOLDEN=1 pytest tests/cli` writes the golden files anew: read the difference.
"""

import os
import re
import sys
from pathlib import Path

import pytest

from loadstone import cli, scenario
from loadstone.errors import SLUGS

BROKEN = Path(__file__).parent / "broken"
FILES = sorted(path.name for path in BROKEN.glob("*.toml"))

# Slugs of scenarios that no broken file can show, and the test that does.
ELSEWHERE = {
    "scenario-missing": "test_no_such_scenario",
    "override-path": "test_settings_that_lead_nowhere",
    "plan-refused": "tests/scenario/test_builtin.py",
    "scenario-python": "tests/scenario/test_python.py",
    "short-steady": "tests/scenario/test_load.py, a warning",
    "shared-slice": "tests/scenario/test_load.py, a warning",
    "measured": "no slug there: a profile of the `surge` application",
}


def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["loadstone", *arguments])
    with pytest.raises(SystemExit) as exit_:
        cli.main()
    out, err = capsys.readouterr()
    return int(exit_.value.code or 0), out, err


@pytest.mark.parametrize("file", FILES)
def test_golden_message(
    file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(BROKEN)
    code, out, err = run(monkeypatch, capsys, "check", file)
    golden = BROKEN / f"{Path(file).stem}.err"
    if os.environ.get("LOADSTONE_UPDATE_GOLDEN"):
        golden.write_text(err, encoding="utf-8")
    assert err == golden.read_text(encoding="utf-8")
    assert (code, out) == (2, "")


def test_there_are_enough() -> None:
    assert len(FILES) >= 20


def test_every_slug_of_scenarios_has_a_message() -> None:
    shown = {
        slug
        for golden in BROKEN.glob("*.err")
        for slug in re.findall(r"error\[([a-z-]+)\]", golden.read_text("utf-8"))
    }
    code = "".join(path.read_text("utf-8") for path in Path(scenario.__file__).parent.glob("*.py"))
    used = {slug for slug in SLUGS if f'"{slug}"' in code}
    assert used - shown - set(ELSEWHERE) == set()


def test_no_such_scenario(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(monkeypatch, capsys, "check", "oloi")
    assert (code, out) == (2, "")
    assert (
        err == "error[scenario-missing]: the scenario `oloi` does not exist\n  hint: did you mean `olio`?\n"
    )


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("load.users", "error[override-path]: `load.users` sets nothing\n  at --set load.users\n"),
        ("load.users=0", "error[out-of-range]: `users` is 0, must be at least 1\n  at --set load.users=0\n"),
        ("operation.Hom.limit_s=1", "error[override-path]: the list has no item `Hom`\n"),
        ("name.x=1", "error[override-path]: `name.x` leads nowhere: `name` is not a table\n"),
    ],
)
def test_settings_that_lead_nowhere(
    setting: str, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(monkeypatch, capsys, "check", "olio", "--set", setting)
    assert (code, out) == (2, "")
    assert err.startswith(message)
