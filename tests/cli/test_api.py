"""An application with an API: secrets that no record holds, log-ins by header, GraphQL."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, quote, quote_plus, urlsplit

import pytest
from typer.testing import CliRunner, Result

from loadstone.cli import app

KEY, PASSWORD = 'k3y/"of+the=shop', "p4ss word&more"
SPELLED = [
    *(
        how(secret)
        for secret in (KEY, PASSWORD)
        for how in (str, quote_plus, lambda text: quote(text, safe=""))
    ),
    json.dumps(KEY)[1:-1],
    base64.b64encode(f"clerk:{PASSWORD}".encode()).decode(),
]
API = """
format = 1
name = "api"
[target]
url = "http://127.0.0.1:{port}"
[target.auth.basic]
user = "{{clerk}}"
password = "{{secret.password}}"
[data]
clerk = "clerk"
[secrets]
key = {{ env = "SHOP_KEY" }}
password = {{ file = "password.txt" }}
[load]
users = 1
ramp_up_s = 0
steady_s = 60
ramp_down_s = 0
operations = 12
[pacing]
think = 0
[[operation]]
name = "Login"
limit_s = 1
[[operation.step]]
post = "/login?key={{secret.key}}"
json = {{ key = "{{secret.key}}" }}
extract.token = {{ json = "$.token", required = true }}
expect.json = {{ "$.said" = "{{secret.key}}" }}
[[operation]]
name = "Item"
limit_s = 1
auth = {{ bearer = "{{token}}" }}
[[operation.step]]
post = "/graphql"
graphql.query = "query Item($id: Int) {{ item(id: $id) {{ name }} }}"
graphql.variables = {{ id = "{{user}}" }}
expect.json = {{ "$.data.item" = "lamp" }}
[[operation]]
name = "Broken"
limit_s = 1
[[operation.step]]
get = "/echo?key={{secret.key}}"
auth = {{ bearer = "{{secret.key}}" }}
expect.json = {{ "$.said" = "another {{secret.key}}" }}
[[operation]]
name = "Refused"
limit_s = 1
[[operation.step]]
post = "/graphql"
auth = {{ none = true }}
graphql.query = "{{ item {{ name }} }}"
[mix]
Login = {{ Item = 1 }}
Item = {{ Broken = 1 }}
Broken = {{ Refused = 1 }}
Refused = {{ Login = 1 }}
"""


@contextmanager
def _api() -> Iterator[tuple[int, list[tuple[str, str | None, bytes]]]]:
    """The port, and what was asked: path with query, Authorization, body."""
    asked: list[tuple[str, str | None, bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            given = self.headers.get("Authorization")
            asked.append((self.path, given, body))
            found = parse_qs(urlsplit(self.path).query).get("key", [""])[0]
            answers: dict[str, object] = {
                "/login": {"token": "t0k3n", "said": found},
                "/echo": {"said": found},
                "/graphql": {"data": {"item": "lamp"}}
                if given
                else {"errors": [{"message": "who are you?"}]},
            }
            content = json.dumps(answers[urlsplit(self.path).path]).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port, asked
        server.shutdown()


def _call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, port: int, command: str, *words: str) -> Result:
    monkeypatch.setenv("SHOP_KEY", KEY)
    (tmp_path / "password.txt").write_text(f"{PASSWORD}\n", encoding="utf-8")
    (tmp_path / "api.toml").write_text(API.format(port=port), encoding="utf-8")
    return CliRunner().invoke(app, [command, str(tmp_path / "api.toml"), *words])


def test_no_file_of_a_run_holds_a_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "run"
    with _api() as (port, asked):
        done = _call(tmp_path, monkeypatch, port, "run", "--out", str(folder))
    by_path = {path: (given, body) for path, given, body in asked}
    login, echo = f"/login?key={quote(KEY, safe='')}", f"/echo?key={quote(KEY, safe='')}"
    assert by_path[login] == ("Basic " + SPELLED[-1], json.dumps({"key": KEY}).encode())
    assert by_path[echo][0] == f"Bearer {KEY}"
    bearer = next(json.loads(body) for _, given, body in asked if given == "Bearer t0k3n")
    assert bearer == {
        "query": "query Item($id: Int) { item(id: $id) { name } }",
        "variables": {"id": "0"},
    }
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    failed = {(one["operation"], one["cause"]): one["example"] for one in record["failures"]}
    assert set(failed) == {("Broken", "marker"), ("Refused", "marker")}
    assert "***" in str(failed["Broken", "marker"]) and "who are you?" in str(failed["Refused", "marker"])
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) > 5
    said = [done.output.encode(), *(path.read_bytes() for path in files)]
    assert not [secret for secret in SPELLED for content in said if secret.encode() in content]


def test_a_walk_shows_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with _api() as (port, _):
        for words in (("--whole",), ("--json",)):
            done = _call(tmp_path, monkeypatch, port, "try", "--operations", "4", *words)
            assert done.exit_code == 5, done.output
            assert "Authorization: Bearer ***" in done.output and "Authorization: Basic ***" in done.output
            assert not [secret for secret in SPELLED if secret in done.output]


def test_check_needs_the_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = _call(tmp_path, monkeypatch, 1, "check")
    assert done.exit_code == 0 and KEY not in done.output, done.output
    monkeypatch.delenv("SHOP_KEY")
    (tmp_path / "password.txt").write_text("abc", encoding="utf-8")
    done = CliRunner().invoke(app, ["check", str(tmp_path / "api.toml")])
    assert done.exit_code == 2
    said = done.output
    assert "the environment's `SHOP_KEY` is not set" in said and "api.toml:12, [secrets.key]" in said
    assert "has fewer than 4 characters" in said and "api.toml:13, [secrets.password]" in said
