"""What a command that was killed has left is removed by the next one."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from loadstone import scratch as module
from loadstone import ssh
from loadstone.scratch import scratch

KILLED = """
import os, pathlib, sys
from loadstone import scratch
scratch.PLACE = pathlib.Path(sys.argv[1])
with scratch.scratch("ansible") as folder:
    (folder / "inventory.json").write_text("a password")
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(module, "PLACE", tmp_path)
    return tmp_path


def test_a_killed_commands_folder_goes_and_a_running_ones_stays(place: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(place)]
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    folders = []
    for process in processes:
        assert process.stdout
        folders.append(Path(process.stdout.readline().strip()))
    killed, alive = processes
    assert all((folder / "inventory.json").stat() and folder.stat().st_mode & 0o77 == 0 for folder in folders)
    killed.send_signal(signal.SIGKILL)
    killed.wait(60)
    other = place / "loadstone-ansible-not-a-folder"
    other.write_text("somebody's")
    with scratch("ansible") as own:
        assert set(place.iterdir()) == {folders[1], own, other}
    # A command that needs folders of another kind removes them, too.
    third = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert third.stdout and third.stdin
    left = Path(third.stdout.readline().strip())
    third.kill()
    third.wait(60)
    with scratch("ssh", ssh._end_masters) as own:
        assert left.name.startswith("loadstone-ansible-")
        assert set(place.iterdir()) == {folders[1], own, other}
    alive.communicate("", timeout=60)
    assert list(place.iterdir()) == [other]


def test_connections_of_a_killed_command_are_ended(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = place / "loadstone-ssh-12345678"
    left.mkdir()
    (left / "socket").touch()
    asked: list[list[str]] = []
    monkeypatch.setattr(
        ssh.subprocess, "run", lambda words, **_: asked.append(words) or subprocess.CompletedProcess(words, 0)
    )
    with scratch("ssh", ssh._end_masters):
        pass
    assert [words[-3:] for words in asked] == [["-O", "exit", "nobody"]]
    assert f"ControlPath={left}/socket" in asked[0] and os.listdir(place) == []
