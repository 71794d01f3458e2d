"""Apache as a proxy between the users and a real site: asked for addresses, and for tunnels."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nginx_site
import pytest
from certificates import Authority

SCENARIO = """
format = 1
name = "by-proxy"
[target]
url = "{url}"
proxy = "http://{who}127.0.0.1:{proxy}"
http = "{http}"
{tls}
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
name = "Page"
limit_s = 60
step = [{{ get = "/page.html", page = true, expect.contains = "the very end" }}]
{secrets}
"""
WHO = "joe%40home:{secret.proxy}@"
SECRETS = """
[secrets]
proxy = { env = "PROXY_PASSWORD" }
"""
PASSWORD = "p/a:s@s{w}rd"
ASKS = """
LoadModule auth_basic_module {modules}/mod_auth_basic.so
LoadModule authn_core_module {modules}/mod_authn_core.so
LoadModule authn_file_module {modules}/mod_authn_file.so
LoadModule authz_user_module {modules}/mod_authz_user.so
<Proxy "*">
AuthType Basic
AuthName proxy
AuthBasicProvider file
AuthUserFile {folder}/people
Require valid-user
</Proxy>
"""
APACHE = """
ServerRoot {folder}
PidFile {folder}/pid
ErrorLog {folder}/error.log
DefaultRuntimeDir {folder}
ServerName proxy
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule proxy_module {modules}/mod_proxy.so
LoadModule proxy_http_module {modules}/mod_proxy_http.so
LoadModule proxy_connect_module {modules}/mod_proxy_connect.so
Listen 127.0.0.1:{port}
LogFormat "%r" told
CustomLog {folder}/asked told
ProxyRequests On
AllowCONNECT {allowed}
"""
_MODULES = "/usr/lib/apache2/modules"
_PATIENCE_S = 60.0


@contextmanager
def apache(folder: Path, allowed: int, asks: bool = False) -> Iterator[int]:
    """A proxy that gives tunnels to the port `allowed`; its own port. `asks`: it wants a password."""
    program = shutil.which("apache2", path="/usr/sbin:/usr/bin")
    if program is None:
        pytest.skip("apache2 is not installed")
    folder.mkdir()
    port = nginx_site.free_port()
    config = APACHE.format(folder=folder, modules=_MODULES, port=port, allowed=allowed)
    if asks:
        config += ASKS.format(folder=folder, modules=_MODULES)
        hashed = base64.b64encode(hashlib.sha1(PASSWORD.encode()).digest()).decode()
        (folder / "people").write_text(f"joe@home:{{SHA}}{hashed}\n")
    (folder / "config").write_text(config)
    with subprocess.Popen([program, "-X", "-f", str(folder / "config")]) as server:
        try:
            until = time.monotonic() + _PATIENCE_S
            while not (folder / "pid").exists():
                assert server.poll() is None and time.monotonic() < until, "Apache did not start"
                time.sleep(0.05)
            yield port
        finally:
            server.terminate()


@contextmanager
def site(folder: Path, authority: Authority) -> Iterator[tuple[int, int]]:
    """nginx with a page; its ports without and with TLS."""
    root = folder / "root"
    root.mkdir()
    (root / "page.html").write_text("<html><img src=/big.png>the very end")
    (root / "big.png").write_bytes(b"x" * 100_000)
    certificate, key = authority.certificates["server"]
    plain, secure = nginx_site.free_port(), nginx_site.free_port()
    servers = f"""log_format told "$http_proxy_authorization";
        server {{ access_log {folder}/told told; listen {plain}; listen {secure} ssl http2; root {root};
        ssl_certificate {certificate}; ssl_certificate_key {key}; }}"""
    with nginx_site.nginx(folder, servers, plain):
        yield plain, secure


def run(folder: Path, **values: Any) -> dict[str, Any]:
    (folder / "s.toml").write_text(SCENARIO.format(**{"who": "", "secrets": ""} | values))
    command = ["run", str(folder / "s.toml"), "--out", str(folder / "run"), "--json"]
    done = subprocess.run([sys.executable, "-m", "loadstone", *command], capture_output=True, text=True)
    assert done.stdout, done.stderr
    return dict(json.loads(done.stdout))


def asked(folder: Path) -> list[str]:
    return (folder / "apache" / "asked").read_text().splitlines()


def test_a_proxy_is_asked_for_whole_addresses(tmp_path: Path) -> None:
    with site(tmp_path, Authority(tmp_path)) as (plain, secure), apache(tmp_path / "apache", secure) as proxy:
        url = f"http://127.0.0.1:{plain}"
        told = run(tmp_path, url=url, proxy=proxy, http="1.1", tls="")
    assert (told["operations"]["Page"]["ok"], told["failures"]) == (10, [])
    paths = {f"GET {url}/page.html HTTP/1.1", f"GET {url}/big.png HTTP/1.1"}
    assert set(asked(tmp_path)) == paths


@pytest.mark.parametrize("http", ["1.1", "2"])
def test_https_goes_through_a_tunnel(tmp_path: Path, http: str) -> None:
    authority = Authority(tmp_path)
    with site(tmp_path, authority) as (_, secure), apache(tmp_path / "apache", secure) as proxy:
        tls = f'tls.ca = "{authority.ca}"'
        told = run(tmp_path, url=f"https://127.0.0.1:{secure}", proxy=proxy, http=http, tls=tls)
    page = told["operations"]["Page"]
    assert (page["ok"], told["failures"], page["counters"]["images"]) == (10, [], 2)
    assert told["tls"]["full"]["count"] == 2
    # Apache writes a line when a tunnel ends, and it ends after the run.
    assert set(asked(tmp_path)) <= {f"CONNECT 127.0.0.1:{secure} HTTP/1.1"}


def test_a_tunnel_that_is_forbidden_is_told(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    with site(tmp_path, authority) as (_, secure), apache(tmp_path / "apache", 1) as proxy:
        tls = f'tls.ca = "{authority.ca}"'
        told = run(tmp_path, url=f"https://127.0.0.1:{secure}", proxy=proxy, http="1.1", tls=tls)
    [failure] = told["failures"]
    assert failure["cause"] == "refused"
    assert failure["example"].startswith("GET /page.html: no connection by the proxy: it answered 403 ")


def run_by_asking_proxy(tmp_path: Path, scheme: str) -> dict[str, Any]:
    """The summary of a run by a proxy that asks for a password."""
    authority = Authority(tmp_path)
    with (
        site(tmp_path, authority) as (plain, secure),
        apache(tmp_path / "apache", secure, asks=True) as proxy,
    ):
        url = f"{scheme}://127.0.0.1:{secure if scheme == 'https' else plain}"
        tls = f'tls.ca = "{authority.ca}"' if scheme == "https" else ""
        return run(tmp_path, url=url, proxy=proxy, http="1.1", tls=tls, who=WHO, secrets=SECRETS)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_asks_for_a_password_gets_it_and_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    monkeypatch.setenv("PROXY_PASSWORD", PASSWORD)
    told = run_by_asking_proxy(tmp_path, scheme)
    assert (told["operations"]["Page"]["ok"], told["failures"]) == (10, [])
    # Apache takes the field off what it asks for itself, and the tunnel has none.
    assert set((tmp_path / "told").read_text().splitlines()) == {"-"}
    spelled = [PASSWORD, base64.b64encode(f"joe@home:{PASSWORD}".encode()).decode()]
    files = [file.read_bytes() for file in (tmp_path / "run").rglob("*") if file.is_file()]
    assert len(files) > 3
    assert not [text for text in spelled for content in files if text.encode() in content]


@pytest.mark.parametrize(("scheme", "cause"), [("http", "status"), ("https", "refused")])
def test_a_wrong_password_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str, cause: str
) -> None:
    monkeypatch.setenv("PROXY_PASSWORD", "another")
    told = run_by_asking_proxy(tmp_path, scheme)
    [failure] = told["failures"]
    assert failure["cause"] == cause
    assert "407" in failure["example"]
