"""A machine's console and end, with a program in QEMU's place."""

from __future__ import annotations

import os
import socket
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from loadstone.errors import LoadstoneError
from loadstone.image.guest import CLEAN, PANIC, REFUSED, Guest, ending, free_port
from loadstone.image.monitor import Monitor
from loadstone.image.qemu import Disk, Machine


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine whose QEMU runs the script that its kernel is."""
    for name in ("qemu-system-x86_64", "qemu-system-aarch64"):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\nexec sh {tmp_path / 'kernel'}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return Machine(tmp_path / "kernel")


def test_waits_for_a_line_said_before_or_after(machine: Machine) -> None:
    machine.kernel.write_text(
        "echo booting; sleep 0.1; printf 'serving olio at 10.0.2.15:80\\r\\n'; exec sleep 60"
    )
    with Guest(machine) as guest:
        assert guest.wait_for(r"serving \w+", 20) == "serving olio at 10.0.2.15:80"
        assert guest.wait_for("boot", 20) == "booting"
    assert guest.exit_code is not None, "leaving the context ends it"


def test_a_guest_that_ends_too_early_is_quoted(machine: Machine) -> None:
    machine.kernel.write_text(f"echo out of memory; exit {PANIC}")
    with Guest(machine) as guest, pytest.raises(LoadstoneError) as caught:
        guest.wait_for("serving", 20)
    assert caught.value.slug == "guest-ended"
    assert "the guest panicked" in str(caught.value) and "out of memory" in str(caught.value)


@pytest.mark.parametrize(
    "last, code, meant",
    [
        ("ended well", 0, CLEAN),
        ("ended by a fault", 0, PANIC),
        ("ended by a refusal", 0, REFUSED),
        ("off", 0, 0),
        ("ended well", 1, 1),
    ],
)
def test_a_board_without_an_exit_device_says_how_it_ended(
    machine: Machine, last: str, code: int, meant: int
) -> None:
    machine.kernel.write_text(f"echo appliance: ended well; echo 'appliance: {last}'; exit {code}")
    with Guest(replace(machine, board="virt")) as guest:
        assert guest.wait_for_end(20) == guest.exit_code == meant


def test_what_is_said_to_a_guest_that_has_ended_is_lost(machine: Machine) -> None:
    machine.kernel.write_text("exit 0")
    with Guest(machine) as guest:
        assert guest.wait_for_end(20) == 0
        guest.say("shutdown")
    assert guest.exit_code == 0


def test_ctrl_c_in_the_terminal_is_not_for_the_guest(machine: Machine) -> None:
    machine.kernel.write_text("exec sleep 60")
    with Guest(machine) as guest:
        assert os.getpgid(guest.pid) == guest.pid != os.getpgid(0)


def test_a_silent_guest_is_not_waited_for_for_ever(machine: Machine) -> None:
    machine.kernel.write_text("exec sleep 60")
    with Guest(machine) as guest, pytest.raises(LoadstoneError) as caught:
        guest.wait_for("serving", 0.05)
    assert caught.value.slug == "guest-silent"


def test_waits_for_the_first_byte_of_an_answer(machine: Machine) -> None:
    machine.kernel.write_text("exec sleep 60")
    port = free_port()
    with socket.socket() as listening, Guest(machine) as guest:
        listening.bind(("127.0.0.1", port))
        listening.listen()

        def cut_once_then_answer() -> None:
            listening.accept()[0].close()
            connection, _ = listening.accept()
            connection.recv(100)
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            connection.close()

        threading.Thread(target=cut_once_then_answer, daemon=True).start()
        assert 0 < guest.wait_for_port(port, 20, b"GET / HTTP/1.1\r\n\r\n") < 20


def test_a_refusal_is_not_the_first_answer(machine: Machine) -> None:
    machine.kernel.write_text("exec sleep 60")
    port = free_port()
    answers = [b"HTTP/1.1 503 Service Unavailable\r\n\r\n", b"HTTP/1.1 404 Not Found\r\n\r\n"]
    with socket.socket() as listening, Guest(machine) as guest:
        listening.bind(("127.0.0.1", port))
        listening.listen()

        def refuse_then_serve() -> None:
            for answer in [*answers, b"HTTP/1.1 200 OK\r\n\r\n"]:
                connection, _ = listening.accept()
                connection.recv(100)
                # In pieces: the status may come later than the first byte.
                for piece in (answer[:3], answer[3:]):
                    connection.sendall(piece)
                served.append(answer)
                connection.close()

        served: list[bytes] = []
        threading.Thread(target=refuse_then_serve, daemon=True).start()
        guest.wait_for_port(port, 20, b"GET / HTTP/1.1\r\n\r\n")
        assert len(served) >= len(answers)
        with pytest.raises(LoadstoneError) as caught:
            guest.wait_for_port(free_port(), 0.3, b"GET / HTTP/1.1\r\n\r\n")
    assert caught.value.slug == "guest-silent"


def test_every_end_has_words() -> None:
    assert ending(-9) == "QEMU was ended by signal 9"
    assert ending(1) == "QEMU ended with 1"
    assert ending(37) == "the guest refused what it was given"


def test_a_disks_name_may_have_a_comma(machine: Machine) -> None:
    command = Machine(machine.kernel, board="q35", disk=Disk(Path("/tmp/a,b"), "unsafe")).command()
    assert "if=none,id=disk0,format=raw,file=/tmp/a,,b,cache=unsafe" in command


def test_qemus_refusal_is_told(tmp_path: Path) -> None:
    path = tmp_path / "monitor"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()

        def refuse() -> None:
            connection, _ = listening.accept()
            lines = connection.makefile("rwb")
            for answer in (
                b'{"QMP": {}}',
                b'{"return": {}}',
                b'{"event": "STOP"}',
                b'{"error": {"desc": "no"}}',
            ):
                lines.write(answer + b"\n")
            lines.flush()
            lines.readline()
            lines.readline()

        threading.Thread(target=refuse, daemon=True).start()
        with Monitor(path) as monitor, pytest.raises(LoadstoneError) as caught:
            monitor.ask("migrate", uri="exec:false")
    assert caught.value.slug == "guest-refused"
