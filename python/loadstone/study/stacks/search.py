"""One configuration measured: its lab, its services, and the search of its capacity by the rules."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from loadstone import record
from loadstone.capacity import Forecast, Limits, Options, Probes, Search, find, resumable
from loadstone.capacity.search import Bracket
from loadstone.deploy import Site, load_site
from loadstone.errors import LoadstoneError
from loadstone.intake import Kind
from loadstone.measure import Deployed, Job, Silent, sut_of
from loadstone.remaining import in_words
from loadstone.scenario import Scenario, load_scenario
from loadstone.site.stack import STACKS
from loadstone.site.stack.running import set_up
from loadstone.stages.capacity import Capacity, Held
from loadstone.study.bench import Bench, at_ease, bench
from loadstone.study.stacks.description import Configuration, Description, Size
from loadstone.study.stacks.figures import of_search
from loadstone.study.stacks.hosts import driven, topology
from loadstone.study.study import Around

Json = dict[str, Any]

SCENARIO = "olio"
_CONFIDENCE = 0.95
_KIND = Kind("study-resume", "a record of a search", 64 << 20)
_STARTED_S = 60.0
"""About what a lab, its services and their data take to be up."""
_RENEW_S = 15.0
"""About what it takes to bring the data back and to start the servers again, before each run."""
_LIKELY_PROBES = 5
UNFINISHED = ("interrupted", "invalid", "max-runs", "noisy", "too-few")
"""Outcomes of a search that can be gone on with."""


def expected_s(size: Size) -> float:
    """About how long the search of one configuration takes at most."""
    probe_s = min(size.ramp_up_s, size.probe_s / 2) + size.probe_s + _RENEW_S
    run_s = size.ramp_up_s + size.window_s + size.ramp_down_s + _RENEW_S
    return _STARTED_S + _LIKELY_PROBES * probe_s + size.runs * run_s


def require(one: Configuration) -> None:
    """Builds what the stack needs: hosts of a lab have no way to packages. Error `stack-setup`."""
    for stack in STACKS:
        if stack.name == one.role:
            set_up(stack.folder)


def measured(
    one: Configuration, file: Description, size: Size, seed: int, folder: Path, around: Around
) -> Json:
    """The row of a configuration; the search is in `search/` of the study's folder.

    A search that Ctrl-C or a crash ended, or that ran out of runs, is gone on with, by as many runs again,
    one that noise ended by as many repeats. One that Ctrl-C ends is a row, too. LoadstoneError
    `study-interrupted` before its first run, and those of `bench` and `find`.
    """
    path = folder / "lab" / f"{one.name}.toml"
    record.make_folder(path.parent)
    record.write_text(path, topology(one, file))
    begun = os.getloadavg()
    site = load_site(path)
    with bench(site, lambda words: around.say(f"{one.name}: {words}")) as up:
        where, resume = folder_of(folder, one)
        found = _search(one, file, size, seed, (up, path, where), around, resume=resume)
    if not found.runs:
        raise LoadstoneError("study-interrupted", "the search of the capacity was interrupted")
    kinds = {host.name: host.kind or "" for host in site.topology.file.host}
    return {
        **of_search(found, where, kinds),
        "folder": str(where.relative_to(folder)),
        "accounts": one.accounts,
        "quota": {host.name: host.cpus for host in site.topology.file.host if host.cpus},
        "load_average": {"before": begun[0], "after": os.getloadavg()[0]},
    }


def folder_of(folder: Path, one: Configuration) -> tuple[Path, bool]:
    """Where to search, and whether a search there is gone on with."""
    # Names of configurations may begin alike and end in a number: `php-fpm`, `php-fpm-3`.
    numbered = re.compile(rf"{re.escape(one.name)}-(\d+)")
    every = [
        (int(match[1]), path) for path in folder.glob("search/*") if (match := numbered.fullmatch(path.name))
    ]
    number, last = max(every, default=(0, folder))
    if (last / Capacity.FILE).is_file():
        before = Capacity.read(last / Capacity.FILE, _KIND)
        # One that only keeps summaries of its runs, as published ones do, is followed by a new one.
        if before.runs and resumable(before, last):
            return last, True
    return folder / "search" / f"{one.name}-{number + 1}", False


def _search(
    one: Configuration,
    file: Description,
    size: Size,
    seed: int,
    at: tuple[Bench, Path, Path],
    around: Around,
    *,
    resume: bool,
) -> Capacity:
    up, path, where = at
    deployed = AtEase(path, driven(one))
    with deployed.held():
        url = deployed.url(driven(one))
        scenario = _scenario(one, file, size, url)
        job = Job(
            scenario, sut_of(scenario), up.fleets(1), ["loadstone", "study", "stacks", one.name], deployed
        )
        short = replace(job, scenario=_scenario(one, file, _short(size), url))
        first, most = scenario.unit.steps(one.first), scenario.unit.steps(one.most)
        limits = Limits(first, most, size.tolerance, size.repeats, size.runs, only=tuple(size.only))
        if resume:
            limits = more(limits, Capacity.read(where / Capacity.FILE, _KIND))
        return find(
            job,
            where,
            Options(limits, _CONFIDENCE, seed),
            around.interrupt,
            _told(one, around.say),
            Probes(short, lambda number, load: _probing(one, around.say, number, load)),
            resume=resume,
        )


def more(limits: Limits, before: Capacity) -> Limits:
    """As much again as a search has had that goes on: runs, and repeats where these were too few."""
    made = [row.load for row in before.runs if row.evidence]
    noisy = before.outcome in ("noisy", "too-few") or any(
        _is_spent(held, limits) for held in before.named().values()
    )
    repeats = max(map(made.count, made), default=0) if noisy else 0
    return replace(limits, runs=len(made) + limits.runs, repeats=repeats + limits.repeats)


def _is_spent(held: Held, limits: Limits) -> bool:
    """Whether noise left nothing to try for a goal, also where the search of another one was interrupted."""
    if held.low is None or held.high is None:
        return False
    bracket = Bracket("", passed={int(held.low)}, failed={int(held.high)}, noisy=set(map(int, held.noisy)))
    return not bracket.is_narrow(limits.tolerance) and bracket.next(limits) is None


def _scenario(one: Configuration, file: Description, size: Size, url: str) -> Scenario:
    settings = {
        "target.url": url,
        "data.accounts": str(one.accounts),
        "data.media_scale": str(file.media_scale),
        "load.ramp_up_s": repr(size.ramp_up_s),
        "load.steady_s": repr(size.window_s),
        "load.ramp_down_s": repr(size.ramp_down_s),
        "sla.window_s": repr(size.window_s),
    }
    return load_scenario(SCENARIO, settings)


def _short(size: Size) -> Size:
    """What makes a probe of a run. Users join in the midst of their pauses: the ramp-up only spreads them."""
    changes = {"ramp_up_s": min(size.ramp_up_s, size.probe_s / 2), "window_s": size.probe_s, "ramp_down_s": 0}
    return size.model_copy(update=changes)


def _told(one: Configuration, say: Callable[[str], None]) -> Callable[[int, Search, Forecast], Silent]:
    """Says before each run what is known, and what is left."""

    def watch(number: int, search: Search, left: Forecast) -> Silent:
        known = ", ".join(
            f"{name} {'' if held.low is None else held.low}..{'' if held.high is None else held.high}"
            for name, held in search.brackets.items()
        )
        times = f"about {in_words(left.expected_s)} left, at most {in_words(left.worst_s)}"
        say(f"{one.name}: run {number} at {search.next()} users; {known}; {times}")
        return Silent()

    return watch


def _probing(one: Configuration, say: Callable[[str], None], number: int, load: float) -> Silent:
    say(f"{one.name}: short run {number} at {load:g} users")
    return Silent()


@dataclass(frozen=True)
class AtEase(Deployed):
    """Services of hosts whose quotas bind while load is made, and not while data are brought back."""

    def renew(self, note: Callable[[str], None]) -> list[Json]:
        """As `Deployed.renew`, without quotas. Error `study-quota` in addition."""
        with self._at_ease():
            return super().renew(note)

    @contextlib.contextmanager
    def _at_ease(self) -> Iterator[Site]:
        site = load_site(self.topology)
        with at_ease(site):
            yield site
