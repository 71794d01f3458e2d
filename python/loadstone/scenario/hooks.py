"""Functions in Python that steps call: found, held against what steps give them, handed to the engine.

A plan has name and file of each (`Hook.planned`); `functions` has what they are in this process.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import re
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, read_bytes
from loadstone.scenario.findings import Finding, suggest
from loadstone.scenario.positions import Path as Place
from loadstone.scenario.python_module import module_of

ANSWER = "answer"
"""The parameter that gets the latest answer of the operation."""
SHAPE = r"^[^:]+\.py:[A-Za-z_][A-Za-z0-9_]*$"
_KIND = Kind("hook", "a file of functions")
_EXAMPLE = "def sign(answer, item): return {...}"
Function = Callable[..., Any]

_given: dict[tuple[str, str], Function] = {}
"""Those that a scenario built in Python has itself, by file and name."""
_modules: dict[tuple[str, str], ModuleType] = {}
"""Files that were run, by path and digest: each once, as long as it does not change."""


class HookError(Exception):
    """Why there is no such function, as a sentence."""

    def __init__(self, message: str, hint: str = "") -> None:
        """What is wrong, and what to do."""
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True)
class Hook:
    """A function that steps call."""

    name: str
    """As the scenario has it: `sign.py:payment`."""
    file: Path
    sha256: str
    function: Function

    @property
    def planned(self) -> dict[str, str]:
        """As a plan has it."""
        return {"name": self.name, "file": str(self.file), "sha256": self.sha256}

    @property
    def wants_answer(self) -> bool:
        """Whether it has a parameter for the latest answer."""
        return ANSWER in inspect.signature(self.function).parameters


def found(folder: Path, name: str) -> Hook:
    """The function of a scenario in `folder`. HookError when there is none, or its file does not run."""
    written, _, function = name.rpartition(":")
    file = (folder / written).absolute()
    try:
        text = read_bytes(file, _KIND)
    except LoadstoneError as error:
        message = error.message.replace(f"`{file}`", f"`{written}`")
        raise HookError(message, "the path is relative to the scenario file") from error
    digest = hashlib.sha256(text).hexdigest()
    return Hook(name, file, digest, _given.get((str(file), function)) or _of(file, digest, function))


def _of(file: Path, digest: str, name: str) -> Function:
    if (str(file), digest) not in _modules:
        try:
            _modules[str(file), digest] = module_of(file, _KIND, f"loadstone_hook_{file.stem}", "hook")
        except LoadstoneError as error:
            place = (error.place or "").replace(str(file), file.name)
            raise HookError(f"{place}: {error.message}", error.hint or "") from error
    there = vars(_modules[str(file), digest])
    if name not in there:
        functions = [key for key, one in there.items() if inspect.isfunction(one)]
        raise HookError(f"`{file.name}` has no function `{name}`", suggest(name, functions, _EXAMPLE))
    function = there[name]
    if not callable(function):
        kind = type(function).__name__
        raise HookError(f"`{name}` of `{file.name}` is {kind}, not a function", _EXAMPLE)
    return typing.cast(Function, function)


def give(function: Function, folder: Path) -> str:
    """The name by which a scenario in `folder` calls a function of this process. HookError without one."""
    code, name = getattr(function, "__code__", None), getattr(function, "__qualname__", repr(function))
    if code is None or not re.fullmatch(r"[A-Za-z_]\w*", name) or not os.path.isfile(code.co_filename):
        hint = "define it by `def` at the top of a file: a run records its functions by file and name"
        raise HookError(f"`{name}` is no function of a file", hint)
    file = os.path.abspath(code.co_filename)
    _given[file, name] = function
    return f"{os.path.relpath(file, folder.absolute())}:{name}"


def functions(plan: Mapping[str, Any]) -> list[Function]:
    """Those that a plan calls, in its order. LoadstoneError `hook` when one is not there any more."""
    called = []
    for one in plan.get("functions", []):
        file = Path(one["file"])
        try:
            called.append(found(file.parent, f"{file.name}:{one['name'].rpartition(':')[2]}").function)
        except HookError as error:
            raise LoadstoneError("hook", str(error), hint=error.hint) from error
    return called


def errors(
    name: str, arguments: Mapping[str, str], returns: list[str], folder: Path, at: Place
) -> Iterator[Finding]:
    """What is wrong with the function of a step, and with what the step gives it and takes from it."""
    try:
        function = found(folder, name).function
    except HookError as error:
        yield Finding("hook", str(error), (*at, "call"), error.hint)
        return
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        kind = "async" if inspect.iscoroutinefunction(function) else "a generator"
        yield Finding("hook", f"`{name}` is {kind}: a step calls a plain function", (*at, "call"), _EXAMPLE)
        return
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        yield Finding("hook", f"`{name}` does not say what it takes", (*at, "call"), _EXAMPLE)
        return
    given = dict.fromkeys([*arguments, *([ANSWER] if ANSWER in signature.parameters else [])])
    try:
        signature.bind(**given)
    except TypeError as error:
        names = ", ".join(f'{one} = "…"' for one in signature.parameters if one != ANSWER)
        hint = f"write arguments = {{ {names} }}" if names else ""
        yield Finding("hook", f"`{name}` takes {signature}: {error}", (*at, "call"), hint)
    if wrong := _wrong_return(function, returns):
        yield Finding("hook", f"`{name}` says that it returns {wrong}", (*at, "call"), _returned(returns))


def _wrong_return(function: Function, returns: list[str]) -> str | None:
    """What its annotation promises, where that is not what a step can take."""
    try:
        promised = typing.get_type_hints(function).get("return", Any)
    except Exception:  # annotations are code of the user's, and may name what is only there for a checker
        return None
    if promised is Any:
        return None
    if promised is type(None):
        return "nothing" if returns else None
    kind = typing.get_origin(promised) or promised
    try:
        # In this order: the class of a TypedDict can only be asked about its own bases.
        if not isinstance(kind, type) or issubclass(kind, dict) or issubclass(dict, kind):
            return None
    except TypeError:
        return None
    return f"`{getattr(promised, '__name__', promised)}`"


def _returned(returns: list[str]) -> str:
    return "it returns a dictionary with " + (", ".join(f"`{one}`" for one in returns) or "nothing in it")
