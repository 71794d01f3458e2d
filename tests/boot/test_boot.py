"""Images under QEMU: what they answer, how they end, what they refuse."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from folder_image import LARGE, Served, ask, get, until_end

from loadstone.image.contents import places
from loadstone.image.guest import CLEAN, PANIC, REFUSED, Guest, free_port
from loadstone.image.monitor import Monitor
from loadstone.image.qemu import BOARDS, Board, Machine, accelerator

pytestmark = pytest.mark.long

FIXED = ("ip=10.0.2.15/24", "gw=10.0.2.2")
CLOSE = "Connection: close"
BOOT_S = 60.0


def machine(served: Served, *words: str, board: Board = "microvm", memory_mib: int = 16) -> Machine:
    """A machine with a port for the site and one for its figures."""
    ports = {80: free_port(), 9100: free_port()}
    by = "tcg" if board == "virt" else accelerator()
    return Machine(served.image, board, memory_mib, words=words, ports=ports, accelerator=by)


@contextlib.contextmanager
def running(machine: Machine) -> Iterator[Guest]:
    """The machine when it serves."""
    with Guest(machine) as guest:
        guest.wait_for("serving files at 10.0.2.15:80", BOOT_S)
        yield guest


@contextlib.contextmanager
def process(folder: Path) -> Iterator[int]:
    """The port at which a process serves the folder."""
    command = [sys.executable, "-m", "loadstone", "serve", "files", str(folder), "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as serving:
        try:
            assert serving.stdout
            yield int(json.loads(serving.stdout.readline())["url"].rsplit(":", 1)[1])
        finally:
            serving.terminate()


def test_an_image_answers_with_the_bytes_of_the_process(served: Served) -> None:
    requests = [get(path, CLOSE) for path in ("/", "/deep/style.css", "/large.bin", "/deep", "/deep/", "/no")]
    requests += [get(path, CLOSE) for path in ("/.hidden", "/%2e%2e/x", "/%zz", "/deep%2fstyle.css", "//")]
    requests += [get("/large.bin", CLOSE, method="HEAD"), get("/", CLOSE, method="POST")]
    requests += [get("*", CLOSE, method="OPTIONS"), b"GET / HTTP/2.0\r\n\r\n", b"nonsense\r\n\r\n"]
    requests += [get("/", "Host: y"), get("/" + "x" * 9000), get("/", f"X: {'y' * 17000}")]
    requests += [get("/deep/style.css", CLOSE, "Accept-Encoding: gzip")]
    for field in ("Range: bytes=0-9", "Range: bytes=-5", "Range: bytes=999999-", 'If-None-Match: "x"'):
        requests.append(get("/large.bin", CLOSE, field))
    requests.append(get("/", CLOSE, "If-Modified-Since: Sun, 09 Sep 2001 01:46:40 GMT"))
    requests.append(get("/a") + get("/") + get("/b", CLOSE))
    with process(served.folder) as theirs, running(machine(served, *FIXED)) as guest:
        ours = guest.machine.ports[80]
        for request in requests:
            assert ask(ours, request) == ask(theirs, request), request[:80]


@pytest.mark.parametrize("board", BOARDS)
def test_it_serves_on_every_board_and_finds_its_address(board: Board, served: Served) -> None:
    with running(machine(served, "metrics=9100", board=board)) as guest:
        ports = guest.machine.ports
        with socket.create_connection(("127.0.0.1", ports[80]), 20) as connection:
            for _ in range(20):
                connection.sendall(get("/"))
                answer = b""
                while b"hello" not in answer:
                    answer += connection.recv(1 << 16)
                assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
        body = ask(ports[80], get("/large.bin", CLOSE)).split(b"\r\n\r\n", 1)[1]
        assert body == LARGE
        figures = ask(ports[9100], get("/metrics", CLOSE)).decode()
        assert re.search(r"^loadstone_requests_total 2\d$", figures, re.M), figures


def test_the_power_button_ends_it_well(served: Served, tmp_path: Path) -> None:
    with running(replace(machine(served, board="q35"), monitor=tmp_path / "qmp")) as guest:
        with Monitor(tmp_path / "qmp") as monitor:
            monitor.ask("system_powerdown")
        assert guest.wait_for_end(20) == CLEAN
        assert "appliance: off" in guest.console()


def test_a_report_says_where_it_was(served: Served, tmp_path: Path) -> None:
    with running(replace(machine(served, *FIXED), monitor=tmp_path / "qmp")) as guest:
        with Monitor(tmp_path / "qmp") as monitor:
            monitor.ask("inject-nmi")
        assert guest.wait_for_end(20) == PANIC
        console = guest.console()
    assert "appliance: non-maskable interrupt at 0x" in console
    addresses = [int(place, 16) for place in re.findall(r"^  (0x[0-9a-f]+)$", console, re.M)]
    assert addresses, console
    named = "\n".join(places(served.built.symbols, addresses))
    assert "loadstone_appliance::bare::" in named, named


@dataclass(frozen=True)
class WithoutCard(Machine):
    """A machine that lacks a network card."""

    def _devices(self) -> list[str]:
        return ["-device", "virtio-rng-device"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("ip=10.0.2.15",), "refused: `ip=10.0.2.15` is not understood"),
        (("ip=10.0.2.15/24", "quiet"), "refused: `quiet` is no key=value"),
        (("port=0",), "refused: `port=0` is not understood"),
    ],
)
def test_what_the_command_line_says_is_checked(served: Served, words: tuple[str, ...], why: str) -> None:
    with Guest(machine(served, *words)) as guest:
        assert guest.wait_for_end(BOOT_S) == REFUSED
        assert why in guest.console()


def test_a_machine_that_lacks_something_is_refused(served: Served) -> None:
    with Guest(WithoutCard(served.image, words=FIXED)) as guest:
        assert guest.wait_for_end(BOOT_S) == REFUSED
        assert "refused: there is no network card" in guest.console()
    with Guest(machine(served, *FIXED, memory_mib=2)) as guest:
        guest.wait_for("refused: |serving", BOOT_S)


def test_a_lost_link_comes_back(served: Served, tmp_path: Path) -> None:
    with (
        running(replace(machine(served, *FIXED), monitor=tmp_path / "qmp")) as guest,
        Monitor(tmp_path / "qmp") as monitor,
    ):
        port = guest.machine.ports[80]
        with socket.create_connection(("127.0.0.1", port), 20) as connection:
            monitor.ask("set_link", name="net0", up=False)
            connection.sendall(get("/", CLOSE))
            connection.settimeout(1.0)
            with pytest.raises(TimeoutError):
                connection.recv(1)
            monitor.ask("set_link", name="net0", up=True)
            connection.settimeout(30.0)
            assert b"hello" in until_end(connection), "what was lost is sent again"
        assert b"hello" in ask(port, get("/", CLOSE))


def test_clients_cannot_exhaust_it(served: Served) -> None:
    with (
        running(machine(served, *FIXED, "metrics=9100", memory_mib=8)) as guest,
        contextlib.ExitStack() as stack,
    ):
        port = guest.machine.ports[80]
        for number in range(150):
            # Every other one sends half a head, the rest a body that never ends.
            half = (
                get("/")[:-2]
                if number % 2
                else get("/", "Content-Length: 300000", method="POST") + b"x" * 9000
            )
            with contextlib.suppress(OSError):
                connection = stack.enter_context(socket.create_connection(("127.0.0.1", port), 0.2))
                connection.setblocking(False)
                connection.send(half)
        figures = ask(guest.machine.ports[9100], get("/metrics", CLOSE), 30).decode()
        assert "\nloadstone_heap_used_bytes " in figures, "the operator sees it also now"
        # Until the others' patience is over, a request may be refused, but is not left alone.
        deadline = time.monotonic() + 60
        while b"hello" not in (answer := ask(port, get("/", CLOSE), 60)):
            assert answer.startswith(b"HTTP/1.1 503 "), answer
            assert time.monotonic() < deadline
        assert guest.exit_code is None


def test_instances_run_side_by_side(served: Served) -> None:
    with contextlib.ExitStack() as stack:
        guests = [stack.enter_context(Guest(machine(served, *FIXED, memory_mib=8))) for _ in range(4)]
        for guest in guests:
            guest.wait_for("serving", BOOT_S)
            assert b"hello" in ask(guest.machine.ports[80], get("/", CLOSE))
