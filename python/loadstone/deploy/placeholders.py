"""Places in the words of a service of one's own: `{port}`, `{data}`, `{database.address}`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

# Not what a shell has in braces: `${port}`; and `{{print}}` is `{print}`.
_PLACE = re.compile(r"(?<![\w${])\{(?:\{[^{}]*\}|[a-z][a-z0-9_.-]*)\}")


def places(text: str) -> Iterator[str]:
    """Names in braces, in order.

    >>> list(places("serve -p {port} --to {db.address}:${x} {{print}}"))
    ['port', 'db.address']
    """
    for found in _PLACE.findall(text):
        if not found.startswith("{{"):
            yield found[1:-1]


def filled(text: str, value: Callable[[str], str]) -> str:
    """The text with what `value` knows in place of names.

    >>> filled("serve -p {port} {{print}} ${x}", {"port": "80"}.__getitem__)
    'serve -p 80 {print} ${x}'
    """
    return _PLACE.sub(lambda found: found[0][1:-1] if found[0][1] == "{" else value(found[0][1:-1]), text)
