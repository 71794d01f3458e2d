"""The servers of a scenario: `url` of [target], and further ones by name in [target.hosts]."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import urlsplit

from loadstone.scenario.findings import Finding, listed, suggest
from loadstone.scenario.model import ScenarioFile
from loadstone.scenario.positions import Path
from loadstone.scenario.proxy import without_user
from loadstone.scenario.target import Target
from loadstone.scenario.tls import Tls

_LONGEST_SOCKET = 107
"""Bytes of a path that a Unix socket can have on Linux."""


def errors(target: Target) -> Iterator[Finding]:
    """What is wrong with the addresses of a target."""
    if target.url is None:
        return
    tls = target.tls or Tls()
    yield from _address(target.url, ("target", "url"), tls)
    for name, url in target.hosts.items():
        yield from _address(url, ("target", "hosts", name), tls.of_another_host())
    if target.proxy is not None:
        yield from _proxy(target.proxy)
    secure = any(url.startswith("https:") for url in (target.url, *target.hosts.values()))
    if target.tls is not None and not secure:
        message = f"[target.tls] is about HTTPS, and `{target.url}` is not an https URL"
        yield Finding("tls", message, ("target", "tls"), "remove the table, or write https:// in `url`")
    seen = {_origin(target.url): "url"}
    for name, url in target.hosts.items():
        if other := seen.get(_origin(url)):
            message = f"`{url}` is the server of `{other}`: nobody could tell which one an address means"
            yield Finding("hosts", message, ("target", "hosts", name), "name each server once")
        seen.setdefault(_origin(url), name)


def unknown(file: ScenarioFile) -> Iterator[Finding]:
    """Steps that ask a host which [target.hosts] does not have; what does not go with several hosts."""
    hosts = file.target.hosts
    for number, operation in enumerate(file.operation):
        for index, step in enumerate(operation.step):
            if step.host is not None and step.host not in hosts:
                hint = suggest(step.host, hosts, f"known are {listed(hosts)}") if hosts else "name it there"
                message = f"[target.hosts] has no `{step.host}`"
                yield Finding("hosts", message, ("operation", number, "step", index, "host"), hint)
    if hosts and file.target.http == "2" and file.load.requests_per_s is not None:
        message = "requests at a rate share connections to one host by HTTP/2, and [target.hosts] has more"
        hint = 'set http = "1.1", or make users of the rate: --set load.users=N'
        yield Finding("hosts", message, ("target", "hosts"), hint)


def _origin(url: str) -> tuple[str, str | None, int | None]:
    """What tells a server from others: scheme, host and port."""
    if file := socket_path(url):
        return "unix", file, None
    try:
        parts = urlsplit(url)
        return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return url, None, None


def _address(url: str, path: Path, tls: Tls) -> Iterator[Finding]:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        yield Finding("bad-url", f"`{url}` is not a URL: {error}", path)
        return
    if parts.scheme == "unix":
        yield from _socket(url, path)
        return
    example = "for example http://127.0.0.1:8080"
    nowhere = not parts.hostname or port == 0 or parts.username is not None
    if parts.scheme not in ("http", "https"):
        yield Finding("url-scheme", f"`{url}` is not an http, https or unix URL", path, example)
    elif nowhere or re.search(r"[\s\x00-\x1f]", url):
        yield Finding("bad-url", f"`{url}` names no host to connect to", path, example)
    elif reason := _no_host(str(parts.hostname)):
        message = f"`{str(parts.hostname)[:80]}` is not a host's name: {reason}"
        yield Finding("bad-url", message, path, "a name such as www.example.org, or an address")
    elif parts.query or parts.fragment:
        message = f"`{url}` has more than a host, a port and a path"
        yield Finding("bad-url", message, path, "queries belong to steps")
    elif parts.scheme == "https":
        yield from tls.errors(str(parts.hostname))


def _proxy(written: str) -> Iterator[Finding]:
    # Messages do not show its user and password.
    path, url = ("target", "proxy"), without_user(written)
    found = list(_address(url, path, Tls()))
    yield from found
    if not found and urlsplit(url).scheme != "http":
        hint = "for example http://127.0.0.1:3128; https to the hosts goes through it all the same"
        yield Finding("url-scheme", f"`{url}` is not an http URL, as that of a proxy is", path, hint)
    elif not found and urlsplit(url).path not in ("", "/"):
        message = f"`{url}` has more than the host and the port of a proxy"
        yield Finding("bad-url", message, path, "for example http://127.0.0.1:3128")


def _socket(url: str, path: Path) -> Iterator[Finding]:
    file = socket_path(url)
    example = "for example unix:/run/app.sock"
    if not file.startswith("/") or file.endswith("/") or re.search(r"[\x00-\x1f]", file):
        yield Finding("bad-url", f"`{url}` names no socket by its whole path", path, example)
    elif len(file.encode()) > _LONGEST_SOCKET:
        message = (
            f"the path of a socket has at most {_LONGEST_SOCKET} bytes, and this one {len(file.encode())}"
        )
        yield Finding("bad-url", message, path, "a link to its folder is shorter")


def socket_path(url: str) -> str:
    """The path of the Unix socket that `url` names; empty: it names another server.

    >>> socket_path("unix:/run/app.sock"), socket_path("unix:///run/app.sock"), socket_path("http://site/")
    ('/run/app.sock', '/run/app.sock', '')
    """
    path = url.removeprefix("unix:") if url.startswith("unix:") else ""
    return path.removeprefix("//") if path.startswith("///") else path


def _no_host(name: str) -> str:
    """Why no name server can know this name; empty if one may."""
    if ":" in name:
        return ""  # an IPv6 address: `urlsplit` has checked its brackets, connecting checks the rest
    if any(unicodedata.category(letter).startswith("C") for letter in name):
        return "it has invisible characters"
    if len(name) > 253:
        return "it is longer than 253 characters"
    try:
        name.encode("idna")
    except UnicodeError:
        return "between its dots there must be 1 to 63 letters, digits and `-`"
    return ""
