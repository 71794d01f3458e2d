"""Ways to a real server: a Unix socket, and the addresses of this machine that users come from."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import nginx_site
import pytest
from typer.testing import CliRunner

from loadstone.cli import app
from loadstone.errors import BAD_INPUT, SUT_UNREACHABLE, LoadstoneError

SCENARIO = """
format = 1
name = "ways"
[target]
{target}
[load]
users = 4
ramp_up_s = 0
steady_s = 600
ramp_down_s = 0
timeout_s = 60
operations = 20
[pacing]
think = 0.01
[sla]
window_s = 600
[[operation]]
name = "Page"
limit_s = 60
step = [{{ get = "/page.html", page = true, expect.contains = "the very end" }}]
"""


def write(folder: Path, target: str) -> str:
    (folder / "ways.toml").write_text(SCENARIO.format(target=target))
    return str(folder / "ways.toml")


def run(folder: Path, target: str) -> dict[str, Any]:
    command = ["run", write(folder, target), "--out", str(folder / "run"), "--json"]
    done = subprocess.run([sys.executable, "-m", "loadstone", *command], capture_output=True, text=True)
    assert done.stdout, done.stderr
    return dict(json.loads(done.stdout))


def site(folder: Path) -> Path:
    root = folder / "root"
    root.mkdir()
    (root / "page.html").write_text("<html><img src=/big.png>the very end")
    (root / "big.png").write_bytes(b"x" * 300_000)
    return root


def test_nginx_on_a_unix_socket(tmp_path: Path) -> None:
    root, port, path, log = site(tmp_path), nginx_site.free_port(), tmp_path / "app.sock", tmp_path / "log"
    servers = f"""log_format told '$host $remote_addr $request'; 
        server {{ access_log {log} told; listen {port}; listen unix:{path}; root {root}; }}"""
    with nginx_site.nginx(tmp_path, servers, port):
        told = run(tmp_path, f'url = "unix:{path}"\nhost = "app.example"')
    page = told["operations"]["Page"]
    assert (page["ok"], told["failures"], page["counters"]["images"]) == (20, [], 4)
    assert page["counters"]["body_bytes"] > 4 * 300_000
    lines = set(log.read_text().splitlines())
    assert lines == {f"app.example unix: GET {path} HTTP/1.1" for path in ("/page.html", "/big.png")}


def test_a_socket_nobody_listens_on_is_unreachable(tmp_path: Path) -> None:
    scenario = write(tmp_path, f'url = "unix:{tmp_path}/none.sock"')
    done = CliRunner().invoke(app, ["run", scenario, "--out", str(tmp_path / "run")])
    assert isinstance(done.exception, LoadstoneError)
    assert (done.exception.slug, done.exception.exit_code) == ("sut-unreachable", SUT_UNREACHABLE)


def test_users_come_from_the_addresses_that_are_named(tmp_path: Path) -> None:
    root, port, log = site(tmp_path), nginx_site.free_port(), tmp_path / "log"
    servers = f"""log_format told '$remote_addr'; 
        server {{ access_log {log} told; listen {port}; root {root}; }}"""
    with nginx_site.nginx(tmp_path, servers, port):
        told = run(
            tmp_path, f'url = "http://127.0.0.1:{port}"\nfrom = ["127.0.0.90", "127.0.0.92-127.0.0.93"]'
        )
    assert told["operations"]["Page"]["ok"] == 20, told["failures"]
    assert set(log.read_text().split()) == {"127.0.0.90", "127.0.0.92", "127.0.0.93"}


@pytest.mark.parametrize("command", ["run", "try"])
def test_an_address_of_another_machine_is_refused_with_its_line(tmp_path: Path, command: str) -> None:
    scenario = write(tmp_path, 'url = "http://127.0.0.1:1"\nfrom = ["127.0.0.1", "192.0.2.7"]')
    out = ["--out", str(tmp_path / "run")] if command == "run" else []
    done = CliRunner().invoke(app, [command, scenario, *out])
    error = done.exception
    assert isinstance(error, LoadstoneError)
    assert (error.slug, error.exit_code) == ("source-address", BAD_INPUT)
    assert "192.0.2.7 is not an address of this machine" in str(error)
    assert str(error.place).startswith(f"{scenario}:6")
