"""Data sets of the built-in sites: loaded once, copied fresh for every run."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.measure import cache
from loadstone.record.machine import versions
from loadstone.site import Data, Loading, Site


class Kept(ABC):
    """A data set that is loaded once, kept in the user's cache and copied fresh for every run."""

    @abstractmethod
    def name(self) -> str:
        """What it is, fit for a folder's name; data sets of one name may still differ."""

    @abstractmethod
    def made_from(self) -> list[Any]:
        """Plain data; equal ones make equal data sets."""

    @abstractmethod
    def fill(self, place: str, loading: Loading | None) -> dict[str, int]:
        """As `Site.load`."""

    def load(self, place: Path | str, loading: Loading | None = None) -> dict[str, int]:
        """Creates it in `place`, a folder or a database's URL; rows by table. Errors: `load-data`,
        `data-options`.
        """
        try:
            return self.fill(str(place), loading)
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

    def pristine(self, loading: Loading | None = None) -> Path:
        """A folder with the untouched data set, kept between runs in the user's cache. Error `load-data`."""
        folder = cache.home() / f"{self.name()}-{self._digest()}"
        if not folder.is_dir():
            with cache.working_folder("loading") as draft:
                self.load(draft, loading)
                # The first process wins; the data sets are equal.
                with contextlib.suppress(OSError):
                    draft.rename(folder)
        cache.used(folder)
        cache.prune()
        return folder

    @contextlib.contextmanager
    def fresh(self, loading: Loading | None = None) -> Iterator[Path]:
        """A copy for one run, deleted afterwards: what a run writes must not meet the next one.

        Error `load-data`.
        """
        pristine = self.pristine(loading)
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
        text = json.dumps([*self.made_from(), versions()["loadstone"], stamp])
        return hashlib.sha256(text.encode()).hexdigest()[:12]


@dataclass(frozen=True)
class DataSet(Kept):
    """A data set of a site; equal ones are byte-identical."""

    site: Site
    data: Data
    replace: bool = False
    """Tables of the site that are in a database make room."""

    def name(self) -> str:
        """By site and size."""
        return f"{self.site.data_name}-{self.data.size}"

    def made_from(self) -> list[Any]:
        """The site and its data's fields."""
        return [self.site.data_name, self.data.model_dump(mode="json")]

    def fill(self, place: str, loading: Loading | None) -> dict[str, int]:
        """By the site's loader."""
        return self.site.load(place, self.data, loading, replace=self.replace)
