"""Data sets of the built-in applications: loaded once, copied fresh for every run."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone.drive import cache
from loadstone.errors import LoadstoneError
from loadstone.record.machine import versions

Loading = Callable[[int, int], None]
"""Is told (done, of) while a data set is loaded."""

Loader = Callable[..., dict[str, int]]
"""`_core.load_olio` or `_core.load_rubis`: place, what is to be loaded, progress; rows by table."""


class Kept(ABC):
    """A data set that is loaded once, kept in the user's cache and copied fresh for every run."""

    @abstractmethod
    def name(self) -> str:
        """What it is, fit for a folder's name; data sets of one name may still differ."""

    @abstractmethod
    def arguments(self) -> tuple[object, ...]:
        """What its loader takes between place and progress; equal ones make equal data sets."""

    @abstractmethod
    def loader(self) -> Loader:
        """The loader."""

    def load(
        self, place: Path | str, loading: Loading | None = None, loader: Loader | None = None
    ) -> dict[str, int]:
        """Creates it in `place`, a folder or a database's URL; rows by table. Errors: `load-data`,
        `data-options`.
        """
        try:
            return (loader or self.loader())(str(place), *self.arguments(), loading)
        except (ValueError, OverflowError) as error:
            raise LoadstoneError("data-options", f"no such data set: {error}") from error
        except OSError as error:
            from loadstone._core import without_password

            shown = without_password(str(place))
            message = f"cannot create the data set in {shown}: {error}"
            if isinstance(error, FileExistsError):
                hint = (
                    "`--replace` removes the site's tables from a database first; a folder must be a new one"
                )
                raise LoadstoneError("data-options", message, hint=hint) from error
            raise LoadstoneError("load-data", message) from error

    def pristine(self, loading: Loading | None = None, loader: Loader | None = None) -> Path:
        """A folder with the untouched data set, kept between runs in the user's cache. Error `load-data`."""
        folder = cache.home() / f"{self.name()}-{self._digest()}"
        if not folder.is_dir():
            with cache.working_folder("loading") as draft:
                self.load(draft, loading, loader)
                # Whoever is first wins; the data sets are equal.
                with contextlib.suppress(OSError):
                    draft.rename(folder)
        cache.used(folder)
        cache.prune()
        return folder

    @contextlib.contextmanager
    def fresh(self, loading: Loading | None = None, loader: Loader | None = None) -> Iterator[Path]:
        """A copy for one run, deleted afterwards: what a run writes must not meet the next one.

        Error `load-data`.
        """
        pristine = self.pristine(loading, loader)
        with cache.working_folder("run") as copy:
            with cache.naming_errors(copy):
                self._copy(pristine, copy)
            yield copy

    def _copy(self, pristine: Path, to: Path) -> None:
        """Into a folder that is there."""
        shutil.copytree(pristine, to, dirs_exist_ok=True)

    def _digest(self) -> str:
        """Changes with everything that may change the content, the loader's own build included."""
        built = importlib.util.find_spec("loadstone._core")
        stamp = Path(built.origin).stat().st_mtime_ns if built and built.origin else 0
        text = json.dumps([*self.arguments(), versions()["loadstone"], stamp])
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def loader_options(data: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """What a scenario's `[data]` says of the loader's options, as JSON with sorted keys; `names`: by the name
    in `[data]`.
    """
    chosen = {option: data[name] for name, option in names.items() if name in data}
    return json.dumps(chosen, sort_keys=True, default=str)


@dataclass(frozen=True)
class DataSet(Kept):
    """An Olio data set; equal ones are byte-identical."""

    accounts: int
    profile: str = "cloudstone-2008"
    options: str = "{}"
    """Further options of the loader (seed, base_day, media_scale, names), as JSON with sorted keys."""

    @staticmethod
    def of(data: Mapping[str, Any], profile: str) -> DataSet:
        """From a scenario's `[data]`: `accounts`, and where there are any `seed`, `today`, `media_scale`, and
        `names` (`release`, or `paper` for those of 3 to 8 characters).

        Error `data-options` without `accounts`.
        """
        if "accounts" not in data:
            raise LoadstoneError(
                "data-options", "[data] does not say how many accounts", hint="add `accounts = 1000`"
            )
        names = {"seed": "seed", "today": "base_day", "media_scale": "media_scale", "names": "names"}
        return DataSet(int(data["accounts"]), profile, loader_options(data, names))

    def name(self) -> str:
        """By profile and accounts."""
        return f"olio-{self.profile}-{self.accounts}"

    def arguments(self) -> tuple[object, ...]:
        """As `_core.load_olio` takes them."""
        return self.accounts, self.profile, self.options

    def loader(self) -> Loader:
        """`_core.load_olio`."""
        from loadstone._core import load_olio

        return load_olio


@dataclass(frozen=True)
class Auctions(Kept):
    """A RUBiS data set; equal ones are byte-identical."""

    scale: float = 0.02
    """Size relative to the original's million users."""
    options: str = "{}"
    """Further options of the loader (seed, base_day), as JSON with sorted keys."""

    @staticmethod
    def of(data: Mapping[str, Any]) -> Auctions:
        """From a scenario's `[data]`: `scale`, and where there are any `seed` and `today`.

        Error `data-options` without `scale`.
        """
        if "scale" not in data:
            raise LoadstoneError("data-options", "[data] does not say its scale", hint="add `scale = 0.02`")
        return Auctions(float(data["scale"]), loader_options(data, {"seed": "seed", "today": "base_day"}))

    def name(self) -> str:
        """By scale."""
        return f"rubis-{self.scale:g}"

    def arguments(self) -> tuple[object, ...]:
        """As `_core.load_rubis` takes them."""
        return self.scale, self.options

    def loader(self) -> Loader:
        """`_core.load_rubis`."""
        from loadstone._core import load_rubis

        return load_rubis
