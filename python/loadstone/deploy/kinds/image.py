"""An image that boots without an operating system, kept up on its hosts by `loadstone image run`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field

from loadstone.deploy.content import Content
from loadstone.deploy.host.home import ROOT
from loadstone.deploy.role import Keys, Place, Refusal, Role, Service, Tls, Unit
from loadstone.deploy.settings import Settings
from loadstone.errors import LoadstoneError
from loadstone.image import build_image, read_image, said_again
from loadstone.scenario.fields import Count, Positive

_LOAD_S = 1800.0
_LAST_S = 5.0
"""Beyond what its instances have to end: the supervisor kills them itself."""
_MIB = 1 << 20
_VERSION = "from loadstone._core import __version__ as v; print('loadstone', v)"
_OWN = ("ip", "gw", "port", "tls")
"""Words of the guest's command line that are the role's."""


class ImageSettings(Settings):
    """Of machines, all alike on each host."""

    image: Annotated[str, Field(min_length=1, description="a file or a crate's folder, or an application")]
    memory_mib: Annotated[Count, Field(le=65536, description="memory of each machine")] = 16
    cmdline: Annotated[str, Field(description="more words for the guest")] = ""
    disk: Annotated[
        str | None, Field(pattern=r"^\d+[KMG]$", description="size of each machine's disk; none when absent")
    ] = None
    load: Annotated[
        str | None, Field(pattern=r"^[a-z]+:[\d.]+$", description="data set on the disk, such as olio:400")
    ] = None
    instances: Annotated[Count, Field(le=64, description="on each host, at ports one after another")] = 1
    check: Annotated[str, Field(pattern=r"^/[!-~]*$", description="path that tells whether one is well")] = (
        "/"
    )
    ready_s: Annotated[Positive, Field(le=3600, description="longest time until all are well")] = 60.0
    stop_s: Annotated[Positive, Field(le=3600, description="longest time of a machine to end in")] = 10.0
    python: Annotated[
        str | None,
        Field(description="Python on the hosts, with Loadstone; by default the path of the one here"),
    ] = None


class ImageRole(Role):
    """QEMU's own network leads from the host's ports to the machines: no device of the host is needed."""

    name = "image"
    settings: ClassVar[type[Settings]] = ImageSettings
    port = 8080
    tls: ClassVar[Tls] = "cannot"
    believes = False

    def files(self, service: Service) -> Mapping[str, str]:
        """None: all is on its command line."""
        return {}

    def content(self, settings: Any, beside: Path) -> Content | None:
        """The image, built here if it is an application or a crate. LoadstoneError as `build_image`."""
        file = beside / settings.image
        if not file.is_file():
            try:
                file = _built(str(file) if file.is_dir() else settings.image)
            except LoadstoneError as error:
                if error.slug != "image-app":
                    raise
        return Content(file.parent, [file.name])

    def variables(self, service: Service, place: Place) -> Mapping[str, Any]:
        """What is done with the image on a host: nothing."""
        return {"orders": {"instances": [{"install": [], "env": {}}]}}

    def ports(self, service: Service) -> list[int]:
        """Those of every machine."""
        return [service.port + number for number in range(service.settings.instances)]

    def check_path(self, service: Service) -> str:
        """What its supervisor asks, too."""
        found: str = service.settings.check
        return found

    def unit(self, service: Service, place: Place) -> Unit:
        """Ready is when the first machine answers; it takes connections only then."""
        settings, content = service.settings, service.content
        assert content
        python = settings.python or sys.executable
        image = [python, "-m", "loadstone", "image"]
        disks = [
            f"{{data}}/{number + 1}.disk" for number in range(settings.instances if settings.disk else 0)
        ]
        made = ["--size", settings.disk, *(("--load", settings.load) if settings.load else ())]
        start = [
            *image, "run", str(ROOT / service.name / "app" / content.digest / content.sources[0].name),
            *("--host", "0.0.0.0", "--port", str(service.port), "--state", "{run}/machines"),
            *("--instances", str(settings.instances), "--memory", str(settings.memory_mib)),
            *(word for disk in disks for word in ("--disk", disk)),
            *("--cmdline", settings.cmdline, "--check", settings.check, "--grace", f"{settings.stop_s:g}"),
        ]  # fmt: skip
        return Unit(
            role=self.name,
            port=service.port,
            start=start,
            programs=[python, "qemu-system-x86_64", "setpriv"],
            prepare=[[*image, "disk", disk, *made] for disk in disks],
            prepare_s=_LOAD_S,
            recipe=[*made, str(len(disks))] if disks else [],
            # A disk that no data set was loaded to has what its users wrote.
            resets="data" if settings.load else "",
            ready={
                "send": f"GET {settings.check} HTTP/1.0\r\nHost: localhost\r\n\r\n",
                "expect": ["HTTP/1.1 2", "HTTP/1.1 3"],
            },
            ready_s=settings.ready_s,
            stop_s=settings.stop_s + _LAST_S,
            version=[python, "-c", _VERSION],
            reads=True,
        )

    def refused(self, service: Service) -> Iterator[Refusal]:
        """What cannot be booted, and words that contradict the image or the role."""
        settings, content = service.settings, service.content
        assert content
        if settings.load and not settings.disk:
            yield "load", "`load` without a `disk`", 'such as disk = "64M"'
        if content.problem():
            hint = "paths are from the topology file; applications are those of `loadstone image build`"
            yield "image", f"there is no file and no application `{settings.image}`", hint
            return
        try:
            image = read_image(content.sources[0])
            said_again(settings.cmdline.split(), image.fixed)
        except LoadstoneError as error:
            yield "image", error.message, error.hint or ""
            return
        if image.arch.name != "x86_64":
            yield "image", f"{image.path} is for {image.arch.name}", "machines of this role are PCs"
        if (least := -(-image.end // _MIB)) > settings.memory_mib:
            yield "memory_mib", f"{image.path} needs at least {least} MiB to be loaded", f"{least} or more"
        for word in settings.cmdline.split():
            if (key := word.partition("=")[0]) in _OWN:
                yield "cmdline", f"`{word}`: the role says `{key}=` itself", "leave it out"

    def needs(self, settings: Any) -> Iterator[tuple[Keys, str]]:
        """It speaks to no other service."""
        return iter(())


@cache
def _built(what: str) -> Path:
    """The image of an application or a crate; built once, however often the topology is read."""
    return build_image(what).stripped.path
