"""Scenarios in files of Python: the file is run, and the scenario that it built is taken."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, read_bytes, read_text
from loadstone.scenario.built import Built

ENDING = ".py"
_NAME = "loadstone_scenario"
"""Not `__main__`: what a file does when Python runs it itself is not done."""
_HINT = 'shop = loadstone.Scenario("shop", ...) makes one'


def built(path: Path, kind: Kind) -> Built:
    """The scenario of the file. LoadstoneError of the kind when the file cannot be read, `scenario-python`
    with the line where it fails, or when it builds none or several.
    """
    module = ModuleType(_NAME)
    module.__file__ = str(path)
    try:
        code = compile(read_bytes(path, kind), str(path), "exec", dont_inherit=True)
        with _as_a_module(module, path):
            exec(code, module.__dict__)
    except SyntaxError as error:
        place = f"{error.filename}:{error.lineno}"
        raise LoadstoneError("scenario-python", f"{error.msg}", place=place) from error
    except LoadstoneError:
        raise
    except (Exception, SystemExit) as error:
        raise _failed(error, path) from error
    found = {name: one for name, one in vars(module).items() if isinstance(one, Built)}
    if len({id(one) for one in found.values()}) == 1:
        return next(iter(found.values()))
    if "scenario" in found:
        return found["scenario"]
    if found:
        names = ", ".join(f"`{name}`" for name in found)
        hint = "name the one to take `scenario`"
        raise LoadstoneError(
            "scenario-python", f"it builds several scenarios: {names}", place=str(path), hint=hint
        )
    raise LoadstoneError("scenario-python", "it builds no scenario", place=str(path), hint=_HINT)


def scenario_text(path: Path, kind: Kind) -> str:
    """The scenario of a file as TOML, also of one in Python. Errors as `read_text`, and `built`."""
    return built(path, kind).to_toml() if path.suffix == ENDING else read_text(path, kind)


@contextmanager
def _as_a_module(module: ModuleType, path: Path) -> Iterator[None]:
    """Modules beside the file can be imported, and what looks for a class finds its module."""
    beside = str(path.parent.resolve())
    sys.path.insert(0, beside)
    sys.modules[_NAME] = module
    try:
        yield
    finally:
        del sys.modules[_NAME]
        if beside in sys.path:
            sys.path.remove(beside)


def _failed(error: BaseException, path: Path) -> LoadstoneError:
    """The innermost line of the file itself; what failed deeper is in the words."""
    lines = [one.lineno for one in traceback.extract_tb(error.__traceback__) if one.filename == str(path)]
    words = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    place = f"{path}:{lines[-1]}" if lines else str(path)
    return LoadstoneError("scenario-python", words, place=place)
