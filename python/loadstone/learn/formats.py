"""Formats of access logs: what each line means, from the string that a server's configuration has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from loadstone.errors import LoadstoneError
from loadstone.learn.hit import Hit, Parser
from loadstone.learn.json_lines import parser
from loadstone.learn.times import moment


@dataclass(frozen=True)
class Format:
    """A format: its name for people, how a line is read, whether its times are those of the answers' ends."""

    name: str
    parse: Parser
    at_end: bool
    has_took: bool


COMMON = '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent'
COMBINED = COMMON + ' "$http_referer" "$http_user_agent"'
NAMED = {
    "combined": COMBINED,
    "common": COMMON,
    "vhost-combined": "$server_name:$server_port " + COMBINED,
}
"""Formats of both servers that have a name, as nginx writes them."""

_NGINX = {
    "remote_addr": "address", "time_local": "time", "time_iso8601": "time", "msec": "time",
    "request": "request", "request_method": "method", "request_uri": "target", "uri": "path", "args": "query",
    "status": "status", "http_user_agent": "agent", "request_time": "took_s",
}  # fmt: skip
_APACHE = {
    "h": "address", "a": "address", "t": "clf", "r": "request", "m": "method", "U": "path", "q": "query?",
    "s": "status", "D": "took_us", "T": "took_s",
}  # fmt: skip
_OF_HEADERS = {"user-agent": "agent"}
_TIMES = {"sec": "time", "msec": "time", "usec": "time"}
_TOKEN = re.compile(
    r"\$\{?(?P<nginx>[A-Za-z_][A-Za-z_0-9]*)\}?"
    r"|%(?P<flag>[<>!0-9,]*)(?:\{(?P<inner>[^}]*)\})?(?P<apache>\^?[A-Za-z]{1,2}(?<=\^..)|[A-Za-z])"
    r"|%%"
)
_LONGEST_FORMAT = 4096
_SCALE = {"took_s": 1.0, "took_ms": 1e-3, "took_us": 1e-6}


def of_format(text: str, user: str | None = None) -> Format:
    """The format of an nginx `log_format` or an Apache `LogFormat` string, or of a name in NAMED.

    user: the variable that tells people apart, as the string has it. LoadstoneError `log-format`.
    """
    name = text
    text = NAMED.get(text, text).replace('\\"', '"')
    if len(text) > _LONGEST_FORMAT:
        raise _refused(f"it is longer than {_LONGEST_FORMAT} characters")
    apache = "$" not in text
    pattern, fields, at = [], list[str](), 0
    for token in _TOKEN.finditer(text):
        pattern.append(re.escape(text[at : token.start()]))
        at = token.end()
        if token.group() == "%%" or (apache and token["nginx"]) or (not apache and not token["nginx"]):
            pattern.append(re.escape("%" if token.group() == "%%" else token.group()))
            continue
        field = _field(token)
        written = token.group().lstrip("$").strip("{}")
        if user is not None and user in (token.group(), written, token["inner"]):
            field = "user"
        pattern.append(_group(field, "" if _TOKEN.match(text, at) else text[at : at + 1], at == len(text)))
        fields.append(field)
    pattern.append(re.escape(text[at:]))
    _require(fields, user, name)
    return _compiled("".join(pattern), fields, name, at_end=not apache)


def _field(token: re.Match[str]) -> str:
    """What a variable means to us; empty where nothing."""
    if token["nginx"]:
        return _NGINX.get(token["nginx"], "")
    letter, inner = token["apache"], token["inner"]
    if letter == "i":
        return _OF_HEADERS.get((inner or "").lower(), "")
    if letter == "T" and inner:
        return {"s": "took_s", "ms": "took_ms", "us": "took_us"}.get(inner, "")
    if letter == "t" and inner:
        if inner.split(":")[-1] not in _TIMES:
            message = f"times of the form `%{{{inner}}}t` are not read"
            raise _refused(message, "log `%t`, `%{sec}t`, `%{msec}t` or `%{usec}t`")
        return "time"
    return "" if inner and letter not in "ha" else _APACHE.get(letter, "")


def _group(field: str, following: str, last: bool) -> str:
    if field == "clf":
        return r"\[([^\]]*)\]"
    if following == '"':
        return r'((?:[^"\\]|\\.)*+)'
    if following:
        return f"([^{re.escape(following)}]*+)"
    # Before another variable, with nothing between: a path ends with its query, other things with a space.
    return "(.*)" if last else r"([^?\s]*+)" if field == "path" else r"(\S*?)"


def _require(fields: list[str], user: str | None, name: str) -> None:
    have = set(fields)
    missing = []
    if not have & {"time", "clf"}:
        missing.append("a time (`$time_local`, `%t`)")
    if not (have & {"request", "target", "path"}):
        missing.append("a request (`$request`, `%r`)")
    if "status" not in have:
        missing.append("a status (`$status`, `%>s`)")
    if not have & {"address", "user"}:
        missing.append("a client (`$remote_addr`, `%h`)")
    if missing:
        known = ", ".join(NAMED)
        raise _refused(f"`{name[:200]}` has not {', '.join(missing)}", f"named formats are {known}, json")
    if user is not None and "user" not in have:
        raise _refused(f"`{name[:200]}` has no field `{user}`", "name one as the format writes it")


def _refused(message: str, hint: str | None = None) -> LoadstoneError:
    return LoadstoneError("log-format", message, place="--format", hint=hint)


def _compiled(pattern: str, fields: list[str], name: str, *, at_end: bool) -> Format:
    match = re.compile(pattern + "()", re.DOTALL).fullmatch
    none = len(fields) + 1

    def index(*names: str) -> int:
        return next((number for number, field in enumerate(fields, 1) if field in names), none)

    took = next((field for field in fields if field in _SCALE), None)
    scale = _SCALE.get(took or "", 1.0)
    wanted = (
        index("address"), index("agent"), index("user"), index("time", "clf"), index("status"),
        index("request"), index("method"), index("target", "path"), index("query", "query?"),
        index(took or "took"),
    )  # fmt: skip
    mark = "?" if "query" in fields else ""

    def parse(line: bytes) -> Hit | None:
        found = match(line.rstrip(b"\r").decode("utf-8", "replace"))
        if not found:
            return None
        address, agent, user, at, status, request, method, target, query, took_text = found.group(*wanted)
        try:
            if request:
                method, target = request.split(" ", 2)[:2]
            elif query and query != "-":
                target += mark + query
            took_s = float(took_text) * scale if took_text and took_text != "-" else None
            return Hit(address, agent, user, moment(at), method, target, int(status), took_s)
        except (ValueError, OverflowError):
            return None

    return Format(name, parse, at_end, took is not None)


def of_json(names: Mapping[str, str], user: str | None = None) -> Format:
    """JSON lines. `names` are keys by field, as `--field time=when` gives them; dots lead into objects."""
    return Format("json", parser(names, user), at_end=True, has_took=True)
