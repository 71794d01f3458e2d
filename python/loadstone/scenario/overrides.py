"""`--set path=value`: changes to a scenario before it is validated."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.intake import toml_of
from loadstone.intake.toml import MOST_PARTS
from loadstone.scenario.findings import suggest
from loadstone.scenario.positions import Path
from loadstone.unit import Unit

_IN_ITS_UNIT = ("profile", "shape")
_POOL = ("connections", "streams", "most_waiting")
_OTHERS: dict[str, tuple[str, ...]] = {
    Unit.USERS: ("sessions_per_s", "requests_per_s", "arrivals", *_POOL),
    Unit.SESSIONS: ("users", "requests_per_s", "operations", *_POOL),
    Unit.REQUESTS: ("users", "sessions_per_s", "operations"),
}


def apply(
    raw: Mapping[str, Any], overrides: Mapping[str, str], goals: Sequence[str] = (), below: str = ""
) -> tuple[dict[str, Any], dict[Path, str]]:
    """The changed copy, and by changed path the option that did it. LoadstoneError `override-path`.

    Items of lists go by their name or their number from 1, as in `operation.Home.step.2.chance`.
    Setting one of `load.users`, `load.sessions_per_s` and `load.requests_per_s` removes the others, and what
    belongs to them. Setting `target.url` replaces a built-in application as the target, and forgets a
    `target.reset` of the file, and its `target.tls` if no host is https then. `goals` are added to those
    of the file. `below`: where all this is in the file, as the options say it.

    >>> apply({"load": {"users": 1}}, {"load.users": "20"})
    ({'load': {'users': 20}}, {('load', 'users'): '--set load.users=20'})
    """
    changed = copy.deepcopy(dict(raw))
    options: dict[Path, str] = {}
    for dotted, text in overrides.items():
        option = f"--set {below}{dotted}={text}"
        path = _set(changed, dotted, parse_value(text), option)
        options[path] = option
        if path == ("target", "url"):
            changed["target"].pop("app", None)
            changed["target"].pop("options", None)
            changed["target"].pop("image", None)
            # What resets one site must not run for another.
            if ("target", "reset") not in options:
                changed["target"].pop("reset", None)
            hosts = changed["target"].get("hosts")
            urls = [text, *(hosts.values() if isinstance(hosts, dict) else ())]
            secure = any(str(url).startswith("https:") for url in urls)
            if not secure and not any(at[:2] == ("target", "tls") for at in options):
                changed["target"].pop("tls", None)
    _one_unit(raw.get("load"), changed.get("load"), options)
    for goal in goals:
        sla = changed.setdefault("sla", {})
        written = sla.setdefault("goals", []) if isinstance(sla, dict) else []
        # What is no list is refused later, with its line.
        if isinstance(written, str):
            written = sla["goals"] = [written]
        if isinstance(written, list):
            options["sla", "goals", len(written)] = f'--goal "{goal}"'
            written.append(goal)
    return changed, options


def _one_unit(before: Any, load: Any, options: Mapping[Path, str]) -> None:
    """Leaves of a file's load what does not contradict the unit that is set."""
    for kept, others in _OTHERS.items():
        if ("load", kept) in options and isinstance(load, dict):
            # A profile is in the unit of its file.
            was = Unit.of(before) if isinstance(before, Mapping) else Unit.USERS
            for other in (*others, *(() if was == kept else _IN_ITS_UNIT)):
                if ("load", other) not in options:
                    load.pop(other, None)


def parse_value(text: str) -> Any:
    """A TOML value, or the text itself if it is not one.

    >>> parse_value("20"), parse_value("[1, 2]"), parse_value("http://example.org")
    (20, [1, 2], 'http://example.org')
    """
    try:
        parsed = toml_of(f"value = {text}", "--set")
    except LoadstoneError:
        return text
    return parsed["value"] if len(parsed) == 1 else text


def _set(root: dict[str, Any], dotted: str, value: Any, option: str) -> Path:
    path: Path = ()
    node: Any = root
    keys = dotted.split(".", MOST_PARTS)
    if len(keys) > MOST_PARTS:
        raise LoadstoneError("override-path", f"a path has more than {MOST_PARTS} parts", place=option[:200])
    for number, key in enumerate(keys):
        last = number == len(keys) - 1
        if isinstance(node, list):
            at: str | int = index_of(node, key, option)
        elif isinstance(node, dict) and key:
            at = key
            if not last:
                node.setdefault(key, {})
        else:
            message = f"`{dotted}` leads nowhere: `{'.'.join(keys[:number])}` is not a table"
            raise LoadstoneError("override-path", message, place=option)
        path = (*path, at)
        if last:
            node[at] = value
        else:
            node = node[at]
    return path


def index_of(items: list[Any], key: str, option: str) -> int:
    """The index of an item by its name, or its number from 1. LoadstoneError `override-path`."""
    names = [item.get("name") if isinstance(item, dict) else None for item in items]
    if key in names:
        return names.index(key)
    if key.isascii() and key.isdigit() and 1 <= int(key) <= len(items):
        return int(key) - 1
    hint = suggest(
        key, [name for name in names if isinstance(name, str)], f"a name, or a number from 1 to {len(items)}"
    )
    raise LoadstoneError("override-path", f"the list has no item `{key}`", place=option, hint=hint)
