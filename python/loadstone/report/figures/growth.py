"""Nodes of every tier against users: which tier needs its next node when."""

from __future__ import annotations

from loadstone.report import format
from loadstone.report.figures.figure import Figure, layout, plain, rule
from loadstone.report.figures.theme import colour
from loadstone.stages.nodes import Nodes, Step

HEIGHT = 190
GROWTH_TITLE = (
    "Nodes of each tier against users. Dashed: the users planned for; solid: beyond it a tier that does not "
    "scale is exceeded"
)


def growth(plan: Nodes | None) -> list[Figure]:
    """One small chart a tier of a plan in tiers, on a common axis of users."""
    steps = [step for step in (plan.growth if plan else []) if step.nodes]
    if not plan or len(steps) < 2:
        return []
    return [_tier(plan, steps, i, tier.name) for i, tier in enumerate(plan.tiers)]


def _tier(plan: Nodes, steps: list[Step], i: int, name: str) -> Figure:
    users = [end for step in steps for end in (step.users_from, step.users_to)]
    nodes = [(step.nodes or {})[name] for step in steps for _ in range(2)]
    frame = layout(HEIGHT, right=14, hovermode="closest")
    frame["xaxis"] |= {"range": [0, max(users) * 1.03], "nticks": 6, "tickformat": ","}
    frame["yaxis"] |= {"range": [0, max(nodes) * 1.15], "nticks": 5, "tickformat": ",d"}
    frame["shapes"] = [rule("@muted", x=plan.inputs.load_users)]
    if plan.users_wall is not None and plan.users_wall <= max(users):
        frame["shapes"].append(rule("@bad", x=plan.users_wall, dash="solid"))
    trace = {
        "type": "scatter",
        "mode": "lines",
        "name": plain(name),
        "x": users,
        "y": nodes,
        "line": {"color": colour(i), "width": 1.8},
        "hovertemplate": "%{x:,} users: %{y:,} nodes<extra></extra>",
    }
    note = f"{format.whole(nodes[-1])} nodes at {format.whole(users[-1])} users."
    return Figure(f"growth-{i}", f"{name}, nodes", note, [trace], frame, quiet=True)
