"""Options of the commands that measure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
Threads = Annotated[
    str | None,
    typer.Option(
        metavar="N",
        help="Threads of the generator, of each agent: one by default; `all`: as many as this machine has "
        "processors for it.",
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
