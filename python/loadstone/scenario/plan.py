"""From the file's model to the plan that the engine compiles (`crates/workload/src/plan.rs`).

Every default is written out, every name of `[data]` replaced by its value.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from loadstone.scenario import (
    answers,
    asks,
    browsing,
    hooks,
    mixing,
    model,
    proxy,
    refresh,
    secrets,
    sessions,
    values,
)
from loadstone.scenario.step import FilePart, Step
from loadstone.scenario.templates import fill, literal
from loadstone.unit import Unit

_ABSENT = {
    Unit.USERS: {"sessions_per_s", "requests_per_s", "arrivals", "connections", "streams", "most_waiting"},
    Unit.SESSIONS: {"users", "requests_per_s", "connections", "streams", "most_waiting"},
    Unit.REQUESTS: {"users", "sessions_per_s"},
}
"""Keys of `[load]` that say nothing in this unit."""
Json = dict[str, Any]


class Feeds(Protocol):
    """The files that values are drawn from."""

    def cells(self, file: str, column: str) -> list[str]:
        """All cells of a column."""

    def rows(self, file: str) -> int:
        """How many rows a file has."""


class Shared:
    """What all scenarios of a plan have in common: secrets, and functions that steps call."""

    def __init__(self, folder: Path) -> None:
        """`folder`: where the file of the plan is; names of functions are relative to it."""
        self.folder = folder
        self.secrets: Json = {}
        self.hooks: dict[str, hooks.Hook] = {}

    def planned(self) -> Json:
        """As a plan has them; what there is none of is left out."""
        found: Json = {}
        if self.secrets:
            found["secrets"] = self.secrets
        if self.hooks:
            found["functions"] = [{**hook.planned, "name": name} for name, hook in self.hooks.items()]
        return found

    def function(self, folder: Path, name: str) -> tuple[int, hooks.Hook]:
        """Number and function of a step of a scenario in `folder`."""
        if folder != self.folder:
            file, _, function = name.rpartition(":")
            name = f"{os.path.relpath(folder / file, self.folder)}:{function}"
        hook = self.hooks.setdefault(name, hooks.found(self.folder, name))
        return list(self.hooks).index(name), hook


class Planner:
    """Turns the parts of one file into the parts of its plan."""

    def __init__(
        self, data: Mapping[str, Any], feeds: Feeds, folder: Path = Path(), shared: Shared | None = None
    ) -> None:
        """`data` fills templates; `feeds` has the files drawn from; `folder` is the scenario's.

        `shared`: with other scenarios of a plan.
        """
        self._folder = folder
        self._data = data
        self._feeds = feeds
        self._shared = shared or Shared(folder)
        self._auth: asks.Auth | None = None

    def plan(self, file: model.ScenarioFile) -> Json:
        """All that does not depend on the run: everything but seed, target and slice."""
        load = load_of(file.load, self._folder)
        return {"name": file.name, "load": load, **self.walk(file), **self._shared.planned()}

    def walk(self, file: model.ScenarioFile) -> Json:
        """What its users do: pacing, session, browser, operations and mix."""
        self._shared.secrets |= secrets.places(file.secrets, self._folder)
        if file.target.proxy is not None and (who := proxy.user_of(file.target.proxy)):
            pair = [self._fill(who.user), self._fill(who.password)]
            self._shared.secrets[proxy.PASSWORD] = {"basic": pair}
        self._auth = file.target.auth
        return {
            "pacing": self._pacing(file.pacing),
            "session": self._session(file),
            "browser": self._browser(file),
            "operations": [self._operation(operation, file) for operation in file.walked],
            "mix": mixing.rows(file),
        }

    def _session(self, file: model.ScenarioFile) -> Json:
        rules = [{"contains": self._fill(rule.contains), "next": rule.next} for rule in file.session.after]
        return {**file.session.model_dump(), "first": file.first, "after": rules}

    def _pacing(self, pacing: model.Pacing) -> Json:
        kind = "cycle" if pacing.cycle is not None else "think"
        law = pacing.cycle if pacing.cycle is not None else pacing.think
        assert law is not None  # the model has exactly one
        return {"kind": kind, "law": _law(law)}

    def _browser(self, file: model.ScenarioFile) -> Json:
        browser = file.browser
        written = {**browser.model_dump(exclude={"pause"}), **browsing.as_browsers(file)}
        return written if browser.pause is None else {**written, "pause": _law(browser.pause)}

    def _operation(self, operation: model.Operation, file: model.ScenarioFile) -> Json:
        return {
            "name": operation.name,
            "limit_s": operation.limit_s,
            "timeout_s": operation.timeout_s,
            "pacing": self._pacing(operation.pacing) if operation.pacing else None,
            "draw": [{"name": name, "value": self._value(value)} for name, value in operation.draw.items()],
            **self._steps(operation, file),
        }

    def _steps(self, operation: model.Operation, file: model.ScenarioFile) -> Json:
        """Its own steps, and behind them those that renew what they are refused for."""
        steps = [self._step(step, operation) for step in operation.step]
        renewals: dict[str, list[int]] = {}
        for step, planned in zip(operation.step, list(steps), strict=True):
            name = refresh.renewing(step, operation, self._auth)
            if name is None:
                continue
            if name not in renewals:
                renewing = next(one for one in file.operation if one.name == name)
                renewals[name] = [len(steps), len(renewing.step)]
                # What is counted by name is counted where the operation is made for its own sake.
                steps += [self._step(one, renewing) | {"count": None} for one in renewing.step]
            planned["renewal"] = renewals[name]
        return {"steps": steps, "own": len(operation.step)} if renewals else {"steps": steps}

    def _value(self, value: values.Value) -> Json:
        match value:
            case values.Pick(source=texts):
                return {"kind": "pick", "from": [self._fill(text) for text in texts]}
            case values.Template(text=text):
                return {"kind": "text", "text": self._fill(text)}
            case values.Username(id=inner, era=era):
                return {"kind": "username", "id": self._value(inner), "era": era or self._era()}
            case values.Several(item=inner):
                return {**value.model_dump(exclude={"item"}), "item": self._value(inner)}
            case values.Row(file=file, order=order):
                return _row(order, self._feeds.rows(file))
            case values.Column(file=file, column=column, row=row):
                row = None if row is None else self._fill(row)
                return {"kind": "column", "cells": self._feeds.cells(file, column), "row": row}
        return value.model_dump(by_alias=True)

    def _era(self) -> str:
        """The kind of user names of the data set, where `[data]` says it as it does for Olio."""
        named = self._data.get("names")
        return named if named in ("paper", "words") else "release"

    def _step(self, step: Step, operation: model.Operation) -> Json:
        return {
            "method": "GET" if step.socket or step.call else step.method.upper(),
            "path": self._fill(step.path),
            "host": step.host,
            "headers": [
                *([name, self._fill(text)] for name, text in step.headers.items()),
                *self._authorization(step, refresh.auth_of(step, operation, self._auth)),
            ],
            "body": self._body(step),
            "when": [self._fill(condition) for condition in step.when],
            "repeat": self._repeat(step),
            "timeout_s": step.timeout_s,
            "chance": step.chance,
            "expect": self._expect(step),
            "extract": [self._extract(name, extract) for name, extract in step.extract.items()],
            "set": step.set,
            "unset": step.unset,
            "redirects": step.redirects,
            "page": step.page,
            "forget": step.forget,
            "count": step.count,
            **self._socket(step),
            **self._call(step),
        }

    def _call(self, step: Step) -> Json:
        if step.call is None:
            return {}
        number, hook = self._shared.function(self._folder, step.call)
        call = {
            "function": number,
            "arguments": [[name, self._fill(text)] for name, text in step.arguments.items()],
            "answer": hook.wants_answer and hooks.ANSWER not in step.arguments,
            "returns": step.returns,
        }
        return {"call": call}

    def _repeat(self, step: Step) -> Json | None:
        if (repeat := step.repeat) is None:
            return None
        holds = [self._fill(condition) for condition in repeat.while_]
        return {"times": repeat.times, "while": holds, "steps": repeat.steps}

    def _socket(self, step: Step) -> Json:
        match step.socket:
            case None:
                return {}
            case "ws":
                what: Json = {"kind": "open"}
            case "send":
                what = {"kind": "send", "binary": step.binary}
            case "close":
                what = {"kind": "close", "code": step.close}
            case _:
                what = {"kind": "receive"}
        return {"socket": what}

    def _body(self, step: Step) -> Json:
        if step.send is not None:
            text = step.send if isinstance(step.send, str) else json_template(step.send)
            return {"kind": "raw", "content_type": "text/plain", "text": self._fill(text)}
        if step.form is not None:
            pairs = [[name, self._fill(text)] for name, several in step.form.items() for text in several]
            return {"kind": "form", "fields": pairs}
        if step.multipart is not None:
            parts = [part for name, written in step.multipart.items() for part in self._parts(name, written)]
            return {"kind": "multipart", "parts": parts}
        if step.json_body is not None:
            text = self._fill(json_template(step.json_body))
            return {"kind": "raw", "content_type": "application/json", "text": text}
        if step.graphql is not None:
            rest = self._fill(json_template(step.graphql.body()))
            text = asks.graphql_text(step.graphql.query, rest)
            return {"kind": "raw", "content_type": "application/json", "text": text}
        if step.body is not None:
            return {"kind": "raw", "content_type": step.body.type, "text": self._fill(step.body.text)}
        return {"kind": "none"}

    def _parts(self, name: str, part: FilePart | list[str]) -> list[Json]:
        if isinstance(part, FilePart):
            filename = self._fill(part.file)
            kind = part.content_type
            return [
                {
                    "kind": "file",
                    "name": name,
                    "filename": filename,
                    "content_type": kind,
                    "bytes": part.bytes,
                }
            ]
        return [{"kind": "field", "name": name, "text": self._fill(text)} for text in part]

    def _authorization(self, step: Step, auth: asks.Auth | None) -> list[list[str]]:
        if auth is None or auth.none or any(name.lower() == "authorization" for name in step.headers):
            return []
        if auth.bearer is not None:
            return [["Authorization", f"Bearer {self._fill(auth.bearer)}"]]
        assert auth.basic is not None  # the model has exactly one
        pair = [self._fill(auth.basic.user), self._fill(auth.basic.password)]
        # A secret that follows from others: the plan has what it is made of.
        name = next((name for name, place in self._shared.secrets.items() if place == {"basic": pair}), None)
        if name is None:
            name = f"basic__{len(self._shared.secrets)}"
            self._shared.secrets[name] = {"basic": pair}
        return [["Authorization", f"Basic {{secret.{name}}}"]]

    def _expect(self, step: Step) -> Json:
        expect = step.expect
        # An answer 200 with errors is how a GraphQL server says that something went wrong.
        never = [["$.errors", {"kind": "exists", "wanted": False}]] if step.graphql is not None else []
        never = [] if "$.errors" in expect.json_values else never
        return {
            "status": expect.status,
            "contains": [self._fill(text) for text in expect.contains],
            "lacks": [self._fill(text) for text in expect.lacks],
            "min_bytes": expect.min_bytes,
            "max_bytes": expect.max_bytes,
            "json": [*never, *([path, self._test(test)] for path, test in expect.json_values.items())],
            "css": [[selector, self._test(test)] for selector, test in expect.css.items()],
            "headers": [[name, self._test(test)] for name, test in expect.headers.items()],
            "within_s": expect.within_s,
        }

    def _test(self, test: answers.Test) -> Json:
        if test.is_ is not None:
            return {"kind": "is", "text": self._fill(test.is_)}
        if test.lengths is not None:
            least, most = test.lengths
            return {"kind": "length", "min": least, "max": most}
        return {"kind": "exists", "wanted": test.exists}

    def _extract(self, name: str, extract: answers.Extract) -> Json:
        default = None if extract.default is None else self._fill(extract.default)
        found = {"name": name, "from": self._source(extract)}
        return {**found, "required": extract.required, "default": default}

    def _source(self, extract: answers.Extract) -> Json:
        if extract.links is not None:
            return {"kind": "links", "pattern": extract.links, "within": extract.within}
        if extract.hidden is not None:
            return {"kind": "hidden", "field": extract.hidden}
        if extract.between is not None:
            return {"kind": "between", "left": extract.between[0], "right": extract.between[1]}
        if extract.regex is not None:
            return {"kind": "regex", "pattern": extract.regex, "all": extract.all}
        if extract.json_path is not None:
            return {"kind": "json", "path": extract.json_path, "all": extract.all}
        if extract.css is not None:
            attribute = extract.attribute
            return {"kind": "css", "selector": extract.css, "attribute": attribute, "all": extract.all}
        if extract.cookie is not None:
            return {"kind": "cookie", "cookie": extract.cookie}
        if extract.header is not None:
            return {"kind": "header", "header": extract.header}
        assert extract.contains is not None  # the model has exactly one
        return {"kind": "contains", "text": self._fill(extract.contains)}

    def _fill(self, template: str) -> str:
        return fill(template, self._data)


def load_of(load: sessions.Load, folder: Path) -> Json:
    """The load with every default written out. ColumnError for a shape of a file that cannot be read."""
    unit = Unit.of(dict(load))
    written = load.model_dump(exclude=_ABSENT[unit] | {"shape"})
    if load.shape is not None:
        base = float(getattr(load, unit))
        written["profile"] = load.shape.profile(base, load.steady_s, folder, whole=not unit.is_rate)
    if unit is Unit.REQUESTS:
        written["connections"] = load.connections or sessions.CONNECTIONS
        if load.most_waiting is None:
            written["most_waiting"] = sessions.MOST_WAITING
    return written


def _row(order: str, count: int) -> Json:
    match order:
        case "in-order":
            return {"kind": "serial", "start": 1, "count": count}
        case "unique":
            return {"kind": "slice", "count": count}
    return {"kind": "int", "low": 1, "high": count}


def _law(law: values.Law) -> Json:
    written = law.model_dump()
    if isinstance(law, values.NegExp):
        written["max_s"] = law.clamp_s
    return written


def json_template(value: Any) -> str:
    """The template of a JSON text whose strings are templates.

    >>> json_template({"id": "{id}", "tags": [1, True]})
    '{{"id": "{id}", "tags": [1, true]}}'
    """
    if isinstance(value, dict):
        items = (f"{literal(json.dumps(key))}: {json_template(item)}" for key, item in value.items())
        return "{{" + ", ".join(items) + "}}"
    if isinstance(value, list):
        return "[" + ", ".join(json_template(item) for item in value) + "]"
    return json.dumps(value, default=str)
