"""Pairs: their order, what an interruption keeps, and the command against real servers."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import simulated
import two_pages
from scripted_site import OK, site

from loadstone import cli
from loadstone.compare import compared, in_pairs, measure_pairs, read_sides
from loadstone.compare.pairs import turns
from loadstone.measure import Interrupt, Job, Silent
from loadstone.scenario import load_scenario


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_each_release_comes_first_as_often_and_neither_in_step(seed: int) -> None:
    order = list(turns(100, seed))
    assert Counter(order) == {(number, side): 1 for number in range(1, 101) for side in "ab"}
    firsts = "".join(side for at, (_, side) in enumerate(order) if at % 2 == 0)
    assert firsts.count("a") == 50
    assert {firsts[at : at + 2] for at in range(0, 100, 2)} == {"ab", "ba"}


def front(folder: Path, port: int) -> Path:
    return two_pages.scenario(
        folder / "front.toml",
        port,
        load="users = 12\nramp_up_s = 1\nsteady_s = 20\nramp_down_s = 0",
        sla="window_s = 10",
        mean_s=0.3,
        most_s=2,
        mix=("Search = 1", "Home = 1"),
    )


def jobs(tmp_path: Path, port: int) -> dict[str, Job]:
    """`Search` of b takes 8 % longer."""
    path = front(tmp_path, port)

    def engine(scale: float) -> simulated.SimulatedEngine:
        def respond(rng: random.Random, name: str) -> float:
            return rng.lognormvariate(0, 0.2) * 0.04 * (scale if name == "Search" else 1)

        return simulated.SimulatedEngine(lambda _users: respond)

    return {
        side: Job(load_scenario(path), two_pages.sut(port), engine(scale), ["loadstone", "ab"])
        for side, scale in (("a", 1.0), ("b", 1.08))
    }


@pytest.fixture
def port() -> Iterator[int]:
    with two_pages.listening() as port:
        yield port


class Interrupting(Silent):
    """Presses Ctrl-C when the run begins."""

    def started(self, plan: object, folder: Path) -> None:
        signal.raise_signal(signal.SIGINT)


def test_an_interruption_keeps_the_pairs_that_are_whole(tmp_path: Path, port: int) -> None:
    folder = tmp_path / "ab"
    order = list(turns(5, 1))

    def watch(number: int, side: str) -> Silent:
        return Interrupting() if (number, side) == order[-2] else Silent()

    whole = measure_pairs(
        jobs(tmp_path, port), folder, pairs=5, seed=1, users=None, interrupt=Interrupt(), watch=watch
    )
    assert not whole
    sides = read_sides([folder / "a", folder / "b"], anyway=False)
    in_pairs(*sides)
    assert [[one.folder.name for one in side.runs] for side in sides] == [
        ["0001", "0002", "0003", "0004"]
    ] * 2
    result = compared(sides, paired=True)
    assert (result.by, result.pairs) == ("pairs", 4)
    said = {row.operation for row in result.rows if row.said == "slower"}
    assert "Search" in said and "Home" not in said


def ab(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", ["loadstone", "ab", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    code = ended.value.code
    return code if isinstance(code, int) else 0


def test_releases_that_would_get_different_loads_are_refused_before_anything_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert ab(["page", "--b-set", "load.users=7", "--out", str(out)], monkeypatch) == 2
    assert "error[compare-unlike]: a and b would get different loads: load.users: " in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.long
def test_the_command_finds_the_slower_of_two_servers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Twice as slow, told by the median: one standstill of the machine decides a mean of 3 s."""
    scatter = random.Random(1)

    def answering(factor: float):  # type: ignore[no-untyped-def]
        def answer(path: str, _number: int) -> bytes:
            slow = factor if path.endswith("search") else 1.0
            time.sleep(0.03 * slow * scatter.lognormvariate(0, 0.1))
            return OK

        return answer

    with site(answering(1.0)) as old, site(answering(2.0)) as new:
        file, out = front(tmp_path, old), tmp_path / "out"
        urls = ["--a", f"http://127.0.0.1:{old}", "--b", f"http://127.0.0.1:{new}"]
        short = ["--pairs", "6", "--window", "3", "--ramp-up", "0", "--anyway"]
        code = ab([str(file), *urls, *short, "--out", str(out), "--json"], monkeypatch)
    said = capsys.readouterr()
    assert code == 1
    assert "6 pairs of runs of 3 s into" in said.err
    found = json.loads(said.out)
    assert found == json.loads((out / "compare.json").read_text("utf-8"))
    slower = {(row["operation"], row["figure"]) for row in found["rows"] if row["said"] == "slower"}
    assert ("Search", "p50") in slower


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--agents", "client1"], "--agents needs --topology"),
        (["--service", "web"], "--service needs --topology"),
        (["--service", "web", "--b", "http://127.0.0.1:9"], "both name what to measure"),
    ],
)
def test_options_of_run_are_refused_as_run_does(
    options: list[str],
    said: str,
    tmp_path: Path,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = front(tmp_path, port)
    assert ab([str(path), "--out", str(tmp_path / "runs"), *options], monkeypatch) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()


def test_both_releases_are_observed_by_the_process_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Here the service is a thread of this process."""
    with site(lambda _path, _number: OK) as at:
        path = front(tmp_path, at)
        runs = tmp_path / "runs"
        short = ["--pairs", "1", "--window", "2", "--ramp-up", "0", "--anyway", "--set", "sla.window_s=1"]
        ab([str(path), "--out", str(runs), "--sut-pid", str(os.getpid()), *short], monkeypatch)
    assert re.search(r"\[1 of 1, [ab], about \d+ s left\] ", capsys.readouterr().err), "of the whole series"
    for side in "ab":
        seen = json.loads((runs / side / "0001" / "run.json").read_text("utf-8"))["sut"]
        assert seen["rss_bytes_max"] > 0, "memory is known in every second"
