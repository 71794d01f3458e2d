"""What servers are asked while a bit turns, and how answers are read: memcached's text, Redis', and HTTP."""

from __future__ import annotations

import hashlib
import http.client
import random
import socket
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind
from loadstone.intake.files import read_text

HOST = "127.0.0.1"
KINDS = ("memcached", "redis", "http")
_MOST_ANSWER = 64 << 20
_KEYS = 50


class Talk(Protocol):
    """A connection of a client."""

    def ask(self, request: bytes) -> bytes:
        """The answer, whole. OSError when there is none."""

    def close(self) -> None:
        """Ends it."""


@dataclass(frozen=True)
class Traffic:
    """Requests in their order, taken in turn by so many connections; each waits for its answer."""

    kind: str
    requests: tuple[bytes, ...]
    connections: int = 4

    @property
    def digest(self) -> str:
        """SHA-256 of the requests."""
        return hashlib.sha256(b"\0".join(self.requests)).hexdigest()

    def open(self, port: int, patience_s: float) -> Talk:
        """A new connection. OSError when nobody listens."""
        return _TALKS[self.kind](port, patience_s)


def memcached(count: int, seed: int) -> tuple[bytes, ...]:
    """Commands on 50 keys: seven of ten get, the others set, add to, delete and count. All answers follow.

    So few keys that of 300 commands, the default, enough set them: most of those that get find something.
    """
    chance = random.Random(f"memcached-{seed}")
    found = []
    for _ in range(count):
        key = f"key-{chance.randrange(_KEYS):03d}"
        kind = chance.random()
        if kind < 0.6:
            found.append(f"get {key}\r\n")
        elif kind < 0.7:
            found.append(f"get {key} key-{chance.randrange(_KEYS):03d}\r\n")
        elif kind < 0.92:
            value = chance.randbytes(chance.choice((8, 32, 100, 500))).hex()
            found.append(f"set {key} {chance.randrange(256)} 0 {len(value)}\r\n{value}\r\n")
        elif kind < 0.95:
            found.append(f"append {key} 0 0 4\r\nmore\r\n")
        elif kind < 0.98:
            found.append(f"delete {key}\r\n")
        else:
            found.append(f"incr count-{chance.randrange(4)} 1\r\n")
    return tuple(each.encode() for each in found)


def redis(count: int, seed: int) -> tuple[bytes, ...]:
    """Commands on strings, counters, lists, hashes and sorted sets under 20 keys each. All answers follow."""
    chance = random.Random(f"redis-{seed}")
    found = []
    for _ in range(count):
        number, value = chance.randrange(20), chance.randbytes(chance.choice((4, 16, 60, 250))).hex()
        commands = (
            (30, f"GET string-{number}"), (12, f"SET string-{number} {value}"),
            (4, f"APPEND string-{number} more"), (4, f"DEL string-{number}"), (4, f"INCR count-{number}"),
            (6, f"RPUSH list-{number} {value}"), (4, f"LPOP list-{number}"), (8, f"LRANGE list-{number} 0 9"),
            (6, f"HSET hash-{number} field-{chance.randrange(8)} {value}"),
            (8, f"HGET hash-{number} field-{chance.randrange(8)}"),
            (6, f"ZADD set-{number} {chance.randrange(1000)} member-{chance.randrange(30)}"),
            (8, f"ZRANGE set-{number} 0 9 WITHSCORES"),
        )  # fmt: skip
        (command,) = chance.choices([one for _, one in commands], [weight for weight, _ in commands])
        words = command.encode().split()
        found.append(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(one), one) for one in words))
    return tuple(found)


ASKED: dict[str, Callable[[int, int], tuple[bytes, ...]]] = {"memcached": memcached, "redis": redis}
"""By protocol: so many requests, from a seed."""


def read_paths(file: Path) -> tuple[bytes, ...]:
    """Paths to GET, one a line; `#` begins a comment. Raises `inject-input`."""
    kind = Kind("inject-input", "a list of paths", hint="one path a line, such as /index.html")
    found = []
    for number, line in enumerate(read_text(file, kind).splitlines(), 1):
        path = line.split("#")[0].strip()
        if path and not path.startswith("/"):
            raise LoadstoneError(
                "inject-input", f"`{path}` is no path", place=f"{file}:{number}", hint="it begins with /"
            )
        if path:
            found.append(path.encode())
    if not found:
        raise LoadstoneError("inject-input", "the list of paths is empty", place=str(file))
    return tuple(found)


class _Memcached:
    def __init__(self, port: int, patience_s: float) -> None:
        self._socket = socket.create_connection((HOST, port), timeout=patience_s)
        self._reader = self._socket.makefile("rb")

    def ask(self, request: bytes) -> bytes:
        self._socket.sendall(request)
        answer = line = self._line()
        while line.startswith(b"VALUE "):
            fields = line.split()
            if len(fields) < 4 or not fields[3].isdigit() or int(fields[3]) > _MOST_ANSWER:
                return answer
            answer += self._reader.read(int(fields[3]) + 2)
            line = self._line()
            answer += line
        return answer

    def close(self) -> None:
        self._reader.close()
        self._socket.close()

    def _line(self) -> bytes:
        line = self._reader.readline(1 << 16)
        if not line.endswith(b"\n"):
            raise ConnectionError("the answer breaks off")
        return line


class _Redis(_Memcached):
    def ask(self, request: bytes) -> bytes:
        self._socket.sendall(request)
        return self._answer()

    def _answer(self) -> bytes:
        line = self._line()
        kind, size = line[:1], line[1:].strip()
        if kind not in (b"$", b"*") or not size.isdigit() or int(size) > _MOST_ANSWER:
            return line
        if kind == b"$":
            return line + self._reader.read(int(size) + 2)
        return line + b"".join(self._answer() for _ in range(int(size)))


class _Http:
    def __init__(self, port: int, patience_s: float) -> None:
        self._connection = http.client.HTTPConnection(HOST, port, timeout=patience_s)
        self._connection.connect()

    def ask(self, request: bytes) -> bytes:
        try:
            self._connection.request("GET", request.decode())
            answer = self._connection.getresponse()
            body = answer.read(_MOST_ANSWER)
        except http.client.HTTPException as error:
            raise ConnectionError(str(error)) from error
        kind = answer.headers.get("content-type", "")
        return f"{answer.status} {kind}\n".encode() + body

    def close(self) -> None:
        self._connection.close()


_TALKS: dict[str, Callable[[int, float], Talk]] = {"memcached": _Memcached, "redis": _Redis, "http": _Http}


@dataclass
class Answers:
    """What came back: digests of answers in the requests' order, and where it ended early."""

    digests: list[bytes]
    dropped: int = 0
    """Connections that ended without an answer, though the server went on."""
    silent: bool = False
    """No answer in time."""
    gone: bool = False
    """Nobody listens any more."""


def drive(
    traffic: Traffic, port: int, passes: int, patience_s: float, before: Callable[[int], None]
) -> Answers:
    """Asks everything `passes` times; `before` is told the number of each request before it is sent."""
    found = Answers([])
    talks: list[Talk | None] = [None] * traffic.connections
    try:
        for number, request in enumerate(_all(traffic.requests, passes)):
            before(number)
            at = number % traffic.connections
            try:
                talk = talks[at] = talks[at] or traffic.open(port, patience_s)
            except OSError:
                found.gone = True
                return found
            try:
                found.digests.append(hashlib.sha256(talk.ask(request)).digest()[:8])
            except TimeoutError:
                found.silent = True
                return found
            except OSError:
                talk.close()
                talks[at] = None
                found.digests.append(b"")
                found.dropped += 1
    finally:
        for each in talks:
            if each:
                each.close()
    return found


def _all(requests: Sequence[bytes], passes: int) -> Iterator[bytes]:
    return (request for _ in range(passes) for request in requests)
