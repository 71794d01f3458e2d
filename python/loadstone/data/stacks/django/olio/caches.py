"""The caching levels as caches of Django: one for each level, which keeps nothing while its level is off.

`rows` holds results of queries, `template_fragments` (the name that the tag `cache` knows) parts of pages,
`actions` the whole content of pages, `pages` whole answers.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from olio.environment import Environment

LEVEL_OF = {"rows": "query", "template_fragments": "fragment", "actions": "action", "pages": "page"}

KEYS = "olio.caches.short_key"
"""The function that makes keys."""

ENTRIES = 10_000
"""Most entries of a cache; the least recently used go first."""


def configured(environment: Environment) -> dict[str, dict[str, Any]]:
    """The setting `CACHES`."""
    off = {"BACKEND": "django.core.cache.backends.dummy.DummyCache", "KEY_FUNCTION": KEYS}
    kept = {alias: environment.keeps(level) for alias, level in LEVEL_OF.items()}
    return {"default": off} | {
        alias: _store(environment, alias) if keeps else off for alias, keeps in kept.items()
    }


def _store(environment: Environment, alias: str) -> dict[str, Any]:
    store = environment.cache_store
    cache: dict[str, Any] = {"KEY_PREFIX": alias, "KEY_FUNCTION": KEYS, "OPTIONS": {"MAX_ENTRIES": ENTRIES}}
    if store == "memory":
        backend = "locmem.LocMemCache"
        cache["LOCATION"] = alias
    elif store == "files":
        backend = "filebased.FileBasedCache"
        cache["LOCATION"] = environment.state / "cache" / alias
        # Django lists the folder whenever it keeps something.
        cache["OPTIONS"] = {"MAX_ENTRIES": 1000}
    else:
        backend = "memcached.PyMemcacheCache"
        cache |= _memcached(store.removeprefix("memcached://"))
        # Sites of other data may use the same memcached.
        database = "/".join(environment.database.values())
        cache["KEY_PREFIX"] = f"{alias}-{blake2b(database.encode(), digest_size=8).hexdigest()}"
    return cache | {"BACKEND": f"django.core.cache.backends.{backend}"}


def _memcached(server: str) -> dict[str, Any]:
    options = {
        # A memcached that is gone is a cache that keeps nothing, and is asked again after a second.
        "ignore_exc": True,
        "retry_attempts": 0,
        "dead_timeout": 1,
        "connect_timeout": 0.2,
        "timeout": 0.5,
        "no_delay": True,
    }
    return {"LOCATION": server, "OPTIONS": options}


def short_key(key: str, prefix: str, version: int) -> str:
    """A key as every store takes it: short, without blanks, whatever was searched for."""
    return f"{prefix}:{version}:{blake2b(key.encode(), digest_size=16).hexdigest()}"
