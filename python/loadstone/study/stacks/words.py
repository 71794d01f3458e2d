"""What a search of a stack found, in words: users, dollars, its limit; why it knows no more. Pure."""

from __future__ import annotations

from typing import Any

from loadstone.report import format

Json = dict[str, Any]

ENDED = {
    "noisy": "runs near it differ too much",
    "too-few": "too few operations came to be certain",
    "ceiling": "there were no accounts for more users",
    "generator": "the generator was at its limit",
    "invalid": "runs with more users stayed invalid",
    "max-runs": "the search ran out of runs",
    "interrupted": "the search was interrupted",
    "least": "not even one user held it",
    "not-searched": "it was not searched",
    "differs": "two searches of it differ",
}
"""Why a search knows no more."""
UNBROKEN, UNNAMED = "never seen to break", "no limit named"


def users(held: Json | None) -> str:
    """The number of users that a search found; of one that did not find it, what was seen."""
    if held is None:
        return "–"
    if held["decided"]:
        return f"{held['users']:,.0f} (< {held['high']:,.0f})"
    low = f"held at {held['low']:,.0f}" if held["low"] else "never seen to hold"
    high = f"broken at {held['high']:,.0f}" if held["high"] else "never seen to break"
    return f"undecided: {low}, {high} ({ENDED.get(held['ended_by'], held['ended_by'])})"


def per_month(held: Json | None, when: str, egress: str = "without_egress", months: str = "12") -> str:
    """Dollars a user and month; of a bracket its ends."""
    if held is None:
        return "–"
    value, cheap, dear = ((held["usd"][when][end] or {}).get(egress) for end in ("value", "cheap", "dear"))
    ends = [format.dollars(end[months]) if end else "?" for end in (cheap, dear)]
    if value is None:
        return "–" if ends == ["?", "?"] else f"{ends[0]} to {ends[1]}"
    return f"{format.dollars(value[months])} ({ends[0]}–{ends[1]})"


def limit(one: Json) -> str:
    """What the record names as the limit where SLA-1 broke."""
    held = one.get("SLA-1")
    if not held or not held["high"]:
        return UNBROKEN
    named = held["limit"]
    return f"{named['resource']} of the {named.get('tier') or named['host']}" if named else UNNAMED
