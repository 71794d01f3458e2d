"""`loadstone deploy`, `undeploy`, `restart`, `configure`, `status`: services on the hosts of a topology."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loadstone.cli.columns import columns
from loadstone.cli.options import Commands
from loadstone.errors import SUT_UNREACHABLE, LoadstoneError
from loadstone.remaining import in_words

if TYPE_CHECKING:
    from loadstone.deploy import Consent, Outcome, Site, State, Step
    from loadstone.ssh import Ssh

TopologyPath = Annotated[Path, typer.Argument(metavar="TOPOLOGY.toml", help="Topology file.")]
Only = Annotated[
    list[str] | None, typer.Option("--only", metavar="SERVICE", help="Only this service. Repeatable.")
]
Replace = Annotated[
    bool,
    typer.Option(
        "--replace-data",
        help="Let data, or another topology's service, give way; they are kept on the host.",
    ),
]
NoBackup = Annotated[
    bool, typer.Option("--no-backup", help="With --replace-data: the data are not kept, and are lost.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


topology = Commands(
    no_args_is_help=True, help="Services on the hosts of a topology: bring, change, end, look."
)
"""The verbs in a group; each can be typed without it, too."""


def register(app: typer.Typer) -> None:
    """Adds the group, and its commands by themselves."""
    for command in (deploy, undeploy, restart, configure, status):
        topology.command()(command)
        app.command()(command)
    app.add_typer(topology, name="topology")


def deploy(
    topology: TopologyPath,
    only: Only = None,
    check: Annotated[
        bool, typer.Option("--check", help="Only print what would change, and change nothing.")
    ] = False,
    replace_data: Replace = False,
    no_backup: NoBackup = False,
    as_json: Json = False,
) -> None:
    """Bring the services of a topology to its hosts. What is there already stays as it is.

    Example: loadstone deploy examples/lab/seven-hosts.toml --check
    """
    from loadstone.deploy import deploy as bring
    from loadstone.deploy import planned

    consent = _consent(replace_data, no_backup)
    if check:
        _done(topology, as_json, lambda site, ssh: planned(site, ssh, only, consent))
    else:
        _done(topology, as_json, lambda site, ssh: bring(site, ssh, _saying(), only, consent))


def undeploy(topology: TopologyPath, only: Only = None, as_json: Json = False) -> None:
    """End the services of a topology and remove their files from its hosts. Packages stay.

    Example: loadstone undeploy examples/lab/seven-hosts.toml
    """
    from loadstone.deploy import undeploy as remove

    _done(topology, as_json, lambda site, ssh: remove(site, ssh, _saying(), only))


def restart(topology: TopologyPath, only: Only = None, as_json: Json = False) -> None:
    """Restart services with the configuration that they have on their hosts.

    Example: loadstone restart examples/lab/seven-hosts.toml --only balancer
    """
    from loadstone.deploy import restart as again

    _done(topology, as_json, lambda site, ssh: again(site, ssh, _saying(), only))


def configure(
    topology: TopologyPath,
    only: Only = None,
    replace_data: Replace = False,
    no_backup: NoBackup = False,
    as_json: Json = False,
) -> None:
    """Give deployed services the settings of the topology, without Ansible, in a fraction of a second.

    A service is reloaded if its program can do that, otherwise restarted. Without a change it is left alone.

    Example: loadstone configure examples/lab/seven-hosts.toml --only balancer
    """
    from loadstone.deploy import reconfigure

    consent = _consent(replace_data, no_backup)
    _done(topology, as_json, lambda site, ssh: reconfigure(site, ssh, _saying(), only, consent))


def status(topology: TopologyPath, as_json: Json = False) -> None:
    """Show every service on every host as it is now. Ends with 3 unless all are running.

    Example: loadstone status examples/lab/seven-hosts.toml
    """
    from loadstone.deploy import load_site
    from loadstone.deploy import status as states
    from loadstone.ssh import ssh

    site = load_site(topology)
    with ssh(site.topology) as hosts:
        found = states(site, hosts)
    if as_json:
        print(json.dumps([one.as_json() for one in found], indent=2))
    else:
        print(_table(found) if found else "no service")
        for one in found:
            if one.why:
                print(f"{one.service} on {one.host}: {one.why}", file=sys.stderr)
    if any(one.state != "running" for one in found):
        raise typer.Exit(SUT_UNREACHABLE)


def _consent(replace_data: bool, no_backup: bool) -> Consent:
    """LoadstoneError `bad-option`."""
    if no_backup and not replace_data:
        hint = "add --replace-data, or leave it out"
        raise LoadstoneError("bad-option", "--no-backup says something of --replace-data only", hint=hint)
    return "discard" if no_backup else "replace" if replace_data else "keep"


def _done(topology: Path, as_json: bool, work: Callable[[Site, Ssh], Outcome]) -> None:
    """Prints the results, even if a step failed. The failures are the command's error."""
    from loadstone.deploy import SiteError, load_site
    from loadstone.ssh import ssh

    site = load_site(topology)
    with ssh(site.topology) as hosts:
        try:
            outcome = work(site, hosts)
        except SiteError as error:
            _print(error.outcome, as_json)
            raise
    _print(outcome, as_json)


def _print(outcome: Outcome, as_json: bool) -> None:
    if as_json:
        print(json.dumps(outcome.as_json(), indent=2))
        return
    for step in outcome.steps:
        _print_planned(step)
    steps = [
        [step.service, step.host, f"failed: {step.error.slug}" if step.error else step.words]
        for step in outcome.steps
    ]
    print(columns(["service", "host", "result"], steps) if steps else "no service")
    if steps:
        print(f"changed={outcome.changed} failed={len(outcome.failed)} in {outcome.took_s:.1f} s")


def _print_planned(step: Step) -> None:
    from loadstone.deploy import Planned

    if not isinstance(step, Planned):
        return
    said_of = {"would install ": step.missing, "would change secrets in ": step.secrets, "": step.loses}
    for said, text in said_of.items():
        if text:
            print(f"{step.service} on {step.host}: {said}{text}")
    if step.difference:
        print(f"{step.service} on {step.host}:\n{step.difference}")


def _table(states: list[State]) -> str:
    head = ["service", "host", "role", "state", "address", "processes", "version", "configuration"]
    rows = []
    for one in states:
        used = f"{one.digest}{'' if one.wanted else ', not as in the file'}" if one.digest else "-"
        lag = f", {one.lag_s:g} s behind" if one.lag_s is not None else ""
        row = [one.service, one.host, one.role, f"{one.state}{lag}", f"{one.address}:{one.port}"]
        rows.append([*row, str(len(one.pids)), one.version or "-", used])
    return columns(head, rows)


def _saying() -> Callable[[str], None]:
    """Says each step with the time since the first could begin: how long packages take nobody can tell."""
    began = time.monotonic()

    def say(step: str) -> None:
        print(f"  {in_words(time.monotonic() - began):>5}  {step}", file=sys.stderr, flush=True)

    return say
