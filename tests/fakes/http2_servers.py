"""Real servers of HTTP/2, each with the same page of twelve images, with TLS and by prior knowledge."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
_PROGRAMS = {
    "apache": ("apache2", "-X -f {folder}/config", _APACHE),
    "haproxy": ("haproxy", "-db -f {folder}/config", _HAPROXY),
    "h2o": ("h2o", "-m worker -c {folder}/config", _H2O),
}
_MODULES = "/usr/lib/apache2/modules"
SERVERS = ("nginx", *_PROGRAMS)


@contextmanager
def serving(
    name: str, folder: Path, certificate: tuple[Path, Path], more: str = ""
) -> Iterator[dict[str, int]]:
    """Runs a server until the end of the block; yields its port with TLS (`https`) and without (`http`).

    `more` are directives of nginx.
    """
    root = folder / "root"
    root.mkdir(exist_ok=True)
    (root / "page.html").write_text(PAGE)
    for number in range(IMAGES):
        (root / f"{number}.png").write_bytes(IMAGE)
    ports = {"https": nginx_site.free_port(), "http": nginx_site.free_port()}
    if name == "nginx":
        with _nginx(folder, ports, certificate, more):
            yield ports
        return
    program, arguments, config = _PROGRAMS[name]
    found = shutil.which(program, path="/usr/sbin:/usr/bin:/sbin:/bin")
    if found is None:
        pytest.skip(f"{program} is not installed")
    (folder / "both.pem").write_text(certificate[0].read_text() + certificate[1].read_text())
    values = {"folder": folder, "tls": ports["https"], "plain": ports["http"], "modules": _MODULES}
    values |= {"certificate": certificate[0], "key": certificate[1]}
    (folder / "config").write_text(config.format(**values))
    command = [found, *arguments.format(folder=folder).split()]
    with (folder / "said").open("w") as said, subprocess.Popen(command, stdout=said, stderr=said) as server:
        try:
            for port in ports.values():
                _await(port, lambda: server.poll() is None, folder)
            yield ports
        finally:
            server.terminate()


@contextmanager
def _nginx(folder: Path, ports: dict[str, int], certificate: tuple[Path, Path], more: str) -> Iterator[None]:
    servers = f"""ssl_certificate {certificate[0]}; ssl_certificate_key {certificate[1]}; root {folder}/root;
        server {{ listen 127.0.0.1:{ports["https"]} ssl http2; {more} }}
        server {{ listen 127.0.0.1:{ports["http"]} http2; {more} }}"""
    with nginx_site.nginx(folder, servers, ports["http"]):
        yield


def _await(port: int, lives: Callable[[], bool], folder: Path) -> None:
    until = time.monotonic() + 60
    while not nginx_site.listens(port):
        assert lives(), (folder / "said").read_text()
        assert time.monotonic() < until, "the server does not listen"
        time.sleep(0.02)
