"""Clients of a site whom no other check has: run under `unshare --net`, prints JSON.

    outer (64 addresses) -- switch (shaped) -- inner -- bridge -- guest
                                                 or: inner, in the network of a process

What serves is an image, with TLS or without, or the container with one of its connectors. The clients never
reuse a connection. Some read or write slowly, some do not read at all, and somebody asks for thousands of
connections a second. All of that over IPv4 (4), IPv6 (6), or half over each (46).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import re
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from booted import BOOT_S, OLIO
from booted import disk as empty_disk
from shared_sites import Browser
from test_shared_database import EVENT, PICTURE

from loadstone._core import usernames
from loadstone.image.guest import Guest
from loadstone.image.qemu import Machine
from loadstone.image.tls import TlsFiles

SECURED: list[str] = []
"""Certificate and key of an image with TLS; without it nothing."""
FAMILIES = sys.argv[7] if __name__ == "__main__" and sys.argv[7:] else "4"
NETWORKS = {"4": "10.9.0.", "6": "fd09::"}


def _network_of(number: int) -> str:
    return NETWORKS[FAMILIES[number % len(FAMILIES)]]


CLIENTS = [f"{_network_of(number)}{number}" for number in range(10, 74)]
GUESTS = [f"{NETWORKS[family]}2" for family in FAMILIES]
GUEST = GUESTS[-1]
HOST = f"[{GUEST}]" if ":" in GUEST else GUEST
"""The same in an address of the web."""
LARGE, MIDDLE = 1_000_000, 60_000
PATIENCE_S = 60
FLOOD_PER_S = 4000
NGINX = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{}}
http {{ access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p;
fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
server {{ listen 127.0.0.1:8000; location / {{ proxy_pass {scheme}://{guest}:80; }} }} }}
"""


TRUSTING = ssl.create_default_context()
"""Of clients of an image with TLS: what they are shown is another test's matter."""
TRUSTING.check_hostname, TRUSTING.verify_mode = False, ssl.CERT_NONE


class Line:
    """A client's connection: its bytes as they are, or within a session."""

    def __init__(self, connection: socket.socket, secured: bool) -> None:
        self._connection, self._loop = connection, asyncio.get_running_loop()
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._session = TRUSTING.wrap_bio(self._incoming, self._outgoing) if secured else None

    async def begin(self) -> None:
        """The handshake, where there is one."""
        if self._session:
            await self._going_on(self._session.do_handshake, 1 << 14)
            await self._loop.sock_sendall(self._connection, self._outgoing.read())

    async def send(self, data: bytes) -> None:
        """Sends all of it."""
        if self._session:
            self._session.write(data)
            data = self._outgoing.read()
        await self._loop.sock_sendall(self._connection, data)

    async def receive(self, at_once: int) -> bytes:
        """What there is; nothing at the end. An end that the session did not announce is an OSError."""
        if not self._session:
            return await self._loop.sock_recv(self._connection, at_once)
        read = self._session.read
        try:
            return bytes(await self._going_on(lambda: read(at_once), at_once))
        except ssl.SSLZeroReturnError:
            return b""

    async def _going_on(self, act: Callable[[], Any], at_once: int) -> Any:
        while True:
            try:
                return act()
            except ssl.SSLWantReadError:
                if said := self._outgoing.read():
                    await self._loop.sock_sendall(self._connection, said)
                if data := await self._loop.sock_recv(self._connection, at_once):
                    self._incoming.write(data)
                else:
                    self._incoming.write_eof()


class Tally:
    """What came of the requests of a phase."""

    def __init__(self) -> None:
        self.answered, self.refused = 0, 0
        self.lost: list[str] = []

    def note(self, status: int, complete: bool, who: str) -> None:
        if not complete or (status >= 500 and status != 503):
            self.lost.append(f"{who}: {status}, {'whole' if complete else 'cut off'}")
        elif status == 503:
            self.refused += 1
        else:
            self.answered += 1


def _request(path: str, close: bool = True, method: str = "GET", body: int = 0) -> bytes:
    fields = ("Connection: close\r\n" if close else "") + (f"Content-Length: {body}\r\n" if body else "")
    return f"{method} {path} HTTP/1.1\r\nHost: olio.test\r\n{fields}\r\n".encode()


def _kind(address: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def _guest(source: str | None) -> tuple[str, int]:
    """Where a client finds the guest: in its own family."""
    return next(one for one in GUESTS if not source or _kind(one) == _kind(source)), 80


@contextlib.asynccontextmanager
async def _connected(
    to: tuple[str, int], source: str | None, receive: int = 0
) -> AsyncIterator[socket.socket]:
    connection = socket.socket(_kind(to[0]))
    connection.setblocking(False)
    if receive:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
    if source:
        connection.bind((source, 0))
    with connection:
        await asyncio.get_running_loop().sock_connect(connection, to)
        yield connection


async def _read(line: Line, at_once: int = 1 << 16, pause_s: float = 0) -> tuple[int, bool]:
    """The status, and whether the answer came whole: to its length, and to an end that is no reset."""
    data = b""
    while part := await line.receive(at_once):
        data += part
        if pause_s:
            await asyncio.sleep(pause_s)
    head, _, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"Content-Length: (\d+)", head)
    status = int(data[9:12]) if data else 0
    return status, bool(length) and len(body) == int(length[1])


async def _one(
    tally: Tally, who: str, to: tuple[str, int], source: str | None, data: list[bytes], **how: Any
) -> None:
    """One client: connects, sends its pieces a tenth of a second apart, reads to the end."""
    receive, reading = how.get("receive", 0), how.get("reading", (1 << 16, 0.0))
    try:
        async with asyncio.timeout(PATIENCE_S), _connected(to, source, receive) as connection:
            line = Line(connection, bool(SECURED) and to[0] in GUESTS)
            await line.begin()
            for number, piece in enumerate(data):
                await asyncio.sleep(0.1 if number else 0)
                await line.send(piece)
            tally.note(*await _read(line, *reading), who)
    except (OSError, TimeoutError) as error:
        tally.lost.append(f"{who}: {error!r}")


async def _crowd(
    tally: Tally, each: int, sources: list[str | None], to: tuple[str, int] | None = None
) -> None:
    """Clients, each with so many connections in turn, to the guest or elsewhere."""

    async def client(source: str | None) -> None:
        for number in range(each):
            path = ("/", "/events/3", "/users/5", "/media/p7.jpg")[number % 4]
            await _one(tally, f"plain {path}", to or _guest(source), source, [_request(path)])

    await asyncio.gather(*(client(source) for source in sources))


async def _slow(tally: Tally, middle: str) -> None:
    """Slow readers with small windows, and slow writers."""
    body = b"x" * 2000
    pieces = [
        _request("/users/login", method="POST", body=len(body)),
        *(body[at : at + 100] for at in range(0, 2000, 100)),
    ]
    reads = [
        _one(
            tally,
            "slow reader",
            _guest(source),
            source,
            [_request(middle)],
            receive=4096,
            reading=(2048, 0.1),
        )
        for source in CLIENTS[:10]
    ]
    writes = [_one(tally, "slow writer", _guest(source), source, pieces) for source in CLIENTS[10:20]]
    await asyncio.gather(*reads, *writes)


def _openings(count: int) -> list[tuple[str, bytes]]:
    """Requests for connections, in the name of neighbours that there are not, and whom they are for."""
    chance, made = random.Random(7), []
    for number in range(count):
        guest = GUESTS[number % len(GUESTS)]
        kind = _kind(guest)
        neighbour = f"{_network_of(number)}{chance.randrange(130, 250)}"
        source, target = socket.inet_pton(kind, neighbour), socket.inet_pton(kind, guest)
        ports = struct.pack("!HH", chance.randrange(1024, 65536), 80)
        tcp = ports + struct.pack("!IIBBHHH", chance.randrange(1 << 32), 0, 0x50, 2, 8192, 0, 0)
        pseudo = source + target + struct.pack("!BBH", 0, 6, len(tcp))
        total = sum(struct.unpack(f"!{(len(pseudo) + len(tcp)) // 2}H", pseudo + tcp))
        total = (total >> 16) + (total & 0xFFFF)
        tcp = tcp[:16] + struct.pack("!H", ~((total >> 16) + total) & 0xFFFF) + tcp[18:]
        if kind == socket.AF_INET6:
            head = struct.pack("!IHBB16s16s", 6 << 28, len(tcp), 6, 64, source, target)
        else:
            head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 40, 1, 0, 64, 6, 0, source, target)
        made.append((guest, head + tcp))
    return made


class Flood:
    """Asks for so many connections a second, until it is told to end."""

    def __init__(self, per_s: int) -> None:
        self.sent, self.seconds, self._per_s = 0, 0.0, per_s
        self._established, self._ended = threading.Event(), threading.Event()

    def _run(self) -> None:
        openings, began = _openings(8000), time.monotonic()
        with contextlib.ExitStack() as stack:
            raw = {
                guest: stack.enter_context(socket.socket(_kind(guest), socket.SOCK_RAW, socket.IPPROTO_RAW))
                for guest in GUESTS
            }
            while not self._ended.is_set():
                for _ in range(self._per_s // 100):
                    with contextlib.suppress(OSError):
                        guest, opening = openings[self.sent % len(openings)]
                        raw[guest].sendto(opening, (guest, 0))
                    self.sent += 1
                self.seconds = time.monotonic() - began
                if self.sent >= self._per_s:
                    self._established.set()
                # What could not be sent in time is not sent later at once.
                self._ended.wait(0.01)

    @contextlib.asynccontextmanager
    async def lasting(self) -> AsyncIterator[None]:
        """While it lasts; it begins with the requests of a second."""
        running = asyncio.create_task(asyncio.to_thread(self._run))
        await asyncio.to_thread(self._established.wait, PATIENCE_S)
        try:
            yield
        finally:
            self._ended.set()
            await running


async def _held(stack: contextlib.AsyncExitStack, path: str, count: int) -> None:
    """Readers who ask for much and read nothing."""
    for number in range(count):
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                source = CLIENTS[20 + number % 20]
                connection = await stack.enter_async_context(_connected(_guest(source), source, 4096))
                line = Line(connection, bool(SECURED))
                await line.begin()
                await line.send(_request(path))


async def _head(source: str) -> None:
    """Sends a head in drops that never ends, or a handshake, again and again."""
    loop = asyncio.get_running_loop()
    begin = b"GET / HTTP/1.1\r\nHost: olio.test\r\nX-Slow: "
    if SECURED:
        begin = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
    while True:
        with contextlib.suppress(OSError):
            async with _connected(_guest(source), source) as connection:
                await loop.sock_sendall(connection, begin)
                while True:
                    await asyncio.sleep(1)
                    await loop.sock_sendall(connection, b"x")


@contextlib.asynccontextmanager
async def _heads(count: int) -> AsyncIterator[None]:
    """So many who are slow at a head."""
    slow = [asyncio.create_task(_head(CLIENTS[number % len(CLIENTS)])) for number in range(count)]
    await asyncio.sleep(1)
    try:
        yield
    finally:
        for one in slow:
            one.cancel()
        await asyncio.gather(*slow, return_exceptions=True)


def _site() -> str:
    return f"{'https' if SECURED else 'http'}://{HOST}:80"


def _upload(size: int) -> str:
    """Uploads a picture; its path."""
    browser = Browser([_site()])
    browser.log_in(usernames(1, 120)[4], "5")
    browser.get("/events/new")
    _, page = browser.upload("/events", EVENT, {"event_image": PICTURE + bytes(size)})
    found = re.search(rb"/media/(e\d+)t?\.jpg", page)
    assert found, page
    return f"/media/{found[1].decode()}.jpg"


async def _phases(large: str, middle: str, flood: Flood) -> dict[str, Tally]:
    tallies = {name: Tally() for name in ("addresses", "nginx", "slow", "flood", "memory", "heads")}
    everywhere: list[str | None] = list(CLIENTS)
    await _crowd(tallies["addresses"], 4, everywhere)
    await _crowd(tallies["nginx"], 20, [None] * 16, ("127.0.0.1", 8000))
    await asyncio.gather(_slow(tallies["slow"], middle), _crowd(tallies["slow"], 2, everywhere[:32]))
    async with flood.lasting():
        await _crowd(tallies["flood"], 6, everywhere)
    async with contextlib.AsyncExitStack() as stack:
        await _held(stack, large, 40)
        await _crowd(tallies["memory"], 4, everywhere[:16])
    async with _heads(500):
        await _crowd(tallies["heads"], 2, everywhere[:16])
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
def _network(folder: Path, delay_ms: float, loss: float, seed: int) -> Iterator[None]:
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
            _ip(*(_address(one, "outer") for one in (*(f"{NETWORKS[one]}1" for one in FAMILIES), *CLIENTS)))
            _ip("link set outer up")
            (folder / "nginx.conf").write_text(
                NGINX.format(folder=folder, guest=HOST, scheme=urlsplit(_site()).scheme)
            )
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
def _image(folder: Path, image: Path, memory_mib: int) -> Iterator[Ended]:
    """A machine at the inner port of the switch."""
    _ip("link add bridge0 type bridge", "tuntap add guest mode tap")
    _ip("link set inner master bridge0", "link set guest master bridge0")
    _ip(*(f"link set {device} up" for device in ("bridge0", "inner", "guest")))
    words = [f"ip6={one}/64" if ":" in one else f"ip={one}/24" for one in GUESTS] + list(OLIO)
    tls = TlsFiles(*map(Path, SECURED)) if SECURED else None
    machine = Machine(
        image, memory_mib=memory_mib, words=words, disk=empty_disk(folder), tap="guest", tls=tls
    )
    with Guest(machine) as guest:
        guest.wait_for("^serving ", BOOT_S)
        yield lambda: guest.exit_code


@contextlib.contextmanager
def _process(connector: str) -> Iterator[Ended]:
    """The container in a network of its own, which has the inner port of the switch."""
    command = [sys.executable, "-m", "loadstone", "serve", "olio", "--host", GUEST, "--port", "80"]
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
            _ip("link set lo up", _address(GUEST, "inner"), "link set inner up", inside=process.pid)
            process.stdin.write("go\n")
            process.stdin.flush()
            assert process.stdout.readline().startswith("serving olio at ")
            yield process.poll
        finally:
            process.terminate()


def main(what: str, folder: Path, memory_mib: int, delay_ms: float, loss: float, seed: int) -> None:
    """Starts an image, or the container by its connector's name; asks, and says what came of it."""
    image = Path(what)
    with (
        _network(folder, delay_ms, loss, seed),
        _image(folder, image, memory_mib) if image.is_file() else _process(what) as ended,
    ):
        large, middle = _upload(LARGE), _upload(MIDDLE)
        began = time.monotonic()
        Browser([_site()]).get(large)
        rate = LARGE / (time.monotonic() - began)
        flood = Flood(FLOOD_PER_S)
        tallies = asyncio.run(_phases(large, middle, flood))
        found = {name: vars(tally) for name, tally in tallies.items()}
        asked = {"sent": flood.sent, "seconds": round(flood.seconds, 1)}
        print(json.dumps({"phases": found, "flood": asked, "end": ended(), "bytes_a_s": round(rate)}))


if __name__ == "__main__":
    served, at, mib, delay, loss, seed, _, *SECURED = sys.argv[1:]
    main(served, Path(at), int(mib), float(delay), float(loss), int(seed))
