"""Configuration files from the templates in `roles/`: the same text that Ansible makes of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from loadstone.deploy.host.home import ROOT, UNIT
from loadstone.deploy.kinds import ROLES
from loadstone.deploy.role import Place, Service, listen

TEMPLATES = Path(str(package_files("loadstone"))) / "data" / "roles"


def variables(service: Service, place: Place) -> dict[str, Any]:
    """What every template sees: `service`, `role`, `host`, `address`, `port`, `listen`, `settings`,
    `backends`, `check_path`, `secrets`, and the folders `conf`, `data`, `log`, `run` of the service on its
    host."""
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
        **{name: str(home / name) for name in ("conf", "data", "log", "run")},
        **ROLES[service.role].variables(service, place),
        "secrets": ROLES[service.role].secrets(service, place),
    }


def unit_text(service: Service, place: Place) -> str:
    """How the service is handled, as `host/control.py` keeps it."""
    return json.dumps(ROLES[service.role].unit(service, place).as_json(), indent=1, sort_keys=True)


def render(service: Service, place: Place) -> dict[str, str]:
    """Every file of the service's configuration on a host, by its path below `conf`."""
    given = variables(service, place)
    texts = {
        path: _environment().get_template(template).render(given)
        for path, template in ROLES[service.role].files(service).items()
    }
    return texts | {UNIT: unit_text(service, place)}


def shown(files: Mapping[str, str]) -> dict[str, str]:
    """A configuration without the files that hold secrets."""
    secret = json.loads(files[UNIT])["secret"]
    return {name: text for name, text in files.items() if name not in secret}


def templates(service: Service) -> Mapping[str, str]:
    """Absolute paths of the templates, by the path of the file below `conf`."""
    return {path: str(TEMPLATES / name) for path, name in ROLES[service.role].files(service).items()}


@cache
def _environment() -> Environment:
    # As Ansible sets Jinja up, so that both make the same text.
    return Environment(
        loader=FileSystemLoader(TEMPLATES), trim_blocks=True, keep_trailing_newline=True,
        undefined=StrictUndefined, autoescape=False,
    )  # fmt: skip
