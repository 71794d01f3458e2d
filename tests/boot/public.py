"""Clients of a site whom no other check has: run under `unshare --net`, prints JSON.

    outer (64 addresses) -- switch (shaped) -- inner -- bridge -- guest
                                                 or: inner, in the network of a process

What serves is an image, with TLS or without, or the container with one of its connectors. The clients never
reuse a connection. Some read or write slowly, some do not read at all, and somebody asks for thousands of
connections a second. All of that over IPv4 (4), IPv6 (6), or half over each (46).
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from booted import BOOT_S, OLIO
from booted import disk as empty_disk
from gate_clients import NETWORKS, Place, crowd, heads, held, slow
from gate_flood import Flood
from gate_line import Tally
from shared_sites import Browser
from test_shared_database import EVENT, PICTURE

from loadstone._core import usernames
from loadstone.image.guest import Guest
from loadstone.image.qemu import Machine, accelerator
from loadstone.image.tls import TlsFiles

LARGE, MIDDLE = 1_000_000, 60_000
FLOOD_PER_S = 4000
NGINX = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{}}
http {{ access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p;
fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
server {{ listen 127.0.0.1:8000; location / {{ proxy_pass {url}; }} }} }}
"""


def _upload(place: Place, size: int) -> str:
    """Uploads a picture; its path."""
    browser = Browser([place.url])
    browser.log_in(usernames(1, 120)[4], "5")
    browser.get("/events/new")
    _, page = browser.upload("/events", EVENT, {"event_image": PICTURE + bytes(size)})
    found = re.search(rb"/media/(e\d+)t?\.jpg", page)
    assert found, page
    return f"/media/{found[1].decode()}.jpg"


async def _phases(place: Place, large: str, middle: str, flood: Flood, share: int) -> dict[str, Tally]:
    """What comes of each kind of clients; `share` is which part of them there is: one in so many."""
    tallies = {name: Tally() for name in ("addresses", "nginx", "slow", "flood", "memory", "heads")}
    everywhere: list[str | None] = list(place.clients[: 64 // share])
    await crowd(place, tallies["addresses"], 4, everywhere)
    await crowd(place, tallies["nginx"], 20, [None] * (16 // share), ("127.0.0.1", 8000))
    await asyncio.gather(
        slow(place, tallies["slow"], middle), crowd(place, tallies["slow"], 2, everywhere[: 32 // share])
    )
    async with flood.lasting():
        await crowd(place, tallies["flood"], 6, everywhere)
    async with contextlib.AsyncExitStack() as stack:
        await held(place, stack, large, 40)
        await crowd(place, tallies["memory"], 4, everywhere[:16])
    async with heads(place, 500 // share):
        await crowd(place, tallies["heads"], 2, everywhere[:16])
    return tallies


def _address(address: str, device: str) -> str:
    """Gives a device an address, which it need not look for among its neighbours."""
    bits, ready = (64, " nodad") if ":" in address else (24, "")
    return f"address add {address}/{bits} dev {device}{ready}"


def _ip(*lines: str, inside: int | None = None) -> None:
    """Sets up a network, this one or that of a process."""
    where = ["nsenter", f"--net=/proc/{inside}/ns/net"] if inside else []
    for line in lines:
        subprocess.run([*where, "ip", *line.split()], check=True)


@contextlib.contextmanager
def _network(place: Place, folder: Path, delay_ms: float, loss: float, seed: int) -> Iterator[None]:
    """The switch, the clients' addresses on its outer port, and nginx."""
    shape = {"delay_ms": delay_ms / 2, "loss": loss / 2, "queue_ms": 1000}
    ports = [
        {"name": "out", "device": "outer", "up": shape, "down": shape},
        {"name": "in", "device": "inner"},
    ]
    run = "import sys; from loadstone._core import run_switch; run_switch(sys.argv[1])"
    command = [sys.executable, "-c", run, json.dumps({"ports": ports, "seed": seed})]
    _ip("link set lo up")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as switch:
        try:
            assert switch.stdout and switch.stdout.readline().strip() == "ready"
            routers = (f"{NETWORKS[family]}1" for family in place.families)
            _ip(*(_address(one, "outer") for one in (*routers, *place.clients)))
            _ip("link set outer up")
            (folder / "nginx.conf").write_text(NGINX.format(folder=folder, url=place.url))
            with subprocess.Popen(["nginx", "-c", str(folder / "nginx.conf")]) as nginx:
                try:
                    yield
                finally:
                    nginx.terminate()
        finally:
            switch.terminate()


Ended = Callable[[], int | None]
"""With which code what serves has ended."""


@contextlib.contextmanager
def _image(place: Place, folder: Path, image: Path, memory_mib: int) -> Iterator[Ended]:
    """A machine at the inner port of the switch."""
    _ip("link add bridge0 type bridge", "tuntap add guest mode tap")
    _ip("link set inner master bridge0", "link set guest master bridge0")
    _ip(*(f"link set {device} up" for device in ("bridge0", "inner", "guest")))
    words = [f"ip6={one}/64" if ":" in one else f"ip={one}/24" for one in place.guests] + list(OLIO)
    machine = Machine(
        image,
        memory_mib=memory_mib,
        words=words,
        disk=empty_disk(folder),
        tap="guest",
        tls=place.tls,
        accelerator=accelerator(),
    )
    with Guest(machine) as guest:
        guest.wait_for("^serving ", BOOT_S)
        yield lambda: guest.exit_code


@contextlib.contextmanager
def _process(place: Place, connector: str) -> Iterator[Ended]:
    """The container in a network of its own, which has the inner port of the switch."""
    guest = place.guests[-1]
    command = [sys.executable, "-m", "loadstone", "serve", "olio", "--host", guest, "--port", "80"]
    command += [
        "--connector",
        connector,
        "--rules",
        "benchmark",
        "--accounts",
        "120",
        "--media-scale",
        "0.01",
    ]
    waits = ["unshare", "--net", "sh", "-c", 'echo apart; read -r _; exec "$@"', "sh", *command]
    with subprocess.Popen(waits, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdin and process.stdout and process.stdout.readline() == "apart\n"
            _ip(f"link set inner netns {process.pid}")
            _ip("link set lo up", _address(guest, "inner"), "link set inner up", inside=process.pid)
            process.stdin.write("go\n")
            process.stdin.flush()
            assert process.stdout.readline().startswith("serving olio at ")
            yield process.poll
        finally:
            process.terminate()


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser(description="Who loses an answer.")
    options.add_argument("served", help="an image, or a connector of the container")
    options.add_argument("folder", type=Path, help="for files")
    options.add_argument("--memory", type=int, default=16, help="MiB of an image")
    options.add_argument("--delay-ms", type=float, default=50, help="there and back")
    options.add_argument("--loss", type=float, default=0.02, help="part of the frames, there and back")
    options.add_argument("--seed", type=int, default=5)
    options.add_argument("--families", choices=["4", "6", "46"], default="4")
    options.add_argument("--tls", type=Path, nargs=2, metavar=("CERT", "KEY"), help="an image with TLS")
    options.add_argument("--light", action="store_true", help="a quarter of the clients")
    return options.parse_args()


def main(options: argparse.Namespace) -> None:
    """Starts what serves; asks, and says what came of it."""
    place = Place(options.families, TlsFiles(*options.tls) if options.tls else None)
    image = Path(options.served)
    with (
        _network(place, options.folder, options.delay_ms, options.loss, options.seed),
        _image(place, options.folder, image, options.memory)
        if image.is_file()
        else _process(place, options.served) as ended,
    ):
        large, middle = _upload(place, LARGE), _upload(place, MIDDLE)
        began = time.monotonic()
        Browser([place.url]).get(large)
        rate = LARGE / (time.monotonic() - began)
        flood = Flood(place, FLOOD_PER_S)
        tallies = asyncio.run(_phases(place, large, middle, flood, 4 if options.light else 1))
        found = {name: vars(tally) for name, tally in tallies.items()}
        asked = {"sent": flood.sent, "seconds": round(flood.seconds, 1)}
        print(json.dumps({"phases": found, "flood": asked, "end": ended(), "bytes_a_s": round(rate)}))


if __name__ == "__main__":
    main(_options())
