"""`loadstone solve` from the outside: bounds on stdout, errors with their place."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pool_model import POOL

from loadstone import cli


def loadstone(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["loadstone", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return int(ended.value.code or 0)


@pytest.fixture
def pool(tmp_path: Path) -> str:
    file = tmp_path / "pool.prism"
    file.write_text(POOL)
    return str(file)


def figures(text: str) -> dict[str, dict[str, Any]]:
    return {figure["ask"]: figure for figure in json.loads(text)["answers"]}


def test_a_year_of_a_pool(
    pool: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = ["--until", "365d", "--long-run", "--cycle", "--first", "--of", "short", "--json"]
    assert loadstone(monkeypatch, "solve", pool, "--const", "spares=2", *questions) == 0
    found = figures(capsys.readouterr().out)
    # Ten crashes a year, each makes the service wait 15 s; rarely the shelf is empty.
    assert 2 / 3 * 1e-6 < found["cycle-share"]["low"] < found["cycle-share"]["high"] < 1e-5
    assert found["cycle-mean"]["low"] == pytest.approx(15.0, rel=1e-3)
    assert found["first-mean"]["high"] == pytest.approx(365 * 86400 / 10, rel=1e-12)
    assert found["first-by"]["low"] == pytest.approx(1 - 4.539992976e-05, rel=1e-9)
    assert all(figure["relative_width"] <= 1e-8 for figure in found.values())


def test_a_table_for_people(
    pool: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--until", "1h", "--at", "60", "--states", "1", "--long-run"]
    assert loadstone(monkeypatch, "solve", pool, "--const", "spares=1", *arguments) == 0
    out = capsys.readouterr().out
    assert out.startswith("22 states, ")
    for part in ("sum until 3600", "mean until 3600", "value at 60", "long-run mean", "(up=10,shelf=1)"):
        assert part in out


def test_what_is_exported_gives_the_same_answer(
    pool: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "explicit"
    constants = ["--const", "spares=2"]
    export = ["--until", "1d", "--export", str(folder), "--json"]
    assert loadstone(monkeypatch, "solve", pool, *constants, *export) == 0
    first = figures(capsys.readouterr().out)["until"]
    for name in ("pool.prism", "pool.tra"):
        arguments = ["solve", str(folder / name), "--of", "down", "--until", "1d", "--json"]
        assert loadstone(monkeypatch, *arguments) == 0
        again = figures(capsys.readouterr().out)["until"]
        assert again["low"] <= first["high"] and first["low"] <= again["high"]


def test_a_chain_written_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "trap.json"
    file.write_text('{"states": 3, "transitions": [[0, 1, 1], [0, 2, 1]], "labels": {"lost": [1]}}')
    assert loadstone(monkeypatch, "solve", str(file), "--first", "--long-run", "--of", "lost") == 0
    out = capsys.readouterr().out
    assert "infinite" in out and "0.5" in out


BROKEN = {
    "typo": (POOL.replace("module service", "modul service"), "error[model-text]", "pool.prism:6:1"),
    "open-constant": (POOL, "error[model-text]: `spares` needs a value", "pool.prism:3:11"),
    "rate": (POOL.replace("up * crash", "0 / 0"), "error[model-text]: the rate is NaN", "pool.prism:9:3"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_mistake_in_a_model_names_its_place(
    name: str, pool: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text, message, place = BROKEN[name]
    Path(pool).write_text(text)
    constants = [] if name == "open-constant" else ["--const", "spares=1"]
    assert loadstone(monkeypatch, "solve", pool, *constants, "--long-run") == 2
    stderr = capsys.readouterr().err
    assert message in stderr and place in stderr


@pytest.mark.parametrize(
    ("arguments", "slug"),
    [
        (["nowhere.prism", "--long-run"], "model-missing"),
        (["POOL", "--const", "spares", "--long-run"], "model-input"),
        (["POOL", "--const", "spares=1", "--of", "up +", "--long-run"], "model-input"),
        (["POOL", "--const", "spares=100000", "--most-states", "1000", "--long-run"], "model-input"),
        (["POOL", "--const", "spares=1", "--until", "soon"], "duration"),
    ],
)
def test_what_cannot_be_asked(
    arguments: list[str],
    slug: str,
    pool: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = [pool if each == "POOL" else each for each in arguments]
    assert loadstone(monkeypatch, "solve", *given) == 2
    assert f"error[{slug}]" in capsys.readouterr().err


# Six counters of a hundred steps that all depend on each other: 10^12 states.
ENDLESS = (
    "ctmc\nmodule m\n"
    + "".join(f"  x{at} : [0..99];\n" for at in range(6))
    + "".join(
        f"  [] x{at}<99 -> 1+x{(at + 1) % 6} : (x{at}'=x{at}+1);\n  [] x{at}>0 -> 1 : (x{at}'=x{at}-1);\n"
        for at in range(6)
    )
    + 'endmodule\nlabel "full" = x0=99;\n'
)


def test_a_question_that_is_too_hard_is_refused_within_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "endless.prism"
    file.write_text(ENDLESS)
    options = ["--long-run", "--of", "full", "--within", "0.3", "--most-states", "1000000000"]
    assert loadstone(monkeypatch, "solve", str(file), *options) == 2
    told = capsys.readouterr().err
    assert "error[model-too-hard]: no answer within 0.3 s" in told and "exploring the states" in told


def test_memory_has_a_limit_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "endless.prism"
    file.write_text(ENDLESS)
    assert loadstone(monkeypatch, "solve", str(file), "--long-run", "--of", "full", "--memory", "0.01") == 2
    assert "of 0.01 GiB that may be used" in capsys.readouterr().err


def test_an_interrupt_ends_a_solution_that_lasts(tmp_path: Path) -> None:
    file = tmp_path / "endless.prism"
    file.write_text(ENDLESS)
    # A timer of the process's own: it strikes while the solver is at work.
    program = (
        "import json, signal, sys\n"
        "from loadstone._core import solve_chain\n"
        "signal.signal(signal.SIGALRM, signal.default_int_handler)\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.3)\n"
        "model = {'prism': {'text': open(sys.argv[1]).read(), 'most_states': 10**9}}\n"
        "request = {'model': model, 'questions': [{'ask': 'long-run', 'of': 'full'}]}\n"
        "try:\n    solve_chain(json.dumps(request))\n"
        "except KeyboardInterrupt:\n    print('interrupted')\n"
    )
    command = [sys.executable, "-c", program, str(file)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert found.stdout == "interrupted\n", found.stderr
