"""A run on two nodes of this host's Ray cluster: `overheard.py PLAN` prints it and what each node said."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from following import follow

from loadstone.measure.agents import agents_on
from loadstone.measure.ray_cluster import Node, chosen, joined, nodes_of
from loadstone.measure.ray_nodes import RayNodes, Relayed


class Overheard(RayNodes):
    """Keeps what each node said, as it came."""

    def __init__(self, ray: Any, nodes: Sequence[Node]) -> None:
        super().__init__(ray, nodes)
        self.said: dict[str, list[bytes]] = {}

    def start(self, host: str, command: Sequence[str]) -> Relayed:
        wire, kept = super().start(host, command), self.said.setdefault(host, [])
        lines = wire.lines

        def overheard() -> Iterator[bytes]:
            for line in lines():
                kept.append(line)
                yield line

        wire.lines = overheard  # type: ignore[method-assign]
        return wire


def main() -> None:
    """Runs it to its end."""
    with joined("ray") as ray:
        nodes = chosen(nodes_of(ray), "2")
        reach = Overheard(ray, nodes)
        with agents_on(reach, [node.name for node in nodes]) as engine:
            run = engine.start(sys.argv[1])
            [started] = run.events()
            windows, summary = follow(run)
    said = {host: [json.loads(line) for line in lines] for host, lines in reach.said.items()}
    print(json.dumps({"agents": started["agents"], "windows": windows, "summary": summary, "said": said}))


if __name__ == "__main__":
    main()
