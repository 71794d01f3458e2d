import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loadstone.errors import LoadstoneError
from loadstone.scenario import ScenarioError, load_scenario
from loadstone.scenario.model import ScenarioFile
from loadstone.scenario.overrides import apply
from loadstone.scenario.plan import Planner

SHORT = """\
format = 1
name = "short"
[target]
url = "http://[::1]:8080/base/"
[pacing]
think = 2
[[operation]]
name = "Home"
limit_s = 1
[[operation.step]]
get = "/"
"""


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def write_file(text: str) -> Path:
        path = tmp_path / "scenario.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write_file


def test_the_shortest_scenario_has_every_default_in_its_plan(write: Any) -> None:
    plan = load_scenario(write(SHORT)).plan(seed=7, slice=(1, 2))
    target = {"host": "::1", "port": 8080, "authority": "[::1]:8080", "base_path": "/base"}
    target |= {"http": "1.1", "hosts": {}}
    assert plan["target"] == target
    assert (plan["seed"], plan["slice"]) == (7, {"index": 1, "of": 2})
    assert plan["session"] == {
        "first": "Home",
        "max_operations": None,
        "on_failure": "go-on",
        "retry_after": 0,
        "after": [],
    }
    assert plan["mix"] == {"Home": {"Home": 1.0}}
    assert plan["pacing"] == {"kind": "think", "law": {"kind": "fixed", "value_s": 2.0}}
    assert plan["load"]["users"] == 10
    assert plan["operations"][0]["steps"][0]["expect"]["status"] == [200]


def test_the_caller_says_how_many_users_and_where(write: Any) -> None:
    plan = load_scenario(write(SHORT)).plan(load=77, target=("10.0.0.1", 80))
    assert plan["load"]["users"] == 77
    assert plan["target"] == {"host": "10.0.0.1", "port": 80, "authority": "10.0.0.1", "base_path": ""}


def test_a_number_of_operations_needs_no_ramps(write: Any) -> None:
    load = load_scenario(write(SHORT), {"load.operations": "500"}).plan()["load"]
    assert (load["operations"], load["ramp_up_s"], load["ramp_down_s"]) == (500, 0.0, 0.0)
    assert load_scenario(write(SHORT)).plan()["load"]["operations"] is None
    with pytest.raises(LoadstoneError, match=r"error\[load-operations\]"):
        load_scenario(write(SHORT), {"load.operations": "500", "load.ramp_down_s": "1"})


def test_a_built_in_application_has_no_address_of_its_own() -> None:
    with pytest.raises(ValueError, match="has no address"):
        load_scenario("olio").plan()


def test_derived_numbers_follow_an_override() -> None:
    scenario = load_scenario("olio", {"data.accounts": "10000", "operation.Login.limit_s": "3"})
    assert scenario.data["tags"] == 2311
    by_name = {operation["name"]: operation for operation in scenario.plan(target=("a", 1))["operations"]}
    assert by_name["TagSearch"]["draw"][0]["value"] == {"kind": "int", "low": 1, "high": 2311}
    assert by_name["AddPerson"]["draw"][0]["value"] == {"kind": "serial", "start": 10001}
    assert by_name["Login"]["limit_s"] == 3.0


def test_names_of_the_data_set_are_those_of_the_users() -> None:
    def eras(name: str, **data: str) -> set[str]:
        plan = load_scenario(name, {f"data.{key}": value for key, value in data.items()}).plan(
            target=("a", 1)
        )
        values = [draw["value"] for operation in plan["operations"] for draw in operation["draw"]]
        items = [value["item"] if value["kind"] == "list" else value for value in values]
        return {value["era"] for value in items if value["kind"] == "username"}

    assert eras("olio") == {"release"}
    assert eras("olio", names="words") == {"words"}
    assert eras("olio-2008") == {"paper"}


def test_a_url_replaces_the_built_in_application() -> None:
    scenario = load_scenario("olio", {"target.url": "http://my.site"})
    assert scenario.plan()["target"]["host"] == "my.site"
    assert scenario.target.app is None


def test_overrides_change_a_copy() -> None:
    raw = {"operation": [{"name": "Home", "step": [{"get": "/"}]}]}
    changed, options = apply(raw, {"operation.Home.step.1.get": "/x", "load.users": "5"})
    assert changed == {"operation": [{"name": "Home", "step": [{"get": "/x"}]}], "load": {"users": 5}}
    assert raw == {"operation": [{"name": "Home", "step": [{"get": "/"}]}]}
    assert options[("load", "users")] == "--set load.users=5"


def test_data_stands_in_templates_and_numbers(write: Any) -> None:
    text = SHORT.replace('get = "/"', 'get = "/{folder}/{n}/{{x}}"').replace(
        "limit_s = 1", 'limit_s = "n / 2"'
    )
    scenario = load_scenario(write(text + '[data]\nn = 3\nfolder = "a{b"\n'))
    assert scenario.plan()["operations"][0]["steps"][0]["path"] == "/a{{b/3/{{x}}"
    assert scenario.operations[0].limit_s == 1.5


def test_rows_for_all_are_normalised_and_spare_the_others(write: Any) -> None:
    second = '[[operation]]\nname = "B"\nlimit_s = 1\nstep = [{ get = "/b" }]\n'
    mix = '[mix]\nnormalize = true\nB = { end = 1 }\n"*" = { Home = 3, B = 1, end = 0 }\n'
    assert load_scenario(write(SHORT + second + mix)).plan()["mix"] == {
        "Home": {"Home": 0.75, "B": 0.25},
        "B": {"end": 1},
    }


def test_a_column_of_a_csv_file(write: Any, tmp_path: Path) -> None:
    (tmp_path / "terms.csv").write_text("id,term\n1,lamp\n2,chair\n", encoding="utf-8")
    draw = 'draw.term = { kind = "column", file = "terms.csv", column = "term" }\n'
    plan = load_scenario(write(SHORT.replace("[[operation.step]]", draw + "[[operation.step]]"))).plan()
    assert plan["operations"][0]["draw"][0]["value"] == {
        "kind": "column",
        "cells": ["lamp", "chair"],
        "row": None,
    }


def test_warnings(write: Any) -> None:
    text = SHORT.replace("[[operation.step]]", 'draw.a = { kind = "slice", count = 5 }\n[[operation.step]]')
    scenario = load_scenario(write(text + "[load]\nsteady_s = 60\n[sla]\nwindow_s = 300\n"))
    assert [warning.slug for warning in scenario.warnings] == ["short-steady", "shared-slice"]
    assert ":14, [load.steady_s]" in str(scenario.warnings[0])
    assert not load_scenario(write(SHORT)).warnings
    short = SHORT + "[load]\nsteady_s = 60\n"
    assert not load_scenario(write(short)).warnings, "nobody asked for windows of any length"
    assert load_scenario(write(short + '[sla]\nrules = "cloudstone"\n')).warnings


def no_cells(file: str, column: str) -> list[str]:
    raise AssertionError(f"{file} is not needed for {column}")


def test_models_survive_a_round_trip() -> None:
    for name in ("olio", "olio-2008", "page"):
        scenario = load_scenario(name)
        dumped = json.loads(
            json.dumps(scenario.file.model_dump(by_alias=True, exclude_none=True, mode="json"))
        )
        again = ScenarioFile.model_validate(dumped)
        assert again.model_dump(mode="json") == scenario.file.model_dump(mode="json")
        planner = Planner(scenario.data, no_cells)
        assert planner.plan(again) == planner.plan(scenario.file)


def test_the_text_is_kept_byte_for_byte(write: Any) -> None:
    path = write(SHORT.replace("\n", "\r\n"))
    assert load_scenario(path).text == path.read_bytes()


LINES = sorted({*SHORT.splitlines(), *load_scenario("olio").text.decode().splitlines()})
MUTATIONS = st.lists(
    st.sampled_from(LINES) | st.text(max_size=12) | st.text(alphabet="[]{}=.\"'#a1\n ,-", max_size=12),
    max_size=6,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(MUTATIONS, st.integers(0, 12))
def test_any_text_is_read_or_refused(tmp_path: Path, inserted: list[str], at: int) -> None:
    lines = SHORT.splitlines()
    path = tmp_path / "any.toml"
    path.write_text("\n".join([*lines[:at], *inserted, *lines[at:]]), encoding="utf-8", errors="replace")
    try:
        load_scenario(path)
    except LoadstoneError as error:
        assert str(error).startswith("error[")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=80))
def test_any_bytes_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "any.toml"
    path.write_bytes(content)
    with pytest.raises(LoadstoneError):
        load_scenario(path)


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 5000, "a = " + "{b = " * 5000, "a = " + "9" * 5000, "a = 2008-99-99"]
)
def test_hostile_depth_and_size(write: Any, text: str) -> None:
    with pytest.raises(LoadstoneError):
        load_scenario(write(text))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=6), inner, max_size=2),
)
SPOTS = st.sampled_from(
    [
        "format",
        "name",
        "target",
        "target.url",
        "target.options",
        "data",
        "data.x",
        "load",
        "load.users",
        "load.profile",
        "pacing",
        "pacing.think",
        "session",
        "browser.cached",
        "operation",
        "operation.Home",
        "operation.Home.draw",
        "operation.Home.draw.x",
        "operation.Home.step",
        "operation.Home.step.1",
        "operation.Home.step.1.get",
        "operation.Home.step.1.form",
        "operation.Home.step.1.multipart",
        "operation.Home.step.1.expect",
        "operation.Home.step.1.extract.x",
        "operation.Home.step.1.when",
        "mix",
        "mix.Home",
        "mix.Home.Home",
        "check",
        "sla",
    ]
)


@given(SPOTS, VALUES)
def test_any_value_anywhere_is_read_or_refused(spot: str, value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        pairs = (
            f"{json.dumps(key)} = {'{}' if isinstance(item, dict) else json.dumps(item)}"
            for key, item in value.items()
        )
        text = f"{{{', '.join(pairs)}}}"
    try:
        load_scenario("page", {spot.replace("Home", "Page"): text})
    except ScenarioError as error:
        assert error.slugs
    except LoadstoneError as error:
        assert str(error).startswith("error[")
