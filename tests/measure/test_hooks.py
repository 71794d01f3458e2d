"""Functions that steps call, measured: what the record says of them, and when they were the bottleneck."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import folders
import pytest
import simulated
from scripted_site import site

from loadstone import report
from loadstone.cli.run_table import table
from loadstone.judge.checks import at_its_limit
from loadstone.judge.histogram import bucket_of
from loadstone.measure import Interrupt, Job, Silent, measure_scenario, sut_of
from loadstone.measure.engine import RustEngine
from loadstone.report.run_tables import run_tables
from loadstone.report.table import Table
from loadstone.scenario import load_scenario
from loadstone.stages.run import Check, Run

SCENARIO = """
format = 1
name = "pay"
[target]
url = "http://127.0.0.1:{port}"
[load]
users = {users}
ramp_up_s = 0
steady_s = {steady_s}
ramp_down_s = 0
[sla]
window_s = 1
[pacing]
think = {think}
[[operation]]
name = "Pay"
limit_s = 1
[[operation.step]]
get = "/{{user}}"
[[operation.step]]
call = "sign.py:sign"
arguments = {{ who = "{{user}}" }}
returns = ["mark"]
[[operation.step]]
get = "/{{mark}}"
"""


def answered(path: str, _number: int) -> bytes:
    body = path.encode()
    return b"HTTP/1.1 200 OK\r\nX-Path: %s\r\nContent-Length: %d\r\n\r\n%s" % (body, len(body), body)


def measured(folder: Path, sign: str, users: int = 5, steady_s: float = 2, think: float = 0.05) -> Run:
    (folder / "sign.py").write_text(sign)
    with site(answered) as port:
        path = folder / "pay.toml"
        path.write_text(SCENARIO.format(port=port, users=users, steady_s=steady_s, think=think))
        scenario = load_scenario(path)
        job = Job(scenario, sut_of(scenario), RustEngine(), ["test"])
        return measure_scenario(
            job, folder / "run", load=None, seed=1, interrupt=Interrupt(), progress=Silent()
        )


def test_the_record_has_calls_times_and_what_they_needed(tmp_path: Path) -> None:
    code = (
        "def sign(answer, who):\n"
        "    assert answer.status == 200 and answer.headers['x-path'] == '/' + who == answer.text\n"
        "    assert answer.body == answer.text.encode()\n"
        "    return {'mark': int(who) + 100}\n"
    )
    run = measured(tmp_path, code)
    pay, [hook] = run.operations["Pay"], run.hooks
    assert pay.ok > 20 and not any(pay.failed.values()), run.failures
    assert (hook.function, hook.failed) == ("sign.py:sign", 0)
    assert abs(hook.returned - pay.ok) <= 5 and hook.ms.p50 and hook.cpu_share and hook.cpu_us_mean
    assert hook.total_s == pytest.approx(hook.returned * (hook.ms.mean or 0) / 1000, rel=0.01)
    assert {part.step for part in pay.steps} == {0, 2}
    [check] = [check for check in run.validity.checks if check.name == "hooks"]
    assert check.verdict == "met" and "most for sign.py:sign" in str(check.measured)
    assert f"sign.py:sign: {hook.returned} calls, 0 failed, p50 " in table(run, tmp_path)
    sums = f"SELECT sum(returned), sum(list_sum(count)) FROM '{tmp_path}/run/hooks.parquet'"
    [(returned, timed)] = duckdb.sql(sums).fetchall()
    assert returned == timed >= hook.returned
    shown = hooks_table(tmp_path / "run")
    assert shown and shown.rows[0]["calls"] == hook.returned
    assert "| sign.py:sign |" in report.summary(report.read_chapter(tmp_path / "run"))
    assert json.loads((tmp_path / "run/workload.json").read_text())["functions"][0]["name"] == "sign.py:sign"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise ValueError('the basket is empty')", "ValueError: the basket is empty (sign.py, line 2)"),
        ("raise SystemExit", "SystemExit (sign.py, line 2)"),
        ("import json; return json.loads(who + '{')", "JSONDecodeError: "),
        ("return 7", "it returned int, not a dictionary"),
        ("return None", "it returned NoneType, not a dictionary"),
        ("return {}", "`mark` is not in what it returned"),
        ("return {'mark': 1, 'other': 2}", "it returned `other`, which `returns` does not have"),
        ("return {'mark': [1]}", "`mark` is list; a value is a text, a number or bytes"),
        ("return {'mark': 'x' * 2_000_000}", "`mark` has 2000000 bytes, and a value at most 1048576"),
    ],
)
def test_what_goes_wrong_in_it_is_told_and_counted_apart(tmp_path: Path, body: str, said: str) -> None:
    code = "def sign(who):\n    " + body.replace("; ", "\n    ") + "\n"
    run = measured(tmp_path, code, users=2, steady_s=1)
    [failure] = run.failures
    assert (failure.operation, failure.cause) == ("Pay", "hook")
    assert failure.example is not None and f"CALL sign.py:sign: {said}" in failure.example
    assert run.outcome == "complete" and run.hooks[0].failed > 0 == run.hooks[0].returned


@pytest.mark.parametrize(
    ("value", "path"), [("'a b'", "/a%20b"), ("True", "/true"), ("1.5", "/1.5"), ("b'x'", "/x")]
)
def test_texts_numbers_and_bytes_are_values(tmp_path: Path, value: str, path: str) -> None:
    asked: list[str] = []

    def answer(where: str, number: int) -> bytes:
        asked.append(where)
        return answered(where, number)

    (tmp_path / "sign.py").write_text(f"def sign(who):\n    return {{'mark': {value}}}\n")
    with site(answer) as port:
        (tmp_path / "pay.toml").write_text(SCENARIO.format(port=port, users=1, steady_s=0.5, think=0.05))
        scenario = load_scenario(tmp_path / "pay.toml")
        job = Job(scenario, sut_of(scenario), RustEngine(), ["test"])
        measure_scenario(job, tmp_path / "run", load=None, seed=1, interrupt=Interrupt(), progress=Silent())
    assert path in asked


def test_users_live_while_they_call(tmp_path: Path) -> None:
    """Half of each cycle is a call: no response time has it, and Little's law holds all the same."""
    code = "import time\ndef sign(who):\n    time.sleep(0.1)\n    return {'mark': who}\n"
    run = measured(tmp_path, code, users=4, steady_s=5, think=0.1)
    times = run.operations["Pay"].response_ms
    assert times and times.p50 is not None and times.p50 < 90 and (run.hooks[0].ms.p50 or 0) >= 100
    checks = {check.name: check for check in run.validity.checks}
    # Without the calls, half of the users' time would be missing. Where the machine stood still, more than
    # calls is missing, and the law is not judged.
    cycles_s = run.operations["Pay"].count * (0.2 + (times.mean or 0) / 1000)
    assert 0.6 < cycles_s / (4 * 5) < 1.2
    stood_still = 4 * 5 - cycles_s > 0.5
    assert checks["littles-law"].verdict == "met" or stood_still, checks["littles-law"]
    assert "of a processor" in str(checks["hooks"].measured)


def hooks_table(folder: Path) -> Table | None:
    detail = report.read_chapter(folder).detail
    assert detail
    return next((one for one in run_tables(detail) if one and one.slug == "hooks"), None)


def with_calls(plan: dict[str, Any], cpu_s: float, waited_us: int = 20) -> list[dict[str, Any]]:
    windows = simulated.windows(plan, lambda rng, name: float(rng.uniform(0.01, 0.05)))
    for window in windows:
        calls = sum(one["ok"] for one in window["operations"])
        if calls:
            window["hooks"] = [
                {
                    "function": 0, "returned": calls, "failed": 0, "cpu_s": cpu_s,
                    "waited": {"bucket": [bucket_of(waited_us)], "count": [calls]},
                    "took": {"bucket": [50], "count": [calls]},
                }
            ]  # fmt: skip
    return windows


@pytest.mark.parametrize(
    ("cpu_s", "waited_us", "verdict"),
    [(0.1, 20, "met"), (0.65, 20, "met"), (0.75, 20, "missed"), (0.1, 30_000, "missed")],
)
def test_functions_that_hold_the_load_back_make_a_run_invalid(
    tmp_path: Path, cpu_s: float, waited_us: int, verdict: str
) -> None:
    # 30 ms are over 2 % of a cycle of a second.
    plan = simulated.plan(users=100, ramp_up_s=10.0, steady_s=60.0, mean_s=1.0, kind="think")
    plan["functions"] = [{"name": "sign.py:sign", "file": "/sign.py", "sha256": "00"}]
    result = folders.made(tmp_path / "run", plan, with_calls(plan, cpu_s, waited_us))
    [check] = [check for check in result["validity"]["checks"] if check["name"] == "hooks"]
    assert check["verdict"] == verdict, check
    assert result["hooks"][0]["cpu_share"] == pytest.approx(cpu_s, rel=0.05)
    state = result["validity"]["state"]
    assert state == ("invalid" if verdict == "missed" else "valid"), result["validity"]["checks"]
    assert at_its_limit([Check(**one) for one in result["validity"]["checks"]]) == (verdict == "missed")
    assert ("say with templates" in check["hint"]) == (verdict == "missed")


def test_a_run_without_functions_says_nothing_of_them(tmp_path: Path) -> None:
    plan = simulated.plan(users=20, ramp_up_s=2.0, steady_s=10.0)
    windows = simulated.windows(plan, lambda rng, name: 0.02)
    result = folders.made(tmp_path / "run", plan, windows)
    assert result["hooks"] == [] and "hooks" not in [check["name"] for check in result["validity"]["checks"]]
    assert hooks_table(tmp_path / "run") is None
