"""Conditions, loops, time-outs, and files that values are drawn from: from the file to the plan."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import loadstone
from loadstone.errors import LoadstoneError
from loadstone.scenario import load_scenario
from loadstone.scenario.feeds import csv_column, json_column

SCENARIO = """
format = 1
name = "pages"
[target]
url = "http://127.0.0.1:8080"
[pacing]
think = 1
[data]
most = 4
[[operation]]
name = "Pages"
limit_s = 1
{operation}
[[operation.step]]
get = "/list"
extract.next = {{ css = "a[rel=next]", attribute = "href", default = "none" }}
expect.css = {{ h1 = "The list", "li.item" = {{ min_length = 1 }} }}
{step}
"""


def plan_of(folder: Path, step: str = "", operation: str = "") -> dict[str, object]:
    path = folder / "pages.toml"
    path.write_text(SCENARIO.format(step=step, operation=operation))
    planned: dict[str, object] = load_scenario(path).plan()["operations"][0]
    return planned


def step_of(folder: Path, step: str) -> dict[str, object]:
    steps = plan_of(folder, step)["steps"]
    assert isinstance(steps, list)
    return dict(steps[0])


def test_what_a_step_says_of_itself_is_in_the_plan(tmp_path: Path) -> None:
    again = 'repeat = { times = [1, 3], while = ["{next} != none", "!done"], steps = 1 }'
    step = step_of(tmp_path, f'when = "{{status}} < 400"\ntimeout_s = 0.5\nset = "done"\n{again}')
    assert (step["when"], step["timeout_s"]) == (["{status} < 400"], 0.5)
    assert step["repeat"] == {"times": [1, 3], "while": ["{next} != none", "!done"], "steps": 1}
    assert step_of(tmp_path, "repeat = 5")["repeat"] == {"times": [5, 5], "while": [], "steps": 1}
    assert step_of(tmp_path, "repeat = [2, 3]")["repeat"] == {"times": [2, 3], "while": [], "steps": 1}
    filled = step_of(tmp_path, 'repeat = { times = 9, while = "{next} < {most}" }')["repeat"]
    assert filled == {"times": [9, 9], "while": ["{next} < 4"], "steps": 1}
    step = step_of(tmp_path, "")
    assert (step["when"], step["timeout_s"], step["repeat"]) == ([], None, None)
    assert plan_of(tmp_path, operation="timeout_s = 20")["timeout_s"] == 20


def test_selectors_are_in_the_plan(tmp_path: Path) -> None:
    step = step_of(tmp_path, "")
    [extract], expect = step["extract"], step["expect"]  # type: ignore[misc]
    assert extract["from"] == {"kind": "css", "selector": "a[rel=next]", "attribute": "href", "all": False}
    assert expect["css"] == [
        ["h1", {"kind": "is", "text": "The list"}],
        ["li.item", {"kind": "length", "min": 1, "max": 2**31}],
    ]


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("repeat = 0", "repeat"),
        ("repeat = 10001", "10001"),
        ("repeat = [3, 2]", "from 3 to 2 rounds"),
        ("repeat = { times = 2, steps = 2 }", "only 1 stand up to this one"),
        ("repeat = true", "repeat"),
        ('repeat = { times = 2, while = "== 1" }', "`== 1` is no condition"),
        ('when = "{nobody} == 1"', "nothing draws or extracts `{nobody}`"),
        ('extract.x = { json = "$.a", attribute = "href" }', "`attribute` goes with `css`"),
        ("timeout_s = 0", "timeout_s"),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, step: str, said: str) -> None:
    with pytest.raises(LoadstoneError) as refused:
        plan_of(tmp_path, step)
    assert said in str(refused.value) and "pages.toml:" in str(refused.value)


def test_python_says_the_same(tmp_path: Path) -> None:
    built = loadstone.Scenario("pages", target={"url": "http://127.0.0.1:8080"}, pacing={"think": 1})
    pages = built.operation("Pages", limit_s=1, timeout_s=20)
    pages.get(
        "/list",
        extract={"next": {"css": "a[rel=next]", "attribute": "href", "default": "none"}},
        expect={"css": {"h1": "The list", "li.item": {"min_length": 1}}},
        repeat={"times": [1, 3], "while": "{next} != none"},
        timeout_s=0.5,
    )
    (tmp_path / "built.toml").write_text(built.to_toml())
    again = 'timeout_s = 0.5\nrepeat = { times = [1, 3], while = "{next} != none" }'
    of_toml = load_scenario(tmp_path / "built.toml").plan()["operations"][0]
    assert of_toml == plan_of(tmp_path, again, "timeout_s = 20")


PEOPLE = [
    {"name": "Ann", "mail": {"home": "a@x"}, "age": 7},
    {"name": "Bö\n", "mail": {"home": "b@x"}, "age": 8},
]


def test_values_of_json_lines_are_drawn_by_row(tmp_path: Path) -> None:
    lines = "\n\n".join(json.dumps(person) for person in PEOPLE)
    (tmp_path / "people.jsonl").write_text(lines)
    column = '{ kind = "column", file = "people.jsonl", column = "%s", row = "{row}" }'
    orders = {
        "random": {"kind": "int", "low": 1, "high": 2},
        "in-order": {"kind": "serial", "start": 1, "count": 2},
        "unique": {"kind": "slice", "count": 2},
    }
    for order, expected in orders.items():
        row = f'draw.row = {{ kind = "row", file = "people.jsonl", order = "{order}" }}\n'
        names = f"draw.name = {column % 'name'}\ndraw.mail = {column % '$.mail.home'}"
        drawn = plan_of(tmp_path, operation=row + names)["draw"]
        assert isinstance(drawn, list)
        assert drawn[0] == {"name": "row", "value": expected}
        cells = [value["value"]["cells"] for value in drawn[1:]]
        assert cells == [["Ann", "Bö\n"], ["a@x", "b@x"]]


def test_what_stands_in_a_feed() -> None:
    text = "\n".join(json.dumps(person) for person in PEOPLE)
    assert json_column(text, "p", "age") == ["7", "8"]
    assert json_column(text, "p", "mail") == ['{"home": "a@x"}', '{"home": "b@x"}']
    assert json_column('{"it\'s": 1}', "p", "it's") == ["1"]
    assert csv_column("a,b\n1,2\n", "p", "b") == ["2"]
    for wrong, said in [
        ("", "has no row"),
        ("{}\n", "p:1: `$['age']` leads to nothing"),
        ('{"age": 1}\n\n{"age": null}', "p:3:"),
        ('{"age": 1}\n{"age": 2} x', "p:2: not JSON"),
    ]:
        with pytest.raises(ValueError, match="p") as refused:
            json_column(wrong, "p", "age")
        assert said in str(refused.value)
