"""`loadstone run`: one measurement."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import typer

from loadstone import leave
from loadstone.cli.scenario import Overrides, overrides
from loadstone.cli.scenario_name import Name
from loadstone.cli.verdicts import show
from loadstone.errors import RUN_FAILED, RUN_INVALID, RUN_OPEN, SLA_NOT_MET, LoadstoneError

if TYPE_CHECKING:
    from loadstone.measure import Deployed, Placement, Sut
    from loadstone.scenario import Scenario
    from loadstone.stages.run import Run

MOST_PROCESS = 1 << 22
"""Linux gives no process a higher number."""

Url = Annotated[str | None, typer.Option(help="Measure this site instead of the scenario's target.")]
Window = Annotated[
    float | None,
    typer.Option(
        metavar="S", min=1, help="Seconds of the steady state and of the SLA's window. The rules ask for 300."
    ),
]
SutPid = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST_PROCESS,
        help="Process id of the service on this machine, to observe it and its children.",
    ),
]
DbPid = Annotated[
    int | None,
    typer.Option(min=1, max=MOST_PROCESS, help="Process id of the service's database, to observe it."),
]
Reset = Annotated[
    str | None,
    typer.Option(metavar="COMMAND", help="Shell command that resets the service's data before a run."),
]
Topology = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Topology that is up. Its hosts serve, or make the load."),
]
Service = Annotated[
    str | None,
    typer.Option(
        metavar="NAME[@HOST]",
        help="Measure this service of the topology instead of the scenario's target; on one of its hosts, "
        "if it has several.",
    ),
]
KeepData = Annotated[
    bool,
    typer.Option("--keep-data", help="Leave data of the deployed service as an earlier run left them."),
]
Agents = Annotated[
    str | None,
    typer.Option(
        metavar="HOST,...",
        help="Hosts of the topology that make the load instead of this machine. With --on: how many nodes of "
        "the cluster, or which.",
    ),
]
On = Annotated[
    str | None,
    typer.Option(
        metavar="CLUSTER",
        help="Make the load on the nodes of a Ray cluster: `ray`, the one of this machine or of RAY_ADDRESS, "
        "or `ray://HOST:10001`.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]

Metrics = Annotated[
    str | None,
    typer.Option(
        metavar="HOST:PORT",
        help="Serve the figures of every second to Prometheus while the run goes on. `:9464` is on loopback.",
    ),
]

Otlp = Annotated[
    str | None,
    typer.Option(
        metavar="URL", help="Send them to a collector of OpenTelemetry, such as http://127.0.0.1:4318."
    ),
]

Goals = Annotated[
    list[str] | None,
    typer.Option(
        "--goal",
        metavar="GOAL",
        help="Judge this, too, as in `Search p95 < 300 ms`, `every p99 < limit`, `failed < 0.1 %` or "
        "`throughput > 50 /s`. Repeatable.",
    ),
]

MOST_USERS = 2**32 - 1
MOST_SEED = 2**63
"""What the plan has room for; a search adds the number of its runs to the seed."""

INTERRUPTED = leave.INTERRUPTED
"""What shells report for a command ended by Ctrl-C."""


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


def prepared(
    scenario: str,
    *,
    users: int | None = None,
    window: float | None = None,
    url: str | None = None,
    goals: list[str] | None = None,
    settings: list[str] | None = None,
    sut_pid: int | None = None,
    db_pid: int | None = None,
    reset: str | None = None,
    topology: Path | None = None,
    service: str | None = None,
    keep_data: bool = False,
    agents: str | None = None,
    on: str | None = None,
    **_others: Any,
) -> tuple[Scenario, Sut, Placement, Deployed | None]:
    """What is to be measured, and where the load is made, by the options of the command line.

    LoadstoneError with whatever is wrong with them; nothing has been started.
    """
    from loadstone.measure import sut_of

    deployed, url = site(topology, service, url, keep_data)
    loaded = load(scenario, settings, window=window, url=url, goals=goals, deployed=deployed)
    if users is not None:
        loaded.require_users("--users is a number")
    placement = placed(loaded, topology, agents, on)
    sut = sut_of(loaded, processes=processes(sut_pid, db_pid), reset=reset, loading=loading(loaded))
    return loaded, sut, placement, deployed


def load(
    name: str,
    settings: list[str] | None,
    *,
    window: float | None = None,
    url: str | None = None,
    goals: list[str] | None = None,
    deployed: Deployed | None = None,
) -> Scenario:
    """The scenario with the changes of the command line; what is `deployed` with TLS is checked against the
    topology's authority. An explicit `--set` wins.
    """
    from loadstone.scenario import load_scenario

    changes: dict[str, str] = {}
    if window is not None:
        changes |= {"load.steady_s": repr(window), "sla.window_s": repr(window)}
    if url is not None:
        changes["target.url"] = url
    if deployed and (authority := deployed.authority()):
        changes["target.tls.ca"] = str(authority)
    return load_scenario(name, changes | overrides(settings), goals or ())


def site(
    topology: Path | None, service: str | None, url: str | None, keep_data: bool = False
) -> tuple[Deployed | None, str | None]:
    """What is deployed on the hosts of `topology`, and the address of the service to drive.

    Error `target` when `service` cannot be meant; those of `Deployed.url`.
    """
    from loadstone.measure import Deployed

    if service and url:
        raise LoadstoneError(
            "target", "--service and --url both name what to measure", hint="give one of them"
        )
    if service and topology is None:
        hint = "for example --topology lab.toml --service balancer"
        raise LoadstoneError(
            "target", "--service needs --topology: it names a service of a topology", hint=hint
        )
    if keep_data and not service:
        hint = "data are only reset of a service of a topology"
        raise LoadstoneError("target", "--keep-data needs --service", hint=hint)
    deployed = Deployed(topology, service, resets=not keep_data) if topology else None
    return deployed, deployed.url(service) if deployed and service else url


def placed(scenario: Scenario, topology: Path | None, agents: str | None, on: str | None) -> Placement:
    """Where the load is made. Error `agents` when that is impossible."""
    from loadstone.measure import Here, OnHosts, OnRay
    from loadstone.scenario import only_here

    if agents is None and on is None:
        scenario.require_sources()
        return Here()
    placement: Placement
    if on is not None:
        placement = OnRay(on, agents)
    elif agents is not None and topology is not None:
        placement = OnHosts(topology, tuple(name.strip() for name in agents.split(",")))
    else:
        hint = "for example --topology lab.toml --agents client1,client2"
        message = "--agents needs --topology, or --on: agents are hosts of a topology or nodes of a cluster"
        raise LoadstoneError("agents", message, hint=hint)
    target = scenario.target
    urls = (
        [target.proxy or target.url, *(() if target.proxy else target.hosts.values())] if target.url else []
    )
    here = [url for url in urls if only_here(urlsplit(url).hostname or "localhost")]
    if not urls or here:
        where = here[0] if here else f"the built-in application `{target.app}`"
        hint = "give an address that those hosts reach, with --url or --service"
        raise LoadstoneError("agents", f"{where} can be reached from this machine only", hint=hint)
    return placement


def progress(title: str = "") -> Any:
    """What shows a run on stderr."""
    from loadstone.cli.progress import RunProgress

    return RunProgress(title)


@contextmanager
def watched(metrics: str | None, otlp: str | None) -> Iterator[Any]:
    """What shows a run on stderr, and to Prometheus and OpenTelemetry where their addresses are given.

    Errors: `bad-address`, `otlp-missing`.
    """
    shown = progress()
    with ExitStack() as stack:
        if metrics is not None:
            from loadstone.cli.metrics import Metrics, listening, served

            shown = Metrics(shown)
            stack.enter_context(served(shown, listening(metrics)))
        if otlp is not None:
            from loadstone.cli.otlp import sending

            shown = stack.enter_context(sending(shown, otlp))
        yield shown


def loading(scenario: Scenario) -> Any:
    """What shows a data set being loaded on stderr."""
    from loadstone.cli.progress import LoadingProgress

    return LoadingProgress(f"{scenario.data.get('accounts')} accounts")


def processes(sut: int | None, database: int | None) -> dict[str, int]:
    """Process numbers from the command line by role."""
    return {role: pid for role, pid in (("sut", sut), ("database", database)) if pid is not None}


def default_folder(name: str) -> Path:
    """`runs/<time>-<name>` with the time in UTC."""
    safe = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name)
    return Path("runs") / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{safe}"


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
    return INTERRUPTED if outcome == "interrupted" else exit_code(result, deciding)


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
