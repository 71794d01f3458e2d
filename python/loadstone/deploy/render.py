"""Configuration files from the templates in `roles/`: the same text that Ansible makes of them."""

from __future__ import annotations

import json
import traceback
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError, TemplateSyntaxError

from loadstone.deploy.certificates import AUTHORITY, CERTIFICATE, KEY, Certificate
from loadstone.deploy.host.home import UNIT
from loadstone.deploy.role import TEMPLATES, Place, Service, Unit, seen
from loadstone.errors import LoadstoneError

_UNPRIVILEGED = 1024
"""The first port that any user may take."""
_FILLING = "template code"
"""How Jinja calls its frames, `top-level template code` first."""
_TLS = "service/templates"


def variables(service: Service, place: Place) -> dict[str, Any]:
    """What the templates of a service see: what all do (`role.seen`), what its own role adds, `secrets`, and
    of TLS `certificate`, `authority` (in PEM) and `private_key`."""
    issued = place.issued
    own = issued.certificates.get((service.name, place.host), Certificate("", ""))
    return {
        **seen(service, place),
        **service.kind.variables(service, place),
        "certificate": own.certificate,
        "authority": issued.authority,
        **secrets(service, place),
    }


def secrets(service: Service, place: Place) -> dict[str, Any]:
    """What templates see that is in files of `Unit.secret` only: `secrets` and `private_key`."""
    own = place.issued.certificates.get((service.name, place.host), Certificate("", ""))
    return {"secrets": service.kind.secrets(service, place), "private_key": own.key}


def files_of(service: Service) -> dict[str, str]:
    """Files of the configuration to their templates: the role's, and what TLS needs."""
    found = dict(service.kind.files(service))
    if service.trusts:
        found[AUTHORITY] = f"{_TLS}/{AUTHORITY}.j2"
    if service.tls:
        found |= {name: f"{_TLS}/{name}.j2" for name in (CERTIFICATE, KEY)}
    return found


def unit_of(service: Service, place: Place) -> Unit:
    """How the service is handled on a host, asked over TLS where it is served so."""
    low = min(service.kind.ports(service)) < _UNPRIVILEGED
    unit = replace(service.kind.unit(service, place), low_ports=low)
    if not service.tls:
        return unit
    believed = {"authority": f"{{conf}}/{AUTHORITY}"}
    ready = {**unit.ready, **believed} if "send" in unit.ready else unit.ready
    counts = {**unit.counts, **believed} if "port" in unit.counts else unit.counts
    return replace(unit, secret=[*unit.secret, KEY], ready=ready, counts=counts)


def unit_text(service: Service, place: Place) -> str:
    """How the service is handled, as `host/control.py` keeps it."""
    return json.dumps(unit_of(service, place).as_json(), indent=1, sort_keys=True)


def render(service: Service, place: Place) -> dict[str, str]:
    """Every file of the service's configuration on a host, by its path below `conf`.

    LoadstoneError `role-template` with the line of the template, or of the manifest.
    """
    given = variables(service, place)
    texts = {
        path: _text(service.kind.folder, template, given) for path, template in files_of(service).items()
    }
    return texts | {UNIT: unit_text(service, place)}


def shown(files: Mapping[str, str]) -> dict[str, str]:
    """A configuration without the files that hold secrets."""
    secret = json.loads(files[UNIT])["secret"]
    return {name: text for name, text in files.items() if name not in secret}


def templates(service: Service) -> Mapping[str, str]:
    """Absolute paths of the templates, by the path of the file below `conf`."""
    found = {}
    for path, name in files_of(service).items():
        own = service.kind.folder / name
        found[path] = str(own if own.exists() else TEMPLATES / name)
    return found


def _text(folder: Path, template: str, given: Mapping[str, Any]) -> str:
    try:
        return _environment(folder).get_template(template).render(given)
    except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        hint = (
            "templates are Jinja's, without Ansible's own filters, over the names in the reference of roles"
        )
        place = f"{folder / template}:{_line(error)}"
        raise LoadstoneError("role-template", str(error), place=place, hint=hint) from error


def _line(error: Exception) -> int:
    """Of the template, where the error is: Jinja's own count, or where it was when it was filled."""
    if isinstance(error, TemplateSyntaxError):
        return error.lineno
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.name.endswith(_FILLING)
    ]
    return lines[-1] or 1 if lines else 1


@cache
def _environment(folder: Path) -> Environment:
    # As Ansible sets Jinja up, so that both make the same text.
    return Environment(
        loader=FileSystemLoader([folder, TEMPLATES]), trim_blocks=True, keep_trailing_newline=True,
        undefined=StrictUndefined, autoescape=False,
    )  # fmt: skip
