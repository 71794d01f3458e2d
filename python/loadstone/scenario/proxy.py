"""The proxy of [target]: who asks it, by user and password in its URL, as `http://joe:{secret.proxy}@host:port`."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote

from loadstone.scenario.asks import Basic, shared_errors
from loadstone.scenario.findings import Finding
from loadstone.scenario.templates import Reference, literal, parse

PASSWORD = "basic__proxy"
"""What the plan calls user and password together, a secret that follows from others."""
FIELD = f"Basic {{secret.{PASSWORD}}}"
"""Template of the value of Proxy-Authorization."""


def without_user(url: str) -> str:
    """The URL without user and password, for people to see.

    >>> without_user("http://joe:{secret.proxy}@127.0.0.1:3128/")
    'http://127.0.0.1:3128/'
    """
    scheme, slashes, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    return f"{scheme}{slashes}{authority.rpartition('@')[2]}{slash}{path}"


def user_of(url: str) -> Basic | None:
    """User and password of a checked URL as templates; None: it names nobody.

    >>> user_of("http://joe:{secret.proxy}@127.0.0.1:3128")
    Basic(user='joe', password='{secret.proxy}')
    >>> user_of("http://joe%40home:a%2Fb@127.0.0.1")
    Basic(user='joe@home', password='a/b')
    >>> user_of("http://127.0.0.1:3128")
    """
    pair = _pair(url)
    return pair and Basic(user=_decoded(pair[0]), password=_decoded(pair[1]))


def errors(url: str | None, known: set[str], secrets: set[str]) -> Iterator[Finding]:
    """What is wrong with the user and the password of a proxy; `known` are the names of [data]."""
    pair = None if url is None else _pair(url)
    if pair is None:
        return
    if not pair[0]:
        hint = "write http://user:{secret.NAME}@host:port"
        yield Finding(
            "bad-url", "the URL of the proxy has an `@` and no user before it", ("target", "proxy"), hint
        )
    for text in pair:
        yield from shared_errors(text, ("target", "proxy"), known, secrets)


def _pair(url: str) -> tuple[str, str] | None:
    authority = url.partition("://")[2].partition("/")[0]
    before, at, _ = authority.rpartition("@")
    user, _, password = before.partition(":")
    return (user, password) if at else None


def _decoded(text: str) -> str:
    """The template of what is meant by characters that a URL encodes. TemplateError."""
    return "".join(
        f"{{{part.name}{'.' + part.part if part.part else ''}}}"
        if isinstance(part, Reference)
        else literal(unquote(part))
        for part in parse(text)
    )
