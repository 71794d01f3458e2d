"""Seeded changes to files: bytes that rot, and values that somebody typed or another program wrote."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable
from typing import Any

_NUMBERS = (
    "0", "-1", "1e308", "-1e308", "5e-324", "1e18", "1e30", "9" * 30, "9" * 5000, "0.1", "-0.0", "1e999",
    "NaN", "4294967296", "2147483648", "1000000000", "0x" + "f" * 4000, "1_0", "1e-30",
)  # fmt: skip
_WORDS = (
    "", "x" * 5000, "\x1b[2J\x07", "\u202eolio", "\x00", "../../../etc/passwd", "/dev/zero", "null",
    "1e308/us", "{{{", "{user", "é" * 300, "=1+1", "<script>", "a" * 64 + ".example", "99 nines", "0..1",
    "\ud800", "%s%n",
)  # fmt: skip


def mutated(content: bytes, kind: str, random: random.Random) -> bytes:
    """One to three changes that fit a file of this kind: `json`, `lines`, `toml`, `text` or `binary`."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        ways = [*_BYTES]
        if kind in ("json", "lines"):
            ways += 3 * [_json if kind == "json" else _line_of_json]
        if kind in ("toml", "text", "lines"):
            ways += [_line_gone, _line_twice, _lines_swapped]
        if kind in ("toml", "text"):
            ways += 3 * [_token]
        if kind == "toml":
            ways += 3 * [_toml_value] + [_toml_deep]
        content = random.choice(ways)(content, random)
    return content


def _flip(content: bytes, random: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(random.choice((1, 1, 3, 20))):
        if changed:
            changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def _cut(content: bytes, random: random.Random) -> bytes:
    return content[: random.randrange(len(content) + 1)]


def _hole(content: bytes, random: random.Random) -> bytes:
    start, end = sorted(random.randrange(len(content) + 1) for _ in range(2))
    return content[:start] + content[min(end, start + 200) :]


def _repeated(content: bytes, random: random.Random) -> bytes:
    start = random.randrange(len(content) + 1)
    part = content[start : start + random.choice((1, 8, 100, 1000))]
    return content[:start] + part * random.choice((2, 3, 50)) + content[start:]


def _zeros(content: bytes, random: random.Random) -> bytes:
    start = random.randrange(len(content) + 1)
    count = random.choice((1, 4, 100))
    return content[:start] + random.choice((b"\0", b"\xff", b"[", b"{")) * count + content[start + count :]


_BYTES: list[Callable[[bytes, random.Random], bytes]] = [_flip, _cut, _hole, _repeated, _zeros]


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass" if "\ud800" in text else "surrogateescape")


def _json(content: bytes, random: random.Random) -> bytes:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return _flip(content, random)
    places = list(_places(found))
    if not places:
        return _cut(content, random)
    whole, key = random.choice(places)
    way = random.randrange(6)
    marker = "\u0001raw\u0001"
    raw = ""
    if way == 0 and isinstance(whole, dict):
        del whole[key]
    elif way == 1:
        other, there = random.choice(places)
        whole[key], other[there] = copy.deepcopy(other[there]), copy.deepcopy(whole[key])
    elif way == 2:
        whole[key] = random.choice(
            (None, True, [], {}, "", [None], {"": None}, [[]], -1, 1.5, "x", [1, 2, 3])
        )
    elif way == 3:
        whole[key], raw = marker, random.choice(_NUMBERS)
    elif way == 4:
        whole[key] = random.choice(_WORDS)
    else:
        whole[key], raw = (
            marker,
            random.choice(("[" * 3000, "[" * 100 + "]" * 100, '{"a":' * 80 + "1" + "}" * 80)),
        )
    if isinstance(whole, dict) and random.random() < 0.1:
        whole[random.choice(_WORDS)] = whole.get(key)
    return json.dumps(found).replace(json.dumps(marker), raw).encode()


def _places(found: Any) -> Any:
    for key, value in list(found.items()) if isinstance(found, dict) else list(enumerate(found)):
        yield found, key
        if isinstance(value, dict | list):
            yield from _places(value)


def _line_of_json(content: bytes, random: random.Random) -> bytes:
    lines = content.split(b"\n")
    at = random.randrange(len(lines))
    lines[at] = _json(lines[at], random)
    return b"\n".join(lines)


def _line_gone(content: bytes, random: random.Random) -> bytes:
    lines = content.split(b"\n")
    del lines[random.randrange(len(lines))]
    return b"\n".join(lines)


def _line_twice(content: bytes, random: random.Random) -> bytes:
    lines = content.split(b"\n")
    at = random.randrange(len(lines))
    return b"\n".join(lines[:at] + lines[at : at + 1] * random.choice((2, 40)) + lines[at + 1 :])


def _lines_swapped(content: bytes, random: random.Random) -> bytes:
    lines = content.split(b"\n")
    first, second = (random.randrange(len(lines)) for _ in range(2))
    lines[first], lines[second] = lines[second], lines[first]
    return b"\n".join(lines)


def _token(content: bytes, random: random.Random) -> bytes:
    """A number, a word, or what stands between them, replaced by something else."""
    text = _text(content)
    tokens = list(re.finditer(r"[0-9.]+|[A-Za-z_-]+|[^\sA-Za-z0-9]", text))
    if not tokens:
        return content
    token = random.choice(tokens)
    instead = random.choice((random.choice(_NUMBERS), random.choice(_WORDS), random.choice(tokens).group()))
    return _bytes(text[: token.start()] + instead + text[token.end() :])


def _toml_value(content: bytes, random: random.Random) -> bytes:
    text = _text(content)
    values = list(re.finditer(r"(?<== )[^\n]+", text))
    if not values:
        return content
    value = random.choice(values)
    word = json.dumps(random.choice(_WORDS).replace("\ud800", ""))
    other = (
        "[]",
        "{}",
        "true",
        "[[]]",
        "1979-05-27",
        "{ a = 1 }",
        "inf",
        "nan",
        random.choice(values).group(),
    )
    instead = random.choice((random.choice(_NUMBERS), word, random.choice(other)))
    return _bytes(text[: value.start()] + instead + text[value.end() :])


def _toml_deep(content: bytes, random: random.Random) -> bytes:
    depth = random.choice((30, 63, 70, 3000))
    line = random.choice(
        (
            b"x = " + b"[" * depth + b"]" * depth,
            b"x = " + b"{a=" * depth + b"1" + b"}" * depth,
            b"a." * depth + b"b = 1",
            b"[" + b"a." * depth + b"b]",
        )
    )
    lines = content.split(b"\n")
    lines.insert(random.randrange(len(lines)), line)
    return b"\n".join(lines)
