"""Campaigns on programs whose faults have outcomes that are known beforehand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from toys import compiled
from typer.testing import CliRunner

from loadstone import _core
from loadstone.cli import app
from loadstone.errors import LoadstoneError
from loadstone.inject.asked import Asked, Limits, checked
from loadstone.inject.conduct import campaign
from loadstone.inject.journal import Journal, read_lines
from loadstone.inject.page import inject_page
from loadstone.inject.seam import asked
from loadstone.inject.tally import tally
from loadstone.judge.intervals import wilson
from loadstone.stages.inject import Inject


class Quiet:
    """Shows nothing."""

    def unharmed(self, golden: dict[str, Any]) -> None: ...
    def tracing(self, steps: int) -> None: ...
    def traced(self, traced: dict[str, Any]) -> None: ...
    def injected(self, line: dict[str, Any], done: int, of: int, left_s: float) -> None: ...


def made(
    program: Path, folder: Path, *, runs: int = 40, only: tuple[str, ...] = ("live",), seed: int = 1,
    limits: Limits = Limits(hang_least_s=20),  # noqa: B008
) -> Inject:  # fmt: skip
    return campaign(Asked(program, (), runs, seed, only, limits=limits), folder, 2, Quiet())


def counts(found: Inject) -> dict[str, int]:
    return {each.outcome: each.count for each in found.shares if each.count}


def test_a_register_that_nobody_reads_masks_every_fault_and_the_result_none(tmp_path: Path) -> None:
    program = compiled(tmp_path, "shares")
    assert counts(made(program, tmp_path / "dead", only=("dead",))) == {"masked": 40}
    assert counts(made(program, tmp_path / "live")) == {"corrupt": 40}
    lines = read_lines(tmp_path / "live")
    assert {line["register"] for line in lines} == {"rax"} and len({line["bit"] for line in lines}) > 15


def test_two_instructions_share_the_faults_evenly(tmp_path: Path) -> None:
    """Each has one of two, so 200 faults give a share inside the 99.99 % interval around a half."""
    found = made(compiled(tmp_path, "shares"), tmp_path / "both", runs=200, only=("dead", "live"))
    assert counts(found).keys() == {"masked", "corrupt"}
    low, high = wilson(found.share("corrupt").share, 200, 0.99995)
    assert low < 0.5 < high


def test_what_a_program_finds_is_detected_and_what_it_puts_right_is_recovered(tmp_path: Path) -> None:
    assert counts(made(compiled(tmp_path, "detects"), tmp_path / "d")) == {"detected": 40}
    found = made(compiled(tmp_path, "recovers"), tmp_path / "r")
    assert counts(found) == {"recovered": 40}
    assert found.variant == "tmr" and found.counts_corrections


def test_a_run_without_an_end_hangs(tmp_path: Path) -> None:
    limits = Limits(hang_least_s=0.5, hang_factor=1)
    assert counts(made(compiled(tmp_path, "hang"), tmp_path / "h", runs=3, limits=limits)) == {"hang": 3}


def same(folder: Path) -> list[dict[str, Any]]:
    lines = [{k: v for k, v in line.items() if k != "took_s"} for line in read_lines(folder)]
    return sorted(lines, key=lambda line: line["index"])


def test_a_seed_says_everything_and_a_campaign_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    program = compiled(tmp_path, "loop")
    whole = made(program, tmp_path / "whole", runs=30)
    cut = tmp_path / "cut"
    made(program, cut, runs=10)
    file = cut / "injections.ndjson"
    file.write_bytes(file.read_bytes()[:-40])
    again = made(program, cut, runs=30)
    assert same(tmp_path / "whole") == same(cut) and len(same(cut)) == 30
    assert counts(whole) == counts(again) and again.missed == 0
    with pytest.raises(LoadstoneError, match="`seed` is 1, not 2") as refused:
        made(program, cut, seed=2)
    assert refused.value.slug == "inject-folder"
    assert "masked" in inject_page(cut)


@pytest.mark.parametrize(
    ("toy", "slug", "said"),
    [
        ("endless", "inject-endless", "has not ended after"),
        ("unsteady", "inject-unsteady", "in line 1"),
        ("parent", "inject-threads", "threads or processes"),
        ("stops", "inject-program", "there was none"),
    ],
)
def test_a_program_that_cannot_be_compared_is_refused(tmp_path: Path, toy: str, slug: str, said: str) -> None:
    with pytest.raises(LoadstoneError, match=said) as refused:
        made(compiled(tmp_path, toy), tmp_path / "out", only=("own",), limits=Limits(golden_limit_s=1))
    assert refused.value.slug == slug
    assert not (tmp_path / "out").exists()


def test_a_trace_has_bounds(tmp_path: Path) -> None:
    with pytest.raises(LoadstoneError, match="after 101 instructions") as refused:
        made(compiled(tmp_path, "loop"), tmp_path / "out", only=("own",), limits=Limits(most_steps=100))
    assert refused.value.slug == "inject-long"


def test_functions_need_symbols_and_their_own_code_does_not(tmp_path: Path) -> None:
    program = compiled(tmp_path, "loop", "-s")
    with pytest.raises(LoadstoneError, match="stripped") as refused:
        made(program, tmp_path / "out")
    assert refused.value.slug == "inject-symbols"
    found = made(program, tmp_path / "own", runs=4, only=("own",))
    assert found.injected == 4 and "no symbols" in found.warnings[0]


def test_what_is_no_program_for_this_machine_is_refused(tmp_path: Path) -> None:
    script, other = tmp_path / "script", tmp_path / "other"
    script.write_text("#!/bin/sh\n")
    # The head of a program for Arm.
    program = bytearray(compiled(tmp_path, "loop").read_bytes())
    program[18:20] = (183).to_bytes(2, "little")
    other.write_bytes(program)
    for file, slug in ((script, "inject-program"), (other, "inject-machine")):
        file.chmod(0o755)
        with pytest.raises(LoadstoneError) as refused:
            made(file, tmp_path / "out")
        assert refused.value.slug == slug


def test_a_system_that_forbids_tracing_says_what_to_do() -> None:
    def forbidden() -> None:
        raise ValueError("ptrace", "the system does not let us trace `x`")

    with pytest.raises(LoadstoneError, match="does not let us trace") as refused:
        asked(forbidden)
    assert refused.value.slug == "inject-ptrace" and "SYS_PTRACE" in (refused.value.hint or "")


def test_numbers_out_of_range_are_refused_before_anything_starts() -> None:
    for wrong in (Asked(Path("x"), (), 0, 1), Asked(Path("x"), (), 1, 1, limits=Limits(golden_runs=2))):
        with pytest.raises(LoadstoneError) as refused:
            checked(wrong)
        assert refused.value.slug == "inject-input"


def test_the_command_writes_its_folder_and_the_page_can_be_made_again(tmp_path: Path) -> None:
    program, out = compiled(tmp_path, "shares"), tmp_path / "out"
    words = ["inject", "--runs", "5", "--only", "live", "--out", str(out), str(program)]
    ran = CliRunner().invoke(app, words)
    assert ran.exit_code == 0, ran.output
    assert "corrupt        5  100.00 %" in ran.output
    (out / "report.html").unlink()
    assert CliRunner().invoke(app, ["report", str(out)]).exit_code == 0
    assert "silently" in (out / "report.html").read_text("utf-8")
    assert CliRunner().invoke(app, ["inject", str(tmp_path / "none")]).exit_code != 0


def test_nothing_is_known_of_no_faults() -> None:
    shares, missed = tally([{"outcome": "missed"}])
    assert missed == 1 and {(one.low, one.high) for one in shares} == {(0.0, 1.0)}


def test_a_journal_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "injections.ndjson").write_text(json.dumps({"index": 1}) + "\n")
    with pytest.raises(LoadstoneError, match="no campaign"):
        Journal(tmp_path, {"seed": 1})


def test_the_module_refuses_an_injection_before_the_trace(tmp_path: Path) -> None:
    core = _core.Campaign(Asked(compiled(tmp_path, "loop"), (), 1, 1).config())
    with pytest.raises(ValueError, match="before the trace"):
        core.inject(0)
