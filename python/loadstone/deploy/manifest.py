"""`loadstone.toml` of a role: how the program of an Ansible role is described, and the file read."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, ValidationError, model_validator

from loadstone.deploy.role import Tier
from loadstone.deploy.settings import known_keys
from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, read_bytes
from loadstone.scenario.fields import Count, Positive, Several, Table, refuse
from loadstone.scenario.findings import Finding, Source
from loadstone.scenario.positions import Path as Keys
from loadstone.scenario.shape import explain
from loadstone.scenario.written import parse_toml

MANIFEST = "loadstone.toml"
_KIND = Kind("role-missing", "a role's manifest")
_NAME = r"^[a-z][a-z0-9_]*$"

Line = Annotated[str, Field(min_length=1)]
"""A command: words as a shell splits them, but no shell; `{{ … }}` in it is Jinja."""
Lines = Annotated[list[Line], Field(default_factory=list)]
Signal = Literal["HUP", "INT", "QUIT", "TERM", "USR1", "USR2"]


class Health(Table):
    """When the service is well: a request is answered, an answer on its port begins so, or a command
    succeeds; when it listens, without any of them."""

    http: Annotated[str | None, Field(min_length=1, description="path that it answers with 200")] = None
    send: Annotated[str | None, Field(min_length=1, description="text that is sent to its port")] = None
    expect: Annotated[
        Several[Line],
        Field(default_factory=list, description="beginnings of the answer, one of which it has"),
    ]
    command: Annotated[Line | None, Field(description="that succeeds")] = None

    @model_validator(mode="after")
    def _one(self) -> Health:
        ways = [name for name in ("http", "send", "command") if getattr(self, name) is not None]
        if len(ways) > 1:
            raise refuse("role-manifest", f"`health` has `{ways[0]}` and `{ways[1]}`", "remove one")
        if self.http is not None and not self.http.startswith(("/", "{{")):
            raise refuse("role-manifest", f"`{self.http}` is not a path", "such as `/health`")
        if self.send is not None and not self.expect:
            raise refuse("role-manifest", "`send` without `expect`", "say how the answer begins")
        if self.expect and self.http is None and self.send is None:
            raise refuse("role-manifest", "`expect` without `http` or `send`", "say what is asked")
        return self


class Setting(Table):
    """A setting of the role, as `[service.settings]` of a topology gives it."""

    type: Literal["boolean", "integer", "list", "number", "secret", "service", "string"]
    description: str = ""
    default: Annotated[Any, Field(description="required when absent, and not optional")] = None
    optional: Annotated[bool, Field(description="none when absent")] = False
    choices: Annotated[list[Any], Field(default_factory=list, description="all that it may be")]
    minimum: float | None = None
    maximum: float | None = None
    roles: Annotated[list[str], Field(default_factory=list, description="that the service named may have")]

    @model_validator(mode="after")
    def _fits(self) -> Setting:
        if self.default is not None and (self.optional or self.type in ("secret", "service")):
            hint = "a secret is generated when absent" if self.type == "secret" else "leave `default` out"
            what = "an optional setting" if self.optional else f"a {self.type}"
            raise refuse("role-manifest", f"{what} has no default", hint)
        only = {"choices": ("string", "integer", "number"), "minimum": ("integer", "number"),
                "maximum": ("integer", "number"), "roles": ("service",)}  # fmt: skip
        for key, types in only.items():
            if key in self.model_fields_set and self.type not in types:
                raise refuse("role-manifest", f"`{key}` says nothing about a {self.type}", f"remove `{key}`")
        return self


class Refuse(Table):
    """What the program cannot do: refused at the line of the topology that asks for it."""

    setting: str
    when: Annotated[Line, Field(description="a Jinja expression")]
    message: Line
    hint: str = ""


class Replica(Table):
    """It can follow another service of its role: with `replica_of`, these stand for those of the manifest."""

    prepare: Annotated[Lines, Field(description="make what is in its data folder")]
    after: Annotated[Lines, Field(description="run after each start; they return when it has caught up")]
    copy_s: Annotated[Positive, Field(description="longest time of each of these commands")] = 1800.0
    lag: Annotated[Line, Field(description="prints the seconds it is behind; fails when it follows nobody")]


class Balancer(Table):
    """It balances: it has all settings of balancers."""

    optional: Annotated[bool, Field(description="`backends` may be absent")] = False
    tls: Annotated[bool, Field(description="it speaks TLS to back ends that are served with it")] = False
    most_weight: Annotated[Count, Field(description="largest weight of a host")] = 256
    without: Annotated[
        dict[str, Line], Field(default_factory=dict, description="settings that it has nothing for, and why")
    ]


class Manifest(Table):
    """The file."""

    format: Literal[1]
    description: str = ""
    port: Annotated[int, Field(ge=1, le=65535, description="where it listens when the topology names none")]
    listens: Annotated[bool, Field(description="its own processes do")] = True
    packages: Annotated[Lines, Field(description="of Debian, that bring the programs")]
    programs: Annotated[Lines, Field(min_length=1, description="names or paths that must be there")]
    start: Annotated[Line, Field(description="in the foreground")]
    check: Annotated[Line | None, Field(description="its own check of a configuration")] = None
    reload: Annotated[Line | None, Field(description="returns when the new configuration serves")] = None
    reload_signal: Annotated[Signal | None, Field(description="or a signal to the first process")] = None
    workers: Annotated[int | Line, Field(description="processes beside the first that listen")] = 0
    prepare: Annotated[Lines, Field(description="make what is in its data folder")]
    prepare_s: Positive = 120.0
    after: Annotated[Lines, Field(description="run after each start, when it is ready")]
    stop: Annotated[Lines, Field(description="run before the signal that ends it")]
    stop_signal: Signal = "TERM"
    reset: Annotated[
        Literal["prepare", "restart"] | list[Line] | None,
        Field(description="how its data are brought back between runs"),
    ] = None
    version: Annotated[Line | None, Field(description="its first line of output is the version")] = None
    user: Annotated[str, Field(min_length=1, description="a user of the host, or `own`")] = "own"
    binaries: Annotated[str, Field(description="folders of its versions, a pattern: `{{ bin }}`")] = ""
    systemd: Annotated[bool, Field(description="it is a unit of systemd where the host runs that")] = False
    tier: Tier = "application"
    room_mib: Annotated[Count, Field(description="what a start may write")] = 1
    ready_s: Positive = 30.0
    stop_s: Positive = 10.0
    env: Annotated[dict[str, str], Field(default_factory=dict, description="variables of its processes")]
    health: Annotated[Health, Field(default_factory=Health)]
    counts: Annotated[dict[str, str], Field(default_factory=dict, description="where its counters are")]
    variables: Annotated[
        dict[Annotated[str, Field(pattern=_NAME)], Line],
        Field(default_factory=dict, description="more names for templates: Jinja expressions"),
    ]
    settings: Annotated[dict[Annotated[str, Field(pattern=_NAME)], Setting], Field(default_factory=dict)]
    refuse: Annotated[list[Refuse], Field(default_factory=list)]
    balancer: Balancer | None = None
    tls: Annotated[bool, Field(description="it can be served with TLS: `tls` is true then")] = False
    pages: Annotated[bool, Field(description="it serves the one page that web servers here have")] = False
    database: Annotated[bool, Field(description="it has the settings of databases")] = False
    replica: Annotated[Replica | None, Field(description="it can be a copy of another: `replica_of`")] = None

    @model_validator(mode="after")
    def _fits(self) -> Manifest:
        if self.reload and self.reload_signal:
            raise refuse("role-manifest", "both `reload` and `reload_signal`", "remove one")
        if self.reset == "prepare" and not self.prepare:
            raise refuse("role-manifest", '`reset = "prepare"` without `prepare`', "say how data are made")
        if self.replica and not self.database:
            raise refuse("role-manifest", "`replica` of what is no database", "add `database = true`")
        return self


@dataclass(frozen=True)
class Read:
    """A manifest, and where each of its keys stands."""

    manifest: Manifest
    source: Source

    def error(self, slug: str, message: str, keys: Keys, hint: str = "") -> LoadstoneError:
        """What is wrong at one of its keys."""
        return self.source.error(Finding(slug, message, keys, hint))


def read_manifest(folder: Path) -> Read:
    """The manifest in the folder of a role.

    LoadstoneError `role-missing` (no file), `toml-syntax`; ScenarioError with everything that is wrong in it.
    """
    path = folder / MANIFEST
    raw, positions = parse_toml(read_bytes(path, _KIND), path)
    source = Source(str(path), positions, raw, {})
    try:
        return Read(Manifest.model_validate(raw), source)
    except ValidationError as error:
        raise source.errors(explain(error, raw, _keys)) from error


def number_of(name: Signal) -> int:
    """Of a signal."""
    return int(signal.Signals[f"SIG{name}"])


def _keys(table: Keys) -> list[str]:
    """What the table at this path may have."""
    for model in _below(Manifest, table):
        return known_keys(model, ())
    return []


def _below(model: Any, table: Keys) -> Iterator[type[Table]]:
    """The model of the table at a path."""
    for key in table:
        if isinstance(model, type) and issubclass(model, Table):
            model = model.model_fields[str(key)].annotation
        else:
            model = next(iter(get_args(model)[-1:]), None)
        models = [one for one in get_args(model) if isinstance(one, type) and issubclass(one, Table)]
        model = models[0] if models and type(None) in get_args(model) else model
    if isinstance(model, type) and issubclass(model, Table):
        yield model
