"""Reads price books: CSV, strictly, with file and line in every complaint.

The format is described in docs/reference/cost.md. `power_w`, `life_months` and `term_months` may be left
out of the header.
"""

from __future__ import annotations

import csv
import difflib
import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from importlib import resources
from pathlib import Path

from loadstone.cost.row import KINDS, UNITS, PriceRow, first_day
from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, read_text

COLUMNS = (
    "book", "provider", "region", "kind", "sku", "vcpu", "memory_gib", "unit", "from_gb", "to_gb",
    "price_usd", "as_of", "source",
)  # fmt: skip
OPTIONAL_COLUMNS = ("power_w", "life_months", "term_months")
REQUIRED = ("book", "provider", "region", "kind", "sku", "unit", "price_usd", "as_of", "source")

_KIND = Kind("price-book", "a price book", 16 << 20)
# Bounded, so that a price stays exact in every product it enters.
_AMOUNT = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
_DATE = re.compile(r"[0-9]{4}(-(early|mid|late|[0-9]{2}(-[0-9]{2})?))?")
# A comment that explains a source key: `# source K26: where the price is published`.
_SOURCE = re.compile(r"# source ([^\s,\"#:]{1,64}): (.{1,500})")
_NAME = re.compile(r"[^\s,\"#:][^\s,\":]{0,63}")


@dataclass(frozen=True)
class PriceBook:
    """Rows of one or more files, in their order, and what their source keys stand for."""

    rows: tuple[PriceRow, ...]
    sources: Mapping[str, str] = field(default_factory=dict)

    def with_rows(self, rows: Iterable[PriceRow]) -> PriceBook:
        """Other rows from the same sources."""
        return PriceBook(tuple(rows), self.sources)

    def beside(self, other: PriceBook) -> PriceBook:
        """These rows and the other's; where both explain a source, these do."""
        return PriceBook(self.rows + other.rows, {**other.sources, **self.sources})

    def named(self, book: str) -> PriceBook:
        """Only the rows of that book. Raises `price-book` with the near names."""
        rows = tuple(row for row in self.rows if row.book == book)
        if not rows:
            raise LoadstoneError(
                "price-book", f"there is no price book `{book}`", place="--book",
                hint=_hint(book, {row.book for row in self.rows}),
            )  # fmt: skip
        return self.with_rows(rows)

    def in_region(self, region: str) -> PriceBook:
        """Only the rows of that region. Raises `price-sku`."""
        rows = tuple(row for row in self.rows if row.region == region)
        if not rows:
            raise LoadstoneError(
                "price-sku", f"no price is for the region `{region}`", place="--region",
                hint=_hint(region, {row.region for row in self.rows}),
            )  # fmt: skip
        return self.with_rows(rows)

    def machine(self, sku: str, place: str = "--instance") -> PriceRow:
        """The machine or service with that SKU, on demand or owned. Raises `price-sku` when there is none, or
        several.
        """
        known = [row for row in self.rows if (row.rented and not row.term_months) or row.kind == "owned"]
        found = [row for row in known if row.sku == sku]
        if len(found) == 1:
            return found[0]
        if found:
            places = ", ".join(sorted({f"{row.book} in {row.region}" for row in found}))
            raise LoadstoneError(
                "price-sku", f"`{sku}` has several prices: {places}", place=place,
                hint="choose with --book or --region",
            )  # fmt: skip
        raise LoadstoneError(
            "price-sku", f"no machine `{sku}` in this price book", place=place,
            hint=_hint(sku, {row.sku for row in known}),
        )  # fmt: skip

    def on_demand(self) -> PriceBook:
        """Without the prices for those who commit to a term."""
        return self.with_rows(row for row in self.rows if not row.term_months)

    def committed(self, machine: PriceRow) -> tuple[PriceRow, ...]:
        """The prices of the same machine for those who commit to a term."""
        key = (machine.book, machine.region, machine.kind, machine.sku)
        return tuple(
            row for row in self.rows if row.term_months and (row.book, row.region, row.kind, row.sku) == key
        )

    def of_kind(self, kind: str) -> list[PriceRow]:
        """The rows of one kind, tiers in ascending order."""
        return sorted(
            (row for row in self.rows if row.kind == kind), key=lambda row: row.from_gb or Decimal(0)
        )


def shipped() -> PriceBook:
    """The books that come with Loadstone."""
    found = PriceBook(())
    folder = resources.files("loadstone") / "data" / "prices"
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith(".csv"):
            found = found.beside(parse(entry.read_text(encoding="utf-8"), entry.name))
    return found


def read(file: Path) -> PriceBook:
    """The books of one file. Raises `price-book`."""
    return parse(read_text(file, _KIND), str(file))


def parse(text: str, name: str) -> PriceBook:
    """Parses a price book; `name` is the file in complaints. Raises `price-book` at the first wrong line."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if _says_something(line)]
    if not lines:
        raise LoadstoneError("price-book", "the file is empty: it has no header and no price", place=name)
    header_line, header = lines[0]
    columns = _header(header, f"{name}:{header_line}")
    rows = [_row(columns, line, f"{name}:{number}") for number, line in lines[1:]]
    _check_twins(rows, [f"{name}:{number}" for number, _ in lines[1:]])
    explained = {match[1]: match[2].strip() for line in text.split("\n") if (match := _SOURCE.match(line))}
    return PriceBook(tuple(rows), explained)


def _says_something(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#")


def _header(line: str, place: str) -> list[str]:
    columns = _cells(line, place)
    allowed = (*COLUMNS, *OPTIONAL_COLUMNS)
    for column in columns:
        if column not in allowed:
            raise LoadstoneError(
                "price-book", f"unknown column `{column[:40]}`", place=place, hint=_hint(column, allowed)
            )
    missing = [column for column in COLUMNS if column not in columns]
    if missing or len(set(columns)) != len(columns):
        wrong = "the header lacks " + ", ".join(missing) if missing else "a column stands twice"
        raise LoadstoneError("price-book", wrong, place=place, hint="the header is " + ",".join(COLUMNS))
    return columns


def _cells(line: str, place: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader(io.StringIO(line), strict=True))]
    except (csv.Error, StopIteration) as error:
        raise LoadstoneError("price-book", f"is not a line of CSV: {error}", place=place) from error


def _row(columns: list[str], line: str, place: str) -> PriceRow:
    cells = _cells(line, place)
    if len(cells) != len(columns):
        raise LoadstoneError(
            "price-book", f"has {len(cells)} cells, expected {len(columns)}", place=place,
            hint="count the commas; an empty cell still needs its own",
        )  # fmt: skip
    values = dict(zip(columns, cells, strict=True))
    for column in REQUIRED:
        if not values[column]:
            raise LoadstoneError("price-book", f"`{column}` is empty", place=place)
    for column in ("book", "provider", "region", "sku", "source"):
        if not _NAME.fullmatch(values[column]):
            raise LoadstoneError(
                "price-book",
                f"`{column}` is `{values[column][:40]}`, expected a name without spaces",
                place=place,
            )
    kind = values["kind"]
    if kind not in KINDS:
        raise LoadstoneError(
            "price-book", f"unknown kind `{kind[:40]}`", place=place, hint=_hint(kind, KINDS)
        )
    if values["unit"] != UNITS[kind]:
        raise LoadstoneError(
            "price-book",
            f"the unit is `{values['unit'][:40]}`, expected `{UNITS[kind]}` for {kind}",
            place=place,
        )
    if not _is_date(values["as_of"]):
        raise LoadstoneError(
            "price-book", f"`as_of` is `{values['as_of'][:40]}`", place=place,
            hint="write a date such as 2026, 2026-07, 2026-07-06 or 2014-early",
        )  # fmt: skip
    amounts = {
        column: _amount(values.get(column, ""), column, place)
        for column in ("vcpu", "memory_gib", "from_gb", "to_gb", "price_usd", *OPTIONAL_COLUMNS)
    }
    _check_kind(kind, amounts, place)
    life, term = amounts["life_months"], amounts["term_months"]
    return PriceRow(
        book=values["book"], provider=values["provider"], region=values["region"],
        kind=kind, sku=values["sku"], vcpu=amounts["vcpu"],
        memory_gib=amounts["memory_gib"], unit=values["unit"],
        from_gb=amounts["from_gb"], to_gb=amounts["to_gb"], price_usd=Decimal(values["price_usd"]),
        as_of=values["as_of"], source=values["source"],
        power_w=amounts["power_w"], life_months=None if life is None else int(life),
        term_months=None if term is None else int(term),
    )  # fmt: skip


def _is_date(text: str) -> bool:
    if not _DATE.fullmatch(text):
        return False
    try:
        first_day(text)
    except ValueError:
        return False
    return True


def _amount(cell: str, column: str, place: str) -> Decimal | None:
    if not cell:
        return None
    if not _AMOUNT.fullmatch(cell):
        raise LoadstoneError(
            "price-book",
            f"`{column}` is `{cell[:40]}`, expected a plain decimal number such as 0.80",
            place=place,
        )
    return Decimal(cell)


def _check_kind(kind: str, amounts: dict[str, Decimal | None], place: str) -> None:
    """What a kind needs, and what it has no room for."""
    start, end = amounts["from_gb"], amounts["to_gb"]
    if kind != "egress" and (start is not None or end is not None):
        raise LoadstoneError(
            "price-book", f"{kind} has no tiers", place=place, hint="leave from_gb and to_gb empty"
        )
    if end is not None and end <= (start or 0):
        raise LoadstoneError("price-book", "the tier ends before it begins", place=place)
    life = amounts["life_months"]
    if kind == "owned":
        if amounts["power_w"] is None or not life or life != int(life):
            raise LoadstoneError(
                "price-book",
                "an owned machine needs `power_w`, and `life_months` as a whole number",
                place=place,
                hint="add the two columns to the header, for example …,source,power_w,life_months",
            )
    elif amounts["power_w"] is not None or life is not None:
        raise LoadstoneError("price-book", "power_w and life_months are for owned machines", place=place)
    term = amounts["term_months"]
    if term is not None and (UNITS[kind] != "hour" or not term or term != int(term) or term > 120):
        raise LoadstoneError(
            "price-book", "`term_months` is not a whole number of months of something paid by the hour",
            place=place, hint="leave it empty for a price on demand, or write 12 or 36",
        )  # fmt: skip


def _check_twins(rows: list[PriceRow], places: list[str]) -> None:
    seen: dict[tuple[object, ...], str] = {}
    for row, place in zip(rows, places, strict=True):
        key = (row.book, row.region, row.kind, row.sku, row.from_gb, row.term_months)
        if key in seen:
            raise LoadstoneError(
                "price-book", f"prices {row.kind} `{row.sku}` again, after {seen[key]}", place=place,
                hint="a price of another date is another book",
            )  # fmt: skip
        seen[key] = place


def _hint(text: str, known: Iterable[str]) -> str:
    names = sorted(set(known))
    near = difflib.get_close_matches(text, names, 1)
    return (
        f"did you mean `{near[0]}`?"
        if near
        else "one of " + ", ".join(names[:12])
        if names
        else "it is empty"
    )
