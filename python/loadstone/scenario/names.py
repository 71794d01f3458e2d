"""What the names of a scenario stand for, and every place that uses one.

All operations share one set of names: what one draws or extracts, the next may use. A name is a
value (drawn or extracted), a list (`links`, `all = true`), a flag (`contains`, `set`) or a number of
`[data]`, and only one of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from loadstone.scenario import flow, values
from loadstone.scenario.findings import Finding, listed, suggest
from loadstone.scenario.model import ScenarioFile
from loadstone.scenario.positions import Path
from loadstone.scenario.step import FilePart, Step
from loadstone.scenario.templates import BUILT_IN, STATUS, TemplateError, references


@dataclass
class Names:
    """Where each name is defined first, by kind."""

    kinds: dict[str, tuple[str, Path]] = field(default_factory=dict)
    clashes: list[Finding] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)

    def define(self, name: str, kind: str, path: Path) -> None:
        """Notes a definition. A second one of another kind is a clash."""
        if name in BUILT_IN:
            message = f"`{name}` is taken: `{{user}}` is the user's number, `{{users}}` how many there are"
            self.clashes.append(Finding("name-taken", message, path, "choose another name"))
            return
        known, _ = self.kinds.setdefault(name, (kind, path))
        if known != kind:
            message = f"`{name}` is a {kind} here and a {known} elsewhere"
            self.clashes.append(Finding("name-taken", message, path, "choose another name for one of them"))

    def of(self, kind: str) -> list[str]:
        """All names of a kind."""
        return [name for name, (known, _) in self.kinds.items() if known == kind]


def collect(file: ScenarioFile, data: Mapping[str, Any]) -> Names:
    """Every name that the file defines."""
    names = Names(secrets=list(file.secrets))
    for name in data:
        names.define(name, "name of [data]", ("data", name))
    for number, operation in enumerate(file.operation):
        at: Path = ("operation", number)
        for name in operation.draw:
            names.define(name, "value", (*at, "draw", name))
        for index, step in enumerate(operation.step):
            for name, extract in step.extract.items():
                names.define(name, extract.kind, (*at, "step", index, "extract", name))
            for name in step.returns:
                names.define(name, "value", (*at, "step", index, "returns"))
            for name in step.set:
                names.define(name, "flag", (*at, "step", index, "set"))
    return names


def check(file: ScenarioFile, names: Names) -> Iterator[Finding]:
    """Clashes, then every use of a name that does not stand for what is needed there."""
    yield from names.clashes
    for index, rule in enumerate(file.session.after):
        yield from template(rule.contains, ("session", "after", index, "contains"), names)
    if file.target.auth is not None and file.target.auth.bearer is not None:
        yield from template(file.target.auth.bearer, ("target", "auth", "bearer"), names)
    for number, operation in enumerate(file.operation):
        at: Path = ("operation", number)
        if operation.auth is not None and operation.auth.bearer is not None:
            yield from template(operation.auth.bearer, (*at, "auth", "bearer"), names)
        for name, value in operation.draw.items():
            yield from _value(value, (*at, "draw", name), names)
        for index, step in enumerate(operation.step):
            yield from _step(step, (*at, "step", index), index, names)


def _value(value: values.Value, path: Path, names: Names) -> Iterator[Finding]:
    match value:
        case values.Choose(source=source):
            if source not in names.of("list"):
                hint = suggest(
                    source, names.of("list"), f'extract.{source} = {{ links = "/path/{{int}}" }} makes one'
                )
                yield Finding("choose-list", f"no step extracts a list `{source}`", path, hint)
        case values.Template(text=text):
            yield from template(text, path, names)
        case values.Pick(source=texts):
            for text in texts:
                yield from template(text, path, names)
        case values.Column(row=str() as row):
            yield from template(row, path, names)
        case values.Username(id=inner):
            yield from _value(inner, (*path, "id"), names)
        case values.Several(item=inner):
            yield from _value(inner, (*path, "item"), names)


def _step(step: Step, path: Path, number: int, names: Names) -> Iterator[Finding]:
    for text, where in texts(step):
        yield from template(text, (*path, *where), names)
    flags = names.of("flag")
    for place, condition in conditions(step):
        if not flow.is_sound(condition):
            message = f"`{condition}` is no condition"
            hint = "a flag, `!flag`, or a comparison such as `{left} > 3`, with ==, !=, <, <=, > or >="
            yield Finding("condition", message, (*path, *place), hint)
    if step.repeat is not None and step.repeat.steps > number + 1:
        message = f"`steps = {step.repeat.steps}`, and only {number + 1} stand up to this one"
        yield Finding("condition", message, (*path, "repeat"))
    asked = [(place, flow.flag_of(condition)) for place, condition in conditions(step)]
    wanted = [*asked, *((("unset",), flag) for flag in step.unset)]
    for place, flag in wanted:
        if flag is not None and flow.is_sound(flag) and flag not in flags:
            hint = suggest(
                flag, flags, f'set = "{flag}" or extract.{flag} = {{ contains = "..." }} makes one'
            )
            yield Finding("unknown-flag", f"no step sets or extracts a flag `{flag}`", (*path, *place), hint)


def conditions(step: Step) -> Iterator[tuple[Path, str]]:
    """Every condition of a step with its place in the step."""
    yield from ((("when",), condition) for condition in step.when)
    if step.repeat is not None:
        yield from ((("repeat", "while"), condition) for condition in step.repeat.while_)


def texts(step: Step) -> Iterator[tuple[str, Path]]:
    """Every template of a step with its place in the step."""
    yield step.path, (step.method,)
    for place, condition in conditions(step):
        yield from ((side, place) for side in flow.sides(condition))
    for name, text in step.arguments.items():
        yield text, ("arguments", name)
    for name, text in step.headers.items():
        yield text, ("headers", name)
    for name, several in (step.form or {}).items():
        yield from ((text, ("form", name)) for text in several)
    for name, part in (step.multipart or {}).items():
        if isinstance(part, FilePart):
            yield part.file, ("multipart", name)
        else:
            yield from ((text, ("multipart", name)) for text in part)
    if step.body is not None:
        yield step.body.text, ("body", "text")
    yield from ((text, ("json",)) for text in _leaves(step.json_body))
    if step.graphql is not None:
        yield from ((text, ("graphql", "variables")) for text in _leaves(step.graphql.variables))
    if step.auth is not None and step.auth.bearer is not None:
        yield step.auth.bearer, ("auth", "bearer")
    yield from ((text, ("send",)) for text in _leaves(step.send))
    yield from ((text, ("expect", "contains")) for text in step.expect.contains)
    yield from ((text, ("expect", "lacks")) for text in step.expect.lacks)
    for key, tests in (
        ("json", step.expect.json_values),
        ("css", step.expect.css),
        ("headers", step.expect.headers),
    ):
        for name, test in tests.items():
            if test.is_ is not None:
                yield test.is_, ("expect", key, name)
    for name, extract in step.extract.items():
        if extract.contains is not None:
            yield extract.contains, ("extract", name)
        if extract.default is not None:
            yield extract.default, ("extract", name, "default")


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)


def template(text: str, path: Path, names: Names) -> Iterator[Finding]:
    """What is wrong with one template."""
    try:
        used = references(text)
    except TemplateError as error:
        yield Finding("template-syntax", f"`{text}`: {error}", path)
        return
    for reference in used:
        name = reference.name
        if reference.secret is not None:
            if reference.secret not in names.secrets:
                hint = f'in [secrets]: {reference.secret} = {{ env = "{reference.secret.upper()}" }}'
                message = f"there is no secret `{reference.secret}`"
                yield Finding("template-name", message, path, suggest(reference.secret, names.secrets, hint))
            continue
        kind, _ = names.kinds.get(name, ("", ()))
        if kind == "list":
            hint = f'draw one of it: draw.one = {{ kind = "choose", from = "{name}" }}, then `{{one}}`'
            yield Finding("template-name", f"`{{{name}}}` is a list, not a value", path, hint)
        elif kind == "flag":
            hint = "flags are for `when`"
            yield Finding("template-name", f"`{{{name}}}` is a flag, not a value", path, hint)
        elif not kind and name not in (*BUILT_IN, STATUS):
            known = [*names.of("value"), *names.of("name of [data]")]
            hint = suggest(
                name, known, f"known are {listed(sorted(known))}" if known else "draw it or extract it"
            )
            yield Finding("template-name", f"nothing draws or extracts `{{{name}}}`", path, hint)
