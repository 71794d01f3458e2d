"""Options that `solve` and `sweep` share: what is asked of a model."""

from __future__ import annotations

from typing import Annotated

import typer

Ats = Annotated[list[str] | None, typer.Option(help="Compute the expected value at this time. Repeatable.")]
LongRun = Annotated[bool, typer.Option("--long-run", help="Compute the long-run mean.")]
First = Annotated[bool, typer.Option("--first", help="Compute the time until the condition first holds.")]
Cycle = Annotated[
    bool,
    typer.Option("--cycle", help="Compute how often, and for how long, the condition holds in the long run."),
]
Unit = Annotated[str, typer.Option(help="The model's unit of time, for times such as `1h`.")]
Precision = Annotated[float, typer.Option(help="How close the two bounds must be, relative to the answer.")]
