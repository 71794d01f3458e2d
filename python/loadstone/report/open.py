"""What rests on a capacity that a search did not decide is not shown, whatever a stage made of it."""

from __future__ import annotations

from loadstone.stages.capacity import Capacity
from loadstone.stages.cost import Cost
from loadstone.stages.nodes import Nodes


def known_only(
    capacity: Capacity | None, nodes: Nodes | None, cost: Cost | None
) -> tuple[Nodes | None, Cost | None, tuple[str, ...]]:
    """The two stages without what they have of undecided goals, and what was left out, in words.

    What somebody asked for in spite of that (`--anyway`) stays: the record's own warnings say so.
    """
    undecided = [name for name, held in capacity.named().items() if not held.load] if capacity else []
    if not undecided:
        return nodes, cost, ()
    left_out = []
    if nodes and nodes.inputs.folder is not None and not (nodes.service or nodes.anyway):
        if (nodes.inputs.sla or "SLA-1") in undecided:
            nodes = None
            left_out.append("nodes")
        else:
            planned = {sla: each for sla, each in nodes.per_sla.items() if sla not in undecided}
            nodes = nodes.model_copy(update={"per_sla": planned})
    lost = cost.per_user.keys() & set(undecided) if cost and not cost.anyway else set()
    if cost and cost.inputs.folder is not None and lost:
        kept = {sla: each for sla, each in cost.per_user.items() if sla not in undecided}
        cost = cost.model_copy(update={"per_user": kept}) if kept else None
        left_out.append("dollars" if not kept else f"dollars at {' and '.join(sorted(lost))}")
    words = f"{' and '.join(left_out)} not shown: they rest on a capacity that was not decided"
    return nodes, cost, (words,) if left_out else ()
