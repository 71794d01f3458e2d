"""Scenario files as text: values of TOML, operations, comments. What others wrote cannot leave its place."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from loadstone.scenario.toml_text import key, unseen
from loadstone.scenario.toml_text import value as toml_value

_WIDTH = 100


@dataclass
class Step:
    """A request: its method and path as a template, and the other keys of the step."""

    method: str
    path: str
    keys: dict[str, Any] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)


@dataclass
class Operation:
    """An operation of the file."""

    name: str
    limit_s: float
    steps: list[Step]
    draws: dict[str, Any] = field(default_factory=dict)
    pacing: Mapping[str, Any] | None = None
    comments: list[str] = field(default_factory=list)


def value(content: Any) -> str:
    """A value of TOML on one line, fractions without the digits that only a computer makes.

    >>> value(0.1 + 0.2)
    '0.3'
    """
    return toml_value(content, lambda number: f"{number:.15g}")


def comment(words: str) -> str:
    """A comment, of several lines where it is long."""
    lines, line = [], "#"
    for word in unseen(words).split():
        if len(line) + len(word) > _WIDTH and line != "#":
            lines.append(line)
            line = "#"
        line += f" {word[: _WIDTH * 2]}"
    return "\n".join([*lines, line])


def braces(text: str) -> str:
    """Text that a template has as it is."""
    return text.replace("{", "{{").replace("}", "}}")


def table(name: str, content: Mapping[str, Any], comments: Sequence[str] = ()) -> str:
    """A table with a key a line."""
    lines = [
        *map(comment, comments),
        f"[{name}]",
        *(f"{key(one)} = {value(of)}" for one, of in content.items()),
    ]
    return "\n".join(lines) + "\n"


def operation(one: Operation) -> str:
    """An operation with its steps."""
    lines = [*map(comment, one.comments), "[[operation]]", f"name = {value(one.name)}"]
    lines.append(f"limit_s = {value(one.limit_s)}")
    if one.pacing is not None:
        lines.append(f"pacing = {value(one.pacing)}")
    lines += [f"draw.{key(name)} = {value(draw)}" for name, draw in one.draws.items()]
    for step in one.steps:
        lines += [*map(comment, step.comments), "[[operation.step]]", f"{step.method} = {value(step.path)}"]
        for name, content in step.keys.items():
            if name in ("extract", "expect"):
                lines += [f"{name}.{key(inner)} = {value(of)}" for inner, of in content.items()]
            else:
                lines.append(f"{key(name)} = {value(content)}")
    return "\n".join(lines) + "\n"


def free(name: str, taken: Collection[str]) -> str:
    """The name, or one like it that is not taken.

    >>> free("id", ["id", "id_2"])
    'id_3'
    """
    number, first = 1, name
    while name in taken:
        number += 1
        name = f"{first}_{number}"
    return name


def document(parts: Sequence[str]) -> str:
    """The parts, an empty line between them."""
    return "\n".join(parts)
