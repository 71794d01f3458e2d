"""Sites as processes, and a small browser to walk them."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import ssl
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from urllib.parse import quote, urlencode, urlsplit

SECRETS = re.compile(rb"[0-9a-f]{64}|[0-9a-f]{32}")
"""Tokens and session ids, which are random."""


def load(place: str, *options: str) -> subprocess.CompletedProcess[str]:
    """`loadstone olio load` of 120 accounts into a folder or database."""
    where = "--database" if "://" in place else "--out"
    command = ["-m", "loadstone", "olio", "load", "--accounts", "120", "--media-scale", "0.01", "--json"]
    return subprocess.run(
        [sys.executable, *command, where, place, *options], capture_output=True, text=True, check=False
    )


@contextlib.contextmanager
def serving(place: str, count: int = 1, app: str = "olio", **options: object) -> Iterator[list[str]]:
    """The URLs of `count` sites on one data set."""
    settings = json.dumps({"app": app, "address": "127.0.0.1:0", "workers": 4} | options)
    command = [sys.executable, "-m", "loadstone.serve", place, settings]
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(count)
    ]
    try:
        urls = []
        for process in processes:
            assert process.stdout
            urls.append(json.loads(process.stdout.readline())["url"])
        yield urls
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def _connection(url: str) -> http.client.HTTPConnection:
    """To a site; whose certificate one with TLS has does not matter here."""
    parts = urlsplit(url)
    if parts.scheme == "http":
        return http.client.HTTPConnection(parts.netloc, timeout=120)
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    return http.client.HTTPSConnection(parts.netloc, timeout=120, context=trusting)


@dataclass
class Browser:
    """Goes round the sites, a request each, with one set of cookies."""

    urls: list[str]
    cookies: dict[str, str] = field(default_factory=dict)
    token: str = ""
    requests: int = 0

    def send(
        self, method: str, path: str, body: bytes = b"", kind: str = "", at: str = ""
    ) -> tuple[int, bytes, str]:
        """Status, body and place to go to."""
        where = at or self.urls[self.requests % len(self.urls)]
        self.requests += 1
        connection = _connection(where)
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        headers |= {"Host": "olio.test"} | ({"Content-Type": kind} if kind else {})
        connection.request(method, quote(path, safe="/?=&%"), body, headers)
        answer = connection.getresponse()
        content = answer.read()
        for line in answer.headers.get_all("Set-Cookie", []):
            for name, cookie in SimpleCookie(line).items():
                self.cookies[name] = cookie.value
                if cookie["max-age"] == "0":
                    del self.cookies[name]
        connection.close()
        if found := re.search(rb'name="authenticity_token" value="([0-9a-f]{64})"', content):
            self.token = found[1].decode()
        return answer.status, content, answer.headers.get("Location", "")

    def get(self, path: str, at: str = "") -> tuple[int, bytes]:
        """Status and body, what is random in it left out."""
        status, content, _ = self.send("GET", path, at=at)
        return status, SECRETS.sub(b"*", content)

    def post(self, path: str, at: str = "", **fields: str) -> tuple[int, bytes]:
        """Sends a form, and follows it to the page that it leads to."""
        body = urlencode(fields | {"authenticity_token": self.token}).encode()
        status, content, location = self.send("POST", path, body, "application/x-www-form-urlencoded", at)
        if location:
            return self.get(location, at)
        return status, SECRETS.sub(b"*", content)

    def log_in(self, name: str, password: str, at: str = "") -> tuple[int, bytes]:
        """Logs in; the home page."""
        self.get("/users/login", at)
        return self.post("/users/login", at, **{"users[username]": name, "users[password]": password})

    def upload(self, path: str, fields: dict[str, str], files: dict[str, bytes]) -> tuple[int, bytes]:
        """Sends a form with files, and follows it."""
        parts = b""
        for name, value in (fields | {"authenticity_token": self.token}).items():
            parts += f'--edge\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, data in files.items():
            head = f'--edge\r\nContent-Disposition: form-data; name="{name}"; filename="x"\r\n\r\n'
            parts += head.encode() + data + b"\r\n"
        status, content, location = self.send(
            "POST", path, parts + b"--edge--\r\n", "multipart/form-data; boundary=edge"
        )
        return self.get(location) if location else (status, SECRETS.sub(b"*", content))
