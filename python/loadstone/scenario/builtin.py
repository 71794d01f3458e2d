"""The scenarios that come with Loadstone, found by name."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

_FOLDER = Path(str(files("loadstone"))) / "data" / "scenarios"


def builtin_names() -> list[str]:
    """Names that `load_scenario` takes instead of a path."""
    return sorted(path.stem for path in _FOLDER.glob("*.toml"))


def builtin_path(name: str) -> Path:
    """The file of a built-in scenario. KeyError when there is none of that name."""
    if name not in builtin_names():
        raise KeyError(name)
    return _FOLDER / f"{name}.toml"
