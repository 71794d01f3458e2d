"""What a run folder keeps of a deployment: versions, what differs from the defaults, logs."""

from __future__ import annotations

import difflib
import json
import shlex
from dataclasses import replace
from typing import Any

from loadstone.deploy.host.home import UNIT
from loadstone.deploy.remote import ask, at_once
from loadstone.deploy.render import render, shown
from loadstone.deploy.role import Place, Service
from loadstone.deploy.site import Site, references
from loadstone.ssh import Ssh


def record(site: Site, ssh: Ssh) -> dict[str, Any]:
    """For `deployment.json`: by service its role, port, whether it is served with TLS, settings that differ
    from the defaults, and by host the program's version and the difference (unified diff) between the
    configuration in use there and the one that the role would write with its default settings. What is
    compared is read from the host.

    LoadstoneError `service-missing`, or as `Ssh.run`.
    """
    places = site.places(ssh)
    services = site.services.values()
    pairs = [(one.name, host) for one in services for host in one.hosts]
    each = at_once(lambda pair: _host(site.services[pair[0]], places[pair[1]], ssh), pairs)
    hosts = dict(zip(pairs, each, strict=True))
    found = {
        one.name: {
            "role": one.role,
            "port": one.port,
            **({"tls": True} if one.tls else {}),
            "settings": one.settings.model_dump(mode="json", exclude_defaults=True),
            "hosts": {host: hosts[one.name, host] for host in one.hosts},
        }
        for one in services
    }
    return {"topology": site.topology.name, "services": found}


def defaults(service: Service) -> Service:
    """The same service with default settings; what has no default stays, and services that it refers to."""
    model = service.kind.settings
    required = {name for name, field in model.model_fields.items() if field.is_required()}
    named = {str(keys[0]) for keys in references(service)}
    kept = {name: getattr(service.settings, name) for name in required | named}
    return replace(service, settings=model.model_validate(kept))


def difference(before: dict[str, str], after: dict[str, str]) -> str:
    """Unified diff of two configurations; the unit counts as the command that starts the program."""
    before, after = _readable(before), _readable(after)
    lines: list[str] = []
    for name in sorted(before.keys() | after.keys()):
        old, new = (one.get(name, "").splitlines(keepends=True) for one in (before, after))
        lines += difflib.unified_diff(old, new, f"default/{name}", f"used/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _host(service: Service, place: Place, ssh: Ssh) -> dict[str, Any]:
    used = ask(ssh, place.host, "configuration", service.name)
    return {
        "version": used["version"],
        "difference": difference(shown(render(defaults(service), place)), used["files"]),
    }


def _readable(files: dict[str, str]) -> dict[str, str]:
    command = shlex.join(json.loads(files[UNIT])["start"])
    return {name: text for name, text in files.items() if name != UNIT} | {"command": f"{command}\n"}
