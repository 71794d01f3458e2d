"""What a scenario says of answers, as the engine is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from loadstone.scenario import load_scenario

HEAD = """
format = 1
name = "api"
[target]
url = "http://127.0.0.1:8080"
[data]
shop = "north"
[pacing]
think = 1
[[operation]]
name = "Items"
limit_s = 1
[[operation.step]]
get = "/items"
"""


def _step(tmp_path: Path, text: str) -> dict[str, Any]:
    path = tmp_path / "api.toml"
    path.write_text(HEAD + text, encoding="utf-8")
    step: dict[str, Any] = load_scenario(path).plan()["operations"][0]["steps"][0]
    return step


def test_what_is_expected_of_json_headers_size_and_time(tmp_path: Path) -> None:
    expect = _step(
        tmp_path,
        """
        expect.json = { "$.shop" = "{shop}", "$.ok" = true, "$.count" = 2, "$.error" = { exists = false } }
        expect.headers = { "Content-Type" = "json", "X-Trace" = { exists = true } }
        expect.max_bytes = 100
        expect.within_s = 0.5
        """,
    )["expect"]
    assert expect["json"] == [
        ["$.shop", {"kind": "is", "text": "north"}],
        ["$.ok", {"kind": "is", "text": "true"}],
        ["$.count", {"kind": "is", "text": "2"}],
        ["$.error", {"kind": "exists", "wanted": False}],
    ]
    assert expect["headers"] == [
        ["Content-Type", {"kind": "is", "text": "json"}],
        ["X-Trace", {"kind": "exists", "wanted": True}],
    ]
    assert (expect["max_bytes"], expect["within_s"]) == (100, 0.5)


def test_lengths_have_bounds(tmp_path: Path) -> None:
    tests = _step(
        tmp_path,
        'expect.json = { "$.a" = { length = 2 }, "$.b" = { min_length = 1 }, '
        '"$.c" = { min_length = 1, max_length = 3 } }',
    )["expect"]["json"]
    assert [(test["min"], test["max"]) for _, test in tests] == [(2, 2), (1, 2**31), (1, 3)]


def test_values_and_lists_are_taken_by_path_and_cookie(tmp_path: Path) -> None:
    found = _step(
        tmp_path,
        """
        extract.id = { json = "$.id", default = "{shop}-0" }
        extract.ids = { json = "$.items[*].id", all = true, required = true }
        extract.csrf = { cookie = "csrftoken" }
        """,
    )["extract"]
    assert found == [
        {
            "name": "id",
            "from": {"kind": "json", "path": "$.id", "all": False},
            "required": False,
            "default": "north-0",
        },
        {
            "name": "ids",
            "from": {"kind": "json", "path": "$.items[*].id", "all": True},
            "required": True,
            "default": None,
        },
        {
            "name": "csrf",
            "from": {"kind": "cookie", "cookie": "csrftoken"},
            "required": False,
            "default": None,
        },
    ]


def test_a_list_by_path_can_be_drawn_from(tmp_path: Path) -> None:
    text = """
    extract.ids = { json = "$.items[*].id", all = true }
    [[operation]]
    name = "Item"
    limit_s = 1
    draw.id = { kind = "choose", from = "ids" }
    step = [{ get = "/items/{id}" }]
    [mix]
    "*" = { Items = 0.5, Item = 0.5 }
    """
    assert _step(tmp_path, text)["extract"][0]["from"]["all"]
