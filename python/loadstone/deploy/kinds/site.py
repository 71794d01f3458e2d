"""A built-in site as `loadstone serve` runs it: one role a site, its settings from the site's fields."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from loadstone.deploy.addresses import SCHEMES, database_url
from loadstone.deploy.certificates import AUTHORITY, CERTIFICATE, KEY
from loadstone.deploy.host.home import ROOT
from loadstone.deploy.role import HTTP_READY, Place, Role, Service, Unit
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
        self.references = {"database": tuple(SCHEMES)} if site.stored else {}  # type: ignore[misc]

    def files(self, service: Service) -> Mapping[str, str]:
        """Where its database is, if it has one; all else is on its command line."""
        return {_SECRET: "service/templates/secret.json.j2"} if _database(service) else {}

    def secrets(self, service: Service, place: Place) -> Mapping[str, str]:
        """The database's URL, as `loadstone` reads it from its environment."""
        database = _database(service)
        return {"LOADSTONE_DATABASE": _url(service, place, database)} if database else {}

    def one_by_one(self, service: Service) -> bool:
        """The first host fills a database that all share; the others need it full."""
        return _database(service) is not None

    def unit(self, service: Service, place: Place) -> Unit:
        """The interpreter may be in a place that is closed to the service's user."""
        settings, name, database = service.settings, self.name, _database(service)
        python = settings.python or sys.executable
        loadstone = [python, "-m", "loadstone"]
        data = _words(settings, self.site.data)
        served = [*_words(settings, self.site.options), "--host", "0.0.0.0", "--port", str(service.port)]
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


def _url(service: Service, place: Place, database: str) -> str:
    address, _ = place.endpoint(database)
    password = place.secrets[database]["password"]
    return database_url(place.services[database], address, password, ROOT / service.name / "conf" / AUTHORITY)


def _words(settings: Any, model: type[Fields]) -> list[str]:
    """The fields of a model as options of the command line."""
    words: list[str] = []
    for name in model.model_fields:
        value, flag = getattr(settings, name), f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            words += [flag] if value else []
        elif value is not None:
            words += [flag, str(value)]
    return words
