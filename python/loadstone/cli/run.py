"""`loadstone run`: one measurement."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loadstone.cli.measuring import default_folder, prepared, watched
from loadstone.cli.run_options import (
    MOST_SEED,
    MOST_USERS,
    Agents,
    AsJson,
    DbPid,
    Goals,
    KeepData,
    Metrics,
    On,
    Otlp,
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
from loadstone.errors import RUN_FAILED, RUN_INVALID, RUN_OPEN, SLA_NOT_MET, LoadstoneError
from loadstone.leave import INTERRUPTED

if TYPE_CHECKING:
    from loadstone.stages.run import Run


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command()(run)


def run(
    scenario: Name,
    users: Annotated[int | None, typer.Option(min=1, max=MOST_USERS, help="Concurrent users.")] = None,
    seed: Annotated[int, typer.Option(min=0, max=MOST_SEED, help="Seed of every random choice.")] = 1,
    window: Window = None,
    url: Url = None,
    out: Annotated[Path | None, typer.Option(help="Run folder. Default: runs/TIME-NAME.")] = None,
    sla: Annotated[int, typer.Option(min=1, max=2, help="The SLA that decides the exit code.")] = 1,
    goals: Goals = None,
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
    metrics: Metrics = None,
    otlp: Otlp = None,
    as_json: AsJson = False,
    page: Annotated[bool, typer.Option("--ui", help="Show the run on a page, too, as it goes on.")] = False,
) -> None:
    """Measure a service once, into a run folder.

    Exit code: 0 a valid run met its goals, 1 it missed one, 2 bad input, 3 service unreachable, 4 our fault,
    5 the service failed, 6 too little was seen, 7 the run is invalid, 130 interrupted.

    Example: loadstone run olio --users 100 --window 60
    """
    from loadstone.cli.page_beside import beside
    from loadstone.cli.run_table import table
    from loadstone.measure import Interrupt, Job, measure_scenario

    loaded, sut, placement, deployed = prepared(
        scenario,
        users=users,
        window=window,
        url=url,
        goals=goals,
        settings=settings,
        sut_pid=sut_pid,
        db_pid=db_pid,
        reset=reset,
        topology=topology,
        service=service,
        keep_data=keep_data,
        agents=agents,
        on=on,
        threads=threads,
    )
    folder = out or default_folder(loaded.name)
    try:
        with (
            watched(metrics, otlp) as shown,
            deployed.held() if deployed else nullcontext(),
            beside(folder) if page else nullcontext(),
            placement.engine() as engine,
        ):
            job = Job(loaded, sut, engine, ["loadstone", *sys.argv[1:]], deployed)
            result = measure_scenario(
                job, folder, load=users, seed=seed, interrupt=Interrupt(), progress=shown
            )
    except KeyboardInterrupt:
        begun = (folder / "rules.json").is_file()
        kept = f"; `loadstone report {folder}` completes the folder from its journal" if begun else ""
        print(f"aborted{kept}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        print(json.dumps(result.content(), indent=2))
    else:
        show(table(result, folder))
    other = f"SLA-{3 - sla}"
    raise typer.Exit(conclude(result, [name for name in result.goals if name != other]))


def conclude(result: Run, deciding: Sequence[str]) -> int:
    """The exit code of a run, by the goals with these names. Says on stderr what failed, and why the run
    was not good.

    Errors: `sut-died`, `sut-unreachable`, `agents-lost`.
    """
    outcome = result.outcome
    for failure in result.failures:
        print(f"failed: {failure.told()}", file=sys.stderr)
    if outcome == "agents-lost":
        last = result.events[-1]
        message = f"no agent was left, the last was {last.agent}: {last.reason}; what was measured was kept"
        raise LoadstoneError(outcome, message, hint="check that their hosts are up and can be reached")
    if outcome in ("sut-died", "sut-unreachable"):
        what = "went away in the middle of the run" if outcome == "sut-died" else "never took a connection"
        message = f"the service at {result.target} {what}; everything measured was kept"
        raise LoadstoneError(outcome, message, hint="look at its log")
    if outcome == "interrupted":
        print("interrupted: the figures are those of the part that was measured", file=sys.stderr)
    for check in result.validity.checks:
        if check.required and check.verdict != "met":
            said = f"{check.name}: {check.measured}, expected {check.expected}"
            print(f"{check.verdict}: {said}\n  hint: {check.hint}", file=sys.stderr)
    for warning in result.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    for advice in on_length(result):
        print(f"advice: {advice}", file=sys.stderr)
    return INTERRUPTED if outcome == "interrupted" else exit_code(result, deciding)


def on_length(result: Run) -> list[str]:
    """One sentence where a run of full length was too short to show what SLA-2 asks.

    A scenario that claims rules is told of its departures from them instead, and a run without evidence why
    it has none.
    """
    from loadstone.judge.checks import TOO_FEW

    if result.outcome == "interrupted" or result.sla.compliant is not None:
        return []
    return [
        check.hint
        for check in result.validity.checks
        if check.name == TOO_FEW and check.verdict == "open" and not check.required and check.hint
    ]


def exit_code(result: Run, deciding: Sequence[str]) -> int:
    """What a run that came to its end says to a script.

    A generator out of breath comes first: the run says nothing. Then what the service did wrong, then a goal
    missed or users not carried, then a load that strayed, then what is open.
    """
    verdicts = {result.goals[name].verdict for name in deciding}
    missed = {check.about for check in result.validity.checks if check.required and check.verdict == "missed"}
    if "generator" in missed:
        return RUN_INVALID
    if result.validity.state == "failed":
        return RUN_FAILED
    if "missed" in verdicts or "overload" in missed:
        return SLA_NOT_MET
    if result.validity.state == "invalid":
        return RUN_INVALID
    return RUN_OPEN if "open" in verdicts or result.validity.state == "inconclusive" else 0
