"""Settings that a manifest declares, as a model: checked like those of every other service."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError, create_model

from loadstone.deploy.manifest import Read, Setting
from loadstone.deploy.secrets import Given
from loadstone.deploy.settings import Balancer, Database, Following, Pages, Settings
from loadstone.scenario.fields import Real, Several, Whole
from loadstone.scenario.findings import Finding

_TYPES: dict[str, Any] = {
    "boolean": bool, "integer": Whole, "list": Several[str], "number": Real, "secret": Given, "service": str,
    "string": str,
}  # fmt: skip


class Balancing(Balancer):
    """Of what does nothing but balance."""

    backends: Annotated[str, Field(description="the service that requests go to")]


def settings_of(name: str, read: Read) -> type[Settings]:
    """What a topology can say of the role. ScenarioError for a default that is none, or a name taken."""
    manifest, findings = read.manifest, []
    bases: list[type[Settings]] = []
    if manifest.balancer is not None:
        bases.append(Balancer if manifest.balancer.optional else Balancing)
    bases += [Pages] if manifest.pages else []
    bases += [Database] if manifest.database else []
    bases += [Following] if manifest.replica else []
    shared = {key for base in bases for key in base.model_fields}
    own: dict[str, Any] = {}
    for key, setting in manifest.settings.items():
        if key in shared or hasattr(Settings, key):
            hint = "it is one of those that all balancers, pages or databases have" if key in shared else ""
            findings.append(Finding("role-manifest", f"`{key}` is taken", ("settings", key), hint))
            continue
        annotation, default = _field(setting)
        own[key] = (annotation, Field(default, description=setting.description))
        if setting.default is not None:
            try:
                TypeAdapter(annotation).validate_python(setting.default, strict=True)
            except ValidationError:
                message = f"the default {setting.default!r} of `{key}` is not what it says of itself"
                findings.append(Finding("role-manifest", message, ("settings", key, "default")))
    if findings:
        raise read.source.errors(findings)
    return create_model(f"{name} settings", __base__=tuple(bases) or (Settings,), **own)


def _field(setting: Setting) -> tuple[Any, Any]:
    """Type and default of a field; `...` where it is required."""
    annotation: Any = _TYPES[setting.type]
    if setting.choices:
        annotation = Literal[tuple(setting.choices)]
    if setting.minimum is not None or setting.maximum is not None:
        annotation = Annotated[annotation, Field(ge=setting.minimum, le=setting.maximum)]
    if setting.optional or setting.type == "secret":
        return annotation | None, None
    return annotation, ... if setting.default is None else setting.default
