"""Files of Python that belong to a scenario, run once as modules."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, read_bytes


def module_of(path: Path, kind: Kind, name: str, slug: str) -> ModuleType:
    """The file, run as a module of that name.

    LoadstoneError of the kind when it cannot be read, of `slug` with the line where it fails.
    """
    module = ModuleType(name)
    module.__file__ = str(path)
    try:
        code = compile(read_bytes(path, kind), str(path), "exec", dont_inherit=True)
        with _as_a_module(module, path):
            exec(code, module.__dict__)
    except SyntaxError as error:
        place = f"{error.filename}:{error.lineno}"
        raise LoadstoneError(slug, f"{error.msg}", place=place) from error
    except LoadstoneError:
        raise
    except (Exception, SystemExit) as error:
        raise _failed(error, path, slug) from error
    return module


@contextmanager
def _as_a_module(module: ModuleType, path: Path) -> Iterator[None]:
    """Modules beside the file can be imported, and what looks for a class finds its module."""
    beside = str(path.parent.resolve())
    sys.path.insert(0, beside)
    sys.modules[module.__name__] = module
    try:
        yield
    finally:
        del sys.modules[module.__name__]
        if beside in sys.path:
            sys.path.remove(beside)


def _failed(error: BaseException, path: Path, slug: str) -> LoadstoneError:
    """The innermost line of the file itself; what failed deeper is in the words."""
    lines = [one.lineno for one in traceback.extract_tb(error.__traceback__) if one.filename == str(path)]
    words = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    place = f"{path}:{lines[-1]}" if lines else str(path)
    return LoadstoneError(slug, words, place=place)
