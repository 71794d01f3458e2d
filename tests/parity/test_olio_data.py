"""The Olio data set, made a second time from its description in docs/reference/olio-data.md alone."""

from __future__ import annotations

import hashlib
import json
import math
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from loadstone import _core

ACCOUNTS, TAGS, BASE_DAY, SEED = 120, 30, 14_174, 7
MASK = (1 << 64) - 1
STEP = 0x9E3779B97F4A7C15
ZONES = [f"{zone} Time (US & Canada)" for zone in ("Pacific", "Mountain", "Central", "Eastern")]
ZONES += ["London", "Berlin", "Tokyo", "Sydney"]


def mix(z: int) -> int:
    """splitmix64's mixing function."""
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
    return z ^ z >> 31


def rotate(value: int, bits: int) -> int:
    """Rotates 64 bits to the left."""
    return ((value << bits) | (value >> (64 - bits))) & MASK


class Stream:
    """The stream of one row."""

    def __init__(self, table: int, row: int) -> None:
        start = mix((mix((SEED + STEP) & MASK) + (table << 56) + row + STEP) & MASK)
        self.state = [mix((start + STEP * i) & MASK) for i in (1, 2, 3, 4)]

    def draw(self) -> int:
        s = self.state
        result = (rotate((s[0] + s[3]) & MASK, 23) + s[0]) & MASK
        shifted = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = rotate(s[3], 45)
        return result

    def below(self, n: int) -> int:
        while True:
            product = self.draw() * n
            if (product & MASK) >= (1 << 64) % n:
                return product >> 64

    def range(self, low: int, high: int) -> int:
        return low + self.below(high - low + 1)

    def half(self) -> bool:
        return self.below(2) == 1

    def pick(self, choices: list[str]) -> str:
        return choices[self.below(len(choices))]

    def rank(self) -> int:
        unit = ((self.draw() >> 12) + 0.5) / 2**52
        return min(TAGS - 1, math.floor(-0.1 * TAGS * math.log1p(math.expm1(-10) * unit))) + 1

    def run(self, length: int) -> str:
        return "".join(chr(ord("a") + self.below(26)) for _ in range(length))

    def letters(self, low: int, high: int) -> str:
        return self.run(self.range(low, high))

    def name(self, low: int, high: int) -> str:
        return self.letters(low, high).capitalize()

    def words(self, low: int, high: int) -> str:
        length = self.range(low, high)
        text = ""
        while len(text) < length:
            text += self.run(min(self.range(1, 12), length - len(text)))
            if len(text) < length:
                text += self.run(1) if len(text) == length - 1 else " "
        return text

    def digits(self, count: int) -> str:
        return "".join(str(self.below(10)) for _ in range(count))

    def phone(self) -> str:
        first, groups = ("001", (3, 3, 4)) if self.half() else ("00", (2, 2, 3, 4))
        return "-".join([first, *(self.digits(count) for count in groups)])

    def degrees(self, limit: int) -> str:
        value = self.range(-limit, limit)
        return f"{'-' if value < 0 else ''}{abs(value) // 10**6}.{abs(value) % 10**6:06d}"

    def past(self) -> int:
        return (BASE_DAY - self.range(0, 540)) * 1440

    def distinct(self, count: int, value: Callable[[], int], without: int = 0) -> list[int]:
        values: list[int] = []
        while len(values) < count:
            drawn = value()
            if drawn != without and drawn not in values:
                values.append(drawn)
        return values


def username(number: int) -> str:
    """The user name of an id, lengths 6 to 11."""
    slot = number % 100 * 37 % 100
    shares, length = (5, 8, 17, 25, 24, 21), 6
    while slot >= shares[length - 6]:
        slot -= shares[length - 6]
        length += 1
    names = 26 * 37 ** (length - 1)
    factor = names * 61803 // 100000
    while any(factor % prime == 0 for prime in (2, 13, 37)):
        factor += 1
    rest = (number // 100 * shares[length - 6] + slot) * factor % names
    alphabet = "abcdefghijklmnopqrstuvwxyz0123456789_"
    rest, place = divmod(rest, 26)
    text = alphabet[place]
    for _ in range(length - 1):
        rest, digit = divmod(rest, 37)
        place = (digit + 5 * place + 11) % 37
        text += alphabet[place]
    return text


def address(i: int) -> tuple[object, ...]:
    s = Stream(1, i)
    parts = [s.digits(s.range(1, 5)), s.name(1, 11), s.pick(["Blvd", "Ave", "St", "Ln", ""])]
    street2 = s.words(5, 20) if s.half() else None
    city, state, code = s.letters(4, 14), s.letters(2, 2).upper(), s.digits(5)
    country = "USA" if s.half() else s.name(6, 16)
    return (
        i,
        " ".join(parts).strip(),
        street2,
        city,
        state,
        code,
        country,
        s.degrees(66_560_556),
        s.degrees(180_000_000),
    )


def user(i: int) -> tuple[object, ...]:
    s = Stream(2, i)
    first, last, host, phone, zone = s.name(2, 12), s.name(5, 15), s.letters(3, 10), s.phone(), s.pick(ZONES)
    summary, home, created = s.words(250, 2500), s.range(1, ACCOUNTS), s.past()
    salt = f"{s.draw():016x}{s.draw():016x}"
    password = f"sha256${salt}${hashlib.sha256(f'{salt}{i}'.encode()).hexdigest()}"
    email = f"{first}_{last}@{host}.com".lower()
    return (i, username(i), password, first, last, email, phone, zone, summary, home, 1, created, created)


def event(i: int) -> tuple[object, ...]:
    s = Stream(3, i)
    texts = [s.words(15, 20), s.words(50, 90), s.words(50, 495), s.phone(), s.pick(ZONES)]
    people = [s.range(1, ACCOUNTS), s.range(1, ACCOUNTS)]
    day, hour, quarter = BASE_DAY + s.range(0, 540), s.range(7, 21), s.range(0, 3)
    return (i, *texts, *people, 1, 1, (day * 24 + hour) * 60 + quarter * 15, day, s.past(), 0, 0, 0)


def event_tags(i: int) -> Iterator[tuple[object, ...]]:
    s = Stream(4, i)
    return ((i, tag) for tag in sorted(s.distinct(s.range(1, 7), s.rank)))


def attendance(i: int) -> Iterator[tuple[object, ...]]:
    s = Stream(5, i)
    return ((i, who) for who in sorted(s.distinct(s.range(10, 100), lambda: s.range(1, ACCOUNTS))))


def comments(i: int) -> Iterator[tuple[object, ...]]:
    s = Stream(6, i)
    count, created = s.range(0, 20), s.past()
    for _ in range(count):
        author, rating = s.range(1, ACCOUNTS), s.range(2, 5)
        yield (i, author, s.letters(10, 1000), rating, created, created)


def friendships(i: int) -> Iterator[tuple[object, ...]]:
    s = Stream(7, i)
    friends = s.distinct(s.range(2, 28), lambda: s.range(1, ACCOUNTS), without=i)
    return (
        (i, friend, accepted)
        for friend, accepted in sorted((friend, place % 2) for place, friend in enumerate(friends))
    )


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> sqlite3.Connection:
    folder = tmp_path_factory.mktemp("data")
    data = json.dumps({"accounts": ACCOUNTS, "profile": "cloudstone-2008", "seed": SEED})
    _core.load("olio", str(folder), data, False, None)
    return sqlite3.connect(folder / "olio.db")


def test_every_row_follows_the_description(database: sqlite3.Connection) -> None:
    users, events = range(1, ACCOUNTS + 1), range(1, 3 * TAGS + 1)
    tables: dict[str, list[tuple[object, ...]]] = {
        "* FROM address ORDER BY id": [address(i) for i in users],
        "* FROM user ORDER BY id": [user(i) for i in users],
        "* FROM event ORDER BY id": [event(i) for i in events],
        "* FROM event_tag ORDER BY event_id, tag_id": [row for i in events for row in event_tags(i)],
        "* FROM attendance ORDER BY event_id, user_id": [row for i in events for row in attendance(i)],
        "event_id, user_id, comment, rating, created_at, updated_at FROM comment ORDER BY id": [
            row for i in events for row in comments(i)
        ],
        "* FROM friendship ORDER BY user_id, friend_id": [row for i in users for row in friendships(i)],
        "id, name FROM tag ORDER BY id": [(i, username(i)) for i in range(1, TAGS + 1)],
    }
    for select, expected in tables.items():
        assert database.execute(f"SELECT {select}").fetchall() == expected, select


def test_the_published_user_names_follow_the_description() -> None:
    vector = Path(__file__).parents[2] / "crates/stats/tests/usernames.txt"
    published = [line.split()[0] for line in vector.read_text().splitlines()]
    assert published == [username(i) for i in range(1, 1001)] == _core.usernames(1, 1000)
