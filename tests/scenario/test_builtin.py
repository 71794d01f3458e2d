"""The built-in scenarios and the examples, compiled by the engine's own compiler."""

import json
import re
from pathlib import Path

import pytest

from loadstone.cli.scenario import check
from loadstone.errors import LoadstoneError
from loadstone.scenario import Scenario, builtin_names, load_scenario

_core = pytest.importorskip("loadstone._core", reason="needs the built module")

ROOT = Path(__file__).parents[2]
EXAMPLES = [str(path) for path in sorted((ROOT / "examples").glob("*.toml"))]


def expectations(scenario: Scenario) -> dict[str, dict[str, float]]:
    plan = scenario.plan(target=None if scenario.target.url else ("127.0.0.1", 80))
    found: dict[str, dict[str, float]] = _core.expectations(json.dumps(plan))
    return found


@pytest.mark.parametrize("name", [*builtin_names(), *EXAMPLES])
def test_the_engine_compiles_it(name: str) -> None:
    scenario = load_scenario(name)
    mix = expectations(scenario)["mix"]
    assert set(mix) == {operation.name for operation in scenario.operations}
    assert sum(mix.values()) == pytest.approx(1)


@pytest.mark.parametrize("name", ["olio", "olio-2008"])
def test_olio_has_the_published_mix(name: str) -> None:
    shares = {
        "HomePage": 26.15,
        "Login": 10.22,
        "TagSearch": 33.45,
        "EventDetail": 24.68,
        "PersonDetail": 2.61,
        "AddPerson": 0.84,
        "AddEvent": 2.04,
    }
    mix = expectations(load_scenario(name))["mix"]
    assert {operation: round(100 * share, 2) for operation, share in mix.items()} == shares


def test_the_wide_mix_takes_from_tag_searches_alone() -> None:
    narrow, wide = (expectations(load_scenario(name))["mix"] for name in ("olio", "olio-wide"))
    gained = {"AddComment": 0.02, "AskFriend": 0.01, "ReadFeed": 0.01}
    expected = {**narrow, "TagSearch": narrow["TagSearch"] - sum(gained.values()), **gained}
    assert wide == pytest.approx(expected, abs=1e-4)


def test_olio_has_the_published_cycle_times() -> None:
    """A mean of 5 s clamped at five times the mean loses e^-5 of it: 4.966 s."""
    pace = expectations(load_scenario("olio"))["pace_mean_s"]
    assert pace["HomePage"] == pytest.approx(5 * (1 - 2.718281828**-5), abs=1e-4)
    assert pace["AddPerson"] == pytest.approx(2 + 3 * (1 - 2.718281828 ** -(23 / 3)), abs=1e-4)


def test_the_example_of_the_reference_compiles(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "reference" / "scenario.md").read_text("utf-8")
    example = re.search(r"```toml\n(.*?)```", page, re.DOTALL)
    assert example
    path = tmp_path / "shop.toml"
    path.write_text(example[1], encoding="utf-8")
    assert expectations(load_scenario(path))["mix"]["Home"] == pytest.approx(3 / 7)


def test_check_shows_what_follows(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Exception) as exit_:
        check(["page"], settings=["load.steady_s=10", "sla.window_s=300"], as_json=False)
    assert getattr(exit_.value, "exit_code", None) == 0
    out, err = capsys.readouterr()
    assert re.search(r"Page +100\.00 % +4\.966 s +2 s", out)
    assert err.startswith("warning[short-steady]: ")


def test_what_only_the_engine_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Python's regular expressions know look-behind, the engine's linear-time ones do not."""
    path = tmp_path / "page.toml"
    text = load_scenario("page").text.decode()
    path.write_text(text + 'extract.x = { regex = "(?<=a)(b)" }\n', encoding="utf-8")
    with pytest.raises(Exception) as exit_:
        check([str(path)], None, as_json=True)
    assert getattr(exit_.value, "exit_code", None) == LoadstoneError("plan-refused", "").exit_code
    out, err = capsys.readouterr()
    assert err.startswith("error[plan-refused]: ") and "regex" in err
    assert json.loads(out)[0]["valid"] is False
