"""Which pairs of hosts are measured: pure, from names and kinds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from loadstone.errors import LoadstoneError
from loadstone.scenario.findings import listed, suggest


@dataclass(frozen=True)
class Pair:
    """A source and a target; round trips start at the source, bandwidth is measured both ways."""

    source: str
    target: str
    group: str
    """The kinds of both: `client → web`."""
    port: int | None = None
    """The port the user named for TCP round trips; None without one."""

    @property
    def name(self) -> str:
        """As people read it."""
        return f"{self.source} → {self.target}"


def default_pairs(kinds: Mapping[str, str]) -> list[Pair]:
    """One pair for any two kinds, and one of two hosts of the same kind, of hosts in the file's order.

    A round trip goes both ways and so does the bandwidth test: a pair is measured once, from the kind that
    the file names first.

    >>> kinds = {"client": "client", "web1": "web", "web2": "web", "db": "db"}
    >>> [pair.name for pair in default_pairs(kinds)]
    ['client → web1', 'client → db', 'web1 → web2', 'web1 → db']
    """
    by_kind: dict[str, list[str]] = {}
    for host, kind in kinds.items():
        by_kind.setdefault(kind, []).append(host)
    found = []
    names = list(by_kind)
    for index, kind in enumerate(names):
        if len(by_kind[kind]) > 1:
            found.append(_pair(by_kind[kind][0], by_kind[kind][1], kinds))
        for other in names[index + 1 :]:
            found.append(_pair(by_kind[kind][0], by_kind[other][0], kinds))
    order = {host: index for index, host in enumerate(kinds)}
    return sorted(found, key=lambda pair: (order[pair.source], order[pair.target]))


def all_pairs(kinds: Mapping[str, str]) -> list[Pair]:
    """Any two hosts, once.

    >>> [pair.name for pair in all_pairs({"a": "host", "b": "host", "c": "host"})]
    ['a → b', 'a → c', 'b → c']
    """
    hosts = list(kinds)
    return [_pair(one, two, kinds) for index, one in enumerate(hosts) for two in hosts[index + 1 :]]


def chosen_pairs(kinds: Mapping[str, str], sources: Sequence[str], targets: Sequence[str]) -> list[Pair]:
    """Each source to each target, but no host to itself; an empty list stands for all hosts.

    LoadstoneError `probe-host` for a name that no host bears, and when no pair is left.
    """
    for host in [*sources, *targets]:
        if host not in kinds:
            hint = suggest(host, kinds, f"known are {listed(kinds)}")
            raise LoadstoneError("probe-host", f"the topology has no host `{host}`", hint=hint)
    pairs = [
        _pair(source, target, kinds)
        for source in dict.fromkeys(sources or kinds)
        for target in dict.fromkeys(targets or kinds)
        if source != target
    ]
    if not pairs:
        raise LoadstoneError("probe-host", "no two hosts are left to measure between")
    return pairs


def together_sets(pairs: Sequence[Pair]) -> dict[str, list[Pair]]:
    """Sets of pairs that are worth loading at once: with a common target, and with no host in common.

    >>> pairs = chosen_pairs(dict.fromkeys("abcd", "host"), ["a", "b"], ["c", "d"])
    >>> {name: [pair.name for pair in one] for name, one in together_sets(pairs).items()}
    {'to c': ['a → c', 'b → c'], 'to d': ['a → d', 'b → d'], 'apart': ['a → c', 'b → d']}
    """
    found: dict[str, list[Pair]] = {}
    for pair in pairs:
        found.setdefault(f"to {pair.target}", []).append(pair)
    found["apart"] = list(_apart(pairs))
    return {name: one for name, one in found.items() if len(one) > 1}


def _apart(pairs: Sequence[Pair]) -> Iterator[Pair]:
    busy: set[str] = set()
    for pair in pairs:
        if not busy & {pair.source, pair.target}:
            busy |= {pair.source, pair.target}
            yield pair


def _pair(source: str, target: str, kinds: Mapping[str, str]) -> Pair:
    return Pair(source, target, f"{kinds[source]} → {kinds[target]}")
