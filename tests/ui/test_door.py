"""Nobody is let in who does not know the token, or who comes by way of another site's name."""

from __future__ import annotations

import http.client
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from served_page import Served, ask, served


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("door")) as found:
        yield found


def test_only_this_machine_can_reach_it(page: Served) -> None:
    assert urlsplit(page.address).hostname == "127.0.0.1"
    assert len(urlsplit(page.address).path) > 40


@pytest.mark.parametrize(
    "path", ["", "page.js", "runs", "runs/x/events", "runs/x/report", "compare?old=a&new=b"]
)
def test_a_wrong_token_is_refused_whatever_is_asked_for(page: Served, path: str) -> None:
    parts = urlsplit(page.address)
    token = parts.path.strip("/")
    for wrong in ("", "x/", f"{token[:-1]}{'A' if token[-1] != 'A' else 'B'}/"):
        address = f"{parts.scheme}://{parts.netloc}/{wrong}{path}"
        status, body, _ = ask(urllib.request.Request(address))
        assert status == 403 and b"token" in body, address


@pytest.mark.parametrize("path", ["", "runs", "runs/x/events"])
def test_a_name_of_another_site_is_refused_even_with_the_token(page: Served, path: str) -> None:
    status, body, _ = page.get(path, Host="rebound.example")
    assert status == 403 and b"name" in body


def test_names_of_this_machine_and_addresses_are_known(page: Served) -> None:
    port = urlsplit(page.address).port
    for host in (f"localhost:{port}", f"[::1]:{port}", "127.0.0.1"):
        assert page.get("scenarios", Host=host)[0] == 200


def test_no_host_at_all_is_refused(page: Served) -> None:
    parts = urlsplit(page.address)
    connection = http.client.HTTPConnection(parts.netloc)
    connection.putrequest("GET", parts.path, skip_host=True)
    connection.endheaders()
    assert connection.getresponse().status == 403
    connection.close()


def test_another_page_starts_nothing(page: Served) -> None:
    status, said = page.post("runs", {"scenario": "page"}, Origin="http://evil.example")
    assert status == 403 and "another page" in said
    assert page.json("runs") == []


def test_what_is_no_form_is_refused(page: Served) -> None:
    assert page.post("runs", ["x"])[0] == 400
    assert page.post("runs", {"scenario": 5})[0] == 400
    assert page.post("runs", {"reset": "rm"})[0] == 400
    assert page.post("runs", {"scenario": "x" * 100_000})[0] == 413


def test_only_files_of_the_list_and_runs_of_the_folder_are_read(page: Served) -> None:
    status, said = page.post("runs", {"scenario": "/etc/passwd"})
    assert status == 422, said
    for path in ("scenario?name=/etc/passwd", "runs/../report", "runs/%2e%2e/report", "runs/nobody/events"):
        status, body, _ = page.get(path)
        assert status in (404, 422), (path, body)


def test_every_answer_says_what_a_browser_may_do_with_it(page: Served) -> None:
    for path in ("", "page.js", "runs"):
        headers = page.get(path)[2]
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "script-src 'self';" in policy
        assert headers["Referrer-Policy"] == "no-referrer" and headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_a_port_that_is_taken_is_told(page: Served, tmp_path: Path) -> None:
    from loadstone.cli.measuring import default_folder
    from loadstone.cli.ui import Form
    from loadstone.errors import LoadstoneError
    from loadstone.ui import Settings, serve

    port = urlsplit(page.address).port
    assert port
    with pytest.raises(LoadstoneError, match="bad-address"):
        serve(Settings(tmp_path, port=port), Form(), default_folder)
