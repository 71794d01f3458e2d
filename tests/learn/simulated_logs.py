"""Logs of users whose workload is known: Markov classes, a law of pauses, sessions far apart."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

START = 1_764_028_800  # 2025-11-25 00:00 UTC
BROWSER = "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/{version}.0"
PATHS = {
    "home": "/", "search": "/search?q={word}", "item": "/items/{number}", "cart": "/cart",
    "post-checkout": "/checkout", "help": "/help", "profile": "/people/{word}-{number}/profile",
}  # fmt: skip


@dataclass(frozen=True)
class Class:
    """A class of users: what they enter with, and rows of what follows; what a row lacks ends the session."""

    share: float
    enter: dict[str, float]
    mix: dict[str, dict[str, float]]


@dataclass(frozen=True)
class Workload:
    """What the log comes from. `pause` draws so many times between two starts, s."""

    classes: tuple[Class, ...]
    pause: Callable[[np.random.Generator, int], np.ndarray]
    files: dict[str, int] = field(default_factory=lambda: {"home": 2})
    away_s: float = 4 * 3600.0


BROWSE = Class(
    1.0,
    {"home": 0.7, "item": 0.3},
    {
        "home": {"search": 0.5, "item": 0.3},
        "search": {"search": 0.3, "item": 0.6},
        "item": {"item": 0.35, "search": 0.2, "cart": 0.2},
        "cart": {"post-checkout": 0.4, "home": 0.3},
        "post-checkout": {"home": 0.2},
    },
)
READERS = Class(
    0.65,
    {"home": 1.0},
    {"home": {"item": 0.9}, "item": {"item": 0.8, "search": 0.1}, "search": {"item": 0.9}},
)
BUYERS = Class(
    0.35,
    {"search": 0.6, "cart": 0.4},
    {
        "search": {"cart": 0.6, "search": 0.3},
        "cart": {"post-checkout": 0.6, "search": 0.3},
        "post-checkout": {"home": 0.5},
        "home": {"search": 0.5},
    },
)
WORKLOADS = {
    "browse": Workload((BROWSE,), lambda random, n: random.exponential(7.0, n)),
    "log-normal": Workload(
        (BROWSE,), lambda random, n: np.exp(random.normal(1.8, 0.9, n)), {"home": 3, "item": 1}
    ),
    "two-classes": Workload((READERS, BUYERS), lambda random, n: 9 * random.weibull(1.5, n)),
}


def sessions(workload: Workload, random: np.random.Generator) -> Iterator[list[str]]:
    """Walks, one after the other."""
    shares = np.array([one.share for one in workload.classes])
    tables = [
        {row: (list(cells), np.cumsum(list(cells.values()))) for row, cells in one.mix.items()}
        for one in workload.classes
    ]
    while True:
        number = int(random.choice(len(shares), p=shares))
        one = workload.classes[number]
        state = str(random.choice(list(one.enter), p=list(one.enter.values())))
        walk = [state]
        while True:
            names, sums = tables[number].get(state, ([], np.array([])))
            at = int(np.searchsorted(sums, random.random(), "right"))
            if at >= len(names):
                break
            state = names[at]
            walk.append(state)
        yield walk


def hits(
    workload: Workload, users: int, sessions_each: int, seed: int = 1
) -> Iterator[tuple[float, int, str, str]]:
    """Time, user, method and address of each request, in the order of time."""
    random = np.random.default_rng(seed)
    walks = sessions(workload, random)

    def of_user(user: int) -> Iterator[tuple[float, int, str, str]]:
        at = START + random.random() * 86_400
        for _ in range(sessions_each):
            walk = next(walks)
            pauses = workload.pause(random, len(walk))
            for name, pause in zip(walk, pauses, strict=True):
                method, path = ("POST", PATHS[name]) if name.startswith("post-") else ("GET", PATHS[name])
                word = "".join(chr(97 + int(c)) for c in random.integers(0, 26, 5))
                yield at, user, method, path.format(word=word, number=int(random.integers(1, 5000)))
                for number in range(workload.files.get(name, 0)):
                    yield at + 1e-4 * number, user, "GET", f"/static/f{number}.css"
                at += float(pause)
            at += 3600 + random.exponential(workload.away_s)

    return heapq.merge(*(of_user(user) for user in range(users)), key=lambda hit: hit[0])


def line(at: float, user: int, method: str, target: str, agent: str | None = None, status: int = 200) -> str:
    """A line of the combined format."""
    moment = datetime.fromtimestamp(int(at), UTC).strftime("%d/%b/%Y:%H:%M:%S +0000")
    address = f"10.{user >> 16 & 255}.{user >> 8 & 255}.{user & 255}"
    agent = agent or BROWSER.format(version=100 + user % 40)
    return f'{address} - - [{moment}] "{method} {target} HTTP/1.1" {status} 512 "-" "{agent}"\n'


def write(path: Path, workload: Workload, users: int, sessions_each: int = 3, seed: int = 1) -> int:
    """Writes a log; returns the number of its lines."""
    lines = 0
    with path.open("w") as file:
        for at, user, method, target in hits(workload, users, sessions_each, seed):
            file.write(line(at, user, method, target))
            lines += 1
    return lines
