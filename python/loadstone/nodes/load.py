"""What the service must carry, against what one node carries: typed, measured, or one of each."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.nodes.shown import SLAS, AtSla, Measured
from loadstone.nodes.sizing import PerNode, Unit


@dataclass(frozen=True)
class Load:
    """The four numbers of the command line, each above zero or None."""

    users: float | None = None
    ops_per_s: float | None = None
    users_per_node: float | None = None
    ops_per_s_per_node: float | None = None


@dataclass(frozen=True)
class Demand:
    """A load and what one node carries of it, at one SLA."""

    sla: str
    load: Fraction
    per_node: PerNode

    def record(self) -> dict[str, Any]:
        """The `inputs` fields of nodes.json."""
        users = self.per_node.unit == "users"
        return {
            "load_users" if users else "load_ops_per_s": float(self.load),
            "users_per_node" if users else "ops_per_s_per_node": float(self.per_node.value),
            "per_node_interval": [
                None if end is None else float(end) for end in (self.per_node.low, self.per_node.high)
            ],
        }

    def sentence(self) -> str:
        """`500 operations/s at 40.2 operations/s per node`."""
        unit = self.per_node.unit
        return f"{float(self.load):,.6g} {unit} at {float(self.per_node.value):,.6g} {unit} per node"


def demands(load: Load, measured: Measured | None, sla: str) -> list[Demand]:
    """The demand at `sla`, then at the other SLA where it was measured too.

    Raises `nodes-input`, and `withheld` where no figure may rest on the capacity at `sla`.
    """
    if sla not in SLAS:
        raise LoadstoneError("nodes-input", f"there is no SLA `{sla}`", place="--sla", hint="SLA-1 or SLA-2")
    users, ops = above_zero(load.users, "--users"), above_zero(load.ops_per_s, "--load")
    if (users is None) == (ops is None):
        raise LoadstoneError(
            "nodes-input", "give the load exactly once", hint="either `--users 5000` or `--load 500`"
        )
    unit: Unit = "users" if users else "operations/s"
    typed = (
        above_zero(load.users_per_node, "--users-per-node"),
        above_zero(load.ops_per_s_per_node, "--throughput-per-node"),
    )
    given = typed[0] if users else typed[1]
    if (typed[1] if users else typed[0]) is not None:
        raise LoadstoneError(
            "nodes-input", f"the load is in {unit}, but what one node carries is not",
            hint="use --users with --users-per-node, and --load with --throughput-per-node",
        )  # fmt: skip
    wanted = users or ops
    assert wanted is not None
    if given is not None:
        return [Demand(sla, wanted, PerNode(unit, given))]
    if measured is None:
        flag = "--users-per-node" if users else "--throughput-per-node"
        raise LoadstoneError(
            "nodes-input", "nothing says what one node carries", hint=f"give --from a run folder, or {flag}"
        )
    measured.require(sla)
    return [
        _measured(name, wanted, unit, measured.at[name], measured)
        for name in sorted(measured.at, key=lambda name: name != sla)
    ]


def _measured(sla: str, load: Fraction, unit: Unit, at: AtSla, measured: Measured) -> Demand:
    if unit == "users":
        return Demand(sla, load, PerNode(unit, at.users, at.low, at.high))
    if at.ops_per_s is None:
        raise LoadstoneError(
            "nodes-input", f"the throughput at {sla} was not recorded", place=str(measured.file)
        )
    # Users were what was searched; below saturation the throughput of a closed loop follows them.
    low, high = (at.ops_per_s * end / at.users if end else None for end in (at.low, at.high))
    return Demand(sla, load, PerNode(unit, at.ops_per_s, low, high))


def above_zero(value: float | None, flag: str) -> Fraction | None:
    """The number of an option, exactly as typed; None when it was not. Raises `nodes-input`."""
    if value is None:
        return None
    if not 0 < value < 1e15:
        raise LoadstoneError("nodes-input", f"`{value:g}` is not a number above zero", place=flag)
    # As typed: 40.2 is 201/5 and not the double next to it, so that 402 / 40.2 is 10 nodes and not 11.
    return Fraction(repr(value))
