"""A scenario built in Python: the tables of the file, each with the line that made it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path as FilePath
from typing import Any, TypedDict, Unpack

from loadstone.errors import LoadstoneError
from loadstone.scenario import hooks
from loadstone.scenario.model import FORMAT
from loadstone.scenario.positions import Path, Positions
from loadstone.scenario.toml_text import document, value

_OF_A_FILE = ("format", "name", "load")
"""Keys of a scenario that it does not have as one of several."""
_PACKAGE = str(FilePath(__file__).parents[1])

Table = Mapping[str, Any]
Many = str | Sequence[str]


class Tables(TypedDict, total=False):
    """Tables and keys of the scenario file; docs/reference/scenario.md says what each means."""

    summary: str
    target: Table
    data: Table
    secrets: Mapping[str, Table]
    load: Table
    pacing: Table
    session: Table
    browser: Table
    sla: Table
    nodes: Table
    cost: Table


class OperationKeys(TypedDict, total=False):
    """Keys of an operation."""

    timeout_s: float | str
    pacing: Table
    auth: Table
    draw: Mapping[str, Table]


class StepKeys(TypedDict, total=False):
    """Keys of a step."""

    host: str
    headers: Mapping[str, str]
    form: Mapping[str, Many]
    multipart: Table
    json: Any
    graphql: Table
    body: Table
    auth: Table
    when: Many
    repeat: Any
    timeout_s: float | str
    chance: float | str
    expect: Table
    extract: Mapping[str, Table]
    set: Many
    unset: Many
    redirects: bool
    page: bool
    binary: bool
    forget: bool
    count: str


class CallKeys(TypedDict, total=False):
    """Keys of a step that calls a function."""

    arguments: Mapping[str, str]
    returns: Many
    when: Many
    repeat: Any
    timeout_s: float | str
    chance: float | str
    set: Many
    unset: Many
    forget: bool
    count: str


class CheckKeys(TypedDict, total=False):
    """Keys of a check."""

    count: str
    per: str
    measure: str
    min: float | str
    max: float | str


class Places(Positions):
    """Where each part of a scenario was made, instead of where it stands in a text."""

    def __init__(self) -> None:
        """Nothing was made yet."""
        self.lines: dict[Path, int] = {}
        self._files: dict[Path, str] = {}

    def note(self, path: Path, content: Any = None) -> None:
        """The part was made by the innermost line outside of Loadstone.

        LoadstoneError `scenario-python` when its content cannot be said in TOML.
        """
        frame = sys._getframe(1)
        while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
            frame = frame.f_back
        self.lines[path], self._files[path] = frame.f_lineno, frame.f_code.co_filename
        try:
            value("" if content is None else content)
        except (TypeError, RecursionError) as error:
            raise LoadstoneError("scenario-python", str(error), place=self.where(path, "")) from error

    @property
    def file(self) -> FilePath:
        """The file that made the whole."""
        return FilePath(self._files[()])

    @property
    def folder(self) -> FilePath:
        """Where that is."""
        return self.file.parent

    def beside(self, at: Path, others: Places) -> Places:
        """These, and at that path those of another scenario."""
        both = Places()
        both.lines = self.lines | {(*at, *path): line for path, line in others.lines.items() if path}
        both._files = self._files | {(*at, *path): file for path, file in others._files.items() if path}
        return both

    def where(self, path: Path, _file: str) -> str:
        """File and line that made the part, or what it is in."""
        while path not in self.lines:
            path = path[:-1]
        return f"{self._files[path]}:{self.lines[path]}"


class BuiltOperation:
    """An operation that is being built. Each method is a step: a request, or what a WebSocket does."""

    def __init__(self, name: str, steps: list[dict[str, Any]], path: Path, places: Places) -> None:
        """Made by `Built.operation`."""
        self.name = name
        self._steps, self._path, self._places = steps, path, places

    def get(self, path: str, **keys: Unpack[StepKeys]) -> None:
        """`GET`."""
        self._step("get", path, keys)

    def head(self, path: str, **keys: Unpack[StepKeys]) -> None:
        """`HEAD`."""
        self._step("head", path, keys)

    def post(self, path: str, **keys: Unpack[StepKeys]) -> None:
        """`POST`."""
        self._step("post", path, keys)

    def put(self, path: str, **keys: Unpack[StepKeys]) -> None:
        """`PUT`."""
        self._step("put", path, keys)

    def delete(self, path: str, **keys: Unpack[StepKeys]) -> None:
        """`DELETE`."""
        self._step("delete", path, keys)

    def patch(self, path: str, **keys: Unpack[StepKeys]) -> None:
        """`PATCH`."""
        self._step("patch", path, keys)

    def ws(self, path: str, **keys: Unpack[StepKeys]) -> None:
        """Opens a WebSocket."""
        self._step("ws", path, keys)

    def send(self, message: Any, **keys: Unpack[StepKeys]) -> None:
        """Sends a message on it: a text, or what is sent as JSON."""
        self._step("send", message, keys)

    def receive(self, **keys: Unpack[StepKeys]) -> None:
        """Awaits a message."""
        self._step("receive", True, keys)

    def close(self, code: int = 1000, **keys: Unpack[StepKeys]) -> None:
        """Closes it."""
        self._step("close", code, keys)

    def call(self, function: Callable[..., Any] | str, **keys: Unpack[CallKeys]) -> None:
        """Calls a function: one that a file has at its top, or `file.py:function` beside this file."""
        path: Path = (*self._path, "step", len(self._steps))
        self._places.note(path, keys)
        try:
            name = function if isinstance(function, str) else hooks.give(function, self._places.folder)
        except hooks.HookError as error:
            place = self._places.where(path, "")
            raise LoadstoneError("scenario-python", str(error), place=place, hint=error.hint) from error
        self._step("call", name, keys)

    def _step(self, method: str, path: Any, keys: StepKeys | CallKeys) -> None:
        self._places.note((*self._path, "step", len(self._steps)), {method: path, **keys})
        self._steps.append({method: path, **keys})


class Built:
    """A scenario that is being built; nothing is checked before it is used."""

    def __init__(self, name: str, **tables: Unpack[Tables]) -> None:
        """With the tables of the file as mappings, such as `target={"url": "http://127.0.0.1:8000"}`."""
        self._places = Places()
        self._places.note((), {"name": name, **tables})
        self._operations: list[dict[str, Any]] = []
        self._parts: list[tuple[dict[str, Any], Built | None]] = []
        self._raw: dict[str, Any] = {"format": FORMAT, "name": name, **tables}
        for table in tables:
            self._places.note((table,))

    @property
    def file(self) -> FilePath:
        """The file that made it; what it draws from is beside that."""
        return self._places.file

    @property
    def places(self) -> Places:
        """Where each part was made."""
        whole = self._places
        for index, (_, of) in enumerate(self._parts):
            whole = whole if of is None else whole.beside(("scenario", index), of.places)
        return whole

    @property
    def parts(self) -> list[Built]:
        """The scenarios built in Python that it consists of."""
        return [of for _, of in self._parts if of is not None]

    def scenario(self, of: Built | str, *, share: float, name: str | None = None) -> None:
        """Adds one of several scenarios: one that was built in the same folder, or its file.

        LoadstoneError `scenario-python` for one of another folder, whose files would not be found.
        """
        path: Path = ("scenario", len(self._parts))
        named = {} if name is None else {"name": name}
        if isinstance(of, str):
            said: dict[str, Any] = {"file": of, **named, "share": share}
            self._places.note(path, said)
            self._parts.append((said, None))
            return
        said = {"name": of.name, **named, "share": share}
        self._places.note(path, said)
        if of.file.parent.absolute() != self.file.parent.absolute():
            message = f"`{of.name}` was built in another folder, {of.file.parent}"
            hint = "give the path of its file instead"
            raise LoadstoneError("scenario-python", message, place=self._places.where(path, ""), hint=hint)
        self._parts.append((said, of))

    @property
    def name(self) -> str:
        """Its name."""
        return str(self._raw["name"])

    def operation(self, name: str, limit_s: float | str, **keys: Unpack[OperationKeys]) -> BuiltOperation:
        """Adds an operation, too late after `limit_s` seconds. Its steps are added to what is returned."""
        path: Path = ("operation", len(self._operations))
        self._places.note(path, {"name": name, "limit_s": limit_s, **keys})
        steps: list[dict[str, Any]] = []
        self._operations.append({"name": name, "limit_s": limit_s, **keys, "step": steps})
        return BuiltOperation(name, steps, path, self._places)

    def mix(
        self, rows: Mapping[str, Mapping[str, float | str]], normalize: bool = False, clip: bool = False
    ) -> None:
        """What follows what: by operation the probabilities of the next, of `back` and of `end`."""
        self._places.note(("mix",), rows)
        ways = {name: True for name, on in (("normalize", normalize), ("clip", clip)) if on}
        self._raw["mix"] = {**ways, **rows}

    def check(self, name: str, **keys: Unpack[CheckKeys]) -> None:
        """Adds a condition on a valid run."""
        self._listed("check", {"name": name, **keys})

    def fault(self, **keys: Any) -> None:
        """Adds what is done to hosts of the topology meanwhile."""
        self._listed("fault", keys)

    def to_toml(self) -> str:
        """The scenario as a file."""
        return document(self._content())

    def _content(self) -> dict[str, Any]:
        whole = dict(self._raw)
        if self._operations or not self._parts:
            # In the order of a file that people write.
            after: dict[str, Any] = {key: whole.pop(key) for key in ("mix", "check", "fault") if key in whole}
            whole |= {"operation": self._operations, **after}
        if self._parts:
            whole["scenario"] = [
                said if of is None else said | {k: v for k, v in of._content().items() if k not in _OF_A_FILE}
                for said, of in self._parts
            ]
        return whole

    def _listed(self, name: str, keys: Mapping[str, Any]) -> None:
        several = self._raw.setdefault(name, [])
        self._places.note((name, len(several)), keys)
        several.append(keys)
