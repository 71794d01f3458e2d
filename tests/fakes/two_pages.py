"""A scenario of two pages, for engines that simulate the answers: nothing but a port has to be there."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from loadstone.measure import External

_SCENARIO = """
format = 1
name = "{name}"
[target]
url = "http://127.0.0.1:{port}"
[data]
accounts = 1000
[load]
{load}
[pacing]
cycle = {{ kind = "neg-exp", mean_s = {mean_s}, max_s = {most_s} }}
[sla]
{sla}
[[operation]]
name = "Home"
limit_s = 1
step = [{{ get = "/home" }}]
[[operation]]
name = "Search"
limit_s = 1
step = [{{ get = "/search" }}]
[mix]
Home = {{ {after_home} }}
Search = {{ {after_search} }}
"""


def scenario(
    path: Path, port: int, *, load: str, sla: str, mean_s: float, most_s: float, mix: tuple[str, str]
) -> Path:
    """Writes it. `load`, `sla`: these tables; `mean_s`, `most_s`: of the cycles; `mix`: its rows."""
    home, search = mix
    text = _SCENARIO.format(
        name=path.stem, port=port, load=load, sla=sla, mean_s=mean_s, most_s=most_s, after_home=home,
        after_search=search,
    )  # fmt: skip
    path.write_text(text, "utf-8")
    return path


@contextmanager
def listening() -> Iterator[int]:
    """A port that accepts and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def sut(port: int, reset: str | None = None) -> External:
    """What listens there, as a service."""
    return External(f"http://127.0.0.1:{port}", "127.0.0.1", port, reset=reset)
