"""What a scenario says of a built-in site, in `[target.options]` and `[data]`, checked against the site."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel, ValidationError, create_model

from loadstone.scenario.findings import Finding, child, listed, suggest
from loadstone.scenario.positions import Path
from loadstone.scenario.shape import explain
from loadstone.scenario.target import AsImage, Container, Target
from loadstone.site import SITES, Data, Site

_OPTIONS: Path = ("target", "options")


@cache
def model_of(site: Site) -> type[BaseModel]:
    """The table `[target.options]` of a site: what serves it, its own options, and some of its data's."""
    of_data: Any = {
        name: (site.data.model_fields[name].annotation, site.data.model_fields[name])
        for name in site.data.with_options
    }
    return create_model(f"Options of {site.name}", __base__=(Container, site.options), **of_data)


def options(raw: Mapping[str, Any], data: Mapping[str, Any]) -> tuple[dict[str, Any], list[Finding]]:
    """The options that the file gives for its site, and what is wrong with them."""
    target = raw.get("target")
    site, given = SITES.get(str(child(target, "app"))), child(target, "options")
    if site is None or not isinstance(given, dict):
        return {}, []
    known = model_of(site)
    findings = [_unknown(site, key) for key in given if key not in known.model_fields]
    given = {key: value for key, value in given.items() if key in known.model_fields}
    try:
        return known.model_validate(given, context={"data": data}).model_dump(exclude_unset=True), findings
    except ValidationError as error:
        return {}, findings + _at(_OPTIONS, explain(error, given, lambda _: []))


def errors(target: Target, data: Mapping[str, Any]) -> Iterator[Finding]:
    """Findings in `[data]`: missing or impossible values, and what an image does not have."""
    if target.app is None:
        return
    site = SITES[target.app]
    said = site.data.in_scenario[site.data.amount]
    if said not in data:
        default = site.data.model_fields[site.data.amount].default
        message = f"[data] does not say how large the data of `{site.name}` are: `{said}` is missing"
        yield Finding("data-options", message, ("data",), f"add `{said} = {default}`")
    given = site.given(data, target.options)
    try:
        site.data.model_validate(given)
    except ValidationError as error:
        for one in explain(error, given, lambda _: []):
            yield Finding(one.slug, one.message, ("data", *_said(site.data, one.path)), one.hint)
    if target.image is not None:
        yield from _image(site, target.image, target.options)


def _unknown(site: Site, key: str) -> Finding:
    """An option that the site does not have: says which site has it, or which options there are."""
    own = [other.name for other in SITES.values() if key in model_of(other).model_fields]
    known = list(model_of(site).model_fields)
    has = f"known are {listed(known)}"
    hint = f"`{key}` is an option of {listed(own)}; {has}" if own else suggest(key, known, has)
    return Finding("unknown-key", f"`{site.name}` has no option `{key}`", (*_OPTIONS, key), hint)


def _image(site: Site, image: AsImage, given: Mapping[str, Any]) -> Iterator[Finding]:
    if site.image is None:
        yield Finding("target", f"there is no image of `{site.name}`", ("target", "image"), "remove it")
        return
    # What a disk is loaded with is none of the image's business.
    loaded = site.data.with_options if site.stored else ()
    known = [key for key in model_of(site).model_fields if key in (*site.image.words, *loaded)]
    for key, value in given.items():
        if key not in known and site.image.fixed.get(key) != value:
            hint = f"an image of `{site.name}` has {listed(known) if known else 'no options'}"
            yield Finding("target", f"an image has no `{key}`", (*_OPTIONS, key), hint)


def _said(data: type[Data], path: Path) -> Path:
    return tuple(data.in_scenario.get(str(key), key) for key in path)


def _at(place: Path, findings: list[Finding]) -> list[Finding]:
    return [Finding(one.slug, one.message, (*place, *one.path), one.hint) for one in findings]
