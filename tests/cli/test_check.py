"""`loadstone check` for programs, and verdicts on a terminal."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from loadstone.cli import app

WRONG = """format = 1
name = "shop"
[target]
url = "ftp://shop.example"
[load]
users = -3
[[operation]]
name = "Front"
limit_s = 0.5
[[operation.step]]
gett = "/"
"""


def check(*arguments: str | Path) -> tuple[int, list[dict[str, object]]]:
    done = CliRunner().invoke(app, ["check", *map(str, arguments), "--json"])
    return done.exit_code, json.loads(done.stdout)


def test_every_mistake_is_an_entry(tmp_path: Path) -> None:
    file = tmp_path / "shop.toml"
    file.write_text(WRONG)
    code, (found, good) = check(file, "page")
    assert code == 2 and good["valid"] and good["warnings"] == []
    assert (found["file"], found["valid"]) == (str(file), False)
    errors = found["errors"]
    assert isinstance(errors, list) and len(errors) >= 2
    for error in errors:
        assert set(error) == {"slug", "message", "place", "line", "hint"}
        assert error["place"].startswith(f"{file}:{error['line']}")
    wrong = {error["line"]: error for error in errors}
    assert wrong[6]["slug"] == "wrong-type" or "users" in wrong[6]["place"]
    assert "[operation.Front.step.1" in wrong[11]["place"] or "gett" in wrong[11]["message"]


def test_a_setting_has_a_place_and_no_line() -> None:
    code, (found,) = check("page", "--set", "load.users=-3")
    assert code == 2
    assert [(error["place"], error["line"]) for error in found["errors"]] == [("--set load.users=-3", None)]  # type: ignore[attr-defined]


def test_a_scenario_is_checked_for_another_site() -> None:
    code, (found,) = check("page", "--url", "https://shop.example:8443/")
    assert code == 0 and found["valid"]
    code, (found,) = check("page", "--url", "shop.example")
    assert code == 2 and not found["valid"]


def seen_on_a_terminal(**environment: str) -> bytes:
    """What `check` writes to a terminal."""
    main, other = pty.openpty()
    try:
        done = subprocess.Popen(
            [sys.executable, "-m", "loadstone", "check", "page"],
            stdout=other,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            env={key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
            | {"TERM": "xterm-256color"}
            | environment,
        )
        assert done.wait(timeout=120) == 0
        return os.read(main, 1 << 16)
    finally:
        os.close(main)
        os.close(other)


def test_verdicts_have_a_colour_on_a_terminal() -> None:
    assert b"\x1b[32mgood\x1b[0m" in seen_on_a_terminal()


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_and_none_where_nobody_wants_it(environment: dict[str, str]) -> None:
    said = seen_on_a_terminal(**environment)
    assert b"good" in said and b"\x1b" not in said
