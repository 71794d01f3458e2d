"""Jinja in a manifest: commands as words, values, expressions."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, StrictUndefined

_EXPRESSION = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_HELD = re.compile("\ue000(\\d+)\ue001")


def words(line: str, given: Mapping[str, Any]) -> list[str]:
    """The words of a command, split before its expressions are filled: a value is never split. A word of
    expressions alone that come to nothing is none. ValueError for quotes that do not close.

    >>> words("sv {{ port }} {{ name }} {{ '-v' if loud else '' }}", {"port": 80, "name": "a b", "loud": 0})
    ['sv', '80', 'a b']
    """
    held: list[str] = []

    def hold(found: re.Match[str]) -> str:
        held.append(found[0])
        return f"\ue000{len(held) - 1}\ue001"

    split = shlex.split(_EXPRESSION.sub(hold, line))
    texts = [_HELD.sub(lambda found: held[int(found[1])], word) for word in split]
    filled = [(text, value(text, given)) for text in texts]
    return [word for text, word in filled if word or _EXPRESSION.sub("", text)]


def value(text: str, given: Mapping[str, Any]) -> str:
    """A text with its expressions filled.

    >>> value("{{ host }}:{{ port + 1 }}", {"host": "web1", "port": 80})
    'web1:81'
    """
    return _environment().from_string(text).render(given)


def evaluated(expression: str, given: Mapping[str, Any]) -> Any:
    """What an expression comes to.

    >>> evaluated("-(-threads // 64)", {"threads": 100})
    2
    """
    return _environment().compile_expression(expression, undefined_to_none=False)(**given)


@cache
def _environment() -> Environment:
    return Environment(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True)
