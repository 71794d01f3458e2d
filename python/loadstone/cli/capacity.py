"""`loadstone capacity`: the most users, or sessions a second, at SLA-1, SLA-2 and goals of the user's own."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loadstone.cli.capacity_words import SLAS, concluded, table
from loadstone.cli.measuring import (
    default_folder,
    load,
    loading,
    placed,
    processes,
    progress,
    site,
    thread_count,
)
from loadstone.cli.run_options import (
    MOST_SEED,
    MOST_USERS,
    Agents,
    AsJson,
    DbPid,
    Goals,
    KeepData,
    On,
    Reset,
    Service,
    SutPid,
    Threads,
    Topology,
    Url,
    Window,
)
from loadstone.cli.scenario import Overrides
from loadstone.cli.scenario_name import Name
from loadstone.cli.verdicts import show
from loadstone.errors import LoadstoneError
from loadstone.leave import INTERRUPTED
from loadstone.remaining import in_words
from loadstone.unit import Unit

if TYPE_CHECKING:
    from loadstone.capacity import Forecast, Limits, Search
    from loadstone.scenario import Scenario
    from loadstone.stages.capacity import Capacity

_FIRST = {Unit.USERS: 25, Unit.SESSIONS: 1, Unit.REQUESTS: 10}
_MOST = {Unit.USERS: 100_000, Unit.SESSIONS: 10_000, Unit.REQUESTS: 1_000_000}
_PROBE_S = 10


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command()(capacity)


def capacity(
    scenario: Name,
    first: Annotated[
        float | None,
        typer.Option(
            "--from",
            metavar="N",
            max=MOST_USERS,
            help="Load of the first probe: users (25), or sessions (1) or requests (10) a second.",
        ),
    ] = None,
    most: Annotated[
        float | None,
        typer.Option(
            "--to",
            metavar="M",
            max=MOST_USERS,
            help="Most to try: 100000 users, 10000 sessions/s or 1000000 requests/s.",
        ),
    ] = None,
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
    repeats: Annotated[int, typer.Option(min=1, help="Make at most this many runs at one load.")] = 4,
    max_runs: Annotated[int, typer.Option(min=1, help="Make at most this many runs in all.")] = 60,
    seed: Annotated[
        int, typer.Option(min=0, max=MOST_SEED, help="Seed of the first run. Each further run adds 1.")
    ] = 1,
    url: Url = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the search. Default: runs/TIME-NAME-capacity.")
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Go on with the search in DIR, by the same scenario and options. --max-runs counts all.",
        ),
    ] = None,
    goals: Goals = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GOAL",
            help="Search this goal only: SLA-1, SLA-2, or one of your own as written. Repeatable. Of the"
            " others is said what these runs show.",
        ),
    ] = None,
    settings: Overrides = None,
    sut_pid: SutPid = None,
    db_pid: DbPid = None,
    reset: Reset = None,
    topology: Topology = None,
    service: Service = None,
    keep_data: KeepData = False,
    agents: Agents = None,
    on: On = None,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Find the most users a service carries at SLA-1 (90 %) and SLA-2 (99 %), with fresh data for each run.

    Where sessions arrive (load.sessions_per_s), it is the most sessions a second; of single requests
    (load.requests_per_s), the most requests a second. Each `--goal` is searched
    beside them. Exit code: 0 the search knows a load that holds SLA-1 and each `--goal`, 1 not even the least
    load (1 user, 0.1 sessions/s) holds one of them, 2 bad input, 3 service unreachable, 4 our fault, 5 the
    service fails at any load, 6 undecided, 7 the generator or the load was at fault, 130 interrupted.

    Example: loadstone capacity olio --from 100 --window 60
    """
    from loadstone.capacity import Limits, Options, Probes, earlier, find, forecast, lengths
    from loadstone.measure import Interrupt, Job, sut_of

    if resume and out:
        message = "--resume goes on in its own folder: leave out --out"
        raise LoadstoneError("search-resume", message, hint=f"--resume {resume}")
    deployed, url = site(topology, service, url, keep_data)
    driving = thread_count(threads, apart=bool(agents or on))
    loaded = load(scenario, settings, window=window, url=url, goals=goals, deployed=deployed, threads=driving)
    unit = loaded.unit
    loaded.require_one_load()
    searched = loaded.searched()
    wanted = _wanted(only or (), [goal.text for goal in searched])
    limits = _limits(unit, first, most, Limits(1, 1, tolerance, repeats, max_runs, only=wanted))
    placement = placed(loaded, topology, agents, on)
    sut = sut_of(loaded, processes=processes(sut_pid, db_pid), reset=reset, loading=loading(loaded))
    folder = resume or out or default_folder(f"{loaded.name}-capacity")
    shorter = [*(settings or []), *_short(loaded, probe)] if probe else None
    short = load(scenario, shorter, url=url, deployed=deployed, threads=driving) if shorter else None
    options = Options(limits, confidence, seed)
    try:
        with deployed.held() if deployed else nullcontext(), placement.engine() as engine:
            job = Job(loaded, sut, engine, ["loadstone", *sys.argv[1:]], deployed)
            probes = Probes(replace(job, scenario=short), _watch_probe) if short else None
            if resume:
                _announce_rest(earlier(job, resume), max_runs)
            else:
                announce(forecast(options.limits, lengths(job, probes.job if probes else None)))
            result = find(
                job, folder, options, Interrupt(), partial(_watch, unit), probes, resume=bool(resume)
            )
    except KeyboardInterrupt:
        print(f"aborted; {folder} keeps the runs that ended", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        print(json.dumps(result.content(), indent=2))
    else:
        show(table(result, folder))
    for warning in result.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if result.outcome in ("interrupted", "max-runs"):
        print(f"the same command with --resume {folder} goes on; --max-runs counts all", file=sys.stderr)
    # Those of the command line come last.
    asked = searched[len(searched) - len(goals or ()) :]
    raise typer.Exit(concluded(result, wanted or ["SLA-1", *(goal.text for goal in asked)]))


def _wanted(only: Sequence[str], own: Sequence[str]) -> tuple[str, ...]:
    """The goals of `--only`, each once. LoadstoneError `goal` for one that there is not."""
    every = [*SLAS, *own]
    for name in only:
        if name not in every:
            message = f"--only {name!r}: the search has no such goal"
            raise LoadstoneError("goal", message, hint="one of: " + ", ".join(every))
    return tuple(dict.fromkeys(only))


def announce(planned: Forecast) -> None:
    """Says on stderr how long it takes, before anything is sent."""
    expected, worst = in_words(planned.expected_s), in_words(planned.worst_s)
    print(
        f"this takes about {expected}, at most {worst}; Ctrl-C keeps what is found until then",
        file=sys.stderr,
    )


def _announce_rest(before: Capacity, max_runs: int) -> None:
    """Says on stderr what counts already. LoadstoneError `search-resume` where no run is left to make."""
    made = sum(row.evidence for row in before.runs)
    if made >= max_runs:
        message = f"--max-runs is {max_runs}, and the search has made {made} already"
        raise LoadstoneError("search-resume", message, hint=f"--max-runs counts all: say {made + 10}")
    print(f"goes on with {made} of at most {max_runs} runs made; Ctrl-C keeps what is found", file=sys.stderr)


def _limits(unit: Unit, first: float | None, most: float | None, rest: Limits) -> Limits:
    """The range in steps of its unit; `search-range` when it is none. `rest` has what is no load."""
    asked = {
        "--from": _FIRST[unit] if first is None else first,
        "--to": _MOST[unit] if most is None else most,
    }
    for option, amount in asked.items():
        if amount < unit.least:
            message = f"{option} {amount:g} is under {unit.amount(unit.least)}, the least that is tried"
            raise LoadstoneError("search-range", message, hint=f"{option} {unit.number(unit.least)} or more")
        if abs(unit.load(unit.steps(amount)) - amount) > 1e-9 * amount:
            message = f"{option} {amount:.15g}: a search tries whole steps of {unit.amount(unit.step)}"
            hint = f"{option} {unit.load(unit.steps(amount))}"
            raise LoadstoneError("search-range", message, hint=hint)
    if asked["--to"] < asked["--from"]:
        message = " is under ".join(f"{option} {unit.number(asked[option])}" for option in ("--to", "--from"))
        raise LoadstoneError("search-range", message, hint="swap them, or give both")
    first_step, last_step = map(unit.steps, asked.values())
    return replace(rest, first=first_step, most=last_step, least=unit.steps(unit.least))


def _short(scenario: Scenario, probe_s: float) -> list[str]:
    """What makes a probe of a run: a short steady state after a short ramp-up.

    Users join in the midst of their pauses, so that the ramp-up only has to spread their connections, and
    requests are single ones. Sessions that arrive need all of it, to become as many as live at once.
    """
    ramp_up_s = scenario.file.load.ramp_up_s
    if scenario.unit is not Unit.SESSIONS:
        ramp_up_s = min(ramp_up_s, probe_s / 2)
    return [
        f"load.ramp_up_s={ramp_up_s!r}", f"load.steady_s={probe_s!r}", f"sla.window_s={probe_s!r}",
        "load.ramp_down_s=0",
    ]  # fmt: skip


def _watch_probe(number: int, _load: float) -> Any:
    return progress(f"[probe {number}] ")


def _watch(unit: Unit, number: int, search: Search, left: Forecast) -> Any:
    def end(steps: int | None) -> str:
        return "" if steps is None else unit.number(unit.load(steps))

    known = ", ".join(
        f"{name} {end(bracket.low)}..{end(bracket.high)}" for name, bracket in search.brackets.items()
    )
    time = f"about {in_words(left.expected_s)} left, at most {in_words(left.worst_s)}"
    return progress(f"[{number}: {known} {unit.words}; {time}] ")
