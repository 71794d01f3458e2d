"""Real servers on an address of IPv6, end to end."""

from __future__ import annotations

import ipaddress
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import nginx_site
import pytest
from certificates import Authority
from http2_servers import IMAGE, IMAGES, serving

SCENARIO = """
format = 1
name = "six"
[target]
url = "{url}"
{target}
[load]
users = {users}
ramp_up_s = 0
steady_s = 600
ramp_down_s = 0
timeout_s = 60
operations = {operations}
[pacing]
think = 0.01
[sla]
window_s = 600
[[operation]]
name = "Page"
limit_s = 60
step = [{{ get = "{path}", page = true, expect.contains = "the very end" }}]
"""


@pytest.fixture(scope="module", autouse=True)
def _ipv6() -> None:
    try:
        nginx_site.free_port("::1")
    except OSError:
        pytest.skip("this machine has no IPv6")


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


def loadstone(folder: Path, command: list[str], **given: Any) -> str:
    """What a command prints of the scenario."""
    scenario = folder / "six.toml"
    given = {"target": "", "users": 2, "operations": 20, "path": "/page.html"} | given
    scenario.write_text(SCENARIO.format(**given))
    words = [sys.executable, "-m", "loadstone", command[0], str(scenario), *command[1:]]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.stdout, done.stderr
    return done.stdout


def run(folder: Path, **given: Any) -> dict[str, Any]:
    return dict(json.loads(loadstone(folder, ["run", "--out", str(folder / "run"), "--json"], **given)))


@pytest.mark.parametrize(
    ("server", "scheme", "http"),
    [
        ("nginx", "https", "1.1"),
        ("nginx", "https", "2"),
        ("nginx", "http", "2"),
        ("container", "https", "1.1"),
        ("container", "http", "1.1"),
    ],
)
def test_pages_come_over_ipv6(
    tmp_path: Path, authority: Authority, server: str, scheme: str, http: str
) -> None:
    tls = f'tls = {{ ca = "{authority.ca}" }}\n' if scheme == "https" else ""
    with serving(server, tmp_path, authority.certificates["server"], host="::1") as ports:
        url = f"{scheme}://[::1]:{ports[scheme]}"
        told = run(tmp_path, url=url, target=f'http = "{http}"\n{tls}')
        walk = loadstone(tmp_path, ["try", "--operations", "1"], url=url, target=f'http = "{http}"\n{tls}')
    page = told["operations"]["Page"]
    assert (page["ok"], told["failures"]) == (20, [])
    assert page["counters"]["image_bytes"] == 2 * IMAGES * len(IMAGE)
    assert (told["tls"] is not None) == (scheme == "https")
    assert (told["http2"] is not None) == (http == "2")
    if http == "2":
        assert (told["http2"]["connections"], told["http2"]["http1_connections"]) == (2, 0)
    assert f"+ {IMAGES} files of the page" in walk


def test_whole_addresses_with_brackets_are_the_site_s_own(tmp_path: Path) -> None:
    root, port, log = tmp_path / "root", nginx_site.free_port("::1"), tmp_path / "log"
    root.mkdir()
    whole = f"http://[::1]:{port}"
    (root / "page.html").write_text(f"<img src={whole}/0.png><img src=//[::1]:{port}/1.png>the very end")
    (root / "0.png").write_bytes(IMAGE)
    (root / "1.png").write_bytes(IMAGE)
    servers = f"""log_format told '$remote_addr $http_host $uri $cookie_s';
        server {{ access_log {log} told; listen [::1]:{port}; root {root}; add_header Set-Cookie s=7;
            location = /old {{ return 302 {whole}/page.html; }} }}"""
    with nginx_site.nginx(tmp_path, servers, port, "::1"):
        told = run(tmp_path, url=whole, users=1, operations=2, path="/old")
    assert (told["operations"]["Page"]["ok"], told["failures"]) == (2, [])
    where, paths = f"::1 [::1]:{port}", ["/page.html 7", "/0.png 7", "/1.png 7"]
    seen = log.read_text().splitlines()
    assert seen[0] == f"{where} /old -"
    assert sorted(seen[1:]) == sorted(f"{where} {path}" for path in [*paths, "/old 7", "/page.html 7"])


def test_users_come_from_the_addresses_of_ipv6_that_are_named(tmp_path: Path) -> None:
    port, log = nginx_site.free_port("::1"), tmp_path / "log"
    (tmp_path / "page.html").write_text("the very end")
    servers = f"""log_format told '$remote_addr';
        server {{ access_log {log} told; listen [::]:{port}; root {tmp_path}; }}"""
    own = _own_addresses()
    named = json.dumps([*own, "127.0.0.1"])
    with nginx_site.nginx(tmp_path, servers, port, "::1"):
        url = f"http://[::1]:{port}"
        told = run(tmp_path, url=url, target=f"from = {named}", users=2 * len(own), operations=4 * len(own))
    assert told["operations"]["Page"]["ok"] == 4 * len(own), told["failures"]
    assert set(log.read_text().split()) == set(own), "the address of IPv4 leads nowhere here"


def _own_addresses() -> list[str]:
    """All of this machine that lead beyond one link: `::1`, and what its networks gave it."""
    lines = [line.split() for line in Path("/proc/net/if_inet6").read_text().splitlines()]
    # Scope of the host or the world; flags: neither being tried nor refused.
    good = (line[0] for line in lines if line[3] in ("00", "10") and not int(line[4], 16) & 0x48)
    return sorted({str(ipaddress.IPv6Address(int(address, 16))) for address in good})


def test_an_address_of_ipv6_that_is_not_here_is_refused_with_its_line(tmp_path: Path) -> None:
    scenario = tmp_path / "six.toml"
    given = {"url": "http://[::1]:9", "users": 1, "operations": 1, "path": "/"}
    scenario.write_text(SCENARIO.format(target='from = ["::1", "2001:db8::7"]', **given))
    words = [sys.executable, "-m", "loadstone", "run", str(scenario), "--out", str(tmp_path / "run")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 2
    assert "2001:db8::7 is not an address of this machine" in done.stderr
    assert f"{scenario}:6" in done.stderr
