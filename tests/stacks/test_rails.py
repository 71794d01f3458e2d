"""What is special to the stack in Rails: its own tests, and processes that get into each other's way."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
from shared_sites import Browser
from stack_sites import DATA, EVENT

from loadstone import _core
from loadstone.site.stack import FOLDER
from loadstone.site.stack.running import Wanted, database_of, prepared, running, set_up

MEMBERS, EVENTS = 4, 6

pytestmark = [pytest.mark.stacks, pytest.mark.timeout(900)]


def test_its_own_unit_tests() -> None:
    set_up("rails")
    done = subprocess.run(
        ["ruby", str(FOLDER / "rails/test/units.rb")],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("fresh", ["sqlite", "postgres", "mariadb"], indirect=True)
def test_changes_at_once_are_all_made(fresh: str) -> None:
    """Events with the same new tags, at the same events: nothing is lost, and nobody gets an error page."""
    with prepared(DATA) as (files, state), ThreadPoolExecutor(MEMBERS) as pool:
        wanted = Wanted("rails", database_of(fresh), files, state, options={"workers": MEMBERS})
        with running(wanted) as one:

            def add(member: int) -> list[int]:
                browser = Browser([one.url])
                browser.log_in(_core.usernames(member, 1)[0], str(member))
                told = [browser.get("/events/new")[0]]
                for _ in range(EVENTS):
                    told.append(browser.post("/events", **EVENT, tag_list="zz_one zz_two")[0])
                    told.append(browser.post("/events/1/attend")[0])
                    told.append(browser.post("/events/2/tag", tag_list=f"zz_member{member}")[0])
                return told

            told = [status for each in pool.map(add, range(1, MEMBERS + 1)) for status in each]
            assert told == [200] * (MEMBERS * (1 + 3 * EVENTS))
            # An event with both tags alone shows how often each is used: equally often, so equally large.
            reader = Browser([one.url])
            pages = [reader.get(f"/events/tagged?tag=zz_one&page={page}")[1] for page in (1, 2, 3)]
            listed = b"".join(pages).count(b'<h2><a href="/events/')
            assert listed == MEMBERS * EVENTS
            attendees = reader.get("/events/1")[1]
            assert all(f">{name}</a>".encode() in attendees for name in _core.usernames(1, MEMBERS))
            tags = reader.get("/events/2")[1]
            assert all(
                tags.count(f">zz_member{member}</a>".encode()) == 1 for member in range(1, MEMBERS + 1)
            )
