"""Olio on a shared database: the pages of SQLite, from every server, also under load and after a crash."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from servers import Server
from shared_sites import Browser, load, serving

from loadstone._core import usernames

pytestmark = pytest.mark.long

NAMES = usernames(1, 120)
EVENT = {
    "event[title]": "Ünïcode & <b>markup</b>",
    "event[summary]": "it's 'quoted' \\ and \"more\"",
    "event[description]": "100 % _sure_",
    "event[telephone]": "001-555-123-4567",
    "event[timezone]": "London",
    **{f"event[event_timestamp({i}i)]": value for i, value in enumerate(["2008", "11", "7", "19", "30"], 1)},
    "address[street1]": "1 Main St",
    "address[city]": "Å",
    "address[state]": "CA",
    "address[zip]": "94704",
    "address[country]": "USA",
    "tag_list": "jazz Rock zebra_1",
}
PERSON = {
    "user[username]": "new_person",
    "user[password]": "secret",
    "user[password_confirmation]": "secret",
    "user[firstname]": "Émile",
    "user[lastname]": "O'Neil",
    "user[email]": "e@example.org",
    "user[telephone]": "001-555-123-4567",
    "user[timezone]": "London",
    "user[summary]": "short",
    **{name: value for name, value in EVENT.items() if name.startswith("address")},
}
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 300
Pages = list[tuple[str, int, bytes]]


@pytest.fixture(scope="module", params=["postgres", "mariadb"])
def database(database_servers: dict[str, Server], request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server with a fresh data set."""
    server = database_servers[request.param]
    done = load(server.url, "--replace")
    assert done.returncode == 0, done.stderr
    yield server


def _readable() -> list[str]:
    days = [f"/?day=2008-{month}-{day:02}" for month in ("10", "11") for day in range(22, 29)]
    lists = [f"/?page={page}&order={order}" for page in range(1, 11) for order in ("date", "created")]
    events = [f"/events/{event}" for event in range(1, 95)]
    tags = [f"/events/tagged?tag={name}&page={page}" for name in NAMES[:30] for page in (1, 2)]
    people = [f"/users/{id}{part}" for id in range(1, 121, 4) for part in ("", "/friends", "/posted_events")]
    coming = [f"/users/{id}/upcoming_events?page={page}" for id in (1, 7, 50) for page in (1, 2, 5)]
    search = [f"/users/search?query={query}" for query in ("", "a", "B", "Zz", "%25", "_", "é", "q'", "x\\")]
    odd = ["/events/rss", "/events/9999", "/users/9999", "/events/tagged?tag=%20", "/?zip=%20", "/?zip=00000"]
    return ["/", *days, *lists, *events, *tags, *people, *coming, *search, *odd]


def _walk(browser: Browser) -> Pages:
    """Reads, changes in every way, and reads again; ends with what uses up ids differently."""
    seen: Pages = []

    def look(*paths: str) -> None:
        seen.extend((path, *browser.get(path)) for path in paths)

    def act(path: str, **fields: str) -> None:
        seen.append((path, *browser.post(path, **fields)))

    look(*_readable())
    seen.append(("login", *browser.log_in(NAMES[2], "3")))
    look("/", "/users/3", "/users/3/requests", "/users/4", "/events/1", "/events/2")
    act("/events", **EVENT)
    act("/events/1/attend")
    act("/events/1/attend")
    act("/events/1/tag", tag_list="jazz fresh")
    act("/events/1/comments", comment="Grüße 🎷 \\' --", rating="4")
    act("/events/2/unattend")
    act("/events/91", _method="put", **(EVENT | {"tag_list": "jazz only"}))
    for friend in (5, 9, 77):
        act(f"/users/{friend}/friends")
    act("/users/3/friends/5", _method="delete", friend_action="revoke")
    act("/users/3", _method="put", **(PERSON | {"user[username]": NAMES[2]}))
    look(
        "/users/search?query=é",
        "/users/search?query=É",
        "/users/search?query=EMILE",
        "/users/search?query=o%27n",
    )
    look("/?zip=94704", "/?zip=94704%20", "/events/91", "/users/3/edit", "/events/91/edit", *_readable())
    act("/events/91", _method="delete")
    look("/events/91", "/events/tagged?tag=jazz", "/")
    act("/users", **PERSON)
    act("/users", **PERSON)
    look("/users/121", "/users/logout", "/")
    return seen


@pytest.fixture(scope="module")
def on_sqlite(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, int], Pages]:
    """Rows and pages of the same data set on SQLite."""
    folder = tmp_path_factory.mktemp("sqlite") / "data"
    done = load(str(folder))
    with serving(str(folder)) as urls:
        return json.loads(done.stdout)["rows"], _walk(Browser(urls))


def test_every_page_is_the_same_on_every_database(
    on_sqlite: tuple[dict[str, int], Pages], database: Server
) -> None:
    rows, expected = on_sqlite
    done = load(database.url, "--replace")
    assert json.loads(done.stdout)["rows"] == rows
    # The walk goes round three servers: each page comes from another than the one before it.
    with serving(database.url, 3) as urls:
        pages = _walk(Browser(urls))
    different = [ours[0] for ours, theirs in zip(pages, expected, strict=True) if ours != theirs]
    assert not different, next(page for page in zip(pages, expected, strict=True) if page[0] != page[1])
    assert len(pages) > 600
    assert {status for _, status, _ in pages} == {200, 302, 404, 422}


def test_a_data_set_is_not_overwritten_unasked(database: Server) -> None:
    done = load(database.url)
    assert done.returncode == 2
    assert "error[data-options]" in done.stderr and "holds tables already" in done.stderr
    assert "--replace" in done.stderr and "p%40ss" not in done.stderr


def test_uploads_are_seen_on_every_server(database: Server) -> None:
    with serving(database.url, 3) as urls:
        browser = Browser(urls)
        assert b"Hello" in browser.log_in(NAMES[6], "7")[1]
        browser.get("/events/new")
        status, page = browser.upload("/events", EVENT, {"event_image": PICTURE})
        assert status == 200 and b"successfully created" in page
        found = re.search(rb'data-key="event:(\d+)"', page)
        assert found
        event = found[1].decode()
        for url in urls:
            for name in (f"e{event}.jpg", f"e{event}t.jpg"):
                assert browser.send("GET", f"/media/{name}", at=url)[:2] == (200, PICTURE), (name, url)
        browser.get(f"/events/{event}/edit")
        browser.post(f"/events/{event}", _method="delete")
        assert {browser.send("GET", f"/media/e{event}.jpg", at=url)[0] for url in urls} == {404}


def test_concurrent_changes_are_all_kept(database: Server) -> None:
    people = range(11, 27)
    with serving(database.url, 3) as urls, ThreadPoolExecutor(len(people)) as pool:
        reader = Browser(urls)

        def attendees() -> int:
            found = re.search(rb"Attendees \((\d+)\)", reader.get("/events/5")[1])
            assert found
            return int(found[1])

        def change(person: int) -> set[bytes]:
            browser = Browser(urls, requests=person)
            assert b"Hello" in browser.log_in(NAMES[person - 1], str(person))[1]
            browser.get("/events/5")
            browser.post("/events/5/unattend")
            browser.post("/events/5/attend")
            made = set()
            for round in range(3):
                page = browser.post("/events", **(EVENT | {"tag_list": f"crowd own{person}x{round}"}))[1]
                made.update(re.findall(rb'data-key="(event:\d+)"', page))
            return made

        before = attendees()
        ids = list(pool.map(change, people))
        assert len(set().union(*ids)) == sum(map(len, ids)) == 3 * len(people)
        listed: set[bytes] = set()
        for page in range(1, 7):
            listed.update(
                re.findall(rb'href="/events/(\d+)"', reader.get(f"/events/tagged?tag=crowd&page={page}")[1])
            )
        assert {b"event:" + id for id in listed} >= set().union(*ids)
        after = attendees()
        assert len(people) <= after <= before + len(people)
        # Once more changes nothing: everybody was on the list exactly once.
        list(pool.map(lambda person: Browser(urls).log_in(NAMES[person - 1], str(person)), people))
        assert attendees() == after


def test_a_database_that_goes_away_and_comes_back(database: Server) -> None:
    def right_in_a_row(wanted: int) -> int:
        """Asks until so many answers in a row are right: each worker finds the database anew."""
        row, end = 0, time.monotonic() + 60
        while row < wanted and time.monotonic() < end:
            row = row + 1 if browser.get("/")[0] == 200 else 0
            time.sleep(0.05)
        return row

    with serving(database.url, 2) as urls:
        browser = Browser(urls)
        assert browser.get("/")[0] == 200
        database.stop()
        try:
            down = [browser.get(path)[0] for path in ("/", "/events/1", "/users/3", "/") * 4]
        finally:
            database.start()
        assert set(down) == {503}
        assert right_in_a_row(16) == 16
        assert b"Hello" in browser.log_in(NAMES[3], "4")[1]
