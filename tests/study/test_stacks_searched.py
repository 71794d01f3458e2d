"""Searches of the study of stacks: what is gone on with, what counts, and in which windows."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import stacks_made_up as made_up

from loadstone.capacity import Limits
from loadstone.errors import LoadstoneError
from loadstone.record import write_json
from loadstone.stages.capacity import Capacity, Held, SearchRun
from loadstone.study.definition import defined, require_same
from loadstone.study.order import Order, header, take_up
from loadstone.study.record import NAME
from loadstone.study.registry import STUDIES
from loadstone.study.results import Results
from loadstone.study.run import conclusion, go_on
from loadstone.study.stacks.description import load_description
from loadstone.study.stacks.findings import findings
from loadstone.study.stacks.search import folder_of, more
from loadstone.study.stacks.study import Stacks

DESCRIPTION = load_description()


def test_a_trial_is_searched_in_windows_of_its_own() -> None:
    full, trial = (DESCRIPTION.size(DESCRIPTION.of(name), "full") for name in ("php-fpm", "php-none"))
    assert (full, trial) == (DESCRIPTION.full, DESCRIPTION.trial) and trial.window_s < full.window_s
    assert DESCRIPTION.size(DESCRIPTION.of("php-none"), "quick") == DESCRIPTION.quick


@pytest.mark.parametrize(
    ("outcome", "quick", "ends"),
    [("complete", False, True), ("noisy", False, False), ("max-runs", False, False), ("noisy", True, True)],
)
def test_what_found_no_number_is_gone_on_with(outcome: str, quick: bool, ends: bool, tmp_path: Path) -> None:
    study = Stacks(Order(tmp_path, "quick" if quick else "full", ("olio",)))
    assert study.finished({"outcome": outcome}) == ends


def test_a_search_that_goes_on_gets_as_much_again() -> None:
    def ended(outcome: str, *loads: float, held: Held | None = None) -> Capacity:
        runs = [SearchRun(folder="", load=load, outcome="", state="valid", evidence=True) for load in loads]
        cut = SearchRun(folder="", load=9, outcome="", state="invalid", evidence=False)
        return Capacity.model_construct(outcome=outcome, runs=[*runs, cut], sla_1=held, sla_2=None, goals={})

    asked = Limits(1, 100, 0.2, repeats=2, runs=16)
    assert more(asked, ended("max-runs", 5, 5, 7)) == replace(asked, runs=19)
    assert more(asked, ended("noisy", 5, 5, 7)) == replace(asked, runs=19, repeats=4)
    assert more(asked, ended("too-few", 5, 5, 7)) == replace(asked, runs=19, repeats=4)
    assert more(asked, ended("interrupted")) == asked
    # Of 29 to 36 is left what differs from run to run. Where there is room beside it, the search finds it.
    for noisy, repeats in ([30, 32, 35], 4), ([32], 2), ([], 2):
        held = Held.model_construct(low=29, high=36, noisy=noisy)
        assert more(asked, ended("interrupted", 30, 30, held=held)).repeats == repeats
    assert more(asked, ended("interrupted", 30, 30, held=Held.model_construct(high=36))).repeats == 2


def test_a_search_that_keeps_only_summaries_is_followed_by_a_new_one(tmp_path: Path) -> None:
    kept = Path(__file__).parents[2] / "bench/runs/2026-11-28-x86_64-2core/stacks/search/olio-1"
    shutil.copytree(kept, tmp_path / "search/olio-1")
    olio = DESCRIPTION.of("olio")
    assert folder_of(tmp_path, olio) == (tmp_path / "search/olio-2", False)
    for run in (tmp_path / "search/olio-1/runs").iterdir():
        (run / "workload.json").write_text("{}")
    assert folder_of(tmp_path, olio) == (tmp_path / "search/olio-1", True)


def test_a_search_of_another_configuration_is_never_gone_on_with(tmp_path: Path) -> None:
    """`php-fpm` took up what `php-fpm-3` had found, and said it of itself."""
    kept = Path(__file__).parents[2] / "bench/runs/2026-11-28-x86_64-2core/stacks/search/olio-1"
    other = tmp_path / "search/php-fpm-3-1"
    shutil.copytree(kept, other)
    for run in (other / "runs").iterdir():
        (run / "workload.json").write_text("{}")
    assert folder_of(tmp_path, DESCRIPTION.of("php-fpm-3")) == (other, True)
    assert folder_of(tmp_path, DESCRIPTION.of("php-fpm")) == (tmp_path / "search/php-fpm-1", False)
    for number in (2, 10):
        (tmp_path / f"search/php-fpm-{number}").mkdir()
    assert folder_of(tmp_path, DESCRIPTION.of("php-fpm")) == (tmp_path / "search/php-fpm-11", False)


def test_a_study_that_got_a_configuration_is_gone_on_with(tmp_path: Path) -> None:
    today = DESCRIPTION.model_dump(mode="json")
    before = today | {"configuration": today["configuration"][:5]}
    require_same(defined(before), today)
    # As a study was kept before there were trials.
    older = [{k: v for k, v in one.items() if k not in ("store", "trial")} for one in before["configuration"]]
    require_same(defined({**before, "configuration": older, "trial": {}}), today | {"trial": {}})
    measured = [today["configuration"][0] | {"accounts": 9000}, *today["configuration"][1:]]
    for changed in ({"configuration": measured}, {"configuration": today["configuration"][1:]}, {"seed": 1}):
        with pytest.raises(LoadstoneError) as refused:
            require_same(defined(before), today | changed)
        assert refused.value.slug == "study-resume"


def test_parts_are_measured_a_command_each(tmp_path: Path) -> None:
    order = Order(tmp_path, "full", ("php-fpm",))
    made = Stacks(order)
    begun = header(order, made.name, made.summary, made.seed, ["loadstone"])
    results = made_up.written(tmp_path, php_fpm=made_up.PHP)
    write_json(tmp_path / NAME, conclusion(made, begun, "complete", results))
    again = Stacks(take_up(tmp_path, "stacks", ("rails",)))
    assert [task.part for task in again.tasks] == ["php-fpm", "rails"], "what was ordered grows"
    assert [task.part for task in again.tasks_now] == ["rails"]
    assert again.expected_s < 2 * Stacks(Order(tmp_path, "full", ("rails",))).expected_s
    with pytest.raises(LoadstoneError) as refused:
        go_on(STUDIES["stacks"], take_up(tmp_path, "stacks", ("walls",)))
    assert refused.value.slug == "study-part"


def test_a_search_that_ran_out_of_runs_is_gone_on_with(tmp_path: Path) -> None:
    made = Stacks(Order(tmp_path, "full", ("php-fpm", "rails")))
    out_of_runs = made_up.RAILS | {"outcome": "max-runs"}
    made_up.written(tmp_path, php_fpm=made_up.PHP, rails=out_of_runs)
    results = Results(tmp_path, made.finished)
    assert [results.done(task) for task in made.tasks] == [True, False]
    assert results.failed() == [] and results.measured("rails"), "what it has found counts"
    made_up.written(tmp_path, rails=made_up.RAILS)
    again = Results(tmp_path, made.finished)
    assert all(again.done(task) for task in made.tasks)
    assert again.measured("rails")[0]["measured"]["outcome"] == "complete"


def test_a_run_that_was_cut_short_counts_for_nothing(tmp_path: Path) -> None:
    short = made_up.a_run(43, 0, 0, ops_per_s=None, tiers={}, operations=0)
    rails = made_up.RAILS | {"runs": [*made_up.RAILS["runs"], short], "outcome": "interrupted"}
    found = findings(DESCRIPTION, made_up.written(tmp_path, rails=rails))["parts"]["rails"]
    assert [run["users"] for run in found["runs"]] == [40, 46]
    assert found["cpu_ms_per_op"]["app"]["count"] == 2
