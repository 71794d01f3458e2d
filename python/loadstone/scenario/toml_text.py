"""Values and whole scenarios as TOML. What others wrote cannot leave its place."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def value(content: Any, number: Callable[[float], str] = repr) -> str:
    """A value of TOML on one line; `number` writes fractions. TypeError for what TOML cannot say.

    >>> value({"kind": "pick", "from": ["a", 'b"']}), value({"a b": [1, 2.5, True]})
    ('{ kind = "pick", from = ["a", "b\\\\""] }', '{ "a b" = [1, 2.5, true] }')
    """
    if isinstance(content, bool):
        return "true" if content else "false"
    if isinstance(content, str):
        # JSON's texts are TOML's, but for one character.
        spelled = json.dumps(_UNSEEN.sub(lambda one: _shown(one.group()), content), ensure_ascii=False)
        return spelled.replace("\x7f", "\\u007f")
    if isinstance(content, int):
        return str(int(content))
    if isinstance(content, float):
        return number(float(content))
    if isinstance(content, datetime.date):
        return content.isoformat()
    if isinstance(content, Mapping):
        inner = ", ".join(f"{key(name)} = {value(one, number)}" for name, one in content.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(content, Sequence) and not isinstance(content, bytes):
        return f"[{', '.join(value(one, number) for one in content)}]"
    raise TypeError(f"TOML has no word for {content!r}")


def unseen(text: str) -> str:
    """The text with spaces for what nobody sees."""
    return _UNSEEN.sub(" ", text)


def key(name: Any) -> str:
    """A key of TOML. TypeError for what is no text."""
    if not isinstance(name, str):
        raise TypeError(f"a key of TOML is text, not {name!r}")
    return name if _BARE.fullmatch(name) else value(name)


def document(content: Mapping[str, Any]) -> str:
    """A scenario: keys, then tables with a key a line, then lists of tables, those of steps beneath each.

    >>> print(document({"format": 1, "operation": [{"name": "Home", "step": [{"get": "/"}]}]}), end="")
    format = 1
    <BLANKLINE>
    [[operation]]
    name = "Home"
    [[operation.step]]
    get = "/"
    """
    tables = {name: one for name, one in content.items() if isinstance(one, Mapping)}
    lists = {name: one for name, one in content.items() if _of_tables(one)}
    blocks = [_lines({name: one for name, one in content.items() if name not in {*tables, *lists}})]
    blocks += [[f"[{key(name)}]", *_lines(one)] for name, one in tables.items()]
    for name, each in lists.items():
        blocks += [_item(key(name), one) for one in each]
    return "\n".join("\n".join(block) + "\n" for block in blocks)


def _item(name: str, content: Mapping[str, Any]) -> list[str]:
    lists = {inner: one for inner, one in content.items() if _of_tables(one)}
    found = [f"[[{name}]]", *_lines({one: of for one, of in content.items() if one not in lists})]
    for inner, each in lists.items():
        for one in each:
            found += _item(f"{name}.{key(inner)}", one)
    return found


def _lines(content: Mapping[str, Any]) -> list[str]:
    return [f"{key(name)} = {value(one)}" for name, one in content.items()]


def _of_tables(content: Any) -> bool:
    many = isinstance(content, Sequence) and not isinstance(content, str | bytes)
    return many and bool(content) and all(isinstance(one, Mapping) for one in content)


def _shown(sign: str) -> str:
    """A character as an escape of TOML has it; half a character becomes the mark of a lost one."""
    return "\ufffd" if "\ud800" <= sign <= "\udfff" else sign
