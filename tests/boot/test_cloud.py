"""Images that hear of their surroundings: moved while they serve, and helped when there is too much to do."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from booted import BOOT_S, image, machine

from loadstone.image.fleet import Fleet
from loadstone.image.qemu import HTTP_PORT
from loadstone.image.siblings import Balancer, Siblings

HERE = Path(__file__).parent
READERS = 8

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]


def _move(folder: Path, board: str, told: bool, readers: int) -> dict[str, Any]:
    if os.geteuid() or not Path("/dev/net/tun").exists():
        pytest.skip("needs root and TAP devices")
    folder.mkdir()
    words = [str(image("olio")), str(folder), board, "told" if told else "untold", str(readers)]
    environment = os.environ | {"PYTHONPATH": f"{HERE}:{HERE.parent / 'parity'}"}
    command = ["unshare", "--net", sys.executable, str(HERE / "moving.py"), *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stdout + done.stderr
    return dict(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("board", ["microvm", "q35"])
def test_a_move_under_load_fails_no_request(tmp_path: Path, board: str) -> None:
    found = _move(tmp_path / "move", board, told=True, readers=READERS)
    assert found["failures"] == []
    assert found["answers"] > found["before"] > 0, "it went on on the other machine"
    # An answer that was under way when the machine stopped may still be read a little later.
    assert found["silence_ms"] > found["downtime_ms"] / 2, "clients wait while neither machine runs"


def test_an_instance_that_was_told_moves_with_less(tmp_path: Path) -> None:
    told = _move(tmp_path / "told", "microvm", told=True, readers=0)
    untold = _move(tmp_path / "untold", "microvm", told=False, readers=0)
    assert told["cleared_bytes"] > 0
    assert told["moved_bytes"] < 0.9 * untold["moved_bytes"], (told, untold)


def test_a_busy_instance_gets_a_sibling(tmp_path: Path) -> None:
    # Low, for the readers may get little of a loaded machine.
    words = ["scale=5", "surge.files=200"]
    first, spare = machine("surge", words, memory_mib=32), machine("surge", words, memory_mib=32)
    told: list[str] = []
    siblings = Siblings([spare], told.append, Balancer(tmp_path / "list"))
    ended = threading.Event()

    def read() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", first.ports[HTTP_PORT], timeout=120)
        while not ended.is_set():
            connection.request("GET", "/d/1")
            connection.getresponse().read()

    with Fleet([first], siblings.hear) as fleet, siblings.attend(fleet):
        guest = fleet.guests[0]
        guest.wait_for("^serving ", BOOT_S)
        readers = [threading.Thread(target=read, daemon=True) for _ in range(READERS)]
        for reader in readers:
            reader.start()
        try:
            answer = guest.wait_for("^appliance: sibling", 60)
        finally:
            ended.set()
            for reader in readers:
                reader.join()
        address = f"127.0.0.1:{spare.ports[HTTP_PORT]}"
        assert answer == f"appliance: sibling {address}", told
        assert f"server {address};\n" in (tmp_path / "list").read_text()
        connection = http.client.HTTPConnection(address, timeout=120)
        connection.request("GET", "/d/1")
        assert connection.getresponse().status == 200
