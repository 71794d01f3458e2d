"""A site: the services of a topology, checked; what each needs comes before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from loadstone.deploy.addresses import database_url
from loadstone.deploy.certificates import AUTHORITY, Issued, issued
from loadstone.deploy.described import Described, described
from loadstone.deploy.host.home import ROOT
from loadstone.deploy.kinds import ROLES
from loadstone.deploy.manifest import MANIFEST
from loadstone.deploy.render import render
from loadstone.deploy.role import Place, Role, Service, followed
from loadstone.deploy.secrets import Secret, SecretError, generated, plain
from loadstone.deploy.settings import known_keys
from loadstone.errors import LoadstoneError
from loadstone.lab import Topology, kept_authority, load_topology
from loadstone.scenario.findings import Finding, Source, child, listed, suggest
from loadstone.scenario.positions import Path as Keys
from loadstone.scenario.shape import explain
from loadstone.ssh import Ssh

_LAST_PORT = 65535


@dataclass(frozen=True)
class Site:
    """A topology and what runs on it; `services` by name, each after those it refers to."""

    topology: Topology
    services: Mapping[str, Service]

    def with_settings(self, service: str, **settings: Any) -> Site:
        """The same site with other settings of one service, checked as those of the file are.

        LoadstoneError `service-name`, or ScenarioError with everything that is wrong.
        """
        old = self.service(service)
        given = {key: getattr(old.settings, key) for key in old.settings.model_fields_set} | settings
        number = list(self.services).index(service)
        raw = [{"name": name} for name in self.services]
        raw[number]["settings"] = given  # type: ignore[assignment]
        at: Keys = ("service", number, "settings")
        place = {at: f"with settings of `{service}`"}
        source = Source(str(self.topology.path), self.topology.source.positions, {"service": raw}, place)
        checked = _settings(old.kind, given, source, at)
        content = old.kind.content(checked, self.topology.path.parent)
        new = replace(old, settings=checked, content=content)
        services = trusting({**self.services, service: new})
        new = services[service]
        if findings := list(_check(new, services, at)):
            raise source.errors(findings)
        _try(new, services)
        return Site(self.topology, services)

    def require_plain(self, who: str) -> None:
        """Refuses web servers and balancers with TLS for who asks them without. LoadstoneError `tls`."""
        for one in self.services.values():
            if one.tls and one.kind.tier not in ("cache", "database"):
                hint = f"`tls = false` in the service `{one.name}`"
                raise LoadstoneError("tls", f"{who} speaks no TLS to `{one.name}`", hint=hint)

    def places(self, ssh: Ssh) -> dict[str, Place]:
        """What configurations on each host are made from. ScenarioError `secret` where one is missing,
        LoadstoneError `tls`, `cannot-write`.
        """
        secrets = self._secrets(ssh.addresses)
        topology = self.topology
        wanted = {
            (one.name, host): names_of(one, host, ssh.addresses[host])
            for one in self.services.values()
            if one.tls
            for host in one.hosts
        }
        found = issued(topology.name, topology.path.parent, wanted) if wanted else Issued("", {})
        hosts = topology.file.host
        return {host.name: Place(host.name, ssh.addresses, self.services, secrets, found) for host in hosts}

    @property
    def authority(self) -> Path:
        """The certificate to believe of services with TLS."""
        return kept_authority(self.topology.name, self.topology.path.parent)

    def _secrets(self, addresses: Mapping[str, str]) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = {}
        findings = []
        for one in self.services.values():
            number = [table.known_as for table in self.topology.services].index(one.name)
            if primary := followed(one):
                found[one.name] = found[primary]
                continue
            own = found.setdefault(one.name, {})
            for keys, given in one.kind.secret_settings(one).items():
                try:
                    own[str(keys[-1])] = self._secret(one, str(keys[-1]), given, found, addresses)
                except SecretError as error:
                    at: Keys = ("service", number, "settings", *keys)
                    findings.append(Finding("secret", error.message, at, error.hint))
        if findings:
            raise self.topology.source.errors(findings)
        return found

    def _secret(
        self,
        one: Service,
        name: str,
        given: Secret | None,
        found: Mapping[str, Mapping[str, str]],
        addresses: Mapping[str, str],
    ) -> str:
        if given is None:
            return generated(self.topology.name, self.topology.path.parent, one.name, name)
        if given.of is None:
            read = given.read(self.topology.path.parent)
            return plain(read) if one.kind.secret_keys else read
        if "password" not in found.get(given.of, {}):
            raise SecretError(f"`{given.of}` has no password", "a database has one")
        password = found[given.of]["password"]
        if given.url is None:
            return password
        database, authority = self.services[given.of], ROOT / one.name / "conf" / AUTHORITY
        return database_url(database, addresses[database.hosts[0]], password, authority)

    def service(self, name: str) -> Service:
        """The service of that name. LoadstoneError `service-name`."""
        if name not in self.services:
            hint = suggest(name, self.services, f"known are {listed(self.services)}" if self.services else "")
            raise LoadstoneError("service-name", f"there is no service `{name}`", hint=hint or None)
        return self.services[name]


def load_site(path: Path) -> Site:
    """Reads a topology file and checks its services, with the roles of its own that they have.

    Errors as `load_topology`; ScenarioError with everything that is wrong in the services, or in a manifest;
    LoadstoneError `role-template` for a template.
    """
    topology = load_topology(path)
    source = topology.source
    services, findings = {}, []
    roles = _roles(topology)
    for number, table in enumerate(topology.services):
        at: Keys = ("service", number)
        kind = roles.get(table.role)
        if kind is None:
            hint = suggest(table.role, roles, f"known are {listed(sorted(roles))}")
            findings.append(Finding("service-role", f"there is no role `{table.role}`", (*at, "role"), hint))
            continue
        try:
            settings = kind.settings.model_validate(table.settings)
        except ValidationError as error:
            findings += _explained(error, kind, source, (*at, "settings"))
            continue
        hosts = tuple(host.name for host in topology.hosts_of(table))
        content = kind.content(settings, path.parent)
        wanted = table.tls if table.tls is not None else topology.file.tls and kind.tls == "can"
        if wanted and kind.tls == "cannot":
            message = f"{table.role} cannot be served with TLS"
            findings.append(Finding("service-setting", message, (*at, "tls"), "put a balancer before it"))
        name = table.known_as
        services[name] = Service(name, kind, hosts, table.port or kind.port, settings, content, wanted)
    if findings:
        raise source.errors(findings)
    services = trusting(services)
    for number, service in enumerate(services.values()):
        findings += _check(service, services, ("service", number, "settings"))
    findings += _ports(services)
    if findings:
        raise source.errors(findings)
    for service in services.values():
        _try(service, services)
    return Site(topology, _ordered(services, source))


def references(service: Service) -> dict[Keys, str]:
    """Services that it needs, by the path of the setting that names each."""
    return dict(service.kind.needs(service.settings))


def _roles(topology: Topology) -> Mapping[str, Role]:
    """Those that come along, and those of the topology's own folder."""
    if topology.file.roles is None:
        return ROLES
    folder = topology.path.parent / topology.file.roles
    at: Keys = ("roles",)
    if not folder.is_dir():
        hint = "it is from the topology file"
        raise topology.source.errors([Finding("role-missing", f"there is no folder `{folder}`", at, hint)])
    own = described(folder)
    if taken := [name for name in own if name in ROLES or name == "service"]:
        message = f"`{folder / taken[0]}` has the name of a role that comes along"
        raise topology.source.errors([Finding("service-role", message, at, "give it another name")])
    findings = [
        Finding(
            "role-missing",
            f"the role `{folder / table.role}` has no `{MANIFEST}`",
            ("service", number, "role"),
            "write one beside its `tasks`: it says how the program is started",
        )
        for number, table in enumerate(topology.services)
        if table.role not in {*ROLES, *own} and (folder / table.role).is_dir()
    ]
    if findings:
        raise topology.source.errors(findings)
    return {**ROLES, **{name: Described(folder.absolute() / name) for name in own}}


def _try(service: Service, services: Mapping[str, Service]) -> None:
    """Fills the templates of a role of the user's own, with made-up addresses and secrets."""
    if not service.kind.own:
        return
    hosts = dict.fromkeys(host for one in services.values() for host in one.hosts)
    addresses = {host: f"192.0.2.{number % 250 + 1}" for number, host in enumerate(hosts)}
    secrets = {
        one.name: {str(keys[-1]): "made-up" for keys in one.kind.secret_settings(one)}
        for one in services.values()
    }
    for host in service.hosts:
        render(service, Place(host, addresses, services, secrets))


def trusting(services: Mapping[str, Service]) -> dict[str, Service]:
    """The same services; those that speak TLS, to others or to who asks whether they are well, know it."""

    def trusts(one: Service) -> bool:
        return one.tls or any(name in services and services[name].tls for name in references(one).values())

    return {name: replace(one, trusts=trusts(one)) for name, one in services.items()}


def names_of(service: Service, host: str, address: str) -> list[str]:
    """Whom a certificate is for. Balancers ask for the service's name, which all of its hosts bear."""
    bind = getattr(service.settings, "bind", None)
    bound = [bind] if bind not in (None, "0.0.0.0", "*") else []
    return list(dict.fromkeys([service.name, host, "localhost", address, *bound, "127.0.0.1"]))


def _settings(role: Role, given: Mapping[str, Any], source: Source, at: Keys) -> Any:
    try:
        return role.settings.model_validate(given)
    except ValidationError as error:
        raise source.errors(_explained(error, role, source, at)) from error


def _explained(error: ValidationError, role: Role, source: Source, at: Keys) -> list[Finding]:
    """What pydantic found in the settings, at their place in the whole file."""
    table: Any = source.raw
    for key in at:
        table = child(table, key)
    found = explain(error, table or {}, partial(known_keys, role.settings))
    return [replace(one, path=(*at, *one.path)) for one in found]


def _check(service: Service, services: Mapping[str, Service], at: Keys) -> Iterator[Finding]:
    """What in the settings of one service cannot be."""
    role = service.kind
    for key, sentence, hint in role.refused(service):
        where = (key,) if isinstance(key, str) else key
        yield Finding("service-setting", sentence, (*at, *where), hint)
    for key, sentence, hint in role.disagrees(service, services):
        where = (key,) if isinstance(key, str) else key
        yield Finding("service-setting", sentence, (*at, *where), hint)
    for keys, name in references(service).items():
        roles = role.references.get(str(keys[0]), ())
        if name not in services or name == service.name:
            others = [other for other in services if other != service.name]
            hint = suggest(name, others, f"known are {listed(others)}")
            yield Finding("service-name", f"there is no other service `{name}`", (*at, *keys), hint)
        elif roles and services[name].role not in roles:
            message = f"`{name}` is {services[name].role}, which cannot be the {keys[0]} of {service.role}"
            yield Finding("service-name", message, (*at, *keys), f"it takes {listed(roles)}")
        elif services[name].tls and not role.believes:
            message = f"{service.role} speaks no TLS, which `{name}` is served with"
            yield Finding("service-setting", message, (*at, *keys), f"`tls = false` in the service `{name}`")
    if (primary := services.get(followed(service) or "")) and primary.role == service.role:
        yield from _following(service, primary, (*at, "replica_of"))
    behind = services.get(getattr(service.settings, "backends", None) or "")
    if behind:
        for key in ("weights", "drain"):
            for host in getattr(service.settings, key):
                if host not in behind.hosts:
                    hint = suggest(host, behind.hosts, f"known are {listed(behind.hosts)}")
                    message = f"`{host}` is not a host of `{behind.name}`"
                    yield Finding("service-host", message, (*at, key), hint)
        if set(service.settings.drain) >= set(behind.hosts):
            message = f"all hosts of `{behind.name}` are drained: no new user would be served"
            yield Finding("service-setting", message, (*at, "drain"), "leave one of them out")


def _following(replica: Service, primary: Service, at: Keys) -> Iterator[Finding]:
    """Why a service cannot be what another one copies."""
    if followed(primary):
        message = f"`{primary.name}` is a replica itself"
        hint = f"follow `{followed(primary)}`: every replica follows the primary"
        yield Finding("service-setting", message, at, hint)
    elif len(primary.hosts) > 1:
        message = f"`{primary.name}` has {len(primary.hosts)} hosts, each with data of its own"
        yield Finding("service-setting", message, at, "a primary has one host")
    elif both := set(primary.hosts) & set(replica.hosts):
        message = f"`{primary.name}` and its replica are both on `{min(both)}`"
        yield Finding("service-host", message, at, "put the replica on hosts of its own")


def _ports(services: Mapping[str, Service]) -> Iterator[Finding]:
    taken: dict[tuple[str, int], str] = {}
    for number, service in enumerate(services.values()):
        at: Keys = ("service", number)
        for host, port in product(service.hosts, service.kind.ports(service)):
            if port > _LAST_PORT:
                yield Finding("service-port", f"there is no port {port}", at, "give it a smaller `port`")
                break
            other = taken.setdefault((host, port), service.name)
            if other != service.name:
                message = f"port {port} of `{host}` is already `{other}`'s"
                yield Finding("service-port", message, at, "give one of them another `port`")


def _ordered(services: Mapping[str, Service], source: Source) -> dict[str, Service]:
    """Each after those it refers to, else in the order of the file."""
    ordered: dict[str, Service] = {}
    left = dict(services)
    while left:
        free = [name for name, one in left.items() if not left.keys() & set(references(one).values())]
        if not free:
            number = list(services).index(next(iter(left)))
            message = f"{listed(left)} refer to each other in a circle"
            raise source.errors([Finding("service-name", message, ("service", number))])
        for name in free:
            ordered[name] = left.pop(name)
    return ordered
