"""Bringing what a service consists of beside its configuration: packed here once, unpacked on each host."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from typing import Any

from loadstone.deploy.outcome import host_error
from loadstone.deploy.remote import Consent, ask
from loadstone.deploy.render import unit_text, variables
from loadstone.deploy.role import Place, Service
from loadstone.errors import LoadstoneError
from loadstone.ssh import Ssh

_LONGEST_S = 3600.0


def bring(
    service: Service,
    place: Place,
    ssh: Ssh,
    say: Callable[[str], None],
    consent: Consent = "keep",
    deployed: bool = False,
) -> None:
    """Brings the content of the service to a host that does not have it yet, and installs it there; nothing
    that runs is touched. With `deployed` only where the service is.

    LoadstoneError `service-build`, `service-owned`, `data-loss`, `service-missing`, `host-write`, or as
    `Ssh.run`.
    """
    if service.content is None:
        return
    name, host, content = service.name, place.host, service.content
    given: dict[str, Any] = {
        "unit": json.loads(unit_text(service, place)), "digest": content.digest, "deployed": deployed,
    }  # fmt: skip
    answer = ask(ssh, host, "content", name, given, consent)
    if answer["there"]:
        return
    try:
        archive = content.archive()
    except LoadstoneError as error:
        raise LoadstoneError(error.slug, f"`{name}`: {error.message}") from error
    unpack = f"tar -xz --no-same-owner -C {shlex.quote(answer['folder'])}"
    done = ssh.run(host, [*ssh.as_root(host), "sh", "-c", unpack], send=archive, timeout_s=_LONGEST_S)
    if done.code:
        raise host_error("host-write", done.words, name, host)
    first = variables(service, place)["orders"]["instances"][0]
    ask(ssh, host, "install", name, given | {"lines": first["install"], "env": first["env"]}, consent)
    say(f"{host} {name}: {archive.stat().st_size / 2**20:.1f} MiB brought")
