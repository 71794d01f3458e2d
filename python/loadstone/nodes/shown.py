"""What a measurement showed: of one node, or of servers that came and went."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from loadstone.errors import LoadstoneError

if TYPE_CHECKING:
    from loadstone.stages.origin import Node
    from loadstone.stages.run_elasticity import Elasticity

SLAS = ("SLA-1", "SLA-2")


@dataclass(frozen=True)
class AtSla:
    """Capacity at one SLA. `high` is the fewest users known to break it; a field not known is None."""

    users: Fraction
    low: Fraction | None
    high: Fraction | None
    ops_per_s: Fraction | None
    bytes_in_per_op: Fraction | None
    bytes_out_per_op: Fraction | None


@dataclass(frozen=True)
class Withheld:
    """Why no figure may rest on an SLA's capacity, what to do about it, and what `--anyway` would take."""

    why: str
    hint: str
    at: AtSla | None = None
    """None: there is no number at all, or it is known to be wrong."""


@dataclass(frozen=True)
class Shown:
    """What a measurement showed: `at` holds the SLAs that were shown to be held by some number of users,
    `withheld` the others.
    """

    file: Path
    name: str
    at: dict[str, AtSla]
    warnings: list[str] = field(default_factory=list)
    node: Node | None = None
    """What it ran on, where the measurement made that: an appliance."""
    withheld: dict[str, Withheld] = field(default_factory=dict)
    anyway: tuple[str, ...] = ()
    """Why the figures would have been withheld, had they not been asked for all the same."""

    def marks(self) -> dict[str, Any]:
        """What a later record says of what it rests on: `withheld` and `anyway`."""
        return {
            "withheld": {sla: f"{known.why}; {known.hint}" for sla, known in self.withheld.items()},
            "anyway": list(self.anyway),
        }


@dataclass(frozen=True)
class Measured(Shown):
    """A measurement of one node."""

    def require(self, sla: str) -> AtSla:
        """The capacity of one node at one SLA. Raises `withheld`: why it is not known, and what to do."""
        if sla in self.at:
            return self.at[sla]
        known = self.withheld[sla]
        others = "; ".join(f"{other} can be used: --sla {other}" for other in self.at)
        raise LoadstoneError(
            "withheld", f"no figure can rest on its capacity at {sla}: {known.why}", place=str(self.file),
            hint="; ".join(part for part in (known.hint, others) if part),
        )  # fmt: skip


@dataclass(frozen=True)
class ElasticRun(Shown):
    """A run whose servers came and went: the mean of the users that all of them carried, which says nothing
    of one of them.
    """

    servers: Elasticity = field(kw_only=True)


_Kind = TypeVar("_Kind", bound=Shown)


def despite(measured: _Kind) -> _Kind:
    """The same, with the numbers that would be withheld, as far as there are any."""
    taken = {sla: known.at for sla, known in measured.withheld.items() if known.at}
    reasons = tuple(f"{sla}: {measured.withheld[sla].why}" for sla in taken)
    left = {sla: known for sla, known in measured.withheld.items() if sla not in taken}
    said = [f"not to be relied on, {reason}" for reason in reasons]
    return replace(
        measured, at=measured.at | taken, withheld=left, anyway=reasons, warnings=[*measured.warnings, *said]
    )
