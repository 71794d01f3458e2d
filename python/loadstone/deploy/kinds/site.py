"""A built-in site as `loadstone serve` runs it: one role a site, its settings from the site's fields."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from loadstone.deploy.addresses import SCHEMES, database_url
from loadstone.deploy.certificates import AUTHORITY, CERTIFICATE, KEY
from loadstone.deploy.host.home import ROOT
from loadstone.deploy.role import HTTP_READY, Place, Refusal, Role, Service, Unit, followed
from loadstone.deploy.settings import Settings
from loadstone.scenario.fields import Size, Threads
from loadstone.site import Fields, Site

_LOAD_S = 1800.0
_SECRET = "environment.json"
_VERSION = "from loadstone._core import __version__ as v; print('loadstone', v)"


class Served(Settings):
    """Of every site. A change of what its data are made from makes them anew, with consent."""

    python: Annotated[
        str | None,
        Field(description="Python on the hosts, with Loadstone; by default the path of the one here"),
    ] = None


class Contained(Settings):
    """Of a site in our own container."""

    workers: Annotated[Threads, Field(description="worker threads; 0: as many as fit the machine")] = 0
    max_connections: Annotated[Size, Field(description="held at once; 0: no limit")] = 0


class Stored(Settings):
    """Of a site whose data are loaded."""

    database: Annotated[
        str | None, Field(description="a service that all hosts share; by default each has its own in SQLite")
    ] = None


class Read(Settings):
    """Of a site that reads from copies of its database, too."""

    replicas: Annotated[
        str | None, Field(description="a service with `replica_of`: pages that only read come from its hosts")
    ] = None


class Cached(Settings):
    """Of a site that can keep what it caches elsewhere."""

    memcached: Annotated[
        str | None, Field(description="a service that keeps what is cached, in place of `cache_store`")
    ] = None


class Peopled(Settings):
    """Of a site with users who log in."""

    rules: Annotated[Literal["benchmark", "public"], Field(description="for a load test, or for people")] = (
        "benchmark"
    )


class SiteRole(Role):
    """By the interpreter that deploys: a lab host has it too. A real machine needs one with Loadstone."""

    port = 8080

    def __init__(self, site: Site) -> None:
        """The role is called as the site is."""
        self.site = site
        self.name = site.name  # type: ignore[misc]
        self.settings = settings_of(site)  # type: ignore[misc]
        self.tls = "can" if site.in_container else "cannot"  # type: ignore[misc]
        databases = tuple(SCHEMES)
        self.references = (  # type: ignore[misc]
            ({"database": databases} if site.stored else {})
            | ({"replicas": databases} if site.reads_replicas else {})
            | ({"memcached": ("memcached",)} if _caches_elsewhere(site) else {})
        )

    def files(self, service: Service) -> Mapping[str, str]:
        """Where its database is, if it has one; all else is on its command line."""
        return {_SECRET: "service/templates/secret.json.j2"} if _database(service) else {}

    def secrets(self, service: Service, place: Place) -> Mapping[str, str]:
        """The database's URL, as `loadstone` reads it from its environment."""
        database = _database(service)
        if not database:
            return {}
        replicas = getattr(service.settings, "replicas", None)
        hosts = place.services[replicas].hosts if replicas else ()
        # Which one a page comes from is the site's choice: each host has another one first.
        first = service.hosts.index(place.host) % len(hosts) if hosts and place.host in service.hosts else 0
        urls = [_url(service, place, str(replicas), host) for host in (*hosts[first:], *hosts[:first])]
        return {
            "LOADSTONE_DATABASE": _url(service, place, database),
            **({"LOADSTONE_REPLICAS": " ".join(urls)} if urls else {}),
        }

    def disagrees(self, service: Service, services: Mapping[str, Service]) -> Iterator[Refusal]:
        """A copy as the database, copies of another database, or of none, and a cache that keeps nothing."""
        yield from _misplaced(service, services)
        database = _database(service)
        if (named := services.get(database or "")) and (primary := followed(named)):
            message = f"`{database}` is a replica, which takes no changes"
            yield "database", message, f"name `{primary}`, and `{database}` in `replicas`"
        name = getattr(service.settings, "replicas", None)
        copies = services.get(name or "")
        if copies is None:
            return
        if database is None:
            yield "replicas", "`replicas` without a `database`", "name the service that they copy"
        elif followed(copies) != database:
            message = f"`{name}` does not follow `{database}`"
            yield "replicas", message, f'`replica_of = "{database}"` in the settings of `{name}`'

    def one_by_one(self, service: Service) -> bool:
        """The first host fills a database that all share; the others need it full."""
        return _database(service) is not None

    def unit(self, service: Service, place: Place) -> Unit:
        """The interpreter may be in a place that is closed to the service's user."""
        settings, name, database = service.settings, self.name, _database(service)
        python = settings.python or sys.executable
        loadstone = [python, "-m", "loadstone"]
        data = _words(settings, self.site.data)
        served = _words(settings, self.site.options, _store(service, place))
        served += ["--host", "0.0.0.0", "--port", str(service.port)]
        if self.site.in_container:
            served += ["--workers", str(settings.workers), "--max-connections", str(settings.max_connections)]
        if service.tls:
            served += ["--tls-cert", f"{{conf}}/{CERTIFICATE}", "--tls-key", f"{{conf}}/{KEY}"]
        if self.site.has_people:
            served += ["--rules", settings.rules]
        loader = self.site.data_name
        to, source = ["--out", f"{{data}}/{loader}"], ["--data", f"{{data}}/{loader}"]
        if database is not None:
            source, to = [], ["--replace"]
        if not self.site.stored:
            source = data
        elif not self.site.has_loader:
            # Beside the data it has files that go by them.
            source = [*source, *data]
        fills = self.site.stored and (database is None or place.host == service.hosts[0])
        # A site for people has data of theirs.
        peoples = getattr(settings, "rules", "") == "public"
        return Unit(
            role=name,
            port=service.port,
            start=[*loadstone, "serve", name, *source, *served],
            programs=[python],
            prepare=[[*loadstone, loader, "load", *data, *to]] if fills else [],
            prepare_s=_LOAD_S,
            recipe=[*data, *(["in", database] if database else [])] if fills else [],
            holds=f"the tables of {loader} in the database of `{database}`" if fills and database else "",
            resets="" if peoples or not self.site.stored else "data" if fills else "process",
            ready=HTTP_READY,
            # A platform's own server, which starts before it is ready, takes longer than ours.
            ready_s=30.0 if self.site.in_container else 120.0,
            stop_s=10.0 if self.site.in_container else 40.0,
            version=[python, "-c", _VERSION],
            reads=True,
            secret=[_SECRET] if database else [],
            secret_env=_SECRET if database else "",
            # New data need a restart even on hosts that do not make them: their caches hold the old data.
            env={"SITE_DATA": " ".join(data)},
        )


def settings_of(site: Site) -> type[Settings]:
    """What a topology can say of the site: its data's fields, its own, and those of its kind."""
    kinds: list[type[Settings]] = [
        Served,
        *([Contained] if site.in_container else []),
        *([Stored] if site.stored else []),
        *([Read] if site.reads_replicas else []),
        *([Cached] if _caches_elsewhere(site) else []),
        *([Peopled] if site.has_people else []),
    ]
    own: Any = {
        name: (field.annotation, field)
        for model in (site.data, site.options)
        for name, field in model.model_fields.items()
    }
    return create_model(f"{site.name} settings", __base__=tuple(kinds), **own)


def _database(service: Service) -> str | None:
    return getattr(service.settings, "database", None)


def _url(service: Service, place: Place, database: str, host: str = "") -> str:
    """Of a database on one of its hosts; on the first when none is named."""
    one = place.services[database]
    address = place.addresses[host or one.hosts[0]]
    password = place.secrets[database]["password"]
    return database_url(one, address, password, ROOT / service.name / "conf" / AUTHORITY)


def _caches_elsewhere(site: Site) -> bool:
    return "cache_store" in site.options.model_fields


def _memcached(service: Service) -> str | None:
    return getattr(service.settings, "memcached", None)


def _misplaced(service: Service, services: Mapping[str, Service]) -> Iterator[Refusal]:
    """A memcached that would hold nothing, or that the site cannot reach."""
    name, settings = _memcached(service), service.settings
    if name is None:
        return
    if settings.cache == "none":
        yield "memcached", "`memcached` where nothing is cached", 'say what: `cache = "page"`, for example'
    if "cache_store" in settings.model_fields_set:
        yield "memcached", "`memcached` beside `cache_store`", "one of the two says where to keep it"
    if name in services and services[name].tls:
        yield "memcached", f"`{name}` speaks TLS, and the site does not", f"`tls = false` in `{name}`"


def _store(service: Service, place: Place) -> dict[str, str]:
    """What the command line says in place of the settings."""
    if (name := _memcached(service)) is None:
        return {}
    kept = place.services[name]
    return {"cache_store": f"memcached://{place.addresses[kept.hosts[0]]}:{kept.port}"}


def _words(
    settings: Any, model: type[Fields], instead: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """The fields of a model as options of the command line."""
    words: list[str] = []
    for name in model.model_fields:
        value, flag = instead.get(name, getattr(settings, name)), f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            words += [flag] if value else []
        elif value is not None:
            words += [flag, str(value)]
    return words
