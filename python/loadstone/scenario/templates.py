"""Templates: text with `{name}`, `{name.year}`, `{secret.name}`, `{user}`, `{users}` and `{status}` in it.

`{{` and `}}` are braces.

The engine renders them; here they are only read, checked and filled with the numbers of `[data]`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

PARTS = ("year", "month", "day")
SECRET = "secret"
BUILT_IN = ("user", "users")  # the user's number, from 0, and how many there are
STATUS = "status"  # of the latest answer, unless the scenario has something else of that name

_SEGMENT = re.compile(r"\{\{|\}\}|\{([^}]*)\}|\{|[^{]+?(?=\{|\}\}|$)", re.DOTALL)
_INSIDE = re.compile(r"([A-Za-z][A-Za-z0-9_-]*)(?:\.(.*))?", re.DOTALL)


class TemplateError(ValueError):
    """Why a text is not a template, as a sentence."""


@dataclass(frozen=True)
class Reference:
    """`{name}` or `{name.part}`."""

    name: str
    part: str | None

    @property
    def secret(self) -> str | None:
        """Of `{secret.NAME}` the name."""
        return self.part if self.name == SECRET else None


def parse(template: str) -> list[str | Reference]:
    """Literal texts with their braces, and references, in order. TemplateError when it is not a template.

    >>> parse('{{"id": {id}}}')
    ['{', '"id": ', Reference(name='id', part=None), '}']
    """
    segments: list[str | Reference] = []
    for match in _SEGMENT.finditer(template):
        text = match[0]
        if match[1] is not None:
            segments.append(_reference(match[1]))
        elif text == "{":
            raise TemplateError("`{` is never closed; `{{` is a brace")
        else:
            segments.append(text[0] if text in ("{{", "}}") else text)
    return segments


def references(template: str) -> list[Reference]:
    """The references of a template, in order. TemplateError when it is not a template."""
    return [segment for segment in parse(template) if isinstance(segment, Reference)]


def fill(template: str, known: Mapping[str, object]) -> str:
    """The template with the names in `known` replaced by their values; still a template.

    >>> fill("{accounts} of {id}, {{really}}", {"accounts": 1000})
    '1000 of {id}, {{really}}'
    """
    return "".join(_written(segment, known) for segment in parse(template))


def literal(text: str) -> str:
    """The template that stands for `text` itself."""
    return text.replace("{", "{{").replace("}", "}}")


def _reference(inside: str) -> Reference:
    match = _INSIDE.fullmatch(inside)
    if match is None:
        raise TemplateError(f"`{{{inside}}}` is not a name; `{{{{` is a brace")
    if match[1] == SECRET and match[2]:
        return Reference(SECRET, match[2])
    if match[2] is not None and match[2] not in PARTS:
        raise TemplateError(f"`{match[1]}` has no part `{match[2]}`, only {', '.join(PARTS)}")
    return Reference(match[1], match[2])


def _written(segment: str | Reference, known: Mapping[str, object]) -> str:
    if isinstance(segment, str):
        return literal(segment)
    if segment.part is None and segment.name in known:
        return literal(str(known[segment.name]))
    return f"{{{segment.name}{'.' + segment.part if segment.part else ''}}}"
