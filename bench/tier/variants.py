"""What is varied: settings of the database, of the site, or of its data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

BOTH = ("mariadb", "postgresql")


@dataclass(frozen=True)
class Variant:
    """One change of the deployed base."""

    name: str
    service: str
    settings: dict[str, Any]
    said: str
    """For the table."""
    databases: tuple[str, ...] = BOTH


VARIANTS = (
    Variant("durability-relaxed", "database", {"durable": False}, "commits reach the disk within a second"),
    Variant("buffer-16", "database", {"memory_mib": 16}, "16 MiB for pages of the data instead of 128"),
    Variant("query-log", "database", {"query_log": "all"}, "every statement in the log"),
    Variant("pool-2", "site", {"workers": 2}, "2 connections of the site instead of 8"),
    Variant("replicas", "site", {"replicas": "copy"}, "pages that only read come from a copy"),
    Variant("indexes-minimal", "site", {"minimal_indexes": True}, "no index but the keys"),
)
