"""A role by its manifest: those of `roles/`, and those of a folder of the user's own."""

from __future__ import annotations

import contextlib
import hashlib
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import TemplateError

from loadstone.deploy.declared import settings_of
from loadstone.deploy.manifest import MANIFEST, number_of, read_manifest
from loadstone.deploy.role import Place, Refusal, Role, Service, Unit, followed, seen
from loadstone.deploy.settings import heavy, unused_page, without
from loadstone.deploy.words import evaluated, value, words
from loadstone.scenario.positions import Path as Keys

_OWN_TASKS = ("tasks", "handlers", "files", "vars", "defaults", "meta", "library")
"""Folders of an Ansible role that its tasks use. Templates are files of the configuration."""
_OK = ("HTTP/1.1 200", "HTTP/1.0 200")
_FOLDERS = ("bin", "conf", "data", "log", "run")
_PAGE = {"www/index.html": "service/templates/page.html.j2"}
_SECRETS = re.compile(r"\bsecrets\b")
_REPLICA = "replica/"
"""Templates below are files of replicas only."""


class Described(Role):
    """A role with a manifest. Its templates are its files; its tasks come before these are written."""

    def __init__(self, folder: Path, own: bool = True) -> None:
        """Of the folder of an Ansible role; `own` when it is the user's. Errors as `read_manifest`."""
        self._read = read = read_manifest(folder)
        self._manifest = manifest = read.manifest
        self.name, self.folder, self.own = folder.name, folder.parent, own  # type: ignore[misc]
        self.settings = settings_of(self.name, read)  # type: ignore[misc]
        self.port, self.packages = manifest.port, tuple(manifest.packages)  # type: ignore[misc]
        self.tier = manifest.tier  # type: ignore[misc]
        self.tls = "can" if manifest.tls else "cannot"  # type: ignore[misc]
        self.believes = manifest.balancer is None or manifest.balancer.tls  # type: ignore[misc]
        secret = [name for name, one in manifest.settings.items() if one.type == "secret"]
        self.secret_keys = (*secret, *(["password"] if manifest.database else []))  # type: ignore[misc]
        self._named = {
            name: tuple(one.roles) for name, one in manifest.settings.items() if one.type == "service"
        }
        self.references = (  # type: ignore[misc]
            ({"backends": ()} if manifest.balancer else {})
            | ({"replica_of": (self.name,)} if manifest.replica else {})
            | self._named
        )
        self.tasks = self.name if (folder / "tasks" / "main.yml").exists() else None  # type: ignore[misc]
        below = folder / "templates"
        self._files = {
            str(path.relative_to(below)).removesuffix(".j2"): str(path.relative_to(self.folder))
            for path in _files_of(below)
        }
        self._secret = [
            name
            for name, path in self._files.items()
            if _SECRETS.search((self.folder / path).read_text("utf-8"))
        ]

    def files(self, service: Service) -> Mapping[str, str]:
        """All its templates; a page where it serves that."""
        page = self._manifest.pages and not getattr(service.settings, "backends", None)
        own = self._files
        if not followed(service):
            own = {name: path for name, path in own.items() if not name.startswith(_REPLICA)}
        return own | (_PAGE if page else {})

    def secrets(self, service: Service, place: Place) -> Mapping[str, Any]:
        """Its own, and by the setting that names a service the password of that one, where it has one."""
        own = super().secrets(service, place)
        others = {key: place.secrets.get(name, {}) for key, name in self._peers(service).items()}
        return {**own, **{key: found["password"] for key, found in others.items() if "password" in found}}

    def variables(self, service: Service, place: Place) -> Mapping[str, Any]:
        """`services`: name, host, address and port of each that it needs, by name; and the manifest's own."""
        made: dict[str, Any] = {"services": {}}
        for name in self._peers(service).values():
            address, port = place.endpoint(name)
            host = place.services[name].hosts[0]
            tls = place.services[name].tls
            found = {"name": name, "host": host, "address": address, "port": port, "tls": tls}
            made["services"][name] = found
        made |= self._followed(service, place)
        given = seen(service, place)
        for name, expression in self._manifest.variables.items():
            with self._at("variables", name):
                made[name] = evaluated(expression, {**given, **made})
        return made

    def unit(self, service: Service, place: Place) -> Unit:
        """As the manifest says, its expressions filled."""
        manifest = self._manifest
        # Folders are filled on the host: a check is of files that are in another one.
        folders = {name: f"{{{name}}}" for name in _FOLDERS}
        given = {**seen(service, place), **self.variables(service, place), **folders}
        with self._at("programs"):
            programs = [value(name, given) for name in manifest.programs]
        with self._at("workers"):
            workers = manifest.workers
            workers = workers if isinstance(workers, int) else int(evaluated(workers, given))
        env = {name: self._value(("env", name), text, given) for name, text in manifest.env.items()}
        return Unit(
            role=self.name,
            port=service.port if manifest.listens else None,
            start=self._words(("start",), manifest.start, given),
            programs=programs,
            check=self._words(("check",), manifest.check, given),
            reload=self._words(("reload",), manifest.reload, given),
            reload_signal=number_of(manifest.reload_signal) if manifest.reload_signal else None,
            workers=workers,
            **self._making(service, given),
            stop=self._each(("stop",), manifest.stop, given),
            stop_signal=number_of(manifest.stop_signal),
            ready=self._ready(given),
            version=self._words(("version",), manifest.version, given),
            resets="" if manifest.reset is None else "process" if manifest.reset == "restart" else "data",
            reset=self._each(("reset",), manifest.reset, given) if isinstance(manifest.reset, list) else [],
            counts=self._counts(given),
            bin=manifest.binaries,
            user=manifest.user,
            secret=[name for name in self._secret if name in self.files(service)],
            # What is empty is left to the program.
            env={name: text for name, text in env.items() if text},
            managed=manifest.systemd,
            tasks=self._tasks(service),
            room_mib=manifest.room_mib,
            ready_s=manifest.ready_s,
            stop_s=manifest.stop_s,
        )

    def check_path(self, service: Service) -> str:
        """What it is itself asked for."""
        return self._manifest.health.http or ""

    def refused(self, service: Service) -> Iterator[Refusal]:
        """What the manifest refuses, with `given`: names of the settings that the topology has."""
        settings, manifest = service.settings, self._manifest
        given = {"settings": settings.model_dump(), "given": sorted(settings.model_fields_set)}
        for number, one in enumerate(manifest.refuse):
            with self._at("refuse", number):
                found = value(one.message, given) if evaluated(one.when, given) else None
            if found is not None:
                yield one.setting, found, one.hint
        if followed(service) and "password" in given["given"]:
            yield "password", "a replica has the password of its primary", "leave `password` out"
        if manifest.balancer is not None:
            yield from heavy(settings, manifest.balancer.most_weight)
            yield from without(settings, manifest.balancer.without)
            yield from unused_page(settings)

    def _followed(self, service: Service, place: Place) -> dict[str, Any]:
        """`primary` (none for what is no replica), `replicas` (names) and a number among them all."""
        if self._manifest.replica is None:
            return {}
        found: dict[str, Any] = {"primary": None, "replicas": [one.name for one in place.replicas(service)]}
        if name := followed(service):
            address, port = place.endpoint(name)
            one = place.services[name]
            found["primary"] = {
                "name": name, "address": address, "port": port, "tls": one.tls,
                "settings": one.settings.model_dump(),
            }  # fmt: skip
        # MariaDB's runs from 1 to 2^32 - 1.
        found["server_id"] = zlib.crc32(f"{service.name}@{place.host}".encode()) or 1
        return found

    def _making(self, service: Service, given: Mapping[str, Any]) -> dict[str, Any]:
        """How its data are made, and what is run after each start."""
        manifest, replica = self._manifest, self._manifest.replica
        if replica is None or not followed(service):
            return {
                "prepare": self._each(("prepare",), manifest.prepare, given),
                "prepare_s": manifest.prepare_s,
                "after": self._each(("after",), manifest.after, given),
            }
        return {
            "prepare": self._each(("replica", "prepare"), replica.prepare, given),
            "prepare_s": replica.copy_s,
            "after": self._each(("replica", "after"), replica.after, given),
            "after_s": replica.copy_s,
            "lag": self._words(("replica", "lag"), replica.lag, given),
        }

    def _ready(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        health = self._manifest.health
        if health.command is not None:
            return {"command": self._words(("health", "command"), health.command, given)}
        send = health.send
        if health.http is not None:
            path = self._value(("health", "http"), health.http, given)
            send = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        if send is None:
            return {}
        expect = [self._value(("health", "expect"), text, given) for text in health.expect]
        return {"send": send, "expect": expect or list(_OK)}

    def _counts(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        found: dict[str, Any] = {}
        for name, text in self._manifest.counts.items():
            keys: Keys = ("counts", name)
            found[name] = (
                self._words(keys, text, given) if name == "client" else self._value(keys, text, given)
            )
        if "port" in found:
            with self._at("counts", "port"):
                found["port"] = int(found["port"])
        return found

    def _peers(self, service: Service) -> dict[str, str]:
        """Services that it needs, by the setting that names each."""
        return {key: name for key in self._named if (name := getattr(service.settings, key)) is not None}

    def _tasks(self, service: Service) -> str:
        """Of its tasks and what they use, and of the settings where they see them; empty without tasks."""
        if self.tasks is None:
            return ""
        total = hashlib.sha256()
        for name in _OWN_TASKS:
            for path in _files_of(self.folder / self.name / name):
                text = path.read_bytes()
                total.update(f"{path.relative_to(self.folder)}\0{len(text)}\0".encode())
                total.update(text)
                if re.search(rb"\bsettings\b", text):
                    total.update(service.settings.model_dump_json().encode())
        return total.hexdigest()[:12]

    def _each(self, keys: Keys, lines: Sequence[str], given: Mapping[str, Any]) -> list[list[str]]:
        return [self._words((*keys, number), line, given) for number, line in enumerate(lines)]

    def _words(self, keys: Keys, line: str | None, given: Mapping[str, Any]) -> list[str]:
        with self._at(*keys):
            return words(line, given) if line else []

    def _value(self, keys: Keys, text: str, given: Mapping[str, Any]) -> str:
        with self._at(*keys):
            return value(text, given)

    @contextlib.contextmanager
    def _at(self, *keys: str | int) -> Iterator[None]:
        """Tells what is wrong with the text at these keys: LoadstoneError `role-template` with the line."""
        try:
            yield
        except (TemplateError, ArithmeticError, TypeError, ValueError) as error:
            hint = "expressions are Jinja's, over the names in the reference of roles"
            raise self._read.error("role-template", f"`{keys[0]}`: {error}", keys, hint) from error


def _files_of(folder: Path) -> list[Path]:
    """All files in it, but what Python keeps of programs: installing a package writes that beside them."""
    found = sorted(folder.rglob("*"))
    return [path for path in found if path.is_file() and path.parent.name != "__pycache__"]


def described(folder: Path) -> list[str]:
    """Names of the roles in the folder that have a manifest."""
    return sorted(path.parent.name for path in folder.glob(f"*/{MANIFEST}"))
