"""`loadstone capacity`: the most users at SLA-1, SLA-2 and goals of the user's own."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loadstone.cli.capacity_words import concluded, table
from loadstone.cli.run import (
    INTERRUPTED,
    MOST_SEED,
    MOST_USERS,
    Agents,
    AsJson,
    DbPid,
    Goals,
    KeepData,
    Name,
    Reset,
    Service,
    SutPid,
    Topology,
    Url,
    Window,
    default_folder,
    load,
    loading,
    placed,
    processes,
    progress,
    site,
)
from loadstone.cli.scenario import Overrides
from loadstone.errors import LoadstoneError

if TYPE_CHECKING:
    from loadstone.capacity import Forecast, Search
    from loadstone.scenario import Scenario

_FIRST = 25
_PROBE_S = 10


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command()(capacity)


def capacity(
    scenario: Name,
    first: Annotated[
        int, typer.Option("--from", metavar="N", min=1, max=MOST_USERS, help="Users of the first probe.")
    ] = _FIRST,
    most: Annotated[
        int, typer.Option("--to", metavar="M", min=1, max=MOST_USERS, help="Most users to try.")
    ] = 100_000,
    window: Window = None,
    probe: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=0,
            max=3600,
            help="Seconds of the short runs that find where the search begins. 0: no such runs.",
        ),
    ] = _PROBE_S,
    confidence: Annotated[
        float, typer.Option(min=0.5, max=0.9999, help="Confidence of the interval, between 0 and 1.")
    ] = 0.95,
    tolerance: Annotated[
        float,
        typer.Option(
            min=0.001, max=1, help="Stop when the interval is no wider than this share of its low end."
        ),
    ] = 0.05,
    repeats: Annotated[
        int, typer.Option(min=1, help="Make at most this many runs at one number of users.")
    ] = 4,
    max_runs: Annotated[int, typer.Option(min=1, help="Make at most this many runs in all.")] = 60,
    seed: Annotated[
        int, typer.Option(min=0, max=MOST_SEED, help="Seed of the first run. Each further run adds 1.")
    ] = 1,
    url: Url = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the search. Default: runs/TIME-NAME-capacity.")
    ] = None,
    goals: Goals = None,
    settings: Overrides = None,
    sut_pid: SutPid = None,
    db_pid: DbPid = None,
    reset: Reset = None,
    topology: Topology = None,
    service: Service = None,
    keep_data: KeepData = False,
    agents: Agents = None,
    as_json: AsJson = False,
) -> None:
    """Find the most users a service carries at SLA-1 (90 %) and SLA-2 (99 %), with fresh data for each run.

    Each `--goal` is searched beside them. Exit code: 0 the search knows users that hold SLA-1 and each
    `--goal`, 1 not even one user holds one of them, 2 bad input, 3 service unreachable, 4 our fault, 5 the
    service fails at any load, 6 undecided, 7 the generator or the load was at fault, 130 interrupted.

    Example: loadstone capacity olio --from 100 --window 60
    """
    from loadstone.capacity import Limits, Options, Probes, find, forecast, lengths
    from loadstone.measure import Interrupt, Job, sut_of

    if most < first:
        raise LoadstoneError("search-range", f"--to {most} is under --from {first}", hint="swap them")
    deployed, url = site(topology, service, url, keep_data)
    loaded = load(scenario, settings, window=window, url=url, goals=goals)
    loaded.require_users("capacity is a number")
    searched = loaded.searched()
    placement = placed(loaded, topology, agents)
    sut = sut_of(loaded, processes=processes(sut_pid, db_pid), reset=reset, loading=loading(loaded))
    folder = out or default_folder(f"{loaded.name}-capacity")
    short = load(scenario, [*(settings or []), *_short(loaded, probe)], url=url) if probe else None
    options = Options(Limits(first, most, tolerance, repeats, max_runs), confidence, seed)
    try:
        with deployed.held() if deployed else nullcontext(), placement.engine() as engine:
            job = Job(loaded, sut, engine, ["loadstone", *sys.argv[1:]], deployed)
            probes = Probes(replace(job, scenario=short), _watch_probe) if short else None
            announce(forecast(options.limits, lengths(job, probes.job if probes else None)))
            result = find(job, folder, options, Interrupt(), _watch, probes)
    except KeyboardInterrupt:
        print(f"aborted; {folder} keeps the runs that ended", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    print(json.dumps(result.content(), indent=2) if as_json else table(result, folder))
    for warning in result.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    # Those of the command line come last.
    asked = searched[len(searched) - len(goals or ()) :]
    raise typer.Exit(concluded(result, [goal.text for goal in asked]))


def announce(planned: Forecast) -> None:
    """Says on stderr how long it takes, before anything is sent."""
    from loadstone.capacity import in_words

    expected, worst = in_words(planned.expected_s), in_words(planned.worst_s)
    print(
        f"this takes about {expected}, at most {worst}; Ctrl-C keeps what is found until then",
        file=sys.stderr,
    )


def _short(scenario: Scenario, probe_s: float) -> list[str]:
    """What makes a probe of a run: a short steady state after a short ramp-up.

    Users join in the midst of their pauses, so that the ramp-up only has to spread their connections.
    """
    ramp_up_s = min(scenario.file.load.ramp_up_s, probe_s / 2)
    return [
        f"load.ramp_up_s={ramp_up_s!r}", f"load.steady_s={probe_s!r}", f"sla.window_s={probe_s!r}",
        "load.ramp_down_s=0",
    ]  # fmt: skip


def _watch_probe(number: int, _users: int) -> Any:
    return progress(f"[probe {number}] ")


def _watch(number: int, search: Search, left: Forecast) -> Any:
    from loadstone.capacity import in_words

    known = ", ".join(
        f"{name} {'' if bracket.low is None else bracket.low}..{'' if bracket.high is None else bracket.high}"
        for name, bracket in search.brackets.items()
    )
    time = f"about {in_words(left.expected_s)} left, at most {in_words(left.worst_s)}"
    return progress(f"[{number}: {known}; {time}] ")
