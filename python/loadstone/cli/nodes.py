"""`loadstone nodes`: from what one node carries to the nodes that keep the service available."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from loadstone.cli.defaults import defaults_from

EXAMPLES = """
Compute how many nodes carry a load and stay available.

With --from, capacity.json or run.json of that folder says what one node carries, and nodes.json is written
beside it.

Examples:

  loadstone nodes --from runs/olio --users 5000 --target "four nines"

  loadstone nodes --users-per-node 500 --users 5000 --crash-rate 1/183d --failover 30min

  loadstone nodes --throughput-per-node 40.2 --load 500 --node-type native --node-type ilr:0.87

  loadstone nodes --users-per-node 500 --users 5000 --appliance throughput=1.6,start=200ms,memory_mib=16

  loadstone nodes --users-per-node 1 --users 10 --year 365d --fault-rate 0.9/day

  loadstone nodes --from one --users 5000 --scale 1=one --scale 2=two --scale 4=four

  loadstone nodes --tiers site/tiers.toml --users 20000 --target "five nines"

With --tiers, that file has limits and rates, tier by tier, and nodes.json is written beside it.

The exit code is 1 if no deployment meets the target.
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("nodes", help=EXAMPLES, no_args_is_help=True)(nodes)


def nodes(
    context: typer.Context,
    scenario: Annotated[
        Path | None,
        typer.Argument(
            help="Scenario with a table `nodes` for the defaults.",
            callback=defaults_from("nodes", "nodes-input"),
            is_eager=True,
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--from", help="Folder of one node's measurement, with capacity.json or run.json."),
    ] = None,
    tiers: Annotated[
        Path | None,
        typer.Option(help="Plan file with tiers: balancer, web, database, each with its own limit."),
    ] = None,
    scale: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COUNT=DIR",
            help="Measurement with so many machines, for the scaling law: three or more. Repeatable.",
        ),
    ] = None,
    users: Annotated[float | None, typer.Option(help="Users the service must carry.")] = None,
    load: Annotated[float | None, typer.Option(help="Operations a second it must carry.")] = None,
    users_per_node: Annotated[float | None, typer.Option(help="Users one node carries.")] = None,
    throughput_per_node: Annotated[
        float | None, typer.Option(help="Operations a second one node carries.")
    ] = None,
    sla: Annotated[str, typer.Option(help="SLA whose capacity is used: SLA-1 or SLA-2.")] = "SLA-1",
    target: Annotated[
        str, typer.Option(help="Target availability: `0.99999`, `99.9 %` or `five nines`.")
    ] = "0.999",
    crash_rate: Annotated[
        str, typer.Option(help="How often one node crashes: `1/year`, `1/183d`.")
    ] = "1/year",
    failover: Annotated[str, typer.Option(help="Mean time to replace a crashed node.")] = "15s",
    repair: Annotated[
        str,
        typer.Option(help="Mean time to mend a crashed node. `none`: crashed nodes stay crashed."),
    ] = "1h",
    year: Annotated[str, typer.Option(help="Length of a year.")] = "365.25d",
    criterion: Annotated[
        str,
        typer.Option(help="Judge the `long-run`, or the `first-year` from a start with every node up."),
    ] = "long-run",
    without_spares: Annotated[
        str,
        typer.Option(
            help="Without a pool, a mended node `returns` to service, or `never-returns` (the study's rule)."
        ),
    ] = "returns",
    node_type: Annotated[
        list[str] | None,
        typer.Option(
            help="Kind of node: `native`, `ilr` or `tx` (PCRAFT's table I), with its throughput: `ilr:0.87`; "
            "or measured by `loadstone inject`: from=DIR,throughput=0.9. Repeatable."
        ),
    ] = None,
    appliance: Annotated[
        str | None,
        typer.Option(
            help="Adds the node type `appliance`: throughput=1.6,start=200ms,memory_mib=16 or "
            "from=STUDY,app=olio,page=olio-home or from=CAPACITY,against=CAPACITY; with detect=1s."
        ),
    ] = None,
    deployment: Annotated[
        list[str] | None,
        typer.Option(help="Consider only this deployment, such as `PF on-prem`. Repeatable."),
    ] = None,
    fault_rate: Annotated[
        str | None,
        typer.Option(help="Transient faults of one node, such as `27/month`. Adds the table of integrity."),
    ] = None,
    anyway: Annotated[
        bool,
        typer.Option("--anyway", help="With --from: use a run that shows nothing, and mark the record."),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the record as JSON instead of the table.")
    ] = False,
) -> None:
    """Hands over to what plans and reports; the help text is `EXAMPLES`."""
    # Imported here: the list of options need not wait for the models.
    if tiers:
        from loadstone.cli.tiers import in_tiers

        in_tiers(context, tiers, as_json=as_json)
    else:
        from loadstone.cli.nodes_compared import compare

        compare(context)
