#!/usr/bin/env python3
"""Makes the small SQLite file that `scenario.toml` browses: a catalogue of books, the same every time.

python examples/datasette/app/data.py library.db
datasette serve library.db --port 8001
loadstone run examples/datasette/scenario.toml
"""

from __future__ import annotations

import random
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

AUTHORS = 200
BOOKS = 3000

_SUBJECTS = ["history", "poetry", "travel", "science", "cooking", "music", "crime", "gardening"]
_FIRST = ["Ada", "Bruno", "Chloe", "Dario", "Elif", "Farid", "Greta", "Hiro", "Ines", "Jonas"]
_LAST = ["Abara", "Blum", "Castro", "Dvorak", "Eriksen", "Fabre", "Garcia", "Haddad", "Ito", "Jansen"]
_ADJECTIVES = ["silent", "golden", "distant", "broken", "gentle", "hidden", "restless", "northern"]
_NOUNS = ["river", "garden", "city", "letter", "winter", "mountain", "mirror", "harbour"]

_TABLES = """
CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL, born INTEGER NOT NULL);
CREATE TABLE books (
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    author_id INTEGER NOT NULL REFERENCES authors (id),
    subject TEXT NOT NULL,
    year INTEGER NOT NULL,
    pages INTEGER NOT NULL
);
CREATE INDEX books_author ON books (author_id);
CREATE INDEX books_subject ON books (subject);
-- Datasette finds the search index by `content="books"`, written exactly so.
CREATE VIRTUAL TABLE books_fts USING fts5 (title, content="books", content_rowid="id");
"""


def make(path: Path) -> None:
    """Creates the file; one that exists is replaced."""
    path.unlink(missing_ok=True)
    chance = random.Random(1)
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(_TABLES)
        database.executemany(
            "INSERT INTO authors VALUES (?, ?, ?)", (_author(n, chance) for n in _ids(AUTHORS))
        )
        database.executemany(
            "INSERT INTO books VALUES (?, ?, ?, ?, ?, ?)", (_book(n, chance) for n in _ids(BOOKS))
        )
        database.execute("INSERT INTO books_fts (books_fts) VALUES ('rebuild')")


def _ids(count: int) -> range:
    return range(1, count + 1)


def _author(number: int, chance: random.Random) -> tuple[int, str, int]:
    return number, f"{chance.choice(_FIRST)} {chance.choice(_LAST)}", chance.randint(1850, 1999)


def _book(number: int, chance: random.Random) -> tuple[int, str, int, str, int, int]:
    title = f"The {chance.choice(_ADJECTIVES)} {chance.choice(_NOUNS)} {number}"
    year, pages = chance.randint(1900, 2024), chance.randint(80, 900)
    return number, title, chance.randint(1, AUTHORS), chance.choice(_SUBJECTS), year, pages


if __name__ == "__main__":
    make(Path(sys.argv[1] if len(sys.argv) > 1 else "library.db"))
