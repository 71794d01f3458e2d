"""From the options of a command that measures to what is measured, and where the load is made."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from loadstone.cli.scenario import overrides
from loadstone.errors import LoadstoneError

if TYPE_CHECKING:
    from loadstone.measure import Deployed, Placement, Sut
    from loadstone.scenario import Scenario

MOST_THREADS = 1024
"""As many as a scenario may ask for."""


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
    threads: str | None = None,
    **_others: Any,
) -> tuple[Scenario, Sut, Placement, Deployed | None]:
    """What is to be measured, and where the load is made, by the options of the command line.

    LoadstoneError with whatever is wrong with them; nothing has been started.
    """
    from loadstone.measure import sut_of

    deployed, url = site(topology, service, url, keep_data)
    loaded = load(
        scenario, settings, window=window, url=url, goals=goals, deployed=deployed,
        threads=thread_count(threads, apart=bool(agents or on)),
    )  # fmt: skip
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
    threads: int | None = None,
) -> Scenario:
    """The scenario with the changes of the command line; what is `deployed` with TLS is checked against the
    topology's authority. An explicit `--set` wins.
    """
    from loadstone.scenario import load_scenario

    changes: dict[str, str] = {}
    if window is not None:
        changes |= {"load.steady_s": repr(window), "sla.window_s": repr(window)}
    if threads is not None:
        changes["load.threads"] = str(threads)
    if url is not None:
        changes["target.url"] = url
    if deployed and (authority := deployed.authority()):
        changes["target.tls.ca"] = str(authority)
    return load_scenario(name, changes | overrides(settings), goals or ())


def thread_count(written: str | None, *, apart: bool) -> int | None:
    """How many threads `--threads` asks for; None: it says nothing. `apart`: agents make the load.

    LoadstoneError `bad-option`.

    >>> thread_count("4", apart=True)
    4
    """
    if written is None:
        return None
    if written == "all":
        if apart:
            message = "`all` are the processors of this machine, and agents have threads on theirs"
            raise LoadstoneError(
                "bad-option", message, place="--threads", hint="give a number for each agent"
            )
        # Those that this process may use, which may be fewer than the machine has.
        return min(MOST_THREADS, len(os.sched_getaffinity(0)))
    if not (written.isascii() and written.isdigit() and 1 <= int(written[:9]) <= MOST_THREADS):
        message = f"`{written}` is no number of threads from 1 to {MOST_THREADS}, nor `all`"
        raise LoadstoneError("bad-option", message, place="--threads")
    return int(written)


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
    from loadstone.scenario.proxy import without_user

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
    own = [target.url, *target.hosts.values()] if target.url else []
    urls = [without_user(target.proxy)] if target.proxy else own
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
