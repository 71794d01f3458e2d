"""SURGE's files as the service under test: made from a seed as it starts, so nothing is loaded."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone.drive.builtin import serving
from loadstone.drive.service import Service, require
from loadstone.errors import LoadstoneError


@dataclass(frozen=True)
class Generated:
    """A file set in a process of its own."""

    options: Mapping[str, Any]
    """Options of `serving`, `surge` among them."""

    @staticmethod
    def of(data: Mapping[str, Any], options: Mapping[str, Any]) -> Generated:
        """From a scenario's `[data]`: `files`, and `seed` where there is one (1); `options` as in `[target]`.

        Error `data-options` without `files`.
        """
        if "files" not in data:
            raise LoadstoneError(
                "data-options", "[data] does not say how many files", hint="add `files = 5000`"
            )
        others = dict(options)
        profile = others.pop("profile", "measured")
        made = {"files": int(data["files"]), "seed": int(data.get("seed", 1)), "profile": profile}
        return Generated({**others, "surge": made})

    @contextlib.contextmanager
    def running(self) -> Iterator[Service]:
        """Starts it and waits until it answers. Errors: `sut-start`, `sut-unreachable`."""
        with serving(Path("surge"), self.options) as service:
            require(service)
            yield service
