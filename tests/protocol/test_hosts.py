"""A session with several real hosts: a site, its API by HTTPS, and a CDN; cookies between them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import nginx_site
import pytest
from certificates import Authority
from typer.testing import CliRunner

from loadstone.cli import app

SCENARIO = """
format = 1
name = "hosts"
[target]
url = "{site}"
http = "{http}"
tls.ca = "{ca}"
[target.hosts]
api = "{api}"
cdn = "{cdn}"
[browser]
connections = 1
[load]
users = 2
ramp_up_s = 0
steady_s = 600
ramp_down_s = 0
timeout_s = 60
operations = 10
[pacing]
think = 0.01
[sla]
window_s = 600
[[operation]]
name = "Home"
limit_s = 60
[[operation.step]]
get = "/page.html"
page = true
expect.contains = "the very end"
[[operation.step]]
get = "/v1/me"
host = "api"
expect.contains = "sid=42;"
[[operation.step]]
get = "/leave"
expect.contains = "from the api"
"""


class Hosts(NamedTuple):
    """URLs of the three, and where each request is logged."""

    site: str
    api: str
    cdn: str
    log: Path
    ca: str


@pytest.fixture(params=["1.1", "2"])
def http(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def hosts(tmp_path: Path, http: str) -> Iterator[Hosts]:
    """One nginx with three servers. The API is asked for by HTTPS."""
    authority = Authority(tmp_path)
    certificate, key = authority.certificates["server"]
    ports = [nginx_site.free_port() for _ in range(3)]
    site, api, cdn = ports
    root = tmp_path / "root"
    root.mkdir()
    files = f"<link rel=stylesheet href=//127.0.0.1:{cdn}/a.css><img src=http://127.0.0.1:{cdn}/b.png>"
    stranger = "<img src=http://cdn.example/c.png>"
    (root / "page.html").write_text(f"<html>{files}{stranger}<img src=/own.png>the very end")
    for name in ("a.css", "b.png", "own.png"):
        (root / name).write_bytes(b"x" * 500)
    log = tmp_path / "requests.log"
    more = "http2" if http == "2" else ""
    directives = f"""
    log_format told '$server_port $server_protocol $uri $connection [$http_cookie]';
    server {{ listen {site} {more}; access_log {log} told; root {root};
        location = /page.html {{ add_header Set-Cookie "sid=42; Path=/; Secure";
            add_header Set-Cookie "own=1; Path=/leave"; }}
        location = /leave {{ return 302 https://127.0.0.1:{api}/v1/bye; }} }}
    server {{ listen {api} ssl {more}; access_log {log} told;
        ssl_certificate {certificate}; ssl_certificate_key {key};
        location /v1/bye {{ return 200 "from the api"; }}
        location /v1 {{ default_type text/plain; return 200 "$http_cookie;"; }} }}
    server {{ listen {cdn} {more}; access_log {log} told; root {root}; }}
    """
    with nginx_site.nginx(tmp_path, directives, site):
        urls = (f"http://127.0.0.1:{site}", f"https://127.0.0.1:{api}", f"http://127.0.0.1:{cdn}")
        yield Hosts(*urls, log, str(authority.ca))


def write(folder: Path, hosts: Hosts, http: str) -> Path:
    scenario = folder / "hosts.toml"
    scenario.write_text(
        SCENARIO.format(site=hosts.site, api=hosts.api, cdn=hosts.cdn, ca=hosts.ca, http=http)
    )
    return scenario


def requests(hosts: Hosts) -> list[tuple[str, str, str, str, str]]:
    """Port, protocol, path, connection and cookies of each request."""
    lines = hosts.log.read_text().splitlines()
    return [tuple(line.split(" ", 4)) for line in lines]  # type: ignore[misc]


def test_a_run_has_a_connection_to_each_host_and_cookies_between_them(
    tmp_path: Path, hosts: Hosts, http: str
) -> None:
    scenario = write(tmp_path, hosts, http)
    command = ["run", str(scenario), "--out", str(tmp_path / "run"), "--json"]
    done = subprocess.run([sys.executable, "-m", "loadstone", *command], capture_output=True, text=True)
    told: dict[str, Any] = json.loads(done.stdout)
    home = told["operations"]["Home"]
    assert (home["ok"], told["failures"]) == (10, [])
    seen = requests(hosts)
    ports = {port: {one[3] for one in seen if one[0] == port} for port in {one[0] for one in seen}}
    assert len(ports) == 3 and all(len(connections) == 2 for connections in ports.values()), ports
    assert {one[1] for one in seen} == {"HTTP/2.0" if http == "2" else "HTTP/1.1"}
    by_path = {path: {one[4] for one in seen if one[2] == path} for path in {one[2] for one in seen}}
    # A cookie goes to all ports of its host, and only below its path; to the loopback also a secure one.
    assert by_path["/v1/me"] == {"[sid=42]"}
    assert by_path["/leave"] == {"[own=1; sid=42]"}
    assert by_path["/v1/bye"] == {"[sid=42]"}
    assert home["counters"]["images"] == 2 * 3, "files of the site and of the CDN, once a session"
    assert home["counters"]["references_other_host"] == 10, "the stranger is not asked"
    [warning] = [one for one in told["warnings"] if "other hosts" in one]
    assert warning.endswith("http://cdn.example/c.png: to include them, name that host in [target.hosts]")


def test_a_walk_names_the_host_of_each_request(tmp_path: Path, hosts: Hosts, http: str) -> None:
    done = CliRunner().invoke(app, ["try", str(write(tmp_path, hosts, http)), "--operations", "1"])
    assert done.exit_code == 0, done.output
    shown = [line.split("  ")[2] for line in done.output.splitlines() if line.startswith("    GET")]
    api = hosts.api
    protocol = " HTTP/2" if http == "2" else ""
    asked = ["GET /page.html", f"GET {api}/v1/me", "GET /leave", f"GET {api}/v1/bye"]
    assert shown == [one + protocol for one in asked]
    assert f"302 → {api}/v1/bye" in done.output
