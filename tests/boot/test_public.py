"""Images on a public port: what clients who do not reuse connections, read slowly or flood can do to them."""

from __future__ import annotations

import contextlib
import http.client
import re
import socket
import threading
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from booted import OLIO, Booted, booted, disk, image, machine
from gate import no_answer_is_lost
from shared_sites import Browser
from test_shared_database import EVENT, PICTURE

from loadstone._core import usernames

# The first test of an image may have to build it.
pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

LARGE = 1_000_000


def _address(site: Booted) -> tuple[str, int]:
    parts = urlsplit(site.url)
    return str(parts.hostname), int(parts.port or 80)


def _picture(site: Booted) -> str:
    """Uploads a picture of a megabyte; its path."""
    browser = Browser([site.url])
    browser.log_in(usernames(1, 120)[4], "5")
    browser.get("/events/new")
    status, page = browser.upload("/events", EVENT, {"event_image": PICTURE + bytes(LARGE)})
    found = re.search(rb"/media/(e\d+)t?\.jpg", page)
    assert status == 200 and found, (status, page)
    return f"/media/{found[1].decode()}.jpg"


def _who_does_not_read(site: Booted, request: bytes, count: int, held: contextlib.ExitStack) -> None:
    for _ in range(count):
        with contextlib.suppress(OSError):
            connection = held.enter_context(socket.socket())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.settimeout(5)
            connection.connect(_address(site))
            connection.sendall(request)


def _posts(site: Booted, bytes_each: int, ended: threading.Event) -> None:
    while not ended.is_set():
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection(*_address(site), timeout=20)
            connection.request("POST", "/users/login", bytes(bytes_each), {"Host": "olio.test"})
            connection.getresponse().read()
            connection.close()


def test_readers_and_writers_of_much_cannot_end_it(tmp_path: Path) -> None:
    with booted(machine("olio", OLIO, disk(tmp_path))) as site, contextlib.ExitStack() as held:
        path = _picture(site)
        expected = Browser([site.url]).get("/events/3")
        request = f"GET {path} HTTP/1.1\r\nHost: olio.test\r\n\r\n".encode()
        _who_does_not_read(site, request, 40, held)
        status, picture = Browser([site.url]).get(path)
        assert (status, len(picture)) == (200, len(PICTURE) + LARGE), "one of many readers gets all of it"
        ended = threading.Event()
        sizes = (100_000, 400_000, 1_000_000, 1_400_000) * 2
        writers = [threading.Thread(target=_posts, args=(site, size, ended)) for size in sizes]
        for writer in writers:
            writer.start()
        answers = [Browser([site.url]).get("/events/3")[0] for _ in range(100)]
        ended.set()
        for writer in writers:
            writer.join()
        assert set(answers) <= {200, 503}, answers
        assert answers.count(200) >= 95, answers
        held.close()
        for _ in range(200):
            last = Browser([site.url]).get("/events/3")
            if last[0] == 200:
                break
        assert last == expected
        assert site.guest.exit_code is None, site.guest.console()


@pytest.mark.parametrize("what", ["image", "threaded", "event", "hybrid"])
def test_no_answer_is_lost_on_a_bad_line(tmp_path: Path, what: str) -> None:
    """Without keep-alive, from 64 addresses, behind nginx with its defaults, slow readers and writers, a
    flood of SYNs that does not end, readers who fill the memory, 500 slow heads: with 50 ms and 2 % of the
    frames lost. The image has 16 MiB.
    """
    if what == "image":
        # Half of its clients come over IPv6.
        no_answer_is_lost(image("olio", "ipv6"), tmp_path, "--families", "46")
    else:
        no_answer_is_lost(what, tmp_path)
