"""`loadstone ab`: two releases, measured in turn and compared in pairs."""

from __future__ import annotations

import itertools
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loadstone.cli.compare import (
    Anyway,
    AsMarkdown,
    Confidence,
    FailOn,
    FailOnOption,
    conclude,
    tell,
)
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
    KeepData,
    On,
    Reset,
    Service,
    SutPid,
    Threads,
    Topology,
)
from loadstone.cli.scenario import Overrides
from loadstone.cli.scenario_name import Name
from loadstone.errors import LoadstoneError
from loadstone.leave import INTERRUPTED
from loadstone.remaining import Remaining

if TYPE_CHECKING:
    from loadstone.measure import Job
    from loadstone.scenario import Scenario
    from loadstone.stages.compare import Comparison

_BETWEEN_S = 1.0
"""About what the end of a run and the beginning of the next take."""
_NOWHERE = ("127.0.0.1", 80)
"""Stands in for the address of a built-in application that does not run yet."""

Address = Annotated[str | None, typer.Option(metavar="URL", help="Where this release is.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(metavar="PATH=VALUE", help="As --set, for this release only. Repeatable."),
]


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command()(ab)


def ab(
    scenario: Name,
    a: Address = None,
    b: Address = None,
    a_set: Settings = None,
    b_set: Settings = None,
    pairs: Annotated[int, typer.Option(min=1, max=9999, help="Pairs of runs.")] = 10,
    window: Annotated[
        float, typer.Option(metavar="S", min=1, help="Seconds of the steady state of each run.")
    ] = 30,
    ramp_up: Annotated[
        float, typer.Option(metavar="S", min=0, help="Seconds in which the users of each run join.")
    ] = 5,
    users: Annotated[int | None, typer.Option(min=1, max=MOST_USERS, help="Concurrent users.")] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=MOST_SEED, help="Seed of the first pair. Each further pair adds 1.")
    ] = 1,
    out: Annotated[Path | None, typer.Option(help="Folder of the runs. Default: runs/TIME-NAME-ab.")] = None,
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
    confidence: Confidence = 0.95,
    fail_on: FailOnOption = FailOn.WORSE,
    anyway: Anyway = False,
    as_markdown: AsMarkdown = False,
    as_json: AsJson = False,
) -> None:
    """Measure two releases in turn, in pairs of short runs, and say what differs beyond chance.

    Exit code: 0 nothing is worse in b, 1 something is, 2 bad input, 3 a service is unreachable, 4 our fault.

    Example: loadstone ab front.toml --a http://127.0.0.1:8001 --b http://127.0.0.1:8002
    """
    from loadstone.compare import SIDES, measure_pairs, require_same_workload
    from loadstone.measure import Interrupt, Job, sut_of

    if service and (a or b):
        message = "--service, and --a or --b, both name what to measure"
        raise LoadstoneError("target", message, hint="give one of them")
    deployed, served = site(topology, service, None, keep_data)
    short = [f"load.ramp_up_s={ramp_up!r}", "load.ramp_down_s=0.0", *(settings or [])]
    driving = thread_count(threads, apart=bool(agents or on))
    loaded = {
        side: load(
            scenario,
            [*short, *(own or [])],
            window=window,
            url=url or served,
            deployed=deployed,
            threads=driving,
        )
        for side, own, url in zip(SIDES, (a_set, b_set), (a, b), strict=True)
    }
    if users is not None:
        loaded["a"].require_users("--users is a number")
    require_same_workload(*(_plan(one) for one in loaded.values()))
    # Agents make the load of both, so both must be reached from where they are.
    (placement, *_) = [placed(one, topology, agents, on) for one in loaded.values()]
    observed = processes(sut_pid, db_pid)
    folder = out or default_folder(f"{loaded['a'].name}-ab")
    _announce(loaded["a"], pairs, folder)
    remaining, done = Remaining(2 * pairs), itertools.count()
    with placement.engine() as engine:
        command = ["loadstone", *sys.argv[1:]]
        jobs: dict[str, Job] = {
            side: Job(
                one,
                sut_of(one, processes=observed, reset=reset, loading=loading(one)),
                engine,
                command,
                deployed,
            )
            for side, one in loaded.items()
        }
        try:
            whole = measure_pairs(
                jobs,
                folder,
                pairs=pairs,
                seed=seed,
                users=users,
                interrupt=Interrupt(),
                watch=lambda number, side: progress(
                    f"[{number} of {pairs}, {side}{remaining.after(next(done))}] "
                ),
            )
        except KeyboardInterrupt:
            print(f"aborted; {folder} keeps the runs that ended", file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None
    if not whole:
        print(f"interrupted; {folder} keeps the runs that ended, and whole pairs count", file=sys.stderr)
    result = _compared(folder, confidence, anyway)
    tell(result, as_json=as_json, as_markdown=as_markdown)
    raise typer.Exit(conclude(result, fail_on) if whole else INTERRUPTED)


def _compared(folder: Path, confidence: float, anyway: bool) -> Comparison:
    """The comparison of the pairs in `folder`, which is `compare.json` there, too."""
    from loadstone import record
    from loadstone.compare import SIDES, compared, in_pairs, read_sides

    sides = read_sides([folder / side for side in SIDES], anyway)
    in_pairs(*sides)
    result = compared(sides, paired=True, confidence=confidence, anyway=anyway)
    record.write_stage(folder, result)
    return result


def _plan(scenario: Scenario) -> dict[str, object]:
    return scenario.plan(target=None if scenario.target.url else _NOWHERE) | {
        "accounts": scenario.data.get("accounts")
    }


def _announce(scenario: Scenario, pairs: int, folder: Path) -> None:
    """How long it will take, on stderr."""
    load = scenario.file.load
    each_s = load.ramp_up_s + load.steady_s + load.ramp_down_s
    minutes = math.ceil(2 * pairs * (each_s + _BETWEEN_S) / 60)
    print(
        f"{pairs} pairs of runs of {each_s:g} s into {folder}: about {minutes} min; "
        "Ctrl-C ends it and keeps what was measured",
        file=sys.stderr,
    )
