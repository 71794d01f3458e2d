"""RUBiS on PostgreSQL and MariaDB: the rows and pages of SQLite, also when many bid at once."""

from __future__ import annotations

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from servers import Server
from shared_sites import Browser, serving

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]

TIMES = re.compile(rb"\d\d:\d\d [AP]M")
OLD, ACTIVE = 500, 33
"""Auctions at the least scale."""


def load(place: str, *options: str) -> str:
    """`loadstone rubis load` of the least scale; what it says."""
    where = "--database" if "://" in place else "--out"
    command = [sys.executable, "-m", "loadstone", "rubis", "load", "--scale", "0.001", where, place, *options]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def walk(browser: Browser) -> list[tuple[str, int, bytes]]:
    """Reads every kind of page, writes in every way, and reads again."""
    seen = []

    def look(*paths: str) -> None:
        for path in paths:
            status, body = browser.get(path)
            seen.append((path, status, TIMES.sub(b"*", body)))

    def act(path: str, **fields: str) -> None:
        status, body = browser.post(path, **fields)
        seen.append((path, status, TIMES.sub(b"*", body)))

    lists = [f"/categories/{category}?page={page}" for category in range(1, 7) for page in (1, 2)]
    near = [f"/regions/{region}/categories/{category}" for region in range(1, 7) for category in range(1, 6)]
    items = [f"/items/{item}{part}" for item in range(490, 534, 3) for part in ("", "/bids", "/bids?page=2")]
    users = [f"/users/{user}" for user in range(1, 1001, 97)]
    look("/", "/browse", "/categories", "/regions", *lists, *near, *items, *users, "/register", "/me")
    for user in range(7, 60, 7):
        act("/me", nickname=f"user{user}", password=f"password{user}")
    person = {"firstname": "Émile", "lastname": "O'Neil", "nickname": "new-one", "email": "e@example.org"}
    act("/register", **person, password="p", password_confirmation="p", region="3")
    act("/register", **person, password="p", password_confirmation="p", region="3")
    for number, amount in ((501, "99999"), (502, "1"), (503, "88888.5"), (501, "99999"), (501, "100000")):
        act(f"/items/{number}/bid")
        act(f"/items/{number}/bid/store", bid=amount, quantity="1")
    item = {"name": "Ünïcode 🎷 <b>", "description": 'it\'s \\ "q"', "initial_price": "3", "buy_now": "9"}
    act("/sell")
    act("/sell/2", **item, quantity="2", duration="7")
    act("/sell/2", **item, quantity="0", duration="7")
    act("/me", nickname="user1", password="password1")
    for quantity in ("1", "2", "1", "1"):
        act(f"/items/{OLD + ACTIVE + 1}/buy/store", quantity=quantity)
    act("/items/501/comment/2/store", rating="5", comment="Grüße \\' --")
    act("/items/501/comment/1/store", rating="5", comment="x")
    act("/sell/3", **item, quantity="1", duration="1")
    look(*lists, *items, "/users/2", f"/items/{OLD + ACTIVE + 1}", f"/items/{OLD + ACTIVE + 2}")
    act("/me")
    return seen


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[tuple[str, int, bytes]]]:
    """What SQLite says and shows."""
    folder = tmp_path_factory.mktemp("rubis") / "data"
    said = load(str(folder))
    with serving(str(folder), app="rubis") as urls:
        return said, walk(Browser(urls))


def test_the_walk_does_what_it_is_to_do(expected: tuple[str, list[tuple[str, int, bytes]]]) -> None:
    _, pages = expected
    statuses = {status for _, status, _ in pages}
    assert statuses == {200, 404, 422}
    kinds = {kind.decode() for _, _, body in pages for kind in re.findall(rb'data-page="(\w+)"', body)}
    written = {"RegisterUser", "StoreBid", "StoreBuyNow", "StoreComment", "RegisterItem"}
    assert written | {"AboutMe", "ViewItem", "ViewBidHistory", "SearchItemsInRegion", "sorry"} <= kinds


@pytest.mark.parametrize("name", ["postgres", "mariadb"])
def test_servers_show_what_sqlite_shows(
    name: str, database_servers: dict[str, Server], expected: tuple[str, list[tuple[str, int, bytes]]]
) -> None:
    url = database_servers[name].url
    said, pages = expected
    assert load(url, "--replace") == said
    with serving(url, app="rubis") as urls:
        for ours, theirs in zip(walk(Browser(urls)), pages, strict=True):
            assert ours == theirs


def loaded(name: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where there is a fresh data set: a folder, or the URL of a server."""
    if name == "sqlite":
        place = str(tmp_path / "data")
        load(place)
    else:
        place = request.getfixturevalue("database_servers")[name].url
        load(place, "--replace")
    return place


@pytest.mark.parametrize("name", ["sqlite", "postgres", "mariadb"])
def test_every_bid_counts_when_many_bid_at_once(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    place = loaded(name, request, tmp_path)

    def bidder(number: int, url: str) -> list[int]:
        browser = Browser([url])
        browser.get("/me")
        browser.post("/me", nickname=f"user{number}", password=f"password{number}")
        bids = [str(10_000 + 10 * step + number) for step in range(8)]
        return [browser.post("/items/510/bid/store", bid=bid, quantity="1")[0] for bid in bids]

    # A SQLite file is one server's.
    count = 1 if name == "sqlite" else 2
    with serving(place, count=count, app="rubis") as urls, ThreadPoolExecutor(6) as pool:
        asked = [urls[i % count] for i in range(6)]
        answers = [status for each in pool.map(bidder, range(1, 7), asked) for status in each]
        shown = re.search(rb"All bids \((\d+)\)", Browser(urls).get("/items/510")[1])
        page = b"".join(Browser(urls).get(f"/items/510/bids?page={page}")[1] for page in range(1, 5))
    assert set(answers) <= {200, 422}
    stored = [int(bid.replace(b",", b"")) for bid in re.findall(rb"\$(1\d,\d{3})\.00", page)]
    assert len(stored) == answers.count(200) > 0
    assert stored == sorted(set(stored), reverse=True), "no bid is as high as another"
    assert shown and int(shown[1]) >= len(stored)


@pytest.mark.parametrize("name", ["sqlite", "postgres", "mariadb"])
def test_rules_for_people_hold_on_every_server_of_a_database(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    place = loaded(name, request, tmp_path)
    people = {"rules": "public"}
    log_in = {"nickname": "user1", "password": "password1"}

    # Servers that begin at once also make the table of ended sessions at once.
    with serving(place, count=1 if name == "sqlite" else 3, app="rubis", site={"people": people}) as urls:
        here = Browser(urls)
        here.get("/me")
        assert b'data-page="AboutMe"' in here.post("/me", **log_in)[1]
        thief = Browser(urls, cookies=dict(here.cookies), token=here.token)
        assert [b"Log out" in thief.get("/")[1] for _ in urls] == [True] * len(urls)
        here.post("/logout")
        assert [b"Log out" in thief.get("/")[1] for _ in urls] == [False] * len(urls)
        assert thief.post("/sell/1")[0] == 422
        here.get("/me")
        here.post("/me", **log_in)
        # Of an auction that has ended, and of nobody to whom user1 has sold.
        comment = {"rating": "5", "comment": "x"}
        status, page = here.post("/items/1/comment/2/store", **comment)
        assert status == 422 and b"needs a sale" in page
        item = {"name": "x", "description": "x", "initial_price": "1", "buy_now": "2"}
        here.post("/sell/1", **item, quantity="1", duration="1")
        buyer = Browser(urls)
        buyer.get("/me")
        buyer.post("/me", nickname="user2", password="password2")
        own = f"/items/{OLD + ACTIVE + 1}"
        assert buyer.post(f"{own}/buy/store", quantity="1")[0] == 200
        rated = [buyer.post(f"{own}/comment/1/store", **comment)[0] for _ in range(2)]
        assert rated == [200, 422]
