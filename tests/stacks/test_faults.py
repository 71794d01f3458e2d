"""Every stack through what happens to servers: the database gone, everybody at once, memcached gone."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
from free_ports import free_row
from served_page import until
from servers import Server
from shared_sites import Browser
from stack_sites import EVENT, every_stack, memcached, served

from loadstone._core import usernames
from loadstone.site.stack import Stack

MEMBERS, ROUNDS = 6, 4
PICTURE = b"\x89PNG\r\n\x1a\n" + b"x" * 4000
DOCUMENT = b"%PDF-" + b"x" * 4000
PERSON = {
    **{f"user[{field}]": "x" for field in ("firstname", "lastname", "timezone")},
    **{f"user[{field}]": "secret" for field in ("password", "password_confirmation")},
    **{f"address[{field}]": "x" for field in ("street1", "city", "zip", "country")},
    "user[email]": "e@example.org",
}
PATHS = ("/", "/events/1", "/events/rss")

pytestmark = [pytest.mark.stacks, pytest.mark.timeout(900)]

on_servers = pytest.mark.parametrize("fresh", ["postgres", "mariadb"], indirect=True)
on_postgres = pytest.mark.parametrize("fresh", ["postgres"], indirect=True)


def status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


@every_stack
@on_servers
def test_a_database_that_is_gone_is_503_and_comes_back(
    stack: Stack, fresh: str, servers: dict[str, Server]
) -> None:
    server = next(one for one in servers.values() if one.url == fresh)
    with served(stack, fresh, workers=4) as one:
        member, stranger = Browser([one.url]), Browser([one.url])
        member.log_in(usernames(1, 1)[0], "1")
        before = stranger.get("/events/1")
        server.stop()
        try:
            for path in ("/", "/events/1", "/users/1"):
                code, page = member.get(path)
                assert (code, b'data-key="error:503"' in page) == (503, True), path
            assert member.post("/events/1/attend")[0] == 503
            # What needs no database is there all the while.
            assert [status(f"{one.url}{path}") for path in ("/static/style.css", "/nope")] == [200, 404]
        finally:
            server.start()
        # A server that was killed needs a while. Then each worker has opened its connection again by itself.
        until(lambda: stranger.get("/events/1")[0] == 200)
        assert [stranger.get("/events/1") for _ in range(20)] == [before] * 20
        # The servers here do not wait for the disk, so the log-in may be lost.
        member.log_in(usernames(1, 1)[0], "1")
        assert b"Hello" in member.get("/events/1")[1]


@every_stack
@on_servers
def test_changes_at_once_are_as_if_one_after_the_other(stack: Stack, fresh: str) -> None:
    names = usernames(1, MEMBERS)
    with served(stack, fresh, workers=8) as one, ThreadPoolExecutor(MEMBERS) as members:

        def member(number: int) -> list[int]:
            """Does what the others do, to the same event, at the same time."""
            browser = Browser([one.url])
            browser.log_in(names[number - 1], str(number))
            browser.get("/events/7")
            codes = []
            for round_ in range(ROUNDS):
                codes += [
                    browser.post("/events/7/attend")[0],
                    browser.post("/events/7/tag", tag_list=f"all round{round_}")[0],
                    browser.post("/events/7/comments", comment=f"{number}.{round_}", rating="5")[0],
                    browser.post(f"/users/{number % MEMBERS + 1}/friends")[0],
                ]
            return codes

        before = Browser([one.url]).get("/events/7")[1]
        codes = [code for codes in members.map(member, range(1, MEMBERS + 1)) for code in codes]
        after = Browser([one.url]).get("/events/7")[1]
    # Each was done and shown, or refused as there were too many at once.
    assert set(codes) <= {200, 503}
    done = codes[2::4].count(200)
    assert done > MEMBERS
    added = [re.search(rb"<h2>Comments \((\d+)\)", page) for page in (before, after)]
    assert added[0] and added[1] and int(added[1][1]) - int(added[0][1]) == done
    for number in range(ROUNDS):
        assert after.count(b">round%d</a>" % number) == 1


@every_stack
@on_servers
def test_forms_with_files_at_once_are_all_taken(stack: Stack, fresh: str) -> None:
    """Each upload meets all others, so changes run again, with files that were read once already."""
    names = usernames(1, MEMBERS)
    with served(stack, fresh, workers=8) as one, ThreadPoolExecutor(MEMBERS) as members:

        def member(number: int) -> list[tuple[int, bytes, bytes, bytes]]:
            """Status and page of each form, and the picture as it was sent and as it is shown."""
            browser, told = Browser([one.url]), []
            browser.log_in(names[number - 1], str(number))
            browser.get("/events/new")
            for round_ in range(ROUNDS):
                picture = PICTURE + b"%d.%d" % (number, round_)
                files = {"event_image": picture, "event_thumbnail": picture, "event_document": DOCUMENT}
                code, page = browser.upload("/events", EVENT | {"tag_list": "at_once"}, files)
                told.append((code, page, picture, shown(browser, page, rb"/media/e\d+t?\.jpg")))
                name = {"user[username]": f"at_once_{number}_{round_}"}
                code, page = browser.upload("/users", PERSON | name, {"user_image": picture})
                told.append((code, page, picture, shown(browser, page, rb"/media/p\d+t?\.jpg")))
            return told

        told = [answer for each in members.map(member, range(1, MEMBERS + 1)) for answer in each]
    for code, page, sent, found in told:
        # Or refused as there were too many at once.
        assert code in (200, 503), page.decode()
        assert code == 503 or found == sent
    assert [code for code, *_ in told].count(200) > len(told) / 2


def shown(browser: Browser, page: bytes, name: bytes) -> bytes:
    """The first picture of that name on a page."""
    found = re.search(name, page)
    return browser.send("GET", found[0].decode())[1] if found else b""


@every_stack
@on_postgres
def test_a_memcached_that_is_gone_is_no_cache(stack: Stack, fresh: str) -> None:
    port = free_row(1)

    def pages() -> list[tuple[int, bytes]]:
        return [Browser([one.url]).get(path) for path in PATHS]

    with served(stack, fresh, cache="page", cache_store=f"memcached://127.0.0.1:{port}") as one:
        # Not even at the start does it have to be there.
        right = pages()
        assert [code for code, _ in right] == [200] * len(PATHS)
        for _ in range(2):
            with memcached(port):
                assert pages() == right
            assert pages() == right


@every_stack
@on_postgres
def test_every_process_sees_an_upload_at_once(stack: Stack, fresh: str) -> None:
    name = usernames(1, 1)[0]
    fields = {
        **{f"user[{field}]": "x" for field in ("firstname", "lastname", "timezone")},
        **{f"address[{field}]": "x" for field in ("street1", "city", "zip", "country")},
        **{"user[username]": name, "user[email]": "e@example.org", "_method": "put"},
    }
    with served(stack, fresh, workers=8) as one:
        browser = Browser([one.url])
        browser.log_in(name, "1")
        browser.get("/users/1/edit")
        for picture in (PICTURE + b"1", PICTURE + b"2", PICTURE + b"3"):
            code, page = browser.upload("/users/1", fields, {"user_image": picture})
            assert code == 200 and b"Your profile was updated." in page
            # As many as it takes that every process answers some of them.
            assert {browser.send("GET", "/media/p1.jpg")[1] for _ in range(16)} == {picture}
