"""A real nginx, alone, on ports of this machine."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_CONFIG = """
daemon off;
worker_processes 1;
{user}
pid {folder}/pid;
error_log {folder}/error.log info;
events {{ worker_connections 4096; }}
http {{
    types {{ text/html html; text/css css; }}
    access_log off;
    keepalive_requests 1000000;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {http}
}}
"""
_PATIENCE_S = 60.0


def free_port(host: str = "127.0.0.1") -> int:
    """A port of an address that nothing listens on."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as listener:
        return int(listener.getsockname()[1])


@contextmanager
def nginx(folder: Path, http: str, port: int, host: str = "127.0.0.1") -> Iterator[None]:
    """Runs it with the directives `http`, which must listen there, until the end of the block."""
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    if not Path(program).is_file():
        pytest.skip("nginx is not installed")
    config = folder / "nginx.conf"
    config.write_text(_CONFIG.format(folder=folder, http=http, user="user root;" if _is_root() else ""))
    with subprocess.Popen([program, "-p", str(folder), "-c", str(config)]) as process:
        try:
            _await(port, host, process)
            yield
        finally:
            process.terminate()


def _is_root() -> bool:
    return Path("/proc/self").stat().st_uid == 0


def _await(port: int, host: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until:
        assert process.poll() is None, "nginx ended"
        if listens(port, host):
            return
        time.sleep(0.02)
    raise AssertionError("nginx does not listen")


def listens(port: int, host: str = "127.0.0.1") -> bool:
    """Whether a connection to a port of this machine is accepted."""
    try:
        socket.create_connection((host, port), 1).close()
    except OSError:
        return False
    return True
