"""Moves an image while clients read from it, in a network of its own: run under `unshare --net`, prints JSON.

Two TAP devices hang on one bridge: the machine that is left and the one that is moved to.
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
import time
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path

from booted import BOOT_S, OLIO
from booted import disk as empty_disk
from shared_sites import SECRETS

from loadstone.image.guest import Guest
from loadstone.image.qemu import Machine
from loadstone.image.relocate import relocate

ADDRESS = "10.9.0.2"
PATHS = ("/", "/events/3", "/users/5", "/media/p7.jpg")
NETWORK = """
link add bridge0 type bridge
address add 10.9.0.1/24 dev bridge0
link set bridge0 up
tuntap add here mode tap
link set here master bridge0 up
tuntap add there mode tap
link set there master bridge0 up
"""


class Reader(threading.Thread):
    """Reads pages over one connection until told to end."""

    def __init__(self, number: int) -> None:
        super().__init__(daemon=True)
        self.path = PATHS[number % len(PATHS)]
        self.answers, self.failures, self.longest_s = 0, [], 0.0
        self.ended = False
        self.first = b""
        self.heard: list[float] = []
        """When each right answer had come, by `time.monotonic`."""

    def run(self) -> None:
        connection = http.client.HTTPConnection(ADDRESS, 80, timeout=10)
        while not self.ended:
            began = time.monotonic()
            try:
                connection.request("GET", self.path)
                answer = connection.getresponse()
                body = SECRETS.sub(b"*", answer.read())
            except (OSError, http.client.HTTPException) as error:
                self.failures.append(repr(error))
                connection.close()
                continue
            self.longest_s = max(self.longest_s, time.monotonic() - began)
            self.first = self.first or body
            if answer.status != 200 or body != self.first:
                self.failures.append(f"{answer.status} with {len(body)} bytes")
            self.answers += 1
            self.heard.append(time.monotonic())


def fill(clients: int) -> None:
    """Has many clients at once leave their traces in the machine's memory."""

    def one(number: int) -> None:
        connection = http.client.HTTPConnection(ADDRESS, 80, timeout=20)
        for step in range(6):
            connection.request("GET", f"/{('events', 'users')[step % 2]}/{number % 20 + 1}")
            connection.getresponse().read()
        connection.close()

    threads = [threading.Thread(target=one, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def silence_ms(heard: list[float], since: float) -> float | None:
    """The longest time in which nobody got an answer, of the times that ended after `since`; None without
    answers: from the last one of the machine that is left to the first one of the other."""
    at = sorted(heard)
    return max((1000 * (after - before) for before, after in pairwise(at) if after > since), default=None)


def main(image: Path, folder: Path, board: str, told: bool, readers: int) -> None:
    """Boots, loads, moves, and says what happened."""
    for line in NETWORK.strip().splitlines():
        subprocess.run(["ip", *line.split()], check=True)
    words = [f"ip={ADDRESS}/24", *OLIO, "olio.cache=page"]
    here = Machine(
        image,
        board=board,  # type: ignore[arg-type]
        memory_mib=64,
        words=words,
        disk=empty_disk(folder),
        tap="here",
        monitor=folder / "monitor",
    )
    there = replace(here, tap="there", monitor=folder / "other")
    with Guest(here) as guest:
        guest.wait_for("^serving ", BOOT_S)
        fill(40)
        crowd = [Reader(number) for number in range(readers)]
        for reader in crowd:
            reader.start()
        time.sleep(1)
        before = sum(reader.answers for reader in crowd)
        began = time.monotonic()
        arrived, cost = relocate(guest, there, told=told)
        with arrived:
            time.sleep(1)
            for reader in crowd:
                reader.ended = True
            for reader in crowd:
                reader.join()
            found = {
                "before": before,
                "answers": sum(reader.answers for reader in crowd),
                "failures": [failure for reader in crowd for failure in reader.failures],
                "silence_ms": silence_ms([at for reader in crowd for at in reader.heard], began),
                "longest_s": max([reader.longest_s for reader in crowd], default=0.0),
                "status": arrived.order("status", "^status"),
            }
    print(json.dumps(found | asdict(cost)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4] == "told", int(sys.argv[5]))
