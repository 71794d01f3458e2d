"""The database behind the page of an item: 20,000 items of an auction, 20 bids each, about 36 MB."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path

ITEMS = 20_000
USERS = 20_000
BIDS = 20
START_S = 1_700_000_000
WORDS = [
    "lamp",
    "chair",
    "clock",
    "radio",
    "bicycle",
    "camera",
    "guitar",
    "mirror",
    "carpet",
    "teapot",
    "kettle",
]
WORDS += [
    "engraving",
    "stamp",
    "coin",
    "atlas",
    "globe",
    "compass",
    "barometer",
    "violin",
    "trumpet",
    "wardrobe",
]

SCHEMA = """
CREATE TABLE users (id INTEGER PRIMARY KEY, nickname TEXT, rating INTEGER, created INTEGER);
CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT, description TEXT, quantity INTEGER,
  initial_price INTEGER, reserve_price INTEGER, buy_now INTEGER, bids INTEGER, max_bid INTEGER,
  start_date INTEGER, end_date INTEGER, seller INTEGER);
CREATE TABLE bids (id INTEGER PRIMARY KEY, user INTEGER, item INTEGER, quantity INTEGER, bid INTEGER,
  max_bid INTEGER, date INTEGER);
"""


def make(path: Path) -> None:
    """Writes the database; the same every time."""
    chance = random.Random(7)
    with sqlite3.connect(path) as database:
        database.executescript(SCHEMA)
        people = ((n, f"user{n}", chance.randint(-5, 50), START_S - n) for n in range(1, USERS + 1))
        database.executemany("INSERT INTO users VALUES (?, ?, ?, ?)", people)
        marks = ", ".join("?" * 12)
        database.executemany(
            f"INSERT INTO items VALUES ({marks})", (_item(n, chance) for n in range(1, ITEMS + 1))
        )
        database.executemany("INSERT INTO bids VALUES (?, ?, ?, ?, ?, ?, ?)", _bids(chance))
        database.execute("CREATE INDEX bids_item ON bids (item)")
    database.close()


def _item(number: int, chance: random.Random) -> tuple[int | str, ...]:
    price = chance.randint(1, 5000)
    description = " ".join(chance.choices(WORDS, k=125))
    name = f"{chance.choice(WORDS)} {number}"
    reserve, at_once = price + 100, price + 1000
    return (
        *(number, name, description, 1, price, reserve, at_once, BIDS, price + BIDS),
        *(START_S, START_S + 604_800, chance.randint(1, USERS)),
    )


def _bids(chance: random.Random) -> Iterator[tuple[int, ...]]:
    number = 0
    for step in range(BIDS):
        # A round of bids on every item, so that the bids of one lie far apart, as they do when people bid.
        for item in range(1, ITEMS + 1):
            number += 1
            yield number, chance.randint(1, USERS), item, 1, step + 1, step + 5, START_S + number
