"""All studies. A new one is a package of its own and a line here."""

from __future__ import annotations

from collections.abc import Mapping

from loadstone.study import appliance, balancers, connectors, nodes, stacks
from loadstone.study.entry import Entry

_EVERY = (
    appliance.ENTRY,
    balancers.ENTRY,
    connectors.ENTRY,
    nodes.ENTRY,
    stacks.ENTRY,
)

STUDIES: Mapping[str, Entry] = {entry.name: entry for entry in _EVERY}
"""By name, as the command line lists them."""
