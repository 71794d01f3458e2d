"""The mix: its rows with every default written out, and what can be wrong with them."""

from __future__ import annotations

from collections.abc import Iterator

from loadstone.scenario.findings import Finding, suggest
from loadstone.scenario.model import ANY, END, ScenarioFile

TOLERANCE = 1e-6  # of a row's sum: decimal fractions are not exact in binary


def rows(file: ScenarioFile) -> dict[str, dict[str, float]]:
    """Rows by operation: `*` copied to operations without one, normalised where asked, no zeros.

    A scenario of one operation needs no mix: it repeats.
    """
    names = [operation.name for operation in file.operation]
    if file.mix is None:
        return {names[0]: {names[0]: 1.0}}
    written = file.mix.rows
    complete = {}
    for name in names:
        row = {
            column: share for column, share in written.get(name, written.get(ANY, {})).items() if share > 0
        }
        total = sum(row.values()) if file.mix.normalize else 1.0
        complete[name] = {column: share / total for column, share in row.items()}
    return complete


def check(file: ScenarioFile) -> Iterator[Finding]:
    """Unknown names, sums, missing rows, then what no user would ever reach."""
    names = [operation.name for operation in file.operation]
    if file.mix is None:
        if len(names) > 1:
            hint = f'for example [mix."*"] with {names[0]} = {1 / len(names):.3g}, ..., for any order'
            yield Finding("mix-missing", "several operations need a [mix]", (), hint)
        return
    found = list(_rows(file, names))
    yield from found
    if not found and file.first in names:
        yield from _unreachable(file, names)


def _rows(file: ScenarioFile, names: list[str]) -> Iterator[Finding]:
    assert file.mix is not None
    written = file.mix.rows
    for row, cells in written.items():
        if row not in (*names, ANY):
            hint = suggest(row, names, "a row bears the name of an operation")
            yield Finding(
                "mix-unknown-operation", f"row `{row}` of the mix is no operation", ("mix", row), hint
            )
            continue
        for column in cells:
            if column not in (*names, END):
                hint = suggest(column, (*names, END), "a column bears the name of an operation, or `end`")
                message = f"row `{row}` of the mix leads to `{column}`, which is no operation"
                yield Finding("mix-unknown-operation", message, ("mix", row, column), hint)
        yield from _sum(row, cells, file.mix.normalize)
    for index, name in enumerate(names):
        if name not in written and ANY not in written:
            message = f"operation `{name}` has no row in the mix"
            yield Finding(
                "mix-row-missing", message, ("operation", index), f'add [mix.{name}], or [mix."*"] for all'
            )


def _sum(row: str, cells: dict[str, float], normalize: bool) -> Iterator[Finding]:
    total = sum(cells.values())
    if total <= 0:
        yield Finding("mix-row-sum", f"row `{row}` of the mix leads nowhere", ("mix", row), "add `end = 1`")
    elif abs(total - 1) > TOLERANCE and not normalize:
        if total < 1:
            hint = f"add {1 - total:.6g} to `{row} -> {END}`"
        else:
            hint = f"take {total - 1:.6g} from `{row} -> {max(cells, key=lambda column: cells[column])}`"
        message = f"row `{row}` of the mix sums to {total:.6g}, expected 1"
        yield Finding("mix-row-sum", message, ("mix", row), f"{hint}, or set `normalize = true`")


def _unreachable(file: ScenarioFile, names: list[str]) -> Iterator[Finding]:
    matrix = rows(file)
    reached, frontier = set(), [file.first]
    while frontier:
        name = frontier.pop()
        if name not in reached:
            reached.add(name)
            frontier.extend(column for column in matrix[name] if column != END)
    for index, name in enumerate(names):
        if name not in reached:
            message = f"no walk from `{file.first}` ever reaches operation `{name}`"
            hint = f"give some row a share of `{name}`, or remove the operation"
            yield Finding("mix-unreachable", message, ("operation", index), hint)
