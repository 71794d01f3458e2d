"""Sites for tests: a lab that is brought up once, and what runs on it."""

import json
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from loadstone.deploy import Service, Site, load_site, undeploy
from loadstone.deploy.bring import bring as carry
from loadstone.deploy.host.home import ROOT, UNIT
from loadstone.deploy.kinds import ROLES
from loadstone.deploy.remote import ask, at_once
from loadstone.deploy.render import render
from loadstone.ssh import Ssh, ssh

HOSTS = """
[[host]]
name = "lb"
[[host]]
name = "web1"
kind = "web"
[[host]]
name = "web2"
kind = "web"
"""


def quiet(_line: str) -> None:
    """Says nothing."""


@contextmanager
def site(lab_file: Path, services: str) -> Iterator[tuple[Site, Ssh]]:
    """The lab with `services`, and open connections; nothing is deployed yet, all is removed at the end."""
    file = lab_file.with_name("site.toml")
    file.write_text(lab_file.read_text() + services)
    found = load_site(file)
    with ssh(found.topology) as hosts:
        try:
            yield found, hosts
        finally:
            undeploy(found, hosts, quiet)


def put(found: Site, hosts: Ssh) -> None:
    """Deploys the site without Ansible, by the same steps on the hosts: quick enough for every test."""
    places = found.places(hosts)
    for one in found.services.values():

        def bring(host: str, one: Service = one) -> None:
            carry(one, places[host], hosts, quiet)
            files = render(one, places[host])
            unit = files.pop(UNIT)
            ask(hosts, host, "prepare", one.name, {"unit": unit, "files": list(files)})
            secret = json.loads(unit)["secret"]
            for name, text in files.items():
                mode = 0o600 if name in secret else 0o644
                hosts.write(host, f"{ROOT}/{one.name}/wanted/{name}", text, mode)
            ask(hosts, host, "apply", one.name)

        if ROLES[one.role].one_by_one(one):
            for host in one.hosts:
                bring(host)
        else:
            at_once(bring, one.hosts)


def get(address: str, port: int, path: str = "/", header: str = "") -> tuple[int, dict[str, str], bytes]:
    """Status, headers (names in lower case) and body of one request on a connection of its own."""
    with socket.create_connection((address, port), 20) as connection:
        connection.sendall(f"GET {path} HTTP/1.0\r\nHost: site\r\n{header}\r\n".encode())
        said = b""
        while more := connection.recv(65536):
            said += more
    head, _, body = said.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    return int(status.split()[1]), headers, body


def until(true: Callable[[], bool], what: str) -> None:
    """Waits for a condition; AssertionError with `what` when it does not come true."""
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline, what
        time.sleep(0.1)


def processes(lab_name: str, host: str) -> set[str]:
    """Command lines of a lab host's processes."""
    config = f"/run/loadstone/{lab_name}/ssh_config"
    done = subprocess.run(
        ["ssh", "-F", config, host, "ps -e -o args="], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.splitlines())
