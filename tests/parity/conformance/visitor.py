"""Sends the requests of a walk to one site, checks each answer, and keeps it for comparison with another."""

from __future__ import annotations

import hashlib
import http.client
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from urllib.parse import urlencode, urlsplit

SECRET = re.compile(rb"(?<![0-9a-f])(?:[0-9a-f]{64}|[0-9a-f]{32})(?![0-9a-f])")
"""Tokens of forms and session ids: random, so no two sites agree on them."""

OWN_VALUE = {"date", "last-modified", "etag"}
"""Header fields whose values are each site's own; that they are there, and work, is checked."""

EVERY_STACKS = {
    "allow",
    "cache-control",
    "content-disposition",
    "content-type",
    "etag",
    "last-modified",
    "location",
    "retry-after",
    "set-cookie",
}
"""Header fields that are the same on every platform; the others are what a platform adds by itself."""

FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class Answer:
    """What came back to one request."""

    step: int
    request: str
    status: int
    head: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text; bytes that are none are replaced."""
        return self.body.decode(errors="replace")

    def header(self, name: str) -> str:
        """The first header field of that name, in small letters; empty without one."""
        return next((value for known, value in self.head if known.lower() == name), "")

    @property
    def page(self) -> str:
        """`data-page` of the page's main part; empty for what is no page."""
        found = re.search(r'<main[^>]* data-page="([^"]*)"', self.text)
        return found[1] if found else ""

    @property
    def key(self) -> str:
        """`data-key` of the page's main part."""
        found = re.search(r'<main[^>]* data-key="([^"]*)"', self.text)
        return found[1] if found else ""

    def comparable(self, stacks: bool = False) -> dict[str, object]:
        """The answer without what differs between two right sites.

        `stacks`: without what differs between two right programs, too.
        """
        body = SECRET.sub(b"*", self.body)
        head = [
            f"{name}: {'*' if name.lower() in OWN_VALUE else SECRET.sub(b'*', value.encode()).decode()}"
            for name, value in self.head
        ]
        if stacks:
            head = sorted(_spelled_alike(field) for field in head if _name(field) in EVERY_STACKS)
        return {
            "step": self.step,
            "request": self.request,
            "status": self.status,
            "head": head,
            "bytes": len(body),
            "sha256": hashlib.sha256(body).hexdigest(),
        }


def _name(field: str) -> str:
    return field.partition(":")[0].lower()


def _spelled_alike(field: str) -> str:
    """A header field as every platform could have written it: case and order mean nothing there."""
    name, value = _name(field), field.partition(":")[2].strip()
    if name == "content-type":
        value = value.lower().replace("; ", ";")
    elif name == "set-cookie":
        pair, *flags = value.split(";")
        # `Max-Age` goes before `Expires`, which some platforms send beside it.
        kept = sorted(
            flag.strip().lower() for flag in flags if not flag.strip().lower().startswith("expires")
        )
        value = "; ".join([pair.replace('"', ""), *kept])
    elif name in ("allow", "cache-control"):
        value = ", ".join(sorted(part.strip().lower() for part in value.split(",")))
    return f"{name}: {value}"


@dataclass
class Visitor:
    """One user of the site at `url`: one connection that stays open, one set of cookies."""

    url: str
    answers: list[Answer] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    cookies: dict[str, str] = field(default_factory=dict)
    token: str = ""
    _connection: http.client.HTTPConnection | None = None

    def ask(
        self,
        method: str,
        path: str,
        *,
        status: int = 200,
        page: str = "",
        key: str = "",
        has: Sequence[str] = (),
        lacks: Sequence[str] = (),
        fields: Sequence[tuple[str, str]] = (),
        head: dict[str, str] | None = None,
        wants: dict[str, str] | None = None,
        body: bytes | None = None,
        kind: str = FORM,
        sent: bool = True,
    ) -> Answer:
        """Sends one request and checks its answer.

        `fields` become a form's body, with the token of the last page when `sent`; `wants` are header
        fields and what each must hold (`-`: must be absent). What is wrong becomes a sentence in `faults`.
        """
        headers = {"Host": "olio.test"} | (head or {})
        if self.cookies and "Cookie" not in headers:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if body is None and method not in ("GET", "HEAD", "OPTIONS"):
            pairs = [*fields, *([("authenticity_token", self.token)] if sent and self.token else [])]
            body = urlencode(pairs).encode()
        if body is not None:
            headers.setdefault("Content-Type", kind)
        answer = self._exchange(method, path, body, headers)
        problems = [f"status {answer.status}, not {status}"] if answer.status != status else []
        if page and answer.page != page:
            problems.append(f"page {answer.page!r}, not {page!r}")
        if key and answer.key != key:
            problems.append(f"key {answer.key!r}, not {key!r}")
        problems += [f"lacks {text!r}" for text in has if text not in answer.text]
        problems += [f"holds {text!r}" for text in lacks if text in answer.text]
        for name, value in (wants or {}).items():
            got = answer.header(name)
            if (value == "-" and got) or (value != "-" and value not in got):
                problems.append(f"{name} is {got!r}, wanted {value!r}")
        if answer.page and not answer.body.endswith(b"</html>\n"):
            problems.append("the page does not end with </html> and a newline")
        self.faults += [f"{answer.step} {answer.request}: {problem}" for problem in problems]
        return answer

    def get(self, path: str, **wanted: object) -> Answer:
        """`GET`; see `ask`."""
        return self.ask("GET", path, **wanted)  # type: ignore[arg-type]

    def post(self, path: str, fields: Sequence[tuple[str, str]] = (), **wanted: object) -> Answer:
        """`POST` of a form; see `ask`."""
        return self.ask("POST", path, fields=fields, **wanted)  # type: ignore[arg-type]

    def fragment(
        self, method: str, path: str, fields: Sequence[tuple[str, str]] = (), **wanted: object
    ) -> Answer:
        """The same as a script asks it: the changed section instead of a redirect."""
        return self.ask(method, path, fields=fields, head={"Accept": "text/javascript"}, **wanted)  # type: ignore[arg-type]

    def log_in(self, name: str, password: str) -> None:
        """Logs in by the form and looks at the home page."""
        self.get("/users/login", page="login")
        fields = [("users[username]", name), ("users[password]", password), ("submit", "Login")]
        self.post("/users/login", fields, status=302, wants={"location": "/"})
        self.get("/", page="home", has=["Hello <a", f">{name}</a>"])

    def _exchange(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Answer:
        if self._connection is None:
            self._connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=60)
        try:
            self._connection.request(method, path, body, headers)
            reply = self._connection.getresponse()
            content = reply.read()
        except (OSError, http.client.HTTPException):
            self._connection.close()
            self._connection = None
            raise
        answer = Answer(
            len(self.answers) + 1, f"{method} {path}", reply.status, tuple(reply.getheaders()), content
        )
        self.answers.append(answer)
        if reply.will_close:
            self._connection.close()
            self._connection = None
        self._keep(reply)
        found = re.search(rb'name="authenticity_token" value="([0-9a-f]{64})"', content)
        self.token = found[1].decode() if found else self.token
        return answer

    def _keep(self, reply: http.client.HTTPResponse) -> None:
        for line in reply.headers.get_all("Set-Cookie", []):
            for name, cookie in SimpleCookie(line).items():
                if cookie["max-age"] == "0":
                    self.cookies.pop(name, None)
                else:
                    self.cookies[name] = cookie.value
