"""A scenario from the description of an interface (OpenAPI 3): operations, examples, data by schema."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from loadstone.errors import LoadstoneError
from loadstone.learn import toml_text
from loadstone.learn.paths import Operation as Found
from loadstone.learn.paths import named
from loadstone.learn.recorded import Imported
from loadstone.learn.samples import Sampler
from loadstone.learn.tokens import PLACEHOLDER
from loadstone.learn.toml_text import Operation, Step
from loadstone.stages.learn import Learned

MOST = 500
"""Operations of a description."""
END_SHARE = 0.1
"""Of every row, where no log says how long sessions are: ten operations."""
_METHODS = ("get", "head", "post", "put", "patch", "delete")
_VARIABLE = re.compile(r"\{([^{}]*)\}")
_SAFE = "/!$&'()*+,;=:@~-._%"


@dataclass(frozen=True)
class Described:
    """An operation of the description. pattern: its path with the base, as a log has it."""

    name: str
    method: str
    pattern: re.Pattern[str]
    operation: Operation


def described(whole: Mapping[str, Any], notes: list[str], place: str) -> list[Described]:
    """The operations of an OpenAPI 3 description. LoadstoneError `import-file` where there are none."""
    version = whole.get("openapi")
    if not isinstance(version, str) or not version.startswith("3."):
        hint = "descriptions of version 2 (Swagger) can be converted by their editors"
        raise LoadstoneError("import-file", "it is no description of OpenAPI 3", place=place, hint=hint)
    paths = whole.get("paths")
    base = _base(whole)
    found: list[Described] = []
    for path, item in (paths if isinstance(paths, Mapping) else {}).items():
        shared = Sampler(whole, notes).resolved(item)
        for method in _METHODS:
            if isinstance(content := shared.get(method), Mapping) and len(found) < MOST:
                found.append(_described(whole, base + str(path), method, shared, content, found, notes))
    if not found:
        raise LoadstoneError("import-file", "the description has no operations (`paths`)", place=place)
    if len(found) == MOST:
        notes.append(f"the description has {MOST} operations or more: the first {MOST} are taken")
    return found


def imported(
    whole: Mapping[str, Any],
    operations: list[Described],
    notes: list[str],
    name: str,
    url: str,
    log: Learned | None,
) -> Imported:
    """The scenario. log: what a log says of the operations; without it all are as frequent."""
    names = [one.name for one in operations]
    enter = toml_text.free("enter", names)
    if log is None:
        notes.append(
            f"the mix is equal shares, and sessions have {1 / END_SHARE:g} operations in the mean: "
            "--log ACCESS.LOG takes both from a log"
        )
        row = dict.fromkeys(names, (1 - END_SHARE) / len(names)) | {"end": END_SHARE}
        mix: dict[str, Any] = {enter: dict.fromkeys(names, 1 / len(names)), "*": row}
        kept = operations
        pacing: dict[str, Any] = {"think": {"kind": "neg-exp", "mean_s": 5}}
    else:
        one = log.classes.classes[0]
        kept = [each for each in operations if each.name in one.mix]
        missing = [each.name for each in operations if each.name not in one.mix]
        if missing:
            notes.append(
                f"left out: {len(missing)} operations that the log does not have: {', '.join(missing[:20])}"
            )
        mix = {enter: dict(one.enter)} | {each: dict(row) for each, row in one.mix.items()}
        law = log.pauses.laws[0] if log.pauses and log.pauses.laws else None
        written = {"kind": law.kind, **law.parameters, "max_s": log.cutoff.seconds} if law else 5
        pacing = {log.pauses.kind if log.pauses else "think": written}
    _security(whole, notes)
    start = Operation(
        enter, 1.0, [Step("get", "/", {"chance": 0})], {}, {"think": 0}, ["Sessions begin here."]
    )
    head = (
        "From a description of an interface, by `loadstone import`. Values are its examples, or drawn by its "
        "schemas: look at each operation, and extract from answers what a client would take from them."
    )
    told = ["What is to be known:", *(f"- {note}" for note in notes)]
    text = toml_text.document(
        [
            "\n".join(map(toml_text.comment, [head, *told])) + "\n",
            f"format = 1\nname = {toml_text.value(name[:100] or 'interface')}\n",
            toml_text.table("target", {"url": url}),
            toml_text.table("load", {"users": 10, "ramp_up_s": 30, "steady_s": 300}),
            toml_text.table("pacing", pacing),
            toml_text.table("session", {"first": enter}),
            toml_text.operation(start),
            *(toml_text.operation(each.operation) for each in kept),
            toml_text.table("mix", {"normalize": True} | mix),
        ]
    )
    return Imported(text, notes)


def address(whole: Mapping[str, Any]) -> str | None:
    """The address of the first server, without its path; None where it has none."""
    try:
        found = urlsplit(_server(whole))
        return (
            f"{found.scheme}://{found.netloc}"
            if found.scheme in ("http", "https") and found.hostname
            else None
        )
    except ValueError:
        return None


def _server(whole: Mapping[str, Any]) -> str:
    servers = whole.get("servers")
    first = servers[0] if isinstance(servers, list) and servers else {}
    url = first.get("url") if isinstance(first, Mapping) else None
    return url if isinstance(url, str) and not re.search(r"[{}\s@]", url) else ""


def _base(whole: Mapping[str, Any]) -> str:
    """The path of the first server."""
    try:
        return urlsplit(_server(whole)).path.rstrip("/")
    except ValueError:
        return ""


def _described(
    whole: Mapping[str, Any],
    path: str,
    method: str,
    item: Mapping[str, Any],
    content: Mapping[str, Any],
    before: list[Described],
    notes: list[str],
) -> Described:
    sampler = Sampler(whole, notes)
    parameters = {
        (str(one.get("in")), str(one.get("name"))): one
        for listed in (item.get("parameters"), content.get("parameters"))
        for one in map(sampler.resolved, listed if isinstance(listed, list) else [])
    }
    step = Step(method, _target(path, parameters, sampler))
    headers = {
        name: sampler.template(name, one)
        for (where, name), one in parameters.items()
        if where == "header" and one.get("required") is True and re.fullmatch(r"[A-Za-z0-9-]+", name)
        and name.lower() not in ("authorization", "content-type", "accept", "cookie", "host")
    }  # fmt: skip
    if _secured(whole, content):
        headers["Authorization"] = f"Bearer {PLACEHOLDER}"
    if headers:
        step.keys["headers"] = headers
    if method not in ("get", "head"):
        _body(step, sampler.resolved(content.get("requestBody")), sampler, notes)
    status = _status(content)
    if status != 200:
        step.keys["expect"] = {"status": status}
    taken = [one.name for one in before]
    written = content.get("operationId")
    parts = (
        (written,) if isinstance(written, str) else tuple(filter(None, _VARIABLE.sub("", path).split("/")))
    )
    name = named(Found("GET" if isinstance(written, str) else method.upper(), parts, []), taken)
    summary = content.get("summary")
    comments = [f"{method.upper()} {path}" + (f": {summary}" if isinstance(summary, str) else "")]
    pattern = "".join(
        "[^/?]+" if number % 2 else re.escape(part) for number, part in enumerate(_VARIABLE.split(path))
    )
    return Described(
        name, method.upper(), re.compile(f"^{pattern}/?(?:\\?|$)"),
        Operation(name, 2.0, [step], sampler.draws, None, comments),
    )  # fmt: skip


def _target(path: str, parameters: Mapping[tuple[str, str], Mapping[str, Any]], sampler: Sampler) -> str:
    written = []
    for number, part in enumerate(_VARIABLE.split(path)):
        literal = toml_text.braces(quote(part, safe=_SAFE))
        written.append(sampler.template(part, parameters.get(("path", part), {})) if number % 2 else literal)
    target = "".join(written)
    query = [
        f"{toml_text.braces(quote(name, safe='[]'))}={sampler.template(name, one)}"
        for (where, name), one in parameters.items()
        if where == "query" and one.get("required") is True
    ]
    target = target if target.startswith("/") else f"/{target}"
    return " ".join(target.split()).replace(" ", "%20") + (f"?{'&'.join(query)}" if query else "")


def _body(step: Step, content: Mapping[str, Any], sampler: Sampler, notes: list[str]) -> None:
    listed = content.get("content")
    kinds = listed if isinstance(listed, Mapping) else {}
    json_kind = next((one for one in kinds if "json" in str(one)), None)
    form_kind = next((one for one in kinds if "urlencoded" in str(one) or "multipart" in str(one)), None)
    if json_kind is not None:
        made = sampler.body(sampler.resolved(kinds[json_kind]))
        step.keys["json"] = {} if made is None else made
        if _has_numbers(made):
            note = "numbers in JSON bodies are the same in every request: only texts of a body are templates"
            if note not in notes:
                notes.append(note)
    elif form_kind is not None:
        made = sampler.body(sampler.resolved(kinds[form_kind]))
        fields = made if isinstance(made, dict) else {}
        key = "form" if "urlencoded" in str(form_kind) else "multipart"
        step.keys[key] = {
            name: str(one) for name, one in fields.items() if isinstance(one, str | int | float)
        }
    elif kinds:
        notes.append(
            f"{step.method.upper()} {step.path[:80]}: bodies of {str(next(iter(kinds)))[:60]} are not made"
        )


def _has_numbers(content: Any) -> bool:
    if isinstance(content, dict):
        return any(map(_has_numbers, content.values()))
    if isinstance(content, list):
        return any(map(_has_numbers, content))
    return isinstance(content, int | float) and not isinstance(content, bool)


def _status(content: Mapping[str, Any]) -> int:
    responses = content.get("responses")
    codes = [str(one) for one in responses] if isinstance(responses, Mapping) else []
    good = [int(one) for one in codes if re.fullmatch(r"2[0-9][0-9]", one)]
    return 200 if 200 in good or not good else good[0]


def _secured(whole: Mapping[str, Any], content: Mapping[str, Any]) -> bool:
    return bool(content.get("security", whole.get("security")))


def _security(whole: Mapping[str, Any], notes: list[str]) -> None:
    for name in _schemes(whole):
        notes.append(f"security `{name[:60]}`: write how it logs in; {PLACEHOLDER} stands for its token")


def _schemes(whole: Mapping[str, Any]) -> Iterator[str]:
    components = whole.get("components")
    schemes = components.get("securitySchemes") if isinstance(components, Mapping) else None
    yield from map(str, schemes if isinstance(schemes, Mapping) else {})
