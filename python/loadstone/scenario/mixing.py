"""The mix: its rows with every default written out, and what can be wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from loadstone.scenario.findings import Finding, suggest
from loadstone.scenario.model import ANY, BACK, END, ScenarioFile

TOLERANCE = 1e-6  # of a row's sum: decimal fractions are not exact in binary


def rows(file: ScenarioFile) -> dict[str, dict[str, float]]:
    """Rows by operation: `*` copied to operations without one, normalised or clipped where asked.

    Zeros are left out, except of `back`: a row in which it was more than 0 keeps it when it is clipped away,
    because its operation still remembers where the user came from.

    A scenario of one operation needs no mix: it repeats. Without one, requests that arrive at a rate ask for
    all operations alike.
    """
    names = [operation.name for operation in file.walked]
    if file.mix is None:
        return {name: {other: 1 / len(names) for other in names} for name in names}
    written = file.mix.rows
    complete = {}
    for name in names:
        row = {
            column: share for column, share in written.get(name, written.get(ANY, {})).items() if share > 0
        }
        if file.mix.clip:
            complete[name] = clipped(row, name)
            continue
        total = sum(row.values()) if file.mix.normalize else 1.0
        complete[name] = {column: share / total for column, share in row.items()}
    return complete


def clipped(row: Mapping[str, float], name: str) -> dict[str, float]:
    """The probabilities of a row that is added up in its order until 1. What is missing to 1 stays at `name`.

    >>> clipped({"a": 0.75, "b": 0.5, "back": 0.25}, "a")
    {'a': 0.75, 'b': 0.25, 'back': 0.0}
    >>> clipped({"b": 0.75}, "a")
    {'b': 0.75, 'a': 0.25}
    """
    left, walked = 1.0, {}
    for column, share in row.items():
        # Decimal fractions are not exact: what they leave of 1 is nothing.
        taken = min(share, left) if left > TOLERANCE else 0.0
        left -= taken
        if taken > 0 or column == BACK:
            walked[column] = taken
    if left > TOLERANCE:
        walked[name] = walked.get(name, 0.0) + left
    return walked


def check(file: ScenarioFile) -> Iterator[Finding]:
    """Unknown names, sums, missing rows, then what no user would ever reach."""
    names = [operation.name for operation in file.walked]
    yield from _rules(file, names)
    if file.mix is None:
        if len(names) > 1 and file.load.requests_per_s is None:
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
                "mix-unknown-operation", f"row `{row}` of the mix is not an operation", ("mix", row), hint
            )
            continue
        for column in cells:
            if column not in (*names, BACK, END):
                hint = suggest(
                    column,
                    (*names, BACK, END),
                    "a column bears the name of an operation, or `back`, or `end`",
                )
                message = f"row `{row}` of the mix leads to `{column}`, which is not an operation"
                yield Finding("mix-unknown-operation", message, ("mix", row, column), hint)
        yield from _sum(row, cells, file.mix.normalize or file.mix.clip)
    for index, operation in enumerate(file.operation):
        name = operation.name
        if name in names and name not in written and ANY not in written:
            message = f"operation `{name}` has no row in the mix"
            yield Finding(
                "mix-row-missing", message, ("operation", index), f'add [mix.{name}], or [mix."*"] for all'
            )


def _sum(row: str, cells: dict[str, float], any_sum: bool) -> Iterator[Finding]:
    total = sum(cells.values())
    if total <= 0:
        yield Finding("mix-row-sum", f"row `{row}` of the mix leads nowhere", ("mix", row), "add `end = 1`")
    elif abs(total - 1) > TOLERANCE and not any_sum:
        if total < 1:
            hint = f"add {1 - total:.6g} to `{row} -> {END}`"
        else:
            hint = f"take {total - 1:.6g} from `{row} -> {max(cells, key=lambda column: cells[column])}`"
        message = f"row `{row}` of the mix sums to {total:.6g}, expected 1"
        yield Finding("mix-row-sum", message, ("mix", row), f"{hint}, or set `normalize = true`")


def _rules(file: ScenarioFile, names: list[str]) -> Iterator[Finding]:
    """What is wrong with where answers lead to."""
    for index, rule in enumerate(file.session.after):
        if rule.next not in (*names, BACK, END):
            hint = suggest(rule.next, (*names, BACK, END), "an operation, `back` or `end`")
            message = f"an answer with `{rule.contains}` leads to `{rule.next}`, which is not an operation"
            yield Finding("mix-unknown-operation", message, ("session", "after", index, "next"), hint)


def _unreachable(file: ScenarioFile, names: list[str]) -> Iterator[Finding]:
    matrix = rows(file)
    reached, frontier = set(), [file.first]
    while frontier:
        name = frontier.pop()
        if name not in reached:
            reached.add(name)
            frontier.extend(column for column, share in matrix[name].items() if column in names and share)
            frontier.extend(rule.next for rule in file.session.after if rule.next in names)
    for index, operation in enumerate(file.operation):
        name = operation.name
        if name in names and name not in reached:
            message = f"no walk from `{file.first}` ever reaches operation `{name}`"
            hint = f"give some row a share of `{name}`, or remove the operation"
            yield Finding("mix-unreachable", message, ("operation", index), hint)
