"""From what hosts say to events: services died, came back, restarted; hosts lost and back; disks full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_FULL_BYTES = float(4 << 20)
"""A disk with less room is full for a database: files grow by up to so much at once."""

Event = dict[str, Any]
Life = tuple[bool, tuple[Any, ...]]
"""Whether a service lives, and which process is its first."""


class Lives:
    """Services of hosts as they were seen last. Pure: seconds of the run go in, events come out."""

    def __init__(self, hosts: Mapping[str, Mapping[str, str]]) -> None:
        """By host its services, with what each is to the others (`database`)."""
        self._tiers = {host: dict(services) for host, services in hosts.items()}
        self._seen: dict[tuple[str, str], Life] = {}
        self._lost: set[str] = set()
        self._full: set[str] = set()
        self._away: set[tuple[str, str]] = set()

    def heard(self, host: str, second: int, lives: Mapping[str, Sequence[Any]]) -> list[Event]:
        """A host has told of its services: `[lives, number of the first process, when that started]`."""
        events = []
        if host in self._lost:
            self._lost.discard(host)
            events.append(_event("host-came-back", second, f"host {host} is back after {second} s", host))
        for service in self._tiers[host]:
            told = lives.get(service)
            before = self._seen.get((host, service))
            if told is None and before is None:
                continue  # not deployed, or without a process
            if (host, service) in self._away:
                continue
            alive, first = (bool(told[0]), tuple(told[1:])) if told is not None else (False, ())
            if kind := _change(before, (alive, first)):
                events.append(self._told(kind, host, service, second))
            self._seen[host, service] = (alive, first if alive else before[1] if before else ())
        return events

    def away(self, host: str, service: str, gone: bool) -> None:
        """A service was ended on purpose, or is started again: neither is an event of its life."""
        if gone:
            self._away.add((host, service))
        else:
            self._away.discard((host, service))
        self._seen.pop((host, service), None)

    def room(self, host: str, second: int, free_bytes: float) -> list[Event]:
        """A host has told how much room its services' disk has."""
        full = free_bytes < _FULL_BYTES
        if full == (host in self._full):
            return []
        self._full ^= {host}
        kind, said = ("host-disk-full", "is full") if full else ("host-disk-has-room", "has room again")
        return [_event(kind, second, f"the disk of host {host} {said} after {second} s", host)]

    def silent(self, host: str, second: int, reason: str) -> list[Event]:
        """Nothing is heard of a host any more."""
        if host in self._lost:
            return []
        self._lost.add(host)
        note = f"host {host} lost after {second} s: {reason}"
        return [_event("host-lost", second, note, host) | {"reason": reason}]

    def _told(self, kind: str, host: str, service: str, second: int) -> Event:
        said = {
            "service-down": "does not run as the run begins",
            "service-died": f"died after {second} s",
            "service-came-back": f"is back after {second} s",
            "service-restarted": f"was restarted after {second} s",
        }[kind]
        note = f"{self._tiers[host][service]} `{service}` on {host} {said}"
        return _event(kind, second, note, host) | {"service": service}


def _change(before: Life | None, now: Life) -> str | None:
    alive, first = now
    if before is None:
        return None if alive else "service-down"
    if before[0] != alive:
        return "service-came-back" if alive else "service-died"
    return "service-restarted" if alive and first != before[1] else None


def _event(kind: str, second: int, note: str, host: str) -> Event:
    return {"kind": kind, "second": second, "host": host, "note": note}
