"""`loadstone prices`: the price books there are, a check of a file, new prices into a book of one's own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from loadstone.cli.columns import columns
from loadstone.cost import age, merge
from loadstone.cost import book as books
from loadstone.cost.book import PriceBook
from loadstone.cost.row import PriceRow
from loadstone.errors import LoadstoneError

prices = typer.Typer(
    help="Show, check and update price books. Every dollar of `loadstone cost` names a row of one.",
    no_args_is_help=True,
)


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.add_typer(prices, name="prices")


_Files = Annotated[
    list[Path] | None, typer.Option("--prices", help="CSV with price books of your own. Repeatable.")
]
_Age = Annotated[int, typer.Option("--max-age-days", min=1, help="Age from which a price counts as old.")]


@prices.command("list")
def list_(
    book: Annotated[str | None, typer.Argument(metavar="[BOOK]", help="Show the rows of this book.")] = None,
    files: _Files = None,
) -> None:
    """List the price books, those that come with Loadstone and your own; or the rows and sources of one.

    Examples:

      loadstone prices list

      loadstone prices list gcp-2026
    """
    found = PriceBook(())
    for file in files or []:
        found = found.beside(books.read(file))
    found = found.beside(books.shipped())
    if book is None:
        print(_books(found))
        return
    one = found.named(book)
    print(_rows(one.rows))
    used = {row.source for row in one.rows}
    said = [f"{name}: {text}" for name, text in found.sources.items() if name in used]
    print("\n".join(["", "Sources:", *said]) if said else "\nThe file does not say what its sources are.")


@prices.command()
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV with price books.")],
    max_age_days: _Age = age.MOST_DAYS,
) -> None:
    """Check a file of prices: its form, its dates, and whether its sources are explained.

    Ends with exit code 2 at a wrong line, and when a price is too old.

    Example: loadstone prices check prices.csv --max-age-days 180
    """
    found = books.read(file)
    unexplained = sorted({row.source for row in found.rows} - set(found.sources))
    if unexplained:
        print(
            f"warning: not explained: {', '.join(unexplained)}; add `# source {unexplained[0]}: …`",
            file=sys.stderr,
        )
    if old := age.stale(found.rows, max_age_days, age.today()):
        raise LoadstoneError(
            "price-stale",
            f"{len(old)} of {len(found.rows)} prices are older than {max_age_days} days, such as "
            f"`{old[0].label()}`",
            place=str(file),
            hint=f"look them up again, then `loadstone prices update NEW --into {file}`",
        )  # fmt: skip
    print(f"{len(found.rows)} prices, none older than {max_age_days} days.")


@prices.command()
def update(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV with new prices.")],
    into: Annotated[Path, typer.Option(help="Price book of your own; made if it is not there.")] = Path(
        "prices.csv"
    ),
) -> None:
    """Take new prices into a book of your own, and say what changed.

    A price replaces that of the same book, region, kind, SKU, tier and term. An older price is refused.

    Example: loadstone prices update aws-october.csv --into prices.csv
    """
    # Imported here: the other commands need not wait for the database.
    from loadstone.record import write_text

    new = books.read(file)
    done = merge.merged(books.read(into) if into.exists() else PriceBook(()), new)
    write_text(into, merge.as_csv(done.book))
    for row in done.added:
        print(f"added    {row.label()}: {row.price_usd} a {row.unit}")
    for old, row in done.changed:
        print(f"changed  {row.label()}: {row.price_usd} a {row.unit}, was {old.price_usd} ({old.as_of})")
    print(f"{into}: {len(done.added)} added, {len(done.changed)} changed, {done.same} as before.")


def _books(found: PriceBook) -> str:
    rows = []
    for name in dict.fromkeys(row.book for row in found.rows):
        own = [row for row in found.rows if row.book == name]
        regions = ", ".join(dict.fromkeys(row.region for row in own))
        kinds = ", ".join(sorted({row.kind for row in own}))
        dates = sorted((row.dated, row.as_of) for row in own)
        terms = ", ".join(f"{term} months" for term in sorted({row.term_months or 0 for row in own}) if term)
        rows.append([name, own[0].provider, regions, str(len(own)), dates[0][1], terms or "none", kinds])
    return columns(["book", "provider", "regions", "prices", "oldest", "terms", "kinds"], rows, {"prices"})


def _rows(rows: tuple[PriceRow, ...]) -> str:
    cells = [
        [
            row.kind, row.sku, row.region, f"{row.price_usd:f}", row.unit,
            f"{row.term_months} months" if row.term_months else "", row.as_of, row.source,
        ]
        for row in rows
    ]  # fmt: skip
    return columns(["kind", "SKU", "region", "price", "unit", "term", "as of", "source"], cells, {"price"})
