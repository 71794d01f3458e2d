"""Real servers, each with the same page of twelve images, with TLS and without.

All but the container speak HTTP/2, too: by ALPN, or by prior knowledge.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import nginx_site
import pytest

IMAGES = 12
PAGE = "<!doctype html>" + "".join(f"<img src=/{n}.png>" for n in range(IMAGES)) + "the very end"
IMAGE = b"\x89PNG" + b"x" * 40_000

_APACHE = """
ServerRoot {folder}
PidFile {folder}/pid
ErrorLog {folder}/error.log
DefaultRuntimeDir {folder}
ServerName 127.0.0.1
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule ssl_module {modules}/mod_ssl.so
LoadModule http2_module {modules}/mod_http2.so
Listen 127.0.0.1:{tls}
Listen 127.0.0.1:{plain}
Protocols h2 h2c http/1.1
DocumentRoot {folder}/root
<VirtualHost 127.0.0.1:{tls}>
SSLEngine on
SSLCertificateFile {certificate}
SSLCertificateKeyFile {key}
</VirtualHost>
"""
_HAPROXY = """
global
    maxconn 1000
    tune.bufsize 131072
defaults
    mode http
    timeout connect 30s
    timeout client 120s
    timeout server 120s
frontend site
    bind 127.0.0.1:{tls} ssl crt {folder}/both.pem alpn h2,http/1.1
    bind 127.0.0.1:{plain} proto h2
    acl page path /page.html
    http-request return status 200 content-type text/html file {folder}/root/page.html if page
    http-request return status 200 content-type image/png file {folder}/root/0.png
"""
_H2O = """
error-log: {folder}/error.log
pid-file: {folder}/pid
user: root
listen:
  host: 127.0.0.1
  port: {tls}
  ssl: {{certificate-file: {certificate}, key-file: {key}}}
listen:
  host: 127.0.0.1
  port: {plain}
hosts:
  default:
    paths:
      /: {{file.dir: {folder}/root}}
"""
# Nothing is fetched, and there is no port for orders.
_CADDY = """
{{
    admin off
    auto_https off
    grace_period 1s
    storage file_system {folder}/caddy
    servers {{
        protocols h1 h2 h2c
    }}
}}
https://:{tls} {{
    bind 127.0.0.1
    tls {certificate} {key}
    root * {folder}/root
    file_server
}}
http://:{plain} {{
    bind 127.0.0.1
    root * {folder}/root
    file_server
}}
"""
_TOMCAT = "-Xmx256m -Djava.io.tmpdir={folder} -cp {jars} {site} {folder} {plain} {tls} {certificate} {key}"
_TOMCAT_SITE = Path(__file__).parents[1] / "protocol" / "tomcat" / "Site.java"
_JARS = ("/usr/share/java/tomcat10-embed-core.jar", "/usr/share/java/jakarta-annotation-api.jar")
_PROGRAMS = {
    "apache": ("apache2", "-X -f {folder}/config", _APACHE),
    "haproxy": ("haproxy", "-db -f {folder}/config", _HAPROXY),
    "h2o": ("h2o", "-m worker -c {folder}/config", _H2O),
    "caddy": ("caddy", "run --adapter caddyfile --config {folder}/config", _CADDY),
    "tomcat": ("java", _TOMCAT, ""),
}
_NEEDS = {"tomcat": _JARS}
_MODULES = "/usr/lib/apache2/modules"
SERVERS = ("nginx", *_PROGRAMS)
"""Those that speak HTTP/2."""
ALL = (*SERVERS, "container")


@contextmanager
def serving(
    name: str, folder: Path, certificate: tuple[Path, Path], more: str = "", host: str = "127.0.0.1"
) -> Iterator[dict[str, int]]:
    """Runs a server until the end of the block; yields its port with TLS (`https`) and without (`http`).

    `more` are directives of nginx; only nginx and the container listen on another `host`.
    """
    root = folder / "root"
    root.mkdir(exist_ok=True)
    (root / "page.html").write_text(PAGE)
    for number in range(IMAGES):
        (root / f"{number}.png").write_bytes(IMAGE)
    ports = {scheme: nginx_site.free_port(host) for scheme in ("https", "http")}
    if name == "nginx":
        with _nginx(folder, ports, certificate, more, host):
            yield ports
        return
    if name == "container":
        with _container(folder, ports, certificate, host):
            yield ports
        return
    program, arguments, config = _PROGRAMS[name]
    found = shutil.which(program, path="/usr/sbin:/usr/bin:/sbin:/bin")
    if found is None:
        pytest.skip(f"{program} is not installed")
    for needed in _NEEDS.get(name, ()):
        if not Path(needed).is_file():
            pytest.skip(f"{needed} is not installed; scripts/setup-connectors")
    (folder / "both.pem").write_text(certificate[0].read_text() + certificate[1].read_text())
    values = {"folder": folder, "tls": ports["https"], "plain": ports["http"], "modules": _MODULES}
    values |= {"certificate": certificate[0], "key": certificate[1]}
    values |= {"jars": ":".join(_JARS), "site": _TOMCAT_SITE}
    (folder / "config").write_text(config.format(**values))
    with _running([found, *arguments.format(**values).split()], folder, [*ports.values()]):
        yield ports


@contextmanager
def _nginx(
    folder: Path, ports: dict[str, int], certificate: tuple[Path, Path], more: str, host: str
) -> Iterator[None]:
    where = f"[{host}]" if ":" in host else host
    # Without a word of its configuration this nginx stays at TLS 1.2.
    servers = f"""ssl_protocols TLSv1.2 TLSv1.3; root {folder}/root;
        ssl_certificate {certificate[0]}; ssl_certificate_key {certificate[1]};
        server {{ listen {where}:{ports["https"]} ssl http2; {more} }}
        server {{ listen {where}:{ports["http"]} http2; {more} }}"""
    with nginx_site.nginx(folder, servers, ports["http"], host):
        yield


@contextmanager
def _container(
    folder: Path, ports: dict[str, int], certificate: tuple[Path, Path], host: str
) -> Iterator[None]:
    """Our own, a process for each port."""
    command = [sys.executable, "-m", "loadstone", "serve", "files", f"{folder}/root", "--host", host]
    secure = ["--tls-cert", str(certificate[0]), "--tls-key", str(certificate[1])]
    with ExitStack() as both:
        for scheme, more in {"https": secure, "http": []}.items():
            words = [*command, "--port", str(ports[scheme]), *more]
            both.enter_context(_running(words, folder, [ports[scheme]], host))
        yield


@contextmanager
def _running(command: list[str], folder: Path, ports: list[int], host: str = "127.0.0.1") -> Iterator[None]:
    """Runs a server that listens on these ports; what it keeps for itself is in `folder`."""
    home = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    said = folder / f"said-{ports[0]}"
    with (
        said.open("w") as out,
        subprocess.Popen(command, stdout=out, stderr=out, env={**os.environ, **home}) as server,
    ):
        try:
            for port in ports:
                _await(port, host, lambda: server.poll() is None, said)
            yield
        finally:
            server.terminate()


def _await(port: int, host: str, lives: Callable[[], bool], said: Path) -> None:
    until = time.monotonic() + 60
    while not nginx_site.listens(port, host):
        assert lives(), said.read_text()
        assert time.monotonic() < until, "the server does not listen"
        time.sleep(0.02)
