"""An image of the user's own, run by podman or docker; supervised as any program of theirs is."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from loadstone.deploy.certificates import AUTHORITY
from loadstone.deploy.content import Content
from loadstone.deploy.kinds.command import Command, Lines, SupervisedSettings
from loadstone.deploy.role import Refusal, Service, Tls
from loadstone.scenario.fields import Count, Positive, refuse

_PUBLISHED = "0.0.0.0:{port}"


def _reference(value: str) -> str:
    if not re.fullmatch(r"\w[\w./:@-]{0,255}", value):
        raise refuse("bad-name", f"`{value}` is not the name of an image", "such as `shop:3`")
    return value


class ContainerSettings(SupervisedSettings):
    """Of a container; its processes are those of its image's user."""

    image: Annotated[str, AfterValidator(_reference), Field(description="its name")]
    archive: Annotated[
        str | None, Field(min_length=1, description="of the image, from the topology file")
    ] = None
    command: Annotated[
        str | None, Field(min_length=1, description="in it, with its arguments; the image's when absent")
    ] = None
    engine: Annotated[Literal["podman", "docker"], Field(description="what runs it")] = "podman"
    publish: Annotated[
        int | None,
        Field(
            ge=1, le=65535, description="port in it that is the instance's; the host's network when absent"
        ),
    ] = None
    data: Annotated[str | None, Field(pattern="^/", description="where `{data}` is in it")] = None
    memory_mib: Annotated[Count | None, Field(ge=8, description="most memory of an instance")] = None
    cpus: Annotated[Positive | None, Field(le=4096, description="most processors of an instance")] = None
    processes: Annotated[Count | None, Field(description="most processes of an instance")] = None
    options: Annotated[Lines, Field(description="more words for `run`")]


class Container(Command):
    """The engine's `run` is what the supervisor starts: it stays as long as the container."""

    name = "container"
    tls: ClassVar[Tls] = "cannot"
    settings: ClassVar[type[SupervisedSettings]] = ContainerSettings

    def listens(self, service: Service) -> int | None:
        """Those that listen are the engine's children, and none of ours."""
        return None

    def user(self, settings: Any) -> str:
        """The engine needs root; what it starts is the image's user."""
        return "root"

    def programs(self, settings: Any) -> list[str]:
        """The engine, which is not ours to install."""
        return [settings.engine]

    def words(self, service: Service, number: int) -> list[str]:
        """Values of variables are in no argument: the engine takes them from its own environment."""
        settings = service.settings
        names = ["PORT", "INSTANCE", *settings.env, *settings.secrets]
        names += ["TLS_AUTHORITY"] if service.trusts else []
        limits = {"memory": f"{settings.memory_mib}m" if settings.memory_mib else None,
                  "cpus": settings.cpus, "pids-limit": settings.processes}  # fmt: skip
        published = (
            ["--publish", f"{_PUBLISHED}:{settings.publish}"] if settings.publish else ["--network", "host"]
        )
        return [
            settings.engine, "run", "--rm", "--log-driver=none", "--name", _name(service, number), *published,
            *(f"--env={name}" for name in names),
            *(f"--{name}={most:g}" if isinstance(most, float) else f"--{name}={most}"
              for name, most in limits.items() if most is not None),
            f"--stop-signal=SIG{settings.stop_signal}",
            *([f"--volume={{data}}:{settings.data}"] if settings.data else []),
            *([f"--volume={{conf}}/{AUTHORITY}:{{conf}}/{AUTHORITY}:ro"] if service.trusts else []),
            *settings.options, settings.image, *shlex.split(settings.command or ""),
        ]  # fmt: skip

    def ends(self, service: Service) -> list[list[str]]:
        """A container is the engine's child, and outlives the `run` that is killed."""
        settings = service.settings
        # It was asked to end before, and had its time; docker gives it no more.
        at_once = ["--time=0"] if settings.engine == "podman" else []
        return [
            [settings.engine, "rm", "--force", *at_once, _name(service, number)]
            for number in range(settings.instances)
        ]

    def install(self, settings: Any) -> list[str]:
        """The archive came unpacked."""
        return [f"tar -cf - . | {settings.engine} load --quiet"] if settings.archive else []

    def content(self, settings: Any, beside: Path) -> Content | None:
        """The image, where it is a file."""
        return (
            Content(beside, [settings.archive], install=self.install(settings)) if settings.archive else None
        )

    def unlike(self, service: Service) -> Iterator[Refusal]:
        """An archive that is not there."""
        if service.content and (problem := service.content.problem()):
            yield ("archive", *problem[1:])


def _name(service: Service, number: int) -> str:
    return f"loadstone-{service.name}-{number + 1}"
