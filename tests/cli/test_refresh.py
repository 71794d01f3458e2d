"""`auth = { bearer, refresh }` against an API whose tokens are good for a few requests each."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from loadstone.cli import app
from loadstone.errors import RUN_FAILED, LoadstoneError
from loadstone.scenario import load_scenario

USES = 3
LOAD = """users = 4
ramp_up_s = 0
steady_s = 60
ramp_down_s = 0
operations = 120
"""
SCENARIO = """
format = 1
name = "renew"
[target]
url = "http://127.0.0.1:{port}"
[load]
users = 4
ramp_up_s = 0
steady_s = 60
ramp_down_s = 0
operations = 120
[pacing]
think = 0
[[operation]]
name = "LogIn"
limit_s = 60
[[operation.step]]
post = "/sessions"
expect.status = 201
extract.token = {{ json = "$.token", required = true }}
extract.again = {{ json = "$.again", required = true }}
[[operation]]
name = "Item"
limit_s = 60
auth = {{ bearer = "{{token}}", refresh = "{refresh}" }}
draw.item = {{ kind = "int", low = 1, high = 40 }}
[[operation.step]]
get = "/items/{{item}}"
expect.json = {{ "$.id" = "{{item}}" }}
[[operation.step]]
post = "/items/{{item}}/seen"
[[operation]]
name = "Refresh"
limit_s = 60
[[operation.step]]
get = "/challenge"
extract.challenge = {{ json = "$.challenge" }}
[[operation.step]]
post = "/token"
form = {{ challenge = "{{challenge}}", again = "{{again}}" }}
extract.token = {{ json = "$.token", required = true }}
count = "renewed"
[mix]
LogIn = {{ Item = 1 }}
Item = {{ Item = 0.9, end = 0.1 }}
"""


class Api(BaseHTTPRequestHandler):
    """Gives tokens at /sessions, and at /token for what came with the last one."""

    protocol_version = "HTTP/1.1"
    left: dict[str, int]
    names: Iterator[int]
    asked: list[str]
    refuses: bool

    def do_GET(self) -> None:
        self._answer_to(b"")

    def do_POST(self) -> None:
        self._answer_to(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def _answer_to(self, body: bytes) -> None:
        self.asked.append(f"{self.command} {self.path}")
        if self.path == "/challenge":
            return self._say(200, {"challenge": "c"})
        if self.path in ("/sessions", "/token"):
            if self.path == "/token" and not (body.startswith(b"challenge=c&again=again-")):
                return self._say(400, {})
            name = f"token-{next(self.names)}"
            self.left[name] = 0 if self.refuses else USES
            return self._say(
                201 if self.path == "/sessions" else 200, {"token": name, "again": f"again-{name}"}
            )
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        if not self.left.get(token):
            return self._say(401, {"error": "expired"})
        self.left[token] -= 1
        return self._say(200, {"id": int(self.path.split("/")[2])})

    def _say(self, status: int, content: dict[str, Any]) -> None:
        text = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@contextmanager
def api(refuses: bool = False) -> Iterator[tuple[int, type[Api]]]:
    """Its port, and what it knows; `refuses`: whatever token it is shown."""
    known = type("Known", (Api,), {"left": {}, "names": itertools.count(), "asked": [], "refuses": refuses})
    with ThreadingHTTPServer(("127.0.0.1", 0), known) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_port, known
        finally:
            server.shutdown()


def written(
    folder: Path, port: int = 1, refresh: str = "Refresh", change: tuple[str, str] = ("", "")
) -> Path:
    text = SCENARIO.format(port=port, refresh=refresh)
    if refresh == "LogIn":
        # Nothing leads to the other one then.
        text = text[: text.index('[[operation]]\nname = "Refresh"')] + text[text.index("[mix]") :]
    assert change[0] in text
    (path := folder / "renew.toml").write_text(text.replace(*change) if change[0] else text)
    return path


@pytest.mark.parametrize(("refresh", "path"), [("LogIn", "/sessions"), ("Refresh", "/token")])
def test_no_operation_fails_where_tokens_expire(tmp_path: Path, refresh: str, path: str) -> None:
    with api() as (port, known):
        command = ["run", str(written(tmp_path, port, refresh)), "--out", str(tmp_path / "run"), "--json"]
        CliRunner().invoke(app, command)
    told = json.loads((tmp_path / "run" / "run.json").read_text())
    assert told["failures"] == []
    assert list(told["operations"]) == ["LogIn", "Item"]
    item = told["operations"]["Item"]
    answers = {one["step"]: one for one in item["steps"] if one["part"] == "answer"}
    renewed = answers[3 if refresh == "Refresh" else 2]
    assert renewed["request"] == f"POST {path}" and renewed["count"] > 10
    assert answers[0]["count"] + answers[1]["count"] == 2 * item["ok"] + renewed["count"]
    if refresh == "Refresh":
        assert renewed["count"] == known.asked.count("POST /token") == known.asked.count("GET /challenge")
        assert "renewed" not in item["counters"] or item["counters"]["renewed"] == 0


def test_a_token_that_is_refused_at_once_is_a_failure_after_one_renewal(tmp_path: Path) -> None:
    with api(refuses=True) as (port, known):
        done = CliRunner().invoke(app, ["try", str(written(tmp_path, port)), "--operations", "2"])
    assert done.exit_code == RUN_FAILED
    assert [line.split("/")[1].split(" ")[0] for line in known.asked] == [
        "sessions", "items", "challenge", "token", "items",
    ]  # fmt: skip
    assert "401, to be renewed" in done.output
    assert "status 401, expected 200" in done.output


def test_the_plan_has_the_steps_that_renew_behind_its_own(tmp_path: Path) -> None:
    log_in, item = load_scenario(written(tmp_path)).plan()["operations"]
    assert "own" not in log_in
    assert item["own"] == 2
    assert [step["path"] for step in item["steps"]] == [
        "/items/{item}",
        "/items/{item}/seen",
        "/challenge",
        "/token",
    ]
    assert [step.get("renewal") for step in item["steps"]] == [[2, 2], [2, 2], None, None]
    assert all(step["count"] is None for step in item["steps"])
    assert load_scenario(written(tmp_path)).counters[-1] != "renewed"


def test_an_operation_that_the_mix_leads_to_is_made_for_its_own_sake_too(tmp_path: Path) -> None:
    change = ("end = 0.1 }", "Refresh = 0.1 }\nRefresh = { end = 1 }")
    scenario = load_scenario(written(tmp_path, change=change))
    assert [one.name for one in scenario.operations] == ["LogIn", "Item", "Refresh"]
    assert scenario.counters[-1] == "renewed"


def test_what_is_refused_is_not_renewed_where_that_is_expected(tmp_path: Path) -> None:
    change = ('expect.json = { "$.id" = "{item}" }', "expect.status = 401")
    _, item = load_scenario(written(tmp_path, change=change)).plan()["operations"]
    assert [step.get("renewal") for step in item["steps"]] == [None, [2, 2], None, None]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('refresh = "Refresh"', 'refresh = "Refrehs"'), "refresh = `Refrehs` is not an operation"),
        (('bearer = "{token}", ', "none = true, "), "`refresh` goes with `bearer`"),
        (('bearer = "{token}"', 'bearer = "{item}"'), "`Refresh` takes what `bearer = {item}` sends"),
        (('count = "renewed"', "repeat = 2"), "`Refresh` has a loop or a WebSocket"),
        (('[[operation.step]]\nget = "/challenge"', 'draw.x = "y"\n[[operation.step]]\nget = "/challenge"'),
         "`Refresh` draws values when it begins, and only its steps are taken"),
        ((LOAD, "requests_per_s = 4\n"),
         "`refresh` renews what a session has kept"),
    ],
)  # fmt: skip
def test_what_cannot_renew_is_refused(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    with pytest.raises(LoadstoneError) as refused:
        load_scenario(written(tmp_path, change=change))
    assert said in str(refused.value)
