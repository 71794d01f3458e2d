"""Scenario files as text: values of TOML, operations, comments. What others wrote cannot leave its place."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
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
    """A value of TOML on one line.

    >>> value({"kind": "pick", "from": ["a", 'b"']}), value({"a b": [1, 2.5, True]})
    ('{ kind = "pick", from = ["a", "b\\\\""] }', '{ "a b" = [1, 2.5, true] }')
    """
    if isinstance(content, bool):
        return "true" if content else "false"
    if isinstance(content, str):
        # JSON's texts are TOML's, but for one character.
        spelled = json.dumps(_UNSEEN.sub(lambda one: _shown(one.group()), content), ensure_ascii=False)
        return spelled.replace("\x7f", "\\u007f")
    if isinstance(content, Mapping):
        inner = ", ".join(f"{key(name)} = {value(one)}" for name, one in content.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(content, Sequence):
        return f"[{', '.join(value(one) for one in content)}]"
    return str(content) if isinstance(content, int) else f"{content:.15g}"


def key(name: str) -> str:
    """A key of TOML."""
    return name if _BARE.fullmatch(name) else value(name)


def comment(words: str) -> str:
    """A comment, of several lines where it is long."""
    lines, line = [], "#"
    for word in _UNSEEN.sub(" ", words).split():
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


def _shown(sign: str) -> str:
    """A character as an escape of TOML has it; half a character becomes the mark of a lost one."""
    return "\ufffd" if "\ud800" <= sign <= "\udfff" else sign
