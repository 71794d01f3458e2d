"""The study's file: what is kept where, how much is measured, what must be shown, what the paper says."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from loadstone.errors import LoadstoneError
from loadstone.image import Form, HostCache, PcBoard
from loadstone.scenario.fields import Count, NonNegative, Ordinal, Table
from loadstone.scenario.findings import Finding
from loadstone.scenario.positions import Path as Keys
from loadstone.study.file import FOLDER, load_study_file

FILE = FOLDER / "appliance.toml"
GUESTS = ("image", "linux")
ASKED = "a booting guest is asked every, ms"
PARTS = ("size", "boot", "memory", "idle", "alloc", "counted", "http", "bulk", "sql")
"""In the order in which they are measured: the longest, whose length is the host's disk's, is the last."""

GuestKind = Literal["image", "linux"]
PartName = Literal["size", "boot", "memory", "idle", "sql", "bulk", "alloc", "counted", "http"]
Values = dict[str, str | int]
"""Values of a case by name."""


class Storage(Table):
    """A place where records are kept."""

    name: str
    label: str
    guest: GuestKind
    format: Annotated[Form, Field(description="how the disk is prepared")]
    words: Annotated[dict[str, str], Field(description="for the program that measures")]


class Page(Table):
    """A page that is asked for."""

    name: str
    label: str
    app: str
    path: str


class Served(Table):
    """Applications that are booted."""

    apps: Annotated[list[str], Field(min_length=1)]
    boards: Annotated[list[PcBoard], Field(min_length=1)]
    repetitions: Count


class Stored(Table):
    """Records that are written."""

    storages: Annotated[list[str], Field(min_length=1)]
    caches: Annotated[list[HostCache], Field(min_length=1)]
    records: Annotated[list[Count], Field(min_length=1, description="bytes")]
    iterations: Count
    repetitions: Count


class Counted(Table):
    """What is measured in instructions."""

    sql_iterations: Count
    bulk_rows: Count
    allocations: Count
    sizes: Annotated[list[str], Field(min_length=1, description="bytes from-to")]
    repetitions: Count


class Asked(Table):
    """Pages under load."""

    pages: Annotated[list[str], Field(min_length=1)]
    connections: Annotated[list[Count], Field(min_length=1)]
    seconds: Annotated[Count, Field(description="counted, after two that are not")]
    repetitions: Count


class Amounts(Table):
    """How much is measured; a part that is absent is left out."""

    images: Annotated[list[str], Field(min_length=1, description="whose sizes are taken")]
    accounts: Annotated[Count, Field(description="of Olio's data set")]
    boot: Served | None = None
    memory: Served | None = None
    idle: Served | None = None
    sql: Stored | None = None
    bulk: Stored | None = None
    counted: Counted | None = None
    http: Asked | None = None


class Compared(Table):
    """Cells of a part: those that have the values `of`, each beside the one that differs in `against`
    only."""

    part: PartName
    figure: str
    of: Values
    against: Values | None = None


class Target(Compared):
    """What must be shown."""

    id: Annotated[str, Field(description="the same for the same question in every version of this file")]
    what: str
    least: NonNegative | None = None
    most: NonNegative | None = None


class Paper(Compared):
    """A finding of the paper."""

    place: str
    says: str


class Description(Table):
    """The file."""

    format: Literal[1]
    name: Literal["appliance"]
    summary: str
    seed: Ordinal
    memory_mib: Annotated[Count, Field(description="of both guests")]
    disk_mib: Count
    storage: Annotated[list[Storage], Field(min_length=1)]
    page: Annotated[list[Page], Field(min_length=1)]
    full: Amounts
    quick: Amounts
    target: list[Target]
    paper: list[Paper]

    def storage_of(self, name: str) -> Storage:
        """The storage of that name."""
        return next(one for one in self.storage if one.name == name)

    def page_of(self, name: str) -> Page:
        """The page of that name."""
        return next(one for one in self.page if one.name == name)

    def means(self, target: Target) -> dict[str, Any]:
        """Everything of this file that the figure of a target depends on."""
        named = {**target.of, **(target.against or {})}
        sides = [target.of.get("storage"), (target.against or {}).get("storage")]
        amounts = getattr(self.full, target.part, None)
        return {
            **target.model_dump(mode="json", include={"part", "figure", "of", "against", "least", "most"}),
            "memory_mib": self.memory_mib,
            "disk_mib": self.disk_mib,
            "amounts": amounts and amounts.model_dump(mode="json", exclude={"repetitions"}),
            "storages": [self.storage_of(str(one)).model_dump(mode="json") for one in sides if one],
            "page": self.page_of(str(named["page"])).model_dump(mode="json") if "page" in named else None,
        }

    def amounts(self, size: str) -> Amounts:
        """Of `full` or `quick`."""
        return self.full if size == "full" else self.quick


def load_description(path: Path = FILE) -> Description:
    """Reads and checks the file. Errors as `load_study_file`."""
    return load_study_file(path, Description, _contradictions)


def means(target: str, content: dict[str, Any]) -> dict[str, Any]:
    """What a target means by the file in a record; {} where that has no such target.

    LoadstoneError `study-file` if this version cannot read the file.
    """
    own = {name: value for name, value in content.items() if name != ASKED}
    try:
        file = Description.model_validate(own)
    except ValidationError as error:
        message = f"the study's file in its record is not one of this version: {error.errors()[0]['msg']}"
        raise LoadstoneError("study-file", message) from error
    one = next((one for one in file.target if one.id == target), None)
    if one is None:
        return {}
    # How often a booting guest is asked is no setting, but it changes when the first answer comes.
    return file.means(one) | ({ASKED: content.get(ASKED)} if one.part == "boot" else {})


def _contradictions(file: Description) -> list[Finding]:
    found: list[Finding] = []
    storages, pages = {one.name for one in file.storage}, {one.name for one in file.page}

    def known(name: object, names: set[str], what: str, at: Keys) -> None:
        if name not in names:
            found.append(Finding("study-file", f"there is no {what} `{name}`", at))

    for size, amounts in (("full", file.full), ("quick", file.quick)):
        for part, stored in (("sql", amounts.sql), ("bulk", amounts.bulk)):
            for index, name in enumerate(stored.storages if stored else ()):
                known(name, storages, "storage", (size, part, "storages", index))
        for index, name in enumerate(amounts.http.pages if amounts.http else ()):
            known(name, pages, "page", (size, "http", "pages", index))
    compared: list[tuple[str, int, Compared]] = [("target", i, one) for i, one in enumerate(file.target)]
    compared += [("paper", i, one) for i, one in enumerate(file.paper)]
    for table, number, one in compared:
        for key in ("of", "against"):
            values = getattr(one, key) or {}
            if "storage" in values:
                known(values["storage"], storages, "storage", (table, number, key, "storage"))
    return found
