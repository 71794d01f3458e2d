"""A site that nothing in the package knows: registered here, and everything that runs sites takes it."""

from __future__ import annotations

import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, ClassVar

import pytest
from pydantic import Field
from typer.testing import CliRunner

from loadstone import site
from loadstone.cli import serve_site, site_data
from loadstone.cli.container import in_container
from loadstone.cli.options import Commands
from loadstone.deploy.kinds.site import settings_of
from loadstone.measure import sut_of
from loadstone.scenario import Scenario, load_scenario
from loadstone.scenario.findings import ScenarioError
from loadstone.site import Data, Fields, Loading, Site

PROGRAM = """
import http.server, json, sys, threading
place, options = sys.argv[1], json.loads(sys.argv[2])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
server.RequestHandlerClass = lambda *given: http.server.SimpleHTTPRequestHandler(*given, directory=place)
print(json.dumps({"url": f"http://127.0.0.1:{server.server_address[1]}"}), flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown()), daemon=True).start()
server.serve_forever()
"""
SCENARIO = """
format = 1
name = "notes"
[target]
app = "notes"
options = { OPTIONS }
[data]
DATA
[pacing]
think = 1
[[operation]]
name = "Note"
limit_s = 1
[[operation.step]]
get = "/1.txt"
"""


class NotesData(Data):
    """Notes from 1."""

    amount = "notes"
    in_scenario: ClassVar = {"notes": "notes"}

    notes: Annotated[int, Field(ge=1, le=100, description="Number of notes.")] = 3


class NotesOptions(Fields):
    """How the site works."""

    greeting: Annotated[str, Field(description="What a note begins with.")] = "Hello"


class NotesSite(Site):
    """A site of another stack: a loader and a process of its own."""

    def load(
        self, place: str, data: Data, loading: Loading | None = None, *, replace: bool = False
    ) -> dict[str, int]:
        for number in range(1, int(data.size) + 1):
            (Path(place) / f"{number}.txt").write_text(f"note {number}")
        return {"notes": int(data.size)}

    def process(self, place: str, options: str) -> list[str]:
        return [sys.executable, "-c", PROGRAM, place, options]


@pytest.fixture(autouse=True)
def notes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Site]:
    """The site, registered."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    made = NotesSite("notes", "notes, a toy", NotesData, NotesOptions, tells_counters=False)
    monkeypatch.setitem(site.SITES, made.name, made)
    yield made


def scenario(folder: Path, options: str = "", data: str = "notes = 2") -> Scenario:
    """A scenario that reads one note."""
    file = folder / "notes.toml"
    file.write_text(SCENARIO.replace("OPTIONS", options).replace("DATA", data))
    return load_scenario(file)


def test_a_scenario_loads_and_starts_it(tmp_path: Path) -> None:
    with sut_of(scenario(tmp_path, 'greeting = "Good day"')).running() as service:
        with urllib.request.urlopen(f"{service.url}/2.txt", timeout=30) as answer:
            assert answer.read() == b"note 2"
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(f"{service.url}/3.txt", timeout=30)
        assert service.counted() is None, "it has no connector of ours"


@pytest.mark.parametrize(
    ("options", "data", "said"),
    [
        ('cache = "page"', "notes = 2", "notes.toml:6, [target.options.cache]"),
        ("greeting = 3", "notes = 2", "notes.toml:6, [target.options.greeting]"),
        ("", "pages = 2", "add `notes = 3`"),
        ("", "notes = 101", "notes.toml:8, [data.notes]"),
    ],
)
def test_what_it_has_not_is_refused_with_its_line(tmp_path: Path, options: str, data: str, said: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        scenario(tmp_path, options, data)
    assert said in str(refused.value)


def test_an_image_is_refused_where_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="there is no image of `notes`"):
        load_scenario(scenario(tmp_path).path, {"target.image": "{}"})


def test_commands_and_settings_have_its_fields(notes: Site, tmp_path: Path) -> None:
    commands = Commands()
    commands.add_typer(site_data.group(notes), name="notes")
    commands.command("serve")(in_container(serve_site.command(notes)))
    runner, folder = CliRunner(), tmp_path / "data"
    folder.mkdir()
    done = runner.invoke(commands, ["notes", "load", "--notes", "4", "--out", str(folder), "--json"])
    assert done.exit_code == 0 and (folder / "4.txt").is_file(), done.output
    helped = runner.invoke(commands, ["serve", "--help"], env={"COLUMNS": "160"}).output
    assert all(option in helped for option in ("--greeting", "--notes", "--data", "--connector"))
    assert "--rules" not in helped, "nobody logs in"
    fields = settings_of(notes).model_fields
    assert {"greeting", "notes", "database", "workers"} <= set(fields) and "rules" not in fields
