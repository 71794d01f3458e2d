"""Scenarios built in Python: the same checks and messages, at the line that made each part."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from typer.testing import CliRunner

import loadstone
from loadstone.cli import app
from loadstone.errors import LoadstoneError
from loadstone.scenario import ScenarioError, builtin_names, builtin_path, load_scenario
from loadstone.scenario.built import StepKeys
from loadstone.scenario.step import METHODS, Step
from loadstone.scenario.toml_text import document
from loadstone.scenario.written import parse_toml

SHOP = """import loadstone
from shelves import NAMES

shop = loadstone.Scenario(
    "shop",
    target={"url": "http://127.0.0.1:8000"},
    data={"items": 40},
    load={"users": 5, "ramp_up_s": 1, "steady_s": 2, "ramp_down_s": 0},
    pacing={"think": 0.5},
    sla={"window_s": 2},
)
home = shop.operation("Home", limit_s=1)
home.get("/", page=True)
for name in NAMES:
    shelf = shop.operation(name, limit_s=2, draw={"item": {"kind": "int", "low": 1, "high": "items"}})
    shelf.get("/" + name.lower() + "/{item}", expect={"contains": "€"}, when=("!sold",))
    shelf.post("/buy", form={"item": "{item}"}, set="sold")
rows = {name: {"Home": 0.5, "end": 0.5} for name in NAMES}
shop.mix({"Home": {name: 1 / len(NAMES) for name in NAMES}, **rows})
shop.check("few fail", measure="failed-share", max=0.01)
if __name__ == "__main__":
    raise RuntimeError("only Python itself does this")
"""


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "shelves.py").write_text('NAMES = ["Shoes", "Hats", "Books"]\n')
    file = tmp_path / "shop.py"
    file.write_text(SHOP)
    yield file
    sys.modules.pop("shelves", None)


def built(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "built.py"
    file.write_text(f"import loadstone\n{text}")
    return file


def refused(file: Path) -> str:
    with pytest.raises(LoadstoneError) as error:
        load_scenario(file)
    return str(error.value)


def test_a_file_of_python_is_a_scenario_like_any_other(shop: Path, tmp_path: Path) -> None:
    before = list(sys.path)
    scenario = load_scenario(shop, {"load.users": "7"})
    assert [one.name for one in scenario.operations] == ["Home", "Shoes", "Hats", "Books"]
    assert scenario.plan()["load"]["users"] == 7
    assert sys.path == before and "loadstone_scenario" not in sys.modules
    # What is recorded is what was run: the same plan follows from it.
    text = tmp_path / "recorded.toml"
    text.write_bytes(scenario.text)
    assert load_scenario(text, {"load.users": "7"}).plan() == scenario.plan()


@pytest.mark.parametrize("name", builtin_names())
def test_what_is_written_is_what_was_read(name: str) -> None:
    raw, _ = parse_toml(builtin_path(name).read_bytes(), builtin_path(name))
    assert parse_toml(document(raw).encode(), Path("written"))[0] == raw


@pytest.mark.parametrize(
    ("line", "slug", "words"),
    [
        ('shelf.post("/buy", form={"item": "{itm}"})', "template-name", "nothing draws or extracts `{itm}`"),
        ('shelf.get("/", expct={"status": 200})', "unknown-key", "did you mean `expect`?"),
        ('shelf.get("/", chance=3)', "out-of-range", "`chance` is 3, must be at most 1"),
        ('shop.operation("Home", limit_s=1).get("/")', "duplicate-operation", "Home"),
        ('shop.check("odd", count="images", per="Nowhere", max=1)', "check-name", "is not an operation"),
        ('shop.mix({"Home": {"Shoes": 0.5}})', "mix-row-sum", "sums to 0.5"),
    ],
)
def test_a_mistake_is_told_at_the_line_that_made_it(shop: Path, line: str, slug: str, words: str) -> None:
    shop.write_text(SHOP.replace("if __name__", f"{line}\nif __name__"))
    number = shop.read_text().splitlines().index(line) + 1
    told = refused(shop)
    assert slug in told and words in told, told
    assert f"{shop}:{number}" in told


def test_every_mistake_is_told_at_once_and_in_order(shop: Path) -> None:
    shop.write_text(SHOP.replace('"ramp_up_s": 1', '"ramp_up_s": -1').replace("limit_s=2", "limit_s=0"))
    with pytest.raises(ScenarioError) as error:
        load_scenario(shop)
    assert error.value.slugs == ["out-of-range"] * 4
    places = [int(re.findall(r"shop\.py:(\d+)", one.place or "")[0]) for one in error.value.errors]
    assert places[0] < places[1] == places[2] == places[3]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("x = 1 +\n", 2, "invalid syntax"),
        ("def f():\n    return 1 / 0\nf()\n", 3, "ZeroDivisionError"),
        ("raise SystemExit(3)\n", 2, "SystemExit: 3"),
        ("x = 1\n", None, "it builds no scenario"),
        ('a = loadstone.Scenario("a")\nb = loadstone.Scenario("b")\n', None, "several scenarios: `a`, `b`"),
        ('loadstone.Scenario("a", summary=None)\n', 2, "TOML has no word for None"),
        ('a = loadstone.Scenario("a", data={1: 2})\n', 2, "a key of TOML is text"),
        ("deep = []\nfor _ in range(9000):\n    deep = [deep]\n"
         'a = loadstone.Scenario("a", data={"x": deep})\n', 5, "recursion"),
        ("\0", None, "null"),
    ],
)  # fmt: skip
def test_a_file_that_builds_none_is_refused(tmp_path: Path, text: str, line: int | None, words: str) -> None:
    file = built(tmp_path, text)
    with pytest.raises(LoadstoneError) as error:
        load_scenario(file)
    assert error.value.slug == "scenario-python" and words in str(error.value)
    assert line is None or error.value.place == f"{file}:{line}"


def test_of_several_the_one_named_scenario_is_taken(tmp_path: Path) -> None:
    file = built(tmp_path, 'a = loadstone.Scenario("a")\nscenario = loadstone.Scenario("b")\n')
    assert "`operation` is" in refused(file) and f"{file}:3" in refused(file)


def test_the_commands_take_it(shop: Path) -> None:
    done = CliRunner().invoke(app, ["check", str(shop), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)[0]["name"] == "shop"
    shop.write_text(SHOP.replace('sla={"window_s": 2}', 'nodes={"users": 5000, "crash_rte": "1/183d"}'))
    done = CliRunner().invoke(app, ["nodes", str(shop)])
    assert isinstance(done.exception, LoadstoneError) and "did you mean `crash_rate`?" in str(done.exception)


def test_the_example_of_the_page_is_one(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs/reference/python-scenarios.md"
    text = page.read_text("utf-8").split("```python\n")[1].split("```")[0]
    (tmp_path / "shop.py").write_text(text)
    assert len(load_scenario(tmp_path / "shop.py").operations) == 4
    (tmp_path / "shop.py").write_text(text.replace('"item": "{item}"', '"item": "{itm}"'))
    shown = page.read_text("utf-8").split("```text\n")[1].split("```")[0]
    assert shown in refused(tmp_path / "shop.py").replace(f"{tmp_path}/", "") + "\n"


def test_the_keys_that_editors_offer_are_the_models(tmp_path: Path) -> None:
    known = {field.alias or name for name, field in Step.model_fields.items()} - set(METHODS)
    assert set(StepKeys.__annotations__) <= known


@pytest.fixture
def site() -> Iterator[str]:
    class Page(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_it_runs_and_gives_results(tmp_path: Path, site: str) -> None:
    shop = loadstone.Scenario(
        "two",
        target={"url": site},
        load={"users": 3, "ramp_up_s": 0, "steady_s": 1, "ramp_down_s": 0},
        pacing={"think": 0.1},
        sla={"window_s": 1},
    )
    shop.operation("Home", limit_s=5).get("/")
    results = shop.run(tmp_path / "run", load=2)
    assert results.run.outcome == "complete" and results.run.load.amount == 2
    assert results.run.operations["Home"].count > 0
    recorded = load_scenario(tmp_path / "run" / "scenario.toml")
    assert recorded.plan()["operations"] == shop.checked().plan()["operations"]
    with pytest.raises(LoadstoneError):
        shop.run(tmp_path / "run")
