"""Pictures and documents: what they cost the database, in every stack and in the built-in site."""

from __future__ import annotations

import contextlib
import http.client
import re
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest
from servers import Server
from shared_sites import Browser, serving
from stack_sites import EVENT, served

from loadstone._core import usernames
from loadstone.site.stack import STACKS, Stack

pytestmark = [pytest.mark.stacks, pytest.mark.timeout(600)]

PICTURE = b"\x89PNG\r\n\x1a\n" + b"x" * 200_000
FILES = {
    "event_image": PICTURE,
    "event_thumbnail": PICTURE[:100_000],
    "event_document": b"%PDF-" + b"x" * 200_000,
}
FORM = EVENT | {"tag_list": "at_once"}
SENT = sum(map(len, FILES.values()))

every_site = pytest.mark.parametrize(
    "site", [None, *STACKS], ids=lambda site: site.folder if site else "built-in"
)
on_mariadb = pytest.mark.parametrize("fresh", ["mariadb"], indirect=True)


@contextlib.contextmanager
def urls_of(site: Stack | None, place: str, count: int, workers: int) -> Iterator[list[str]]:
    """So many servers of a stack, or of the built-in site, on one data set."""
    with contextlib.ExitStack() as stack:
        if site is None:
            yield stack.enter_context(serving(place, count, workers=workers))
        else:
            yield [stack.enter_context(served(site, place, workers=workers)).url for _ in range(count)]


def counted(server: Server, name: str) -> int:
    """A counter of MariaDB's own, since it started."""
    socket = f"--socket={server.folder / 'socket'}"
    command = ["mariadb", "--no-defaults", socket, "-uroot", "-NB", "-e", f"SHOW GLOBAL STATUS LIKE '{name}'"]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[1])


def get(url: str, path: str, tag: str = "") -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
    connection.request("GET", path, headers={"If-None-Match": tag} if tag else {})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer


@every_site
@on_mariadb
def test_one_that_nobody_replaced_costs_no_statement(
    site: Stack | None, fresh: str, servers: dict[str, Server]
) -> None:
    with urls_of(site, fresh, 1, workers=1) as (url,):
        get(url, "/media/e1t.jpg")
        before = counted(servers["mariadb"], "Questions")
        for number in range(200):
            assert get(url, f"/media/e{number % 100 + 1}t.jpg").status == 200
        # What is new is asked for five times a second.
        assert counted(servers["mariadb"], "Questions") - before < 100


@every_site
@on_mariadb
def test_one_that_the_browser_has_stays_in_the_database(
    site: Stack | None, fresh: str, servers: dict[str, Server]
) -> None:
    with urls_of(site, fresh, 1, workers=2) as (url,):
        member = Browser([url])
        member.log_in(usernames(1, 1)[0], "1")
        member.get("/events/new")
        page = member.upload("/events", FORM, FILES)[1]
        found = re.search(rb'data-key="event:(\d+)"', page)
        assert found
        path = f"/media/e{int(found[1])}.jpg"
        tag = get(url, path).headers["ETag"]
        before = counted(servers["mariadb"], "Bytes_sent")
        for _ in range(50):
            assert get(url, path, tag).status == 304
        assert counted(servers["mariadb"], "Bytes_sent") - before < 5 * len(PICTURE)


@every_site
@on_mariadb
def test_those_that_come_at_once_are_sent_once(
    site: Stack | None, fresh: str, servers: dict[str, Server]
) -> None:
    members, rounds = 8, 3
    with urls_of(site, fresh, 2, workers=4) as urls:
        browsers = [Browser([urls[number % 2]]) for number in range(members)]
        for number, browser in enumerate(browsers, 1):
            browser.log_in(usernames(number, 1)[0], str(number))
            browser.get("/events/new")
        before = counted(servers["mariadb"], "Bytes_received")
        with ThreadPoolExecutor(members) as pool:
            for _ in range(rounds):
                answers = pool.map(lambda one: one.upload("/events", FORM, FILES)[0], browsers)
                assert list(answers) == [200] * members
        received = counted(servers["mariadb"], "Bytes_received") - before
    # Rails writes bytes in hexadecimal. More came if one were sent in vain, or again after a conflict.
    written = 2 if site and site.folder.startswith("rails") else 1
    assert received < 1.25 * written * SENT * members * rounds
