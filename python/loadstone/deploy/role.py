"""What a role is: a program, its settings, its files, and how it is checked, started, reloaded and asked."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any, ClassVar, Literal

from loadstone.deploy.certificates import Issued
from loadstone.deploy.content import Content
from loadstone.deploy.host.home import OWN, ROOT
from loadstone.deploy.secrets import Secret
from loadstone.deploy.settings import Settings

Command = Sequence[str]
Tier = Literal["application", "cache", "database", "web server"]
Tls = Literal["can", "asked", "cannot"]


@dataclass(frozen=True)
class Unit:
    """How `host/` handles a service. `{conf}`, `{data}`, `{log}`, `{run}`, `{root}` are its folders."""

    role: str
    port: int | None
    """What its processes must listen on; None for a program without a port."""
    start: Command
    """In the foreground. Empty for what has no process of its own: then `reload` applies the files."""
    programs: Command
    """Names or paths that must be there; else the role's Debian packages are installed."""
    check: Command = ()
    """The program's own check; here `{conf}` is the folder of the new files. Nothing is stopped before it."""
    reload: Command = ()
    """Returns when the new configuration serves. A change of anything else than files is a restart."""
    reload_signal: int | None = None
    """Or a signal to the first process."""
    workers: int = 0
    """How many processes beside the first listen when all are there; a reload replaces them."""
    prepare: Sequence[Command] = ()
    """Make what is in `{data}`, before the first start, and anew into an empty folder when they change."""
    prepare_s: float = 120.0
    recipe: Sequence[str] = ()
    """What the data depend on; the commands when empty. When it changes, the data are lost."""
    holds: str = ""
    """What they make elsewhere than in `{data}`, in words: it is lost when they run again."""
    after: Sequence[Command] = ()
    """Run after each start, when it is ready."""
    after_s: float = 0.0
    """The longest time of each of them; 0: `ready_s`."""
    lag: Command = ()
    """Prints how many seconds a replica is behind, and fails when it follows nobody. Empty: it is none."""
    stop: Sequence[Command] = ()
    """Run before the signal that ends it."""
    clear: Sequence[Command] = ()
    """Run after its end, however it came: what they end is no child of its processes."""
    stop_signal: int = signal.SIGTERM
    ready: Mapping[str, Any] = field(default_factory=dict)
    """`send` and `expect` (how the answer may begin), or a `command` that succeeds; empty: it listens."""
    version: Command = ()
    """Its first line of output is the program's version."""
    resets: str = ""
    """What a reset before a run does: `data` makes what `prepare` made anew (Loadstone loaded all of it),
    `process` starts it anew, because it remembers data of others. Empty: nothing, the data are not ours.
    """
    reset: Sequence[Command] = ()
    """How `data` are brought back while it runs; by `prepare` when empty."""
    counts: Mapping[str, Any] = field(default_factory=dict)
    """How its own counters are asked for, once a second in a run: `kind` of `host/counting.py`, and where: a
    `client` that takes statements on its input, a `port`, or a `socket` file. Empty: it tells none."""
    tasks: str = ""
    """Digest of the Ansible tasks of its role; empty without any."""
    bin: str = ""
    """Folders of a program that each version has of its own, as a pattern; `{bin}` is the newest there is."""
    user: str = OWN
    """A name, or a number of its own, which no other service on the host has."""
    low_ports: bool = False
    """Whether it takes a port below 1024: its processes may (`CAP_NET_BIND_SERVICE`), and nothing else of
    root's."""
    reads: bool = False
    """Whether the program may be in a place that is closed to this user, who is then let read there."""
    secret: Sequence[str] = ()
    """Files of the configuration that only the user may read, and that nothing shows."""
    secret_env: str = ""
    """The one of them that holds variables of the environment, as JSON."""
    env: Mapping[str, str] = field(default_factory=dict)
    managed: bool = False
    """Whether it is a unit of systemd where the host runs that."""
    at_boot: bool = False
    """Whether that unit is enabled."""
    room_mib: int = 1
    """What a start may write."""
    ready_s: float = 30.0
    stop_s: float = 10.0

    def as_json(self) -> dict[str, Any]:
        """Plain lists and dictionaries."""
        return asdict(self)


HTTP_READY = {
    "send": "GET / HTTP/1.0\r\nHost: localhost\r\n\r\n",
    # Some servers answer in the version that they were asked in.
    "expect": ["HTTP/1.1 200", "HTTP/1.0 200"],
}
"""The page is there."""

TEMPLATES = Path(str(package_files("loadstone"))) / "data" / "roles"

Keys = tuple[str | int, ...]
Refusal = tuple[str | Keys, str, str]
"""A setting that the program cannot do: its key or path, sentence, hint."""


@dataclass(frozen=True)
class Service:
    """One service of a site."""

    name: str
    kind: Role
    hosts: tuple[str, ...]
    port: int
    settings: Any
    """An instance of the role's `settings`."""
    content: Content | None = None
    """What is brought to its hosts beside its configuration."""
    tls: bool = False
    """Whether it is served with TLS."""
    trusts: bool = False
    """Whether it speaks TLS to others, or is spoken to: then it has the topology's authority."""

    @property
    def role(self) -> str:
        """The name of its role."""
        return self.kind.name


@dataclass(frozen=True)
class Place:
    """Where a configuration is for: a host among others."""

    host: str
    addresses: Mapping[str, str]
    services: Mapping[str, Service]
    secrets: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    """Of each service, by name."""
    issued: Issued = field(default=Issued("", {}), repr=False)
    """Certificates of all services."""

    def endpoint(self, service: str) -> tuple[str, int]:
        """Address and port of the first host of a service."""
        found = self.services[service]
        return self.addresses[found.hosts[0]], found.port

    def replicas(self, service: Service) -> list[Service]:
        """Services that follow this one."""
        return [one for one in self.services.values() if followed(one) == service.name]

    def backends(self, service: Service) -> list[dict[str, Any]]:
        """The back ends of a balancer: `name`, `address`, `port`, `weight`, `drained`; [] without any."""
        settings = service.settings
        if not getattr(settings, "backends", None):
            return []
        behind = self.services[settings.backends]
        return [
            {
                # No host's name has a `_`.
                "name": f"{host}_{number + 1}" if number else host,
                "address": self.addresses[host],
                "port": behind.port + number,
                "weight": settings.weights.get(host, 1),
                "drained": host in settings.drain,
                "tls": behind.tls,
            }
            for host in behind.hosts
            for number in range(getattr(behind.settings, "instances", 1))
        ]

    def check_path(self, service: Service) -> str:
        """What a balancer asks its back ends for to see that they are well; empty: it only connects."""
        behind = self.services.get(getattr(service.settings, "backends", None) or "")
        return behind.kind.check_path(behind) if behind else "/"


def followed(service: Service) -> str | None:
    """The service whose data it copies, of a replica."""
    name: str | None = getattr(service.settings, "replica_of", None)
    return name


def listen(service: Service, place: Place) -> list[str]:
    """Addresses for a server that nobody else on other networks is to reach: the host itself, and the one it
    has in the topology or the setting `bind`."""
    bind = getattr(service.settings, "bind", None) or place.addresses[place.host]
    every = ("0.0.0.0", "*", "127.0.0.1")
    return [bind] if bind in every else ["127.0.0.1", bind]


def seen(service: Service, place: Place) -> dict[str, Any]:
    """What every template and every expression of a manifest sees: `service`, `role`, `host`, `address`,
    `port`, `listen`, `settings`, `backends`, `check_path`, `tls` (whether it is served so), `trusts` (whether
    it has the topology's authority), and the folders `conf`, `data`, `log`, `run` of the service on its host.
    """
    home = ROOT / service.name
    return {
        "service": service.name,
        "role": service.role,
        "host": place.host,
        "address": place.addresses[place.host],
        "port": service.port,
        "listen": listen(service, place),
        "settings": service.settings.model_dump(),
        "backends": place.backends(service),
        "check_path": place.check_path(service),
        "tls": service.tls,
        "trusts": service.trusts,
        **{name: str(home / name) for name in ("conf", "data", "log", "run")},
    }


class Role:
    """A server program. One object a role: by its manifest (`described.py`), or in `kinds/` where that takes
    a program."""

    name: ClassVar[str]
    settings: ClassVar[type[Settings]]
    port: ClassVar[int]
    """Where it listens when the topology names none."""
    folder: ClassVar[Path] = TEMPLATES
    """With its templates, by role."""
    own: ClassVar[bool] = False
    """Whether it is the user's: all that is wrong with its files is told."""
    tasks: ClassVar[str | None] = None
    """The Ansible role with tasks of its own, which come before the configuration is written."""
    tier: ClassVar[Tier] = "application"
    """What it is to the others."""
    packages: ClassVar[tuple[str, ...]] = ()
    """Debian packages that bring the program."""
    tls: ClassVar[Tls] = "can"
    """Whether it is served with TLS where the topology says so, where the service itself does, or never."""
    believes: ClassVar[bool] = True
    """Whether it can speak TLS to the services that it refers to."""
    secret_keys: ClassVar[tuple[str, ...]] = ()
    """Settings that are secrets; they stand in SQL and in URLs."""
    references: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Settings that name another service, and the roles that may have; any when empty."""

    def files(self, service: Service) -> Mapping[str, str]:
        """Files of the configuration: path below `{conf}` to the path of its template in `roles/`."""
        raise NotImplementedError

    def unit(self, service: Service, place: Place) -> Unit:
        """How the service is handled on a host."""
        raise NotImplementedError

    def needs(self, settings: Any) -> Iterator[tuple[Keys, str]]:
        """Services that must be there before: where the settings name them, and their names."""
        for key in self.references:
            if (name := getattr(settings, key)) is not None:
                yield (key,), name

    def ports(self, service: Service) -> list[int]:
        """All that it takes on each of its hosts."""
        return [service.port]

    def content(self, settings: Any, beside: Path) -> Content | None:
        """What is brought to its hosts; paths are those from the folder `beside` the topology is in."""
        return None

    def variables(self, service: Service, place: Place) -> Mapping[str, Any]:
        """What its templates see besides what all see (`render.variables`)."""
        return {}

    def secrets(self, service: Service, place: Place) -> Mapping[str, Any]:
        """What its templates see as `secrets`; only files of `Unit.secret` may hold it."""
        return place.secrets.get(service.name, {})

    def secret_settings(self, service: Service) -> Mapping[Keys, Secret | None]:
        """Its settings that are secrets, by their path; None for one that is generated."""
        return {(key,): getattr(service.settings, key) for key in self.secret_keys}

    def check_path(self, service: Service) -> str:
        """What a balancer asks it for to see that it is well; empty: it only connects."""
        return "/"

    def one_by_one(self, service: Service) -> bool:
        """Whether its first host must be up before the others begin."""
        return False

    def refused(self, service: Service) -> Iterator[Refusal]:
        """Settings that the program cannot do, or that contradict each other."""
        return iter(())

    def disagrees(self, service: Service, services: Mapping[str, Service]) -> Iterator[Refusal]:
        """Settings that contradict those of the services that it names, all of which are there."""
        return iter(())
