"""What an image of an application takes of the machine it runs on, and how fast it is there."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from loadstone.errors import LoadstoneError

_MIB_PER_GIB = 1024


@dataclass(frozen=True)
class Image:
    """Times from power to the first answer and from a crash until it is noticed; the source of all three."""

    start_s: Fraction
    detect_s: Fraction
    memory_mib: Fraction
    source: str
    alone: bool = False
    """The users of a node were measured on one image: a node is a machine with one, whatever its cores."""

    @property
    def switch_over_s(self) -> Fraction:
        """Mean time from a crash until a passive spare answers."""
        return self.start_s + self.detect_s

    def on(self, sku: str, vcpu: Decimal | None, memory_gib: Decimal | None) -> int:
        """Images on a machine: one a core, or what its memory holds. LoadstoneError `nodes-input`."""
        if vcpu is None or memory_gib is None:
            raise LoadstoneError(
                "nodes-input", f"how many images run on `{sku}` is not known",
                hint="the price book's row needs `vcpu` and `memory_gib`",
            )  # fmt: skip
        count = min(int(vcpu), int(Fraction(memory_gib) * _MIB_PER_GIB / self.memory_mib))
        if count < 1:
            raise LoadstoneError(
                "nodes-input", f"`{sku}` does not hold an image of {float(self.memory_mib):g} MiB on a core"
            )
        return count
