"""`loadstone serve olio` and `rubis` for people: default rules, TLS, the public URL, what is refused."""

from __future__ import annotations

import http.client
import json
import re
import signal
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
from certificates import make_certificate

from loadstone._core import usernames
from loadstone.errors import LoadstoneError
from loadstone.measure import DataSet, builtin
from loadstone.serve import serve
from loadstone.site.rubis import RUBIS, RubisData

LOADSTONE = [sys.executable, "-m", "loadstone"]
TOKEN = re.compile(r'name="authenticity_token" value="([0-9a-f]{64})"')


@contextmanager
def serving(*arguments: str) -> Iterator[str]:
    """The URL of what `loadstone serve` serves."""
    command = [*LOADSTONE, "serve", *arguments, "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None and process.stderr is not None
            yield json.loads(process.stdout.readline())["url"]
            told = "" if "benchmark" in arguments else process.stderr.readline()
            assert ("for a load test: --rules benchmark" in told) is bool(told)
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def ask(
    url: str, method: str, path: str, body: str = "", cookies: str = "", trusted: Path | None = None
) -> tuple[int, http.client.HTTPMessage, str]:
    """One answer."""
    place = urlsplit(url)
    assert place.hostname
    connection = (
        http.client.HTTPConnection(place.hostname, place.port, timeout=60)
        if trusted is None
        else http.client.HTTPSConnection(
            place.hostname, place.port, timeout=60, context=ssl.create_default_context(cafile=str(trusted))
        )
    )
    fields = {"Host": "evil.example", "Content-Type": "application/x-www-form-urlencoded", "Cookie": cookies}
    connection.request(method, path, body, fields)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, answer.headers, text


def guesses(url: str, path: str, fields: dict[str, str], times: int) -> list[int]:
    """What so many tries of a wrong password get."""
    _, head, page = ask(url, "GET", path)
    found = TOKEN.search(page)
    assert found
    cookies = "; ".join(line.split(";")[0] for line in head.get_all("Set-Cookie", []))
    form = urlencode(fields | {"authenticity_token": found[1]})
    return [ask(url, "POST", path, form, cookies)[0] for _ in range(times)]


@pytest.fixture(scope="module")
def auctions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """RUBiS of the least scale."""
    folder = tmp_path_factory.mktemp("auctions") / "data"
    DataSet(RUBIS, RubisData(scale=0.001)).load(folder, None)
    return folder


def test_who_types_serve_gets_the_rules_for_people(auctions: Path) -> None:
    wrong = {"nickname": "user1", "password": "wrong"}
    # Behind a proxy that ends TLS.
    with serving("rubis", "--data", str(auctions), "--public-url", "https://rubis.example") as url:
        assert guesses(url, "/me", wrong, 11) == [422] * 10 + [429]
        assert "; Secure" in ask(url, "GET", "/")[1]["Set-Cookie"]
    # What a run starts.
    with builtin.serving(RUBIS, auctions, {"app": "rubis"}) as service:
        assert guesses(service.url, "/me", wrong, 11) == [422] * 11
        assert "Secure" not in ask(service.url, "GET", "/")[1]["Set-Cookie"]


def test_people_get_words_and_pictures_and_a_benchmark_what_it_had() -> None:
    data = ["--data", "memory", "--accounts", "100", "--media-scale", "0.01"]

    def seen(*options: str) -> tuple[str, bool]:
        """The name of the first person, and whether two events share a picture."""
        with serving("olio", *data, *options) as url:
            person = re.search("<h1>([^<]*)</h1>", ask(url, "GET", "/users/1")[2])
            tags = [ask(url, "HEAD", f"/media/e{number}t.jpg")[1]["ETag"] for number in (1, 2)]
            assert person
            return person[1], tags[0] == tags[1]

    assert seen() == (usernames(1, 1, "words")[0], False)
    assert seen("--names", "paper", "--profile", "olio-0.2") == (usernames(1, 1, "paper")[0], True)
    assert seen("--rules", "benchmark") == (usernames(1, 1)[0], True)


def test_over_tls_links_and_cookies_are_for_tls(tmp_path: Path) -> None:
    make_certificate(tmp_path)
    trusted = tmp_path / "cert.pem"
    data = ["--data", "memory", "--accounts", "100", "--media-scale", "0.01"]
    tls = ["--tls-cert", str(trusted), "--tls-key", str(tmp_path / "key.pem"), "--hsts", "3600"]
    with serving("olio", *data, *tls, "--public-url", "https://olio.example") as url:
        _, head, feed = ask(url, "GET", "/events/rss", trusted=trusted)
        assert "<link>https://olio.example/" in feed and "evil" not in feed
        assert head["Strict-Transport-Security"] == "max-age=3600"
        _, head, _ = ask(url, "GET", "/", trusted=trusted)
        assert "; Secure" in head["Set-Cookie"]


@pytest.mark.parametrize(
    ("people", "words"),
    [
        ({"public_url": "olio.example"}, "a scheme and a host"),
        ({"public_url": "https://x/y"}, "a scheme and a host"),
        ({"hsts_s": 60}, "HSTS needs TLS"),
        ({"public_url": "http://x", "hsts_s": 60}, "HSTS needs TLS"),
        ({"rules": "strict"}, "there are benchmark and public"),
    ],
)
def test_what_contradicts_itself_is_refused(auctions: Path, people: dict[str, object], words: str) -> None:
    with pytest.raises(LoadstoneError, match=words) as caught:
        serve(auctions, {"app": "rubis", "address": "127.0.0.1:0", "site": {"people": people}}, print)
    assert caught.value.slug == "serve-options"
    with pytest.raises(LoadstoneError, match="`surge` has no `people`"):
        serve("", {"app": "surge", "site": {"people": people}, "data": {}}, print)
