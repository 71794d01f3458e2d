"""HTTP/2 against real servers, by ALPN and by prior knowledge, HTTP/1.1 beside it, and what a run says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import nginx_site
import pytest
from certificates import Authority
from http2_servers import ALL, IMAGE, IMAGES, SERVERS, serving

SCENARIO = """
format = 1
name = "multiplexed"
[target]
url = "{url}"
http = "{http}"
{tls}
[load]
{load}
ramp_up_s = 0
ramp_down_s = 0
timeout_s = 60
[pacing]
think = 0.01
[sla]
window_s = 600
[[operation]]
name = "Page"
limit_s = 60
step = [{{ get = "/page.html", page = true, expect.contains = "the very end" }}]
"""
USERS = "users = 2\noperations = 20\nsteady_s = 600"
RATE = "requests_per_s = 50\nconnections = 2\nsteady_s = 2"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


def loadstone(
    folder: Path, command: str, url: str, authority: Authority, *more: str, load: str = USERS, http: str = "2"
) -> subprocess.CompletedProcess[str]:
    tls = f'tls = {{ ca = "{authority.ca}" }}' if url.startswith("https") else ""
    scenario = folder / "multiplexed.toml"
    scenario.write_text(SCENARIO.format(url=url, http=http, tls=tls, load=load))
    words = [sys.executable, "-m", "loadstone", command, str(scenario), *more]
    return subprocess.run(words, capture_output=True, text=True, timeout=300)


def run(folder: Path, url: str, authority: Authority, **how: str) -> dict[str, Any]:
    """The record of a run."""
    done = loadstone(folder, "run", url, authority, "--out", str(folder / "run"), "--json", **how)
    assert done.stdout, done.stderr
    return dict(json.loads(done.stdout))


def check_pages(told: dict[str, Any], operations: int) -> None:
    """All pages came, and the bytes of the wire are those of the bodies and not much more."""
    page = told["operations"]["Page"]
    assert page["ok"] == operations, told["failures"]
    counters = page["counters"]
    # In a session each image is asked for once: two users have one each.
    assert counters["images"] == 2 * IMAGES
    assert counters["image_bytes"] == 2 * IMAGES * len(IMAGE)
    # By HTTP/1.1 each user has several connections, and each of them a handshake.
    assert counters["body_bytes"] < counters["bytes_in"] < counters["body_bytes"] * 1.05 + 40_000


@pytest.mark.parametrize("scheme", ["https", "http"])
def test_pages_of_nginx_come_on_one_connection_a_user(
    tmp_path: Path, authority: Authority, scheme: str
) -> None:
    with serving("nginx", tmp_path, authority.certificates["server"]) as ports:
        told = run(tmp_path, f"{scheme}://127.0.0.1:{ports[scheme]}", authority)
    check_pages(told, 20)
    assert (told["http2"]["connections"], told["http2"]["http1_connections"]) == (2, 0)
    assert (told["tls"] is None) == (scheme == "http")


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["https", "http"])
@pytest.mark.parametrize("server", [name for name in SERVERS if name != "nginx"])
def test_pages_of_other_servers(tmp_path: Path, authority: Authority, server: str, scheme: str) -> None:
    with serving(server, tmp_path, authority.certificates["server"]) as ports:
        told = run(tmp_path, f"{scheme}://127.0.0.1:{ports[scheme]}", authority)
    check_pages(told, 20)
    assert (told["http2"]["connections"], told["http2"]["http1_connections"]) == (2, 0)


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["https", "http"])
@pytest.mark.parametrize("server", SERVERS)
def test_requests_at_a_rate_share_connections(
    tmp_path: Path, authority: Authority, server: str, scheme: str
) -> None:
    with serving(server, tmp_path, authority.certificates["server"]) as ports:
        told = run(tmp_path, f"{scheme}://127.0.0.1:{ports[scheme]}", authority, load=RATE)
    page = told["operations"]["Page"]
    assert page["ok"] > 0, told["failures"]
    assert sum(page["failed"].values()) == 0, told["failures"]
    assert 1 <= told["http2"]["connections"] <= 2


@pytest.mark.long
@pytest.mark.parametrize("server", ALL)
def test_pages_by_http_1_and_tls(tmp_path: Path, authority: Authority, server: str) -> None:
    with serving(server, tmp_path, authority.certificates["server"]) as ports:
        told = run(tmp_path, f"https://127.0.0.1:{ports['https']}", authority, http="1.1")
    check_pages(told, 20)
    assert told["http2"] is None
    agreed = told["tls"]["negotiated"]
    assert {one["protocol"] for one in agreed} == {"TLS 1.3"}
    assert sum(one["full"] for one in agreed) >= 2


@pytest.mark.long
@pytest.mark.parametrize("server", [name for name in ALL if name not in ("nginx", "haproxy")])
def test_pages_by_http_1(tmp_path: Path, authority: Authority, server: str) -> None:
    # A port of nginx or HAProxy without TLS speaks HTTP/2 or HTTP/1.1, as it is told.
    with serving(server, tmp_path, authority.certificates["server"]) as ports:
        told = run(tmp_path, f"http://127.0.0.1:{ports['http']}", authority, http="1.1")
    check_pages(told, 20)
    assert (told["http2"], told["tls"]) == (None, None)


@pytest.mark.long
def test_the_container_chooses_http_1(tmp_path: Path, authority: Authority) -> None:
    with serving("container", tmp_path, authority.certificates["server"]) as ports:
        told = run(tmp_path, f"https://127.0.0.1:{ports['https']}", authority)
    check_pages(told, 20)
    assert told["http2"]["connections"] == 0
    assert told["http2"]["http1_connections"] >= 2


def test_a_server_may_choose_http_1(tmp_path: Path, authority: Authority) -> None:
    certificate, key = authority.certificates["server"]
    port = nginx_site.free_port()
    (tmp_path / "page.html").write_text("the very end")
    site = f"server {{ listen {port} ssl; root {tmp_path}; ssl_certificate {certificate};"
    with nginx_site.nginx(tmp_path, f"{site} ssl_certificate_key {key}; }}", port):
        told = run(tmp_path, f"https://127.0.0.1:{port}", authority)
    assert told["operations"]["Page"]["ok"] == 20, told["failures"]
    assert (told["http2"]["connections"], told["http2"]["http1_connections"]) == (0, 2)


@pytest.mark.long
def test_http_1_is_asked_for_unless_the_scenario_says_otherwise(tmp_path: Path, authority: Authority) -> None:
    with serving("nginx", tmp_path, authority.certificates["server"]) as ports:
        told = run(tmp_path, f"https://127.0.0.1:{ports['https']}", authority, http="1.1")
    assert told["operations"]["Page"]["ok"] == 20, told["failures"]
    assert told["http2"] is None


@pytest.mark.long
def test_without_tls_a_server_must_know_http_2(tmp_path: Path, authority: Authority) -> None:
    port = nginx_site.free_port()
    with nginx_site.nginx(tmp_path, f"server {{ listen {port}; root {tmp_path}; }}", port):
        told = run(tmp_path, f"http://127.0.0.1:{port}", authority)
    page = told["operations"]["Page"]
    assert (page["ok"], page["failed"]["http2"]) == (0, 20)
    assert any("answers in HTTP/1" in failure["example"] for failure in told["failures"]), told["failures"]


@pytest.mark.long
def test_connections_that_nginx_ends_lose_nothing(tmp_path: Path, authority: Authority) -> None:
    certificate = authority.certificates["server"]
    with serving("nginx", tmp_path, certificate, "keepalive_requests 20;") as ports:
        told = run(tmp_path, f"http://127.0.0.1:{ports['http']}", authority)
    check_pages(told, 20)
    assert told["http2"]["connections"] > 2
    assert any(one["frame"] == "GOAWAY" and one["by"] == "server" for one in told["http2"]["given_up"])


@pytest.mark.long
def test_a_walk_shows_the_protocol(tmp_path: Path, authority: Authority) -> None:
    with serving("nginx", tmp_path, authority.certificates["server"]) as ports:
        done = loadstone(
            tmp_path, "try", f"https://127.0.0.1:{ports['https']}", authority, "--operations", "1"
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "GET /page.html HTTP/2" in done.stdout
    assert f"+ {IMAGES} files of the page" in done.stdout
