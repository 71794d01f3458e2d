"""Several scenarios in one file: what they are together, and that each stays what its own file says."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from loadstone import _core
from loadstone.errors import LoadstoneError
from loadstone.scenario import Scenario, ScenarioError, alone, json_schema, load_scenario

TARGET = '[target]\nurl = "http://127.0.0.1:8080"\n'
READERS = f"""\
format = 1
name = "People who read"
{TARGET}
[data]
articles = 40
[pacing]
think = 2
[session]
max_operations = 9
[browser]
user_agent = "reader"
[sla]
goals = ["Read p95 < 300 ms", "every failed < 1 %", "throughput > 5 /s"]
[[operation]]
name = "Home"
limit_s = 1
[[operation.step]]
get = "/"
count = "fronts"
extract.item.links = "/articles/{{int}}"
[[operation]]
name = "Read"
limit_s = 2
pacing.think = 5
draw.article = {{ kind = "int", low = 1, high = "articles" }}
[[operation.step]]
get = "/articles/{{article}}"
[mix]
Home = {{ Read = 1 }}
Read = {{ Home = 0.5, back = 0.25, end = 0.25 }}
[[check]]
name = "few fronts"
count = "fronts"
per = "Home"
max = 1
[[check]]
name = "few fail"
measure = "failed-share"
max = 0.01
"""
EDITORS = f"""\
format = 1
name = "Editors"
{TARGET}
auth.bearer = "abcdef"
[target.hosts]
api = "http://127.0.0.1:9090"
[load]
users = 3
[pacing]
cycle = 4
[[operation]]
name = "Home"
limit_s = 1
draw.item = {{ kind = "row", file = "drafts.csv" }}
draw.draft = {{ kind = "column", file = "drafts.csv", column = "title", row = "{{item}}" }}
[[operation.step]]
call = "names.py:named"
arguments.draft = "{{draft}}"
returns = "title"
[[operation.step]]
put = "/drafts/{{title}}"
host = "api"
[[operation.step]]
get = "/"
count = "fronts"
[[fault]]
at_s = 1
host = "db"
what = "kill"
"""
BOTH = """\
format = 1
name = "both"
[load]
users = 50
ramp_up_s = 1
[[scenario]]
file = "readers.toml"
share = 0.8
[[scenario]]
file = "desk/editors.toml"
share = 0.2
[sla]
goals = "editors.Home p90 < 1 s"
[[check]]
name = "editors see the front"
count = "fronts"
per = "editors.Home"
min = 1
"""
Put = Callable[..., Path]


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Writes the three files, each as it is or changed; the one that has both."""

    def write(readers: str = READERS, editors: str = EDITORS, both: str = BOTH) -> Path:
        (tmp_path / "desk").mkdir(exist_ok=True)
        (tmp_path / "readers.toml").write_text(readers)
        (tmp_path / "desk/editors.toml").write_text(editors)
        (tmp_path / "desk/drafts.csv").write_text("title\nfirst\nsecond\n")
        (tmp_path / "desk/names.py").write_text("def named(draft):\n    return {'title': draft}\n")
        (tmp_path / "both.toml").write_text(both)
        return tmp_path / "both.toml"

    return write


def refused(file: Path, changes: dict[str, str] | None = None) -> LoadstoneError:
    with pytest.raises(LoadstoneError) as error:
        load_scenario(file, changes)
    return error.value


def without(name: str, node: Any) -> Any:
    """A part of a plan with the scenario's name taken from those of its operations."""
    return json.loads(json.dumps(node).replace(f'"{name}.', '"'))


def expectations(plan: dict[str, Any]) -> dict[str, dict[str, float]]:
    return _core.expectations(json.dumps(plan))


def test_all_are_one_plan(put: Put) -> None:
    scenario = load_scenario(put())
    plan = scenario.plan()
    assert [one["name"] for one in plan["operations"]] == ["readers.Home", "readers.Read", "editors.Home"]
    assert [(one["name"], one["weight"], one["operations"]) for one in plan["scenarios"]] == [
        ("readers", 4, 2), ("editors", 1, 1)]  # fmt: skip
    assert [one["pacing"]["law"]["value_s"] for one in plan["operations"]] == [2, 5, 4]
    assert plan["mix"]["readers.Read"] == {"readers.Home": 0.5, "back": 0.25, "end": 0.25}
    assert "session" not in plan and "browser" not in plan and "pacing" not in plan
    readers, editors = plan["scenarios"]
    assert (readers["session"]["first"], editors["session"]["first"]) == ("readers.Home", "editors.Home")
    assert (readers["session"]["max_operations"], editors["session"]["max_operations"]) == (9, None)
    assert (readers["browser"]["user_agent"], editors["browser"]["user_agent"]) == ("reader", "loadstone")
    assert (plan["name"], plan["load"]["users"]) == ("both", 50)
    assert list(plan["target"]["hosts"]) == ["api"]
    assert [(one.name, one.share) for one in scenario.members] == [("readers", 0.8), ("editors", 0.2)]
    assert scenario.counters[-1] == "fronts"


def test_what_only_renews_the_token_of_one_is_no_operation_of_the_whole(put: Put) -> None:
    renewing = (
        '[[operation]]\nname = "LogIn"\nlimit_s = 1\n[[operation.step]]\npost = "/token"\n'
        'extract.token = { json = "$.token" }\n'
    )
    second = READERS.index('[[operation]]\nname = "Read"')
    readers = READERS[:second] + renewing + READERS[second:]
    auth = 'auth = { bearer = "{token}", refresh = "LogIn" }\n'
    readers = readers.replace('get = "/articles/{article}"\n', f'get = "/articles/{{article}}"\n{auth}')
    scenario = load_scenario(put(readers))
    planned = scenario.plan()["operations"]
    assert [one["name"] for one in planned] == ["readers.Home", "readers.Read", "editors.Home"]
    assert [one.name for one in scenario.operations] == [one["name"] for one in planned]
    assert (len(planned[1]["steps"]), planned[1]["steps"][0]["renewal"]) == (2, [1, 1])


def test_what_a_scenario_draws_and_calls_is_beside_its_own_file(put: Put) -> None:
    plan = load_scenario(put()).plan()
    drawn = {draw["name"]: draw["value"] for draw in plan["operations"][2]["draw"]}
    assert drawn["draft"]["cells"] == ["first", "second"]
    assert [one["name"] for one in plan["functions"]] == ["desk/names.py:named"]
    # Only editors say who they are.
    with_auth = [[name for name, _ in step["headers"]] for one in plan["operations"] for step in one["steps"]]
    assert with_auth == [[], [], ["Authorization"], [], ["Authorization"]]


@pytest.mark.parametrize("name", ["readers", "editors"])
def test_each_is_what_its_own_file_says(put: Put, name: str) -> None:
    both = put()
    folder = both.parent / ("desk" if name == "editors" else "")
    own = load_scenario(folder / f"{name}.toml", {"load.users": "50", "load.ramp_up_s": "1"}).plan()
    one = without(name, alone(load_scenario(both).plan(), name))
    for step in (step for operation in one["operations"] for step in operation["steps"]):
        assert step.get("call") is None or step["call"]["function"] == 0
    same = ("session", "browser", "mix", "load")
    assert {key: one[key] for key in same} == {key: own[key] for key in same}
    paced = [{**each, "pacing": each["pacing"] or own["pacing"]} for each in own["operations"]]
    assert one["operations"] == paced
    assert expectations(one) == expectations(own)


def test_shares_are_within_a_scenario(put: Put) -> None:
    mix = expectations(load_scenario(put()).plan())["mix"]
    assert mix["editors.Home"] == 1
    assert mix["readers.Home"] + mix["readers.Read"] == pytest.approx(1)


def test_goals_and_checks_of_each_are_judged(put: Put) -> None:
    scenario = load_scenario(put(), goals=["readers.Home p50 < 1 s"])
    assert scenario.goals == [
        "editors.Home p90 < 1 s",
        "readers.Home p50 < 1 s",
        "readers.Read p95 < 300 ms",
        "readers.Home failed < 1 %",
        "readers.Read failed < 1 %",
    ]
    assert [(one.name, one.per) for one in scenario.checks] == [
        ("editors see the front", "editors.Home"),
        ("readers.few fronts", "readers.Home"),
    ]
    assert scenario.faults == []


def test_what_is_about_a_whole_run_is_left_out_with_a_warning(put: Put) -> None:
    file = put()
    told = [str(one) for one in load_scenario(file).warnings]
    readers, editors = file.parent / "readers.toml", file.parent / "desk/editors.toml"
    goal = READERS.splitlines().index("[sla]") + 2
    check = READERS.splitlines().index('name = "few fail"')
    fault = EDITORS.splitlines().index("[[fault]]") + 1
    wanted = [
        ("the check `few fail` is about a whole run", f"{readers}:{check}"),
        ("the goal `throughput > 5 /s` is about a whole run", f"{readers}:{goal}"),
        ("`fault` of one of several scenarios is not done", f"{editors}:{fault}"),
    ]
    assert len(told) == len(wanted)
    for words, place in wanted:
        assert any(words in one and place in one for one in told), told


def test_a_search_names_the_place_of_a_goal_that_it_cannot_answer(put: Put) -> None:
    file = put(readers=READERS.replace("Read p95 < 300 ms", "Home failed < 0 %"))
    with pytest.raises(LoadstoneError) as error:
        load_scenario(file).searched()
    assert error.value.slug == "goal" and str(file.parent / "readers.toml") in str(error.value.place)
    assert len(load_scenario(put()).searched()) == 4


def test_settings_change_the_whole_or_one(put: Put) -> None:
    changes = {
        "load.sessions_per_s": "7",
        "scenario.readers.share": "0.5",
        "scenario.2.share": "0.5",
        "scenario.readers.operation.Read.limit_s": "9",
        "scenario.editors.session.max_operations": "2",
        "target.url": "http://127.0.0.1:1234",
    }
    plan = load_scenario(put(), changes).plan()
    assert (plan["load"]["sessions_per_s"], plan["target"]["port"]) == (7, 1234)
    assert [one["weight"] for one in plan["scenarios"]] == [1, 1]
    assert plan["operations"][1]["limit_s"] == 9
    assert plan["scenarios"][1]["session"]["max_operations"] == 2
    wrong = refused(put(), {"scenario.readers.operation.Read.limit_s": "0"})
    assert "at --set scenario.readers.operation.Read.limit_s=0" in str(wrong)
    assert "the list has no item `reader`" in str(refused(put(), {"scenario.reader.pacing.think": "1"}))
    assert "all scenarios have one load" in str(refused(put(), {"scenario.readers.load.users": "1"}))


def test_the_load_is_that_of_the_whole(put: Put) -> None:
    """Where requests arrive, each scenario is checked for them, at its own place."""
    bound = READERS.replace("/articles/{article}", "/articles/{seen}").replace(
        "extract.item.links = \"/articles/{int}\"", "extract.seen.hidden = \"t\""
    )  # fmt: skip
    wrong = refused(put(readers=bound), {"load.requests_per_s": "5"})
    assert wrong.slug == "needs-session" and "readers.toml:" in str(wrong.place)
    plan = load_scenario(put(), {"load.requests_per_s": "5"}).plan()
    assert plan["load"]["requests_per_s"] == 5
    _core.expectations(json.dumps(plan))


def test_a_target_of_the_whole_stands_in_place_of_theirs(put: Put) -> None:
    there = '[target]\nurl = "http://127.0.0.1:99"\nhttp = 2\n'
    plan = load_scenario(put(both=BOTH.replace("[load]", f"{there}[load]"))).plan()
    assert (plan["target"]["port"], plan["target"]["http"]) == (99, "2")
    assert plan["operations"][2]["steps"][2]["headers"] == [["Authorization", "Bearer abcdef"]]
    assert list(plan["target"]["hosts"]) == ["api"]
    broken = BOTH.replace("[load]", '[target]\nurl = "ftp://x"\n[load]')
    wrong = refused(put(both=broken))
    assert isinstance(wrong, ScenarioError) and len(wrong.errors) == 1, "found once, though by each"
    assert "both.toml:4, [target.url]" in str(wrong)


def test_mistakes_of_all_files_are_told_at_once(put: Put) -> None:
    wrong = refused(
        put(readers=READERS.replace("think = 2", "think = -1"), editors=EDITORS.replace("cycle = 4", ""))
    )
    assert isinstance(wrong, ScenarioError)
    places = [str(one.place) for one in wrong.errors]
    assert any("readers.toml:" in one for one in places), places
    assert any("editors.toml:" in one for one in places), places


def test_the_record_has_all_of_them_inside(put: Put, tmp_path: Path) -> None:
    scenario = load_scenario(put())
    recorded = tmp_path / "desk" / "scenario.toml"
    recorded.write_bytes(scenario.text)
    again = load_scenario(recorded)
    assert [one.file for one in again.members] == [None, None]
    changed = json.dumps(again.plan()).replace("names.py:named", "desk/names.py:named")
    assert json.loads(changed) == scenario.plan()
    assert (again.goals, again.text) == (scenario.goals, scenario.text)


def test_they_may_stand_inside(tmp_path: Path) -> None:
    file = tmp_path / "inside.toml"
    file.write_text(f"""\
format = 1
name = "inside"
{TARGET}
[[scenario]]
name = "a"
share = 2
pacing.think = 1
operation = [{{ name = "A", limit_s = 1, step = [{{ get = "/a" }}] }}]
[[scenario]]
name = "b"
share = 1
pacing.think = 1
[[scenario.operation]]
name = "B"
limit_s = 1
[[scenario.operation.step]]
get = "/b"
""")
    scenario = load_scenario(file)
    assert [one["name"] for one in scenario.plan()["operations"]] == ["a.A", "b.B"]
    assert scenario.text == file.read_bytes()
    wrong = refused(file, {"scenario.b.operation.B.limit_s": "0"})
    assert "--set scenario.b.operation.B.limit_s=0" in str(wrong)
    file.write_text(file.read_text().replace('get = "/b"', 'get = "/{b}"'))
    line = len(file.read_text().splitlines())
    assert f"inside.toml:{line}, [scenario.b.operation.B.step.1.get]" in str(refused(file))


def test_built_in_scenarios_may_be_among_them(tmp_path: Path) -> None:
    readers = READERS.replace(TARGET, '[target]\napp = "olio"\noptions.profile = "cloudstone-2008"\n')
    (tmp_path / "readers.toml").write_text(readers.replace("articles = 40", "articles = 40\naccounts = 1000"))
    both = 'format = 1\nname = "x"\n[[scenario]]\nfile = "readers.toml"\nshare = 1\n' \
        '[[scenario]]\nfile = "olio"\nshare = 1\n'  # fmt: skip
    (tmp_path / "both.toml").write_text(both)
    scenario = load_scenario(tmp_path / "both.toml")
    assert scenario.target.app == "olio" and scenario.data["accounts"] == 1000
    assert "olio.HomePage" in [one.name for one in scenario.operations]
    wrong = refused(tmp_path / "both.toml", {"scenario.readers.data.accounts": "500"})
    assert "`accounts` makes other data of `olio` than in" in str(wrong)


SHOP = """\
import loadstone

def page(name, path):
    one = loadstone.Scenario(name, pacing={"think": 1})
    one.operation("Page", limit_s=1).get(path)
    return one

readers, editors = page("readers", "/"), page("editors", "/edit")
both = loadstone.Scenario("both", target={"url": "http://127.0.0.1:8080"}, load={"users": 5})
both.scenario(readers, share=0.8)
both.scenario(editors, share=0.2, name="desk")
"""


def test_they_may_be_built_in_python(tmp_path: Path) -> None:
    file = tmp_path / "built.py"
    file.write_text(SHOP)
    scenario = load_scenario(file)
    assert [one["name"] for one in scenario.plan()["operations"]] == ["readers.Page", "desk.Page"]
    text = tmp_path / "recorded.toml"
    text.write_bytes(scenario.text)
    assert load_scenario(text).plan() == scenario.plan()
    file.write_text(
        SHOP.replace("one.operation", 'one.operation("Two", limit_s=0).get("/")\n    one.operation')
    )
    assert f"{file}:5" in str(refused(file))
    file.write_text(SHOP.replace("share=0.2", "share=-1"))
    assert f"{file}:11, [scenario.desk.share]" in str(refused(file))


def test_a_file_of_python_may_be_one_of_them(put: Put, tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text(
        "import loadstone\nx = loadstone.Scenario('x', target={'url': 'http://127.0.0.1:8080'}, "
        "pacing={'think': 1})\nx.operation('Page', limit_s=1).get('/')\n"
    )
    file = put(both=BOTH.replace("desk/editors.toml", "made.py").replace("editors.Home", "made.Page").replace(
        "fronts", "requests"))  # fmt: skip
    assert [one.name for one in load_scenario(file).operations][-1] == "made.Page"
    (tmp_path / "made.py").write_text("import loadstone\n1 / 0\n")
    assert f"{tmp_path / 'made.py'}:2" in str(refused(file))


def test_one_that_was_built_elsewhere_is_named_by_its_file(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/several_part.py").write_text(SHOP.split("readers, editors")[0])
    file = tmp_path / "built.py"
    file.write_text(
        "import sys\nsys.path.insert(0, 'PARTS')\nfrom several_part import page\nimport loadstone\n"
        "x = loadstone.Scenario('x')\nx.scenario(page('y', '/'), share=1)\n".replace(
            "PARTS", str(tmp_path / "parts"))
    )  # fmt: skip
    try:
        wrong = refused(file)
    finally:
        sys.modules.pop("several_part", None)
        sys.path.remove(str(tmp_path / "parts"))
    assert wrong.slug == "scenario-python" and f"{file}:6" == wrong.place


def test_one_by_itself_has_no_members(put: Put) -> None:
    scenario: Scenario = load_scenario(put().parent / "readers.toml")
    assert scenario.members == () and "scenarios" not in scenario.plan()
    with pytest.raises(KeyError):
        alone(load_scenario(put()).plan(), "nobody")


EXAMPLE = Path(__file__).parents[2] / "examples/several/site.toml"


def test_the_example_is_one() -> None:
    scenario = load_scenario(EXAMPLE)
    assert [(one.name, one.share) for one in scenario.members] == [("readers", 0.8), ("members", 0.2)]
    assert "readers.Event p95 < 500 ms" in scenario.goals
    mix = expectations(scenario.plan(target=("127.0.0.1", 80)))["mix"]
    assert sum(share for name, share in mix.items() if name.startswith("readers.")) == pytest.approx(1)


def test_the_schema_knows_them(put: Put) -> None:
    schema = json_schema()
    for text in (put().read_text(), EXAMPLE.read_text()):
        jsonschema.validate(tomllib.loads(text), schema, jsonschema.Draft202012Validator)
    for wrong in (BOTH.replace("share = 0.8", "shares = 0.8"), BOTH.replace("users = 50", "users = 0")):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(tomllib.loads(wrong), schema, jsonschema.Draft202012Validator)
