"""Servers that are hit while they answer."""

from __future__ import annotations

import shutil
import socket
from pathlib import Path

import pytest
from test_campaign import Quiet, counts
from toys import compiled

from loadstone.errors import LoadstoneError
from loadstone.inject.asked import Asked
from loadstone.inject.serving import Serving, _profile, serving
from loadstone.inject.traffic import HOST, Traffic, memcached, read_paths, redis
from loadstone.stages.inject import Inject


def served(
    program: Path, folder: Path, traffic: Traffic, runs: int, *words: str, only: str = "own"
) -> Inject:
    asked = Asked(program, words or ("{port}",), runs, 1, (only,))
    return serving(Serving(asked, traffic, patience_s=10), folder, 2, Quiet())


def paths(tmp_path: Path) -> tuple[bytes, ...]:
    (tmp_path / "paths").write_text("# numbers\n/1\n/22\n/333 # three\n/4\n/5\n/6\n/7\n/8\n")
    return read_paths(tmp_path / "paths")


@pytest.mark.long
def test_a_wrong_number_in_a_server_is_a_wrong_answer(tmp_path: Path) -> None:
    """`live` gives what each answer is computed from: a fault there is seen, and the server goes on."""
    found = served(
        compiled(tmp_path, "server"), tmp_path / "out", Traffic("http", paths(tmp_path)), 12, only="live"
    )
    assert found.server and found.injected + found.missed == 12
    assert counts(found) == {"corrupt": found.injected} and found.injected > 6


@pytest.mark.long
def test_what_only_fills_a_server_is_not_hit(tmp_path: Path) -> None:
    """It is sampled after all requests were asked once: eight by four connections, so two of each."""
    program = compiled(tmp_path, "server", "-DFILLS")
    with pytest.raises(LoadstoneError, match="nothing of the server's own code was executed"):
        served(program, tmp_path / "out", Traffic("http", paths(tmp_path)), 1, only="dead")


@pytest.mark.long
def test_what_a_server_does_by_the_clock_for_an_open_connection_is_not_hit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of `live` and `dead` one instruction each can be hit; the second is executed without requests, too."""
    monkeypatch.setattr("loadstone.inject.serving._PROFILE_STEPS", 40_000)
    asked = Asked(compiled(tmp_path, "server", "-DTICKS"), ("{port}",), 1, 1, ("live", "dead"))
    found, _ = _profile(Serving(asked, Traffic("http", paths(tmp_path)), patience_s=30))
    assert len(found.addresses) == 1


@pytest.mark.long
def test_memcached_is_hit_in_mid_traffic(tmp_path: Path) -> None:
    program = shutil.which("memcached")
    if program is None:
        pytest.skip("memcached is not installed")
    words = ("-p", "{port}", "-U", "0", "-u", "nobody", "-l", "127.0.0.1")
    found = served(Path(program), tmp_path / "out", Traffic("memcached", memcached(300, 1)), 20, *words)
    assert sum(counts(found).values()) >= 15
    assert found.restart_s > 0


@pytest.mark.long
def test_redis_is_hit_in_mid_traffic(tmp_path: Path) -> None:
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server is not installed")
    words = ("--port", "{port}", "--bind", "127.0.0.1", "--save", "")
    found = served(Path(program), tmp_path / "out", Traffic("redis", redis(300, 1)), 20, *words)
    assert sum(counts(found).values()) >= 15


@pytest.mark.parametrize(
    "answer",
    [b"+OK\r\n", b":7\r\n", b"$-1\r\n", b"$3\r\na\r\n\r\n", b"*0\r\n", b"*2\r\n$1\r\na\r\n*1\r\n:5\r\n"],
)
def test_an_answer_of_redis_is_read_whole_and_no_further(answer: bytes) -> None:
    with socket.create_server((HOST, 0)) as server:
        talk = Traffic("redis", ()).open(server.getsockname()[1], 10)
        with server.accept()[0] as peer:
            peer.sendall(answer + b"+NEXT\r\n")
            assert talk.ask(b"") == answer and talk.ask(b"") == b"+NEXT\r\n"
        talk.close()


def test_a_server_that_does_not_listen_or_has_no_port_is_refused(tmp_path: Path) -> None:
    program, traffic = compiled(tmp_path, "shares"), Traffic("http", paths(tmp_path))
    with pytest.raises(LoadstoneError, match="has ended at once") as refused:
        served(program, tmp_path / "out", traffic, 1)
    assert refused.value.slug == "inject-server"
    with pytest.raises(LoadstoneError, match="where it listens") as refused:
        served(program, tmp_path / "out", traffic, 1, "8080")
    assert refused.value.slug == "inject-input"


def test_a_list_of_paths_says_which_line_is_none(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("/a\nb\n")
    with pytest.raises(LoadstoneError) as refused:
        read_paths(tmp_path / "list")
    assert str(refused.value.place).endswith("list:2")
