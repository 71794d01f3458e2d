"""Whether others reach a service on its address in the topology: a host may be ready, its firewall closed."""

from __future__ import annotations

import socket
from collections.abc import Sequence

from loadstone.deploy.outcome import Step, host_error
from loadstone.deploy.remote import ask, at_once
from loadstone.deploy.role import Place, Service
from loadstone.deploy.site import Site, references
from loadstone.errors import LoadstoneError
from loadstone.ssh import Ssh

_ANSWER_S = 5.0


def reach(site: Site, ssh: Ssh, steps: Sequence[Step]) -> None:
    """Gives steps that did not fail the error `service-unreachable` where those who need the service do not
    reach it: the hosts of services that refer to it, or, where none does, neither we nor any other host. Of a
    host behind a jump host we say nothing: we are not on its network.
    """
    places = site.places(ssh)
    wanted = [step for step in steps if not step.error and _listens(site.services[step.service], places)]

    def look(step: Step) -> None:
        one = site.services[step.service]
        where = (ssh.address(step.host), one.port)
        users = [other for other in site.services.values() if one.name in references(other).values()]
        asking = list(dict.fromkeys(host for other in users for host in other.hosts))
        if asking:
            found = {host: _from(ssh, host, one.name, where) for host in asking}
            away = {host: why for host, why in found.items() if why}
        else:
            here = _here(where) if ssh.direct(step.host) else ""
            away = {"this machine": here} if here else {}
            others = [host for host in ssh.hosts if host != step.host] if away else []
            if any(_from(ssh, host, one.name, where) == "" for host in others):
                away = {}
        if away:
            who, why = next(iter(away.items()))
            address = f"{where[0]}:{where[1]}"
            message = f"it answers on its host, but {address} is not reached from {_named(who, ssh)}: {why}"
            step.error = host_error("service-unreachable", message, one.name, step.host)

    at_once(look, wanted)


def _listens(service: Service, places: dict[str, Place]) -> bool:
    return service.kind.unit(service, places[service.hosts[0]]).port is not None


def _here(where: tuple[str, int]) -> str:
    """Why we do not reach it; empty when we do."""
    try:
        socket.create_connection(where, _ANSWER_S).close()
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _from(ssh: Ssh, host: str, service: str, where: tuple[str, int]) -> str:
    """Why a host does not reach it; empty when it does. What cannot be asked is no evidence."""
    try:
        return str(ask(ssh, host, "reach", service, list(where))["why"])
    except LoadstoneError as error:
        return error.message


def _named(who: str, ssh: Ssh) -> str:
    return f"`{who}`" if who in ssh.hosts else who
