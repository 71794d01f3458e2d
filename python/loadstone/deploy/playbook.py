"""Ansible as a program beside ours: a play for each service, our open connections, events as they come."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any

from loadstone.deploy.outcome import without_traces
from loadstone.deploy.remote import PYTHON, Consent, command, program
from loadstone.deploy.render import secrets, templates, unit_of, unit_text, variables
from loadstone.deploy.role import TEMPLATES, Place, Service
from loadstone.errors import LoadstoneError
from loadstone.scratch import scratch
from loadstone.ssh import Ssh

_DEPLOY = Path(str(package_files("loadstone.deploy")))
_FORKS = 10
_END_S = 30.0
_SECRETS = "LOADSTONE_SECRETS"
"""Variables of Ansible's environment, one a host: secrets are in no file of the inventory and in no argument.
All hosts' in one could be longer than Linux takes.
"""
_FROM_ENVIRONMENT = "(lookup('ansible.builtin.env', secrets_in) | from_json)"


def events(
    services: Sequence[Service],
    hosts: Mapping[str, Sequence[str]],
    places: Mapping[str, Place],
    ssh: Ssh,
    consent: Consent = "keep",
) -> Iterator[dict[str, Any]]:
    """Deploys `services`, each to its `hosts`; yields what the callback plugin writes of each host and task.

    LoadstoneError `ansible-missing`, or `ansible-failed` when it ends otherwise than by its tasks.
    """
    if not all(importlib.util.find_spec(name) for name in ("ansible", "ansible_mitogen")):
        hint = "pip install 'loadstone[deploy]'"
        raise LoadstoneError("ansible-missing", "Ansible is not installed", hint=hint)
    with scratch("ansible") as folder:
        (folder / "inventory.json").write_text(json.dumps(_inventory(services, hosts, places, ssh, consent)))
        (folder / "site.json").write_text(json.dumps(_plays(services, hosts, places, ssh)))
        own = dict.fromkeys(one.kind.folder for one in services if one.kind.own)
        (folder / "ansible.cfg").write_text(_settings(folder, [*own, TEMPLATES]))
        yield from _run(folder, _secrets(services, places))


def _run(folder: Path, secrets: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    # With the parent gone, killed even, it must not go on: a second deployment may be under way.
    words = ["setpriv", "--pdeathsig", "TERM", sys.executable, "-m", "ansible", "playbook"]
    words += ["-i", str(folder / "inventory.json"), str(folder / "site.json")]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("ANSIBLE_")}
    environment |= {"ANSIBLE_CONFIG": str(folder / "ansible.cfg"), "LC_ALL": "C.UTF-8", **secrets}
    with (folder / "errors").open("wb") as errors:
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
            env=environment, cwd=folder,
        )  # fmt: skip
    assert process.stdout
    said, told = [], False
    try:
        for line in process.stdout:
            if event := _event(line):
                told |= event["outcome"] in ("failed", "unreachable")
                yield event
            else:
                said.append(line.decode(errors="replace").rstrip())
        # It has said all, and removes what it has on the hosts: ended now, it would leave that.
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_END_S)
    finally:
        process.stdout.close()
        if process.poll() is None:
            process.terminate()
        code = process.wait()
    if code and not told:
        words = [*said, *(folder / "errors").read_text(errors="replace").splitlines()]
        last = "\n".join(f"  | {line}" for line in without_traces("\n".join(words)).splitlines()[-20:])
        raise LoadstoneError("ansible-failed", f"Ansible ended with exit code {code}\n{last}")


def _event(line: bytes) -> dict[str, Any] | None:
    """A line of our callback plugin; None for what others print."""
    with contextlib.suppress(ValueError):
        found = json.loads(line)
        if isinstance(found, dict) and "outcome" in found:
            return found
    return None


def _settings(folder: Path, folders: Sequence[Path]) -> str:
    lines: dict[str, dict[str, Any]] = {
        "defaults": {
            "stdout_callback": "loadstone_events",
            "callback_plugins": _DEPLOY / "callback",
            "roles_path": ":".join(map(str, folders)),
            "forks": _FORKS,
            "gathering": "explicit",
            "host_key_checking": True,
            "interpreter_python": PYTHON,
            "home": folder / "home",
            "local_tmp": folder / "tmp",
            "remote_tmp": "/tmp",
            "retry_files_enabled": False,
            "localhost_warning": False,
            "deprecation_warnings": False,
            # Keeps one interpreter a host instead of starting one for each task.
            "strategy": "mitogen_linear",
            "strategy_plugins": Path(str(package_files("ansible_mitogen"))) / "plugins" / "strategy",
        },
        "ssh_connection": {
            "pipelining": True,
        },
    }
    return "".join(
        f"[{section}]\n" + "".join(f"{key} = {value}\n" for key, value in values.items())
        for section, values in lines.items()
    )


def _inventory(
    services: Sequence[Service],
    hosts: Mapping[str, Sequence[str]],
    places: Mapping[str, Place],
    ssh: Ssh,
    consent: Consent,
) -> dict[str, Any]:
    """Hosts, each with the variables of all its services in one dictionary."""
    every = {
        host: {
            "ansible_become": bool(ssh.as_root(host)),
            "ansible_host": ssh.destination(host),
            # The connections are ours, and open already.
            "ansible_ssh_args": shlex.join(ssh.options(host)),
            "secrets_in": _secrets_in(number),
            "loadstone": {
                service.name: _given(service, place, ssh, consent)
                for service in services
                if host in hosts[service.name]
            },
        }
        for number, (host, place) in enumerate(places.items())
    }
    return {"all": {"hosts": every, "vars": {"program": _literal(program())}}}


def _literal(value: Any) -> Any:
    """The value for an inventory, where Ansible would take braces in text for a template of its own."""
    if isinstance(value, str):
        return {"__ansible_unsafe": value}
    if isinstance(value, Mapping):
        return {key: _literal(below) for key, below in value.items()}
    return [_literal(below) for below in value] if isinstance(value, list) else value


def _given(service: Service, place: Place, ssh: Ssh, consent: Consent = "keep") -> dict[str, Any]:
    """What the tasks of a service need, and its templates."""
    given = variables(service, place)
    files, unit = templates(service), unit_of(service, place)
    wanted = {"unit": unit_text(service, place), "files": list(files)}
    own = {
        "prepare": {"argv": command(ssh, "prepare", service.name, consent), "given": json.dumps(wanted)},
        "apply": {"argv": command(ssh, "apply", service.name, consent)},
        "packages": list(service.kind.packages),
        "wanted": str(Path(given["conf"]).with_name("wanted")),
        "files": [
            {"path": path, "template": name, "mode": "0600" if path in unit.secret else "0644"}
            for path, name in files.items()
        ],
    }
    for name in secrets(service, place):
        del given[name]
    return given | own


def _secrets(services: Sequence[Service], places: Mapping[str, Place]) -> dict[str, str]:
    """Of every service on each of its hosts, by the host's variable."""
    return {
        _secrets_in(number): json.dumps(
            {one.name: secrets(one, places[host]) for one in services if host in one.hosts}
        )
        for number, host in enumerate(places)
    }


def _secrets_in(number: int) -> str:
    return f"{_SECRETS}_{number}"


def _plays(
    services: Sequence[Service], hosts: Mapping[str, Sequence[str]], places: Mapping[str, Place], ssh: Ssh
) -> list[dict[str, Any]]:
    plays = []
    for service in services:
        if not hosts[service.name]:
            continue
        names = _given(service, places[hosts[service.name][0]], ssh)
        plays.append(
            {
                "name": service.name,
                "hosts": list(hosts[service.name]),
                "gather_facts": False,
                "serial": 1 if service.kind.one_by_one(service) else len(hosts[service.name]),
                # Templates see the same names here as on the fast path.
                "vars": {key: f"{{{{ loadstone['{service.name}']['{key}'] }}}}" for key in names}
                | {
                    key: f"{{{{ {_FROM_ENVIRONMENT}['{service.name}']['{key}'] }}}}"
                    for key in ("secrets", "private_key")
                },
                # What fails on a host must not keep Ansible from the services after it, there or elsewhere.
                "ignore_unreachable": True,
                "tasks": [{"block": _steps(service), "rescue": [{"ansible.builtin.meta": "noop"}]}],
            }
        )
    return plays


def _steps(service: Service) -> list[dict[str, Any]]:
    """What every service shares, and in its middle the tasks of its role, where it has some."""
    tasks = service.kind.tasks
    own = [_role(tasks), {"ansible.builtin.meta": "flush_handlers"}] if tasks else []
    return [_role("service", "before"), *own, _role("service", "after")]


def _role(name: str, file: str = "main") -> dict[str, Any]:
    return {"ansible.builtin.import_role": {"name": name, "tasks_from": file}}
