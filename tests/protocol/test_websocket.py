"""WebSockets of a real server, Python's `websockets`: plain, by TLS, and behind nginx."""

from __future__ import annotations

import asyncio
import json
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nginx_site
import pytest
from certificates import Authority
from typer.testing import CliRunner

from loadstone.cli import app

server = pytest.importorskip("websockets.asyncio.server", reason="websockets is not installed")
exceptions = pytest.importorskip("websockets.exceptions")

SCENARIO = """
format = 1
name = "chat"
[target]
url = "{url}"
{tls}
[load]
users = 3
ramp_up_s = 0
steady_s = 600
ramp_down_s = 0
timeout_s = 60
operations = 12
[pacing]
think = 0.01
[session]
max_operations = 2
[[operation]]
name = "Join"
limit_s = 60
[[operation.step]]
ws = "/chat?room={{user}}"
headers.Sec-WebSocket-Protocol = "chat.v1"
[[operation.step]]
receive = true
expect.contains = "welcome to /chat?room={{user}}"
extract.token = {{ between = ["token:", ";"] }}
[[operation]]
name = "Talk"
limit_s = 60
[[operation.step]]
send = {{ text = "hello {{user}}", token = "{{token}}" }}
expect.contains = "hello {{user}}"
count = "echoes"
[[operation.step]]
send = "{{token}}"
binary = true
expect.contains = "{{token}}"
[[operation.step]]
send = "no answer is awaited"
[[operation.step]]
close = 1000
[mix]
Join = {{ Talk = 1 }}
Talk = {{ end = 1 }}
"""


class Room:
    """What came, and how connections ended."""

    def __init__(self) -> None:
        self.heard: list[str | bytes] = []
        self.codes: list[int | None] = []

    async def welcome(self, peer: Any) -> None:
        """Greets, has its ping answered, and echoes each message in two fragments, after another one."""
        await peer.send(f"welcome to {peer.request.path} token:{id(peer)};")
        await (await peer.ping())
        try:
            async for message in peer:
                self.heard.append(message)
                await peer.send("somebody typed")
                half = len(message) // 2
                await peer.send(iter([message[:half], message[half:]]))
        except exceptions.ConnectionClosed:
            pass  # closed while it answered
        self.codes.append(peer.close_code)


@contextmanager
def chat(context: ssl.SSLContext | None = None) -> Iterator[tuple[int, Room]]:
    """Serves rooms on a port of this machine until the end of the block."""
    loop, room = asyncio.new_event_loop(), Room()

    async def start() -> Any:
        return await server.serve(room.welcome, "127.0.0.1", 0, ssl=context, subprotocols=["chat.v1"])

    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    serving = asyncio.run_coroutine_threadsafe(start(), loop).result(60)
    try:
        yield serving.sockets[0].getsockname()[1], room
    finally:
        loop.call_soon_threadsafe(serving.close)
        asyncio.run_coroutine_threadsafe(serving.wait_closed(), loop).result(60)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(60)


def write(folder: Path, url: str, tls: str = "") -> Path:
    path = folder / "chat.toml"
    path.write_text(SCENARIO.format(url=url, tls=tls))
    return path


def check(folder: Path, path: Path, room: Room) -> None:
    command = ["run", str(path), "--out", str(folder / "run"), "--json"]
    done = subprocess.run([sys.executable, "-m", "loadstone", *command], capture_output=True, text=True)
    assert done.stdout, done.stderr
    told = json.loads(done.stdout)
    assert told["failures"] == []
    join, talk = told["operations"]["Join"], told["operations"]["Talk"]
    assert join["ok"] + talk["ok"] == 12 and talk["ok"] >= 4
    assert talk["counters"]["echoes"] == talk["ok"]
    texts = [json.loads(one) for one in room.heard if isinstance(one, str) and one.startswith("{")]
    assert len(texts) >= talk["ok"] and {one["text"] for one in texts} <= {f"hello {n}" for n in range(3)}
    assert all(one["token"].isdigit() for one in texts), "what the server said was taken from its message"
    assert sum(isinstance(one, bytes) for one in room.heard) == len(texts)
    assert room.codes.count(1000) >= talk["ok"]


def test_a_chat(tmp_path: Path) -> None:
    with chat() as (port, room):
        check(tmp_path, write(tmp_path, f"http://127.0.0.1:{port}"), room)


def test_a_chat_by_tls(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*authority.certificates["server"])
    with chat(context) as (port, room):
        path = write(tmp_path, f"https://127.0.0.1:{port}", f'tls.ca = "{authority.ca}"')
        check(tmp_path, path, room)


def test_a_chat_behind_nginx(tmp_path: Path) -> None:
    with chat() as (behind, room):
        port = nginx_site.free_port()
        directives = f"""server {{ listen 127.0.0.1:{port}; location / {{
            proxy_pass http://127.0.0.1:{behind}; proxy_http_version 1.1;
            proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection "upgrade"; }} }}"""
        with nginx_site.nginx(tmp_path, directives, port):
            check(tmp_path, write(tmp_path, f"http://127.0.0.1:{port}"), room)


def test_a_walk_shows_the_messages(tmp_path: Path) -> None:
    with chat() as (port, _):
        path = write(tmp_path, f"http://127.0.0.1:{port}")
        shown = CliRunner().invoke(app, ["try", str(path)])
    assert shown.exit_code == 0, shown.output
    lines = [line.strip() for line in shown.output.splitlines()]
    assert any(line.startswith("GET /chat?room=0  101") for line in lines), shown.output
    assert any(line.startswith('SEND {"text": "hello 0"') and "← " in line for line in lines), shown.output
    assert any(line.startswith("RECEIVE ← welcome to /chat?room=0") for line in lines), shown.output
    assert any(line.startswith("CLOSE 1000") for line in lines), shown.output
