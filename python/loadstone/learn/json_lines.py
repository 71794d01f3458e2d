"""Access logs of one JSON object a line, by the keys that servers and proxies commonly use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.intake.logs import object_of
from loadstone.learn.hit import Hit, Parser
from loadstone.learn.times import moment

KEYS: dict[str, tuple[str, ...]] = {
    "address": (
        "remote_addr", "client_ip", "clientip", "remote_ip", "ip", "remote_host", "request.client_ip",
        "request.remote_ip", "ClientHost", "client", "host.ip",
    ),
    "agent": (
        "http_user_agent", "user_agent", "userAgent", "agent", "request.headers.User-Agent",
        "request_User-Agent", "user_agent.original",
    ),
    "time": ("time_iso8601", "time_local", "time", "timestamp", "@timestamp", "ts", "msec", "StartUTC"),
    "request": ("request_line", "request"),
    "method": ("request_method", "method", "request.method", "RequestMethod", "http.request.method"),
    "path": ("request_uri", "uri", "path", "url", "request.uri", "RequestPath", "url.path"),
    "query": ("args", "query", "query_string", "url.query"),
    "status": (
        "status", "status_code", "response_status", "code", "DownstreamStatus", "http.response.status_code",
    ),
    "took_s": ("request_time", "duration", "response_time", "took", "latency"),
    "took_ms": ("duration_ms", "request_time_ms", "response_time_ms", "latency_ms", "elapsed_ms"),
}  # fmt: skip
"""Keys of each field, the most telling first."""
Paths = tuple[tuple[str, tuple[str, ...]], ...]
"""Keys, each with its parts where dots lead into objects."""
_SCALE = {"took_s": 1.0, "took_ms": 1e-3}


def parser(names: Mapping[str, str], user: str | None) -> Parser:
    """Reads one line; `names` come before the usual keys. LoadstoneError `log-format` for unknown fields."""
    for name in names:
        if name not in KEYS:
            hint = f"fields are {', '.join(KEYS)}"
            raise LoadstoneError("log-format", f"there is no field `{name}`", place="--field", hint=hint)
    keys = {field: _paths((names[field],) if field in names else known) for field, known in KEYS.items()}
    whose = _paths((user,)) if user else ()

    def parse(line: bytes) -> Hit | None:
        content = object_of(line)
        if content is None:
            return None
        try:
            method, target = _request(content, keys)
            address = _word(content, keys["address"])
            who = _word(content, whose)
            if not (target and (address or who)):
                return None
            at, status = moment(_word(content, keys["time"])), int(_word(content, keys["status"]))
            return Hit(
                address, _word(content, keys["agent"]), who, at, method, target, status, _took(content, keys)
            )
        except (ValueError, OverflowError):
            return None

    return parse


def _request(content: dict[str, Any], keys: Mapping[str, Paths]) -> tuple[str, str]:
    line = _word(content, keys["request"])
    if " " in line:
        method, target = line.split(" ", 2)[:2]
        return method, target
    target, query = _word(content, keys["path"]), _word(content, keys["query"])
    if query and "?" not in target:
        target += "?" + query.lstrip("?")
    return _word(content, keys["method"]) or "GET", target


def _took(content: dict[str, Any], keys: Mapping[str, Paths]) -> float | None:
    for field, scale in _SCALE.items():
        if word := _word(content, keys[field]):
            try:
                return float(word) * scale
            except ValueError:
                return None
    return None


def _paths(keys: tuple[str, ...]) -> Paths:
    return tuple((key, tuple(key.split(".")) if "." in key else ()) for key in keys)


def _word(content: dict[str, Any], keys: Paths) -> str:
    """The first of the keys that has a text or number; a list of headers counts by its first."""
    for key, path in keys:
        value = content.get(key)
        if value is None and path:
            value = content
            for part in path:
                value = value.get(part) if isinstance(value, dict) else None
                if value is None:
                    break
        if isinstance(value, list) and value:
            value = value[0]
        if isinstance(value, str):
            # Halves of characters are of no use to anybody.
            return value if value.isascii() else value.encode("utf-8", "replace").decode()
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
    return ""
