"""The settings of the stack: the `OLIO_…` variables, checked."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

LEVELS = ("none", "query", "fragment", "action", "page")
"""Caching levels; each includes those before it."""

ENGINES = {"postgres": "postgresql", "mysql": "mysql", "sqlite": "sqlite3"}
"""Schemes of database URLs and what Django calls their backends."""


class Wrong(Exception):
    """A variable that cannot be used, in a sentence for the operator."""


@dataclass(frozen=True)
class Environment:
    """Everything that `start` was told."""

    database: dict[str, str]
    read_databases: tuple[dict[str, str], ...]
    files: Path
    state: Path
    address: str
    port: int
    workers: int
    cache: str
    cache_store: str
    public_url: str

    def keeps(self, level: str) -> bool:
        """Whether `level` is among what is cached."""
        return LEVELS.index(self.cache) >= LEVELS.index(level)


def read(variables: Mapping[str, str] = os.environ) -> Environment:
    """Reads the variables; raises `Wrong` for the first that is."""
    return Environment(
        database=(database := _database("OLIO_DATABASE", _given(variables, "OLIO_DATABASE"))),
        read_databases=_read_databases(variables.get("OLIO_READ_DATABASES") or "", database),
        files=_files(_given(variables, "OLIO_FILES")),
        state=_state(_given(variables, "OLIO_STATE")),
        address=variables.get("OLIO_ADDRESS") or "127.0.0.1",
        port=_number(variables, "OLIO_PORT", "8080", 65535),
        workers=_number(variables, "OLIO_WORKERS", "8", 1024),
        cache=_level(variables.get("OLIO_CACHE") or "none"),
        cache_store=_store(variables.get("OLIO_CACHE_STORE") or "memory"),
        public_url=_public_url(variables.get("OLIO_PUBLIC_URL") or ""),
    )


def _given(variables: Mapping[str, str], name: str) -> str:
    value = variables.get(name)
    if not value:
        raise Wrong(f"{name} is not set")
    return value


def _read_databases(urls: str, database: dict[str, str]) -> tuple[dict[str, str], ...]:
    found = tuple(_database("OLIO_READ_DATABASES", url) for url in urls.split(",") if url)
    if any(copy["ENGINE"] != database["ENGINE"] or "HOST" not in copy for copy in found):
        raise Wrong(
            "OLIO_READ_DATABASES: URLs like that of OLIO_DATABASE, of servers, with commas between them"
        )
    return found


def _database(variable: str, url: str) -> dict[str, str]:
    form = "postgres://user:password@host:port/name, mysql://… or sqlite:///path/olio.db"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise Wrong(f"{variable} is no URL; it is written as {form}") from None
    name = unquote(parts.path[1:])
    if parts.scheme not in ENGINES or not name:
        raise Wrong(f"{variable} begins with {parts.scheme or 'no scheme'}://; it is written as {form}")
    engine = {"ENGINE": f"django.db.backends.{ENGINES[parts.scheme]}"}
    if parts.scheme == "sqlite":
        # It is never made, only opened.
        return engine | {"NAME": f"file:/{quote(name)}?mode=rw"}
    if not parts.hostname:
        raise Wrong(f"{variable} names no host; it is written as {form}")
    return engine | {
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname,
        "PORT": str(port or ""),
    }


def _files(folder: str) -> Path:
    missing = [part for part in ("static/style.css", "media/e.jpg") if not Path(folder, part).is_file()]
    if missing:
        raise Wrong(
            f"OLIO_FILES={folder}: {missing[0]} is missing; `loadstone serve olio-django` makes such a folder"
        )
    return Path(folder)


def _state(folder: str) -> Path:
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Wrong(f"OLIO_STATE={folder}: no folder that can be written to")
    return Path(folder)


def _number(variables: Mapping[str, str], name: str, default: str, most: int) -> int:
    value = variables.get(name) or default
    if not re.fullmatch("[0-9]{1,6}", value) or not 1 <= int(value) <= most:
        raise Wrong(f"{name}={value}: a number from 1 to {most}")
    return int(value)


def _level(name: str) -> str:
    if name not in LEVELS:
        raise Wrong(f"OLIO_CACHE={name}: one of {', '.join(LEVELS)}")
    return name


def _store(store: str) -> str:
    if store not in ("memory", "files") and not re.fullmatch(r"memcached://[^/:\s]+:[0-9]{1,5}", store):
        raise Wrong(f"OLIO_CACHE_STORE={store}: memory, files or memcached://host:port")
    return store


def _public_url(url: str) -> str:
    url = url.removesuffix("/").lower()
    if url and not re.fullmatch(r"https?://([a-z0-9_][a-z0-9._-]*|\[[0-9a-f:.]+\])(:[0-9]{1,5})?", url):
        raise Wrong(f"OLIO_PUBLIC_URL={url}: a scheme and a host, such as https://olio.example")
    return url
