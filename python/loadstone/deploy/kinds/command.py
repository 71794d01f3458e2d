"""A program of the user's own: what is brought and made, how it is started, and when it is well."""

from __future__ import annotations

import re
import shlex
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field, model_validator

from loadstone.deploy.certificates import AUTHORITY, CERTIFICATE, KEY
from loadstone.deploy.content import Content
from loadstone.deploy.host.home import OWN, ROOT
from loadstone.deploy.placeholders import filled, places
from loadstone.deploy.remote import PYTHON
from loadstone.deploy.role import Keys, Place, Refusal, Role, Service, Tls, Unit
from loadstone.deploy.secrets import Given, Secret
from loadstone.deploy.settings import Database, Settings
from loadstone.scenario.fields import Count, Positive, Several, Table, Text, refuse
from loadstone.scenario.findings import listed

_PORT = re.compile(r"port\.([a-z][a-z0-9_]*)")
_OWN = ("address", "app", "conf", "data", "host", "instance", "log", "port", "run")
_OTHERS = ("address", "host", "port")
_DATA = ("prepare", "reset")
_LINES = ("install", *_DATA)
_PREPARE_S = 1800.0
_SECRET = "environment.json"
# Beyond what its instances have to end: the supervisor kills them itself.
_LAST_S = 2.0


def _named(words: str, pattern: str) -> Any:
    """Text of a form; else an error that tells the form in words."""

    def checked(value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise refuse("bad-name", f"`{value}` is not {words}")
        return value

    return AfterValidator(checked)


Line = Annotated[str, Field(min_length=1)]
Lines = Annotated[Several[Line], Field(default_factory=list)]
Variable = Annotated[str, _named("a name of a variable: letters, digits and `_`", r"[A-Za-z_]\w*")]
PortName = Annotated[str, _named("a name: small letters, digits and `_`", r"[a-z][a-z0-9_]*")]


class Health(Table):
    """When an instance is well: it answers a request, or a command succeeds; else when it listens."""

    http: Annotated[str, _named("a path such as /health", r"/[\w.~!*+,;=:@%/?&-]*")] | None = None
    command: Annotated[str | None, Field(min_length=1)] = None

    @model_validator(mode="after")
    def _one(self) -> Health:
        if self.http is not None and self.command is not None:
            raise refuse("service-setting", "`health` has both `http` and `command`", "remove one")
        return self


class SupervisedSettings(Settings):
    """Of a program of the user's own, in whatever way it is brought and started."""

    prepare: Annotated[Lines, Field(description="shell lines that make the data, before the first start")]
    prepare_on: Annotated[Literal["each", "first"], Field(description="which hosts make data")] = "each"
    reset: Annotated[Lines, Field(description="shell lines that bring the data back, between runs")]
    env: Annotated[dict[Variable, Text], Field(default_factory=dict, description="of every instance")]
    secrets: Annotated[
        dict[Variable, Given], Field(default_factory=dict, description="of every instance, shown nowhere")
    ]
    instances: Annotated[Count, Field(le=256, description="on each host, at ports one after another")] = 1
    ports: Annotated[
        dict[PortName, Annotated[int, Field(ge=1, le=65535)]],
        Field(default_factory=dict, description="others that it takes, by name"),
    ]
    health: Annotated[Health, Field(description="when an instance is well")] = Health()
    at_boot: Annotated[bool, Field(description="its unit of systemd starts it at boot")] = False
    ready_s: Annotated[Positive, Field(le=3600, description="longest time until it is well")] = 30.0
    stop_s: Annotated[Positive, Field(le=3600, description="longest time to end in")] = 10.0
    stop_signal: Annotated[Literal["TERM", "INT", "QUIT"], Field(description="that ends it")] = "TERM"


class CommandSettings(SupervisedSettings):
    """Of a program that is a process of its host."""

    command: Annotated[str, Field(min_length=1, description="what is started, in the foreground")]
    source: Annotated[Lines, Field(description="folders, archives, files; from the topology file")]
    revision: Annotated[str | None, Field(min_length=1, description="of the git repository `source`")] = None
    build: Annotated[Lines, Field(description="shell lines here, in a copy of the sources")]
    keep: Annotated[Lines, Field(description="what of it is brought; all when empty")]
    install: Annotated[Lines, Field(description="shell lines on each host, in `{app}`")]
    user: Annotated[
        Annotated[str, _named("a user's name", r"[a-z_][a-z0-9_-]*")] | None,
        Field(description="of the host; one of its own when absent"),
    ] = None
    programs: Annotated[Lines, Field(description="what must be installed on the hosts")]


class Command(Role):
    """Its processes are started, watched and started again by `supervise.py` in its configuration."""

    name = "command"
    settings: ClassVar[type[SupervisedSettings]] = CommandSettings
    port = 8000
    tls: ClassVar[Tls] = "asked"

    def files(self, service: Service) -> Mapping[str, str]:
        """The supervisor, and what it is to do."""
        return {
            "supervise.py": "command/templates/supervise.py",
            "command.json": "command/templates/command.json.j2",
            **({_SECRET: "service/templates/secret.json.j2"} if service.settings.secrets else {}),
        }

    def secret_settings(self, service: Service) -> Mapping[Keys, Secret | None]:
        """Variables of its environment."""
        return {("secrets", name): given for name, given in service.settings.secrets.items()}

    def unit(self, service: Service, place: Place) -> Unit:
        """Ready is when every instance is."""
        settings = service.settings

        def command(verb: str) -> list[str]:
            return [PYTHON, "-I", "{conf}/supervise.py", verb, "{conf}/command.json"]

        makes = settings.prepare_on == "each" or place.host == service.hosts[0]
        lines, back = (settings.prepare, settings.reset) if makes else ([], [])
        return Unit(
            role=self.name,
            port=self.listens(service),
            start=command("run"),
            programs=[PYTHON, *self.programs(settings)],
            check=command("check"),
            prepare=[command("prepare")] if lines else [],
            recipe=lines,
            holds=self._elsewhere(service, place) if lines else "",
            resets="data" if back else "",
            reset=[command("reset")] if back else [],
            prepare_s=_PREPARE_S,
            ready={"command": command("ready")},
            version=command("version"),
            user=self.user(settings),
            clear=self.ends(service),
            secret=[_SECRET] if settings.secrets else [],
            secret_env=_SECRET if settings.secrets else "",
            managed=True,
            at_boot=settings.at_boot,
            ready_s=settings.ready_s,
            stop_s=settings.stop_s + _LAST_S * (1 + len(self.ends(service))),
        )

    def listens(self, service: Service) -> int | None:
        """The port that its processes must have."""
        return service.port

    def user(self, settings: Any) -> str:
        """Whose the processes are."""
        found: str = settings.user or OWN
        return found

    def programs(self, settings: Any) -> list[str]:
        """What must be installed on the hosts, besides Python."""
        found: list[str] = settings.programs
        return found

    def words(self, service: Service, number: int) -> list[str]:
        """What an instance is started by, with names in braces."""
        return shlex.split(service.settings.command)

    def ends(self, service: Service) -> list[list[str]]:
        """Commands that end, for each instance, what is not a child of its first process."""
        return []

    def install(self, settings: Any) -> list[str]:
        """Shell lines on each host, in `{app}`."""
        lines: list[str] = settings.install
        return lines

    def _elsewhere(self, service: Service, place: Place) -> str:
        """Databases that its lines may fill, in words; empty without one."""
        named = dict.fromkeys(name for _, name in self.needs(service.settings))
        found = [name for name in named if isinstance(place.services[name].settings, Database)]
        return f"what `prepare` made in {listed(found)}" if found else ""

    def check_path(self, service: Service) -> str:
        """What its health is asked for."""
        found: str | None = service.settings.health.http
        return found or ""

    def one_by_one(self, service: Service) -> bool:
        """The first host makes what the others need."""
        return bool(service.settings.prepare) and service.settings.prepare_on == "first"

    def ports(self, service: Service) -> list[int]:
        """Those of every instance."""
        settings = service.settings
        firsts = [service.port, *settings.ports.values()]
        return [first + number for first in firsts for number in range(settings.instances)]

    def content(self, settings: Any, beside: Path) -> Content | None:
        """Its sources, built."""
        if not settings.source:
            return None
        return Content(
            beside, settings.source, settings.revision, settings.build, settings.keep, settings.install
        )

    def needs(self, settings: Any) -> Iterator[tuple[Keys, str]]:
        """Services whose place is in its words, or whose password it has."""
        for variable, given in settings.secrets.items():
            if given.of is not None:
                yield ("secrets", variable), given.of
        for keys, text in _texts(settings):
            for name in places(text):
                other, dot, what = name.rpartition(".")
                if dot and what in _OTHERS and other != "port":
                    yield keys, other

    def variables(self, service: Service, place: Place) -> Mapping[str, Any]:
        """`orders`: all that the supervisor needs, with every name in braces filled."""
        settings, home, ends = service.settings, ROOT / service.name, self.ends(service)
        app = home / "app" / service.content.digest if service.content else home / "run"
        tls = {variable: str(home / "conf" / name) for variable, name in _tls(service).items()}
        folders = {name: str(home / name) for name in ("conf", "data", "log", "run")} | {"app": str(app)}

        def instance(number: int) -> dict[str, Any]:
            def value(name: str) -> str:
                if name in folders:
                    return folders[name]
                if port := _PORT.fullmatch(name):
                    return str(settings.ports[port[1]] + number)
                other, _, what = name.rpartition(".")
                host = place.services[other].hosts[0] if other else place.host
                known = {
                    "address": place.addresses[host],
                    "host": host,
                    "port": str(place.services[other].port if other else service.port + number),
                    "instance": str(number + 1),
                }
                return known[what]

            # One alone writes into the service's own.
            log = str(home / "log" / f"service-{number + 1}.log") if settings.instances > 1 else None
            own = {"PORT": str(service.port + number), "INSTANCE": str(number + 1), **tls}
            return {
                "port": service.port + number,
                "words": [filled(word, value) for word in self.words(service, number)],
                "end": ends[number] if ends else [],
                "env": own | {name: filled(text, value) for name, text in settings.env.items()},
                "health": filled(settings.health.command, value) if settings.health.command else None,
                "install": [filled(line, value) for line in self.install(settings)],
                **{key: [filled(line, value) for line in getattr(settings, key)] for key in _DATA},
                "log": log,
            }

        described = {
            **folders,
            "address": place.addresses[place.host],
            "check_path": self.check_path(service),
            "authority": tls["TLS_AUTHORITY"] if service.tls else None,
            "stop_s": settings.stop_s,
            "stop_signal": int(signal.Signals[f"SIG{settings.stop_signal}"]),
            "content": service.content.digest if service.content else "none",
            "instances": [instance(number) for number in range(settings.instances)],
        }
        return {"orders": described}

    def refused(self, service: Service) -> Iterator[Refusal]:
        """What cannot be brought, names that stand for nothing, words that no shell would read."""
        settings = service.settings
        yield from self.unlike(service)
        for keys, text in _texts(settings):
            try:
                shlex.split(text) if keys == ("command",) else None
            except ValueError as error:
                yield keys, f"`{text}` is not a command: {error}", "check its quotes"
            for name in places(text):
                port = _PORT.fullmatch(name)
                own = name in _OWN or (port and port[1] in settings.ports)
                if not own and not (name.rpartition(".")[2] in _OTHERS and "." in name and not port):
                    ports = [f"{{port.{name}}}" for name in settings.ports]
                    known = listed(
                        [*(f"{{{name}}}" for name in _OWN), *ports, "{SERVICE.address}", "{SERVICE.port}"]
                    )
                    yield (
                        keys,
                        f"`{{{name}}}` stands for nothing",
                        f"known are {known}; `{{{{{name}}}}}` is itself",
                    )
        yield from _doubled(service)

    def unlike(self, service: Service) -> Iterator[Refusal]:
        """What cannot be brought."""
        return _sources(service)


def _tls(service: Service) -> dict[str, str]:
    """Variables that name files of TLS in `{conf}`."""
    found = {"TLS_AUTHORITY": AUTHORITY} if service.trusts else {}
    return found | ({"TLS_CERTIFICATE": CERTIFICATE, "TLS_KEY": KEY} if service.tls else {})


def _sources(service: Service) -> Iterator[Refusal]:
    settings = service.settings
    if service.content and (problem := service.content.problem()):
        yield problem
    if not service.content:
        for key in ("revision", "build", "keep", "install"):
            if getattr(settings, key):
                yield key, f"`{key}` without a `source`", "say what it is made from"


def _doubled(service: Service) -> Iterator[Refusal]:
    taken: dict[int, str] = {}
    settings = service.settings
    for name, first in {"port": service.port, **settings.ports}.items():
        for port in range(first, first + settings.instances):
            if taken.setdefault(port, name) != name:
                message = f"port {port} is `{taken[port]}`'s of one instance and `{name}`'s of another"
                yield ("ports", name), message, f"leave room for {settings.instances} instances"
                break


def _texts(settings: Any) -> Iterator[tuple[Keys, str]]:
    """Every text that may have names in braces, by its path."""
    if settings.command is not None:
        yield ("command",), settings.command
    for name, text in settings.env.items():
        yield ("env", name), text
    if settings.health.command:
        yield ("health", "command"), settings.health.command
    for key in _LINES:
        for number, line in enumerate(getattr(settings, key, ())):
            yield (key, number), line
