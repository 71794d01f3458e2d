"""Node types and deployments as people name them."""

from __future__ import annotations

import difflib
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from loadstone.availability.deployments import DEPLOYMENTS
from loadstone.errors import LoadstoneError
from loadstone.nodes.injected import injected, is_injected
from loadstone.nodes.integrity import NODE_TYPES, NodeType

FIGURES = (
    "give --appliance throughput=1.6,start=200ms,memory_mib=16 or "
    "--appliance from=FOLDER,app=olio,page=olio-home; in a plan file a table `appliance` beside `node_type`"
)


def parse_node_type(text: str, folder: Path = Path()) -> NodeType:
    """`native`, or with a measured throughput against native, `ilr:0.87`; or measured whole, `from=DIR`.

    The latter is taken from `folder`: see `loadstone.nodes.injected`. Raises `nodes-input`; also for
    `appliance`, whose figures stand elsewhere: see `loadstone.nodes.appliance`.

    >>> parse_node_type("ilr:0.87").throughput
    Fraction(87, 100)
    """
    if is_injected(text):
        return injected(text, folder)
    name, colon, factor = text.strip().lower().partition(":")
    if name == "appliance":
        raise LoadstoneError(
            "nodes-input", "nothing says what an appliance carries and how fast it starts",
            place="--node-type", hint=FIGURES,
        )  # fmt: skip
    if name not in NODE_TYPES:
        raise LoadstoneError(
            "nodes-input",
            f"there is no node type `{name}`",
            place="--node-type",
            hint=_hint(name, list(NODE_TYPES)),
        )
    node = NODE_TYPES[name]
    if not colon:
        return node
    try:
        throughput = Fraction(factor) if len(factor) < 40 and "e" not in factor else Fraction(-1)
    except (ValueError, ZeroDivisionError):
        throughput = Fraction(-1)
    if not 0 < throughput <= 10:
        raise LoadstoneError(
            "nodes-input", f"`{factor}` is not a throughput factor", place=f"--node-type {text}",
            hint=f"write its throughput against native, such as `{name}:0.87`",
        )  # fmt: skip
    return replace(node, throughput=throughput)


def parse_deployments(texts: list[str] | None) -> list[str]:
    """The deployments named, in the order of the table; all of them for none. Raises `nodes-input`."""
    by_key = {_key(name): name for name in DEPLOYMENTS}
    wanted = set()
    for text in texts or []:
        if _key(text) not in by_key:
            raise LoadstoneError(
                "nodes-input", f"there is no deployment `{text}`", place="--deployment",
                hint=_hint(text, list(DEPLOYMENTS)),
            )  # fmt: skip
        wanted.add(by_key[_key(text)])
    return [name for name in DEPLOYMENTS if not texts or name in wanted]


def _key(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalpha()).replace("premises", "prem")


def _hint(text: str, known: list[str]) -> str:
    near = difflib.get_close_matches(text, known, 1)
    return f"did you mean `{near[0]}`?" if near else f"one of {', '.join(known)}"
