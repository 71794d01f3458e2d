"""The `[data]` table: named numbers and texts, and formulas over those above them."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from loadstone.scenario.findings import Finding
from loadstone.scenario.formula import FormulaError, evaluate


def resolve(written: Any) -> tuple[dict[str, int | float | str], list[Finding]]:
    """Every valid name with its value, and what is wrong with the others.

    >>> resolve({"accounts": 100, "pages": {"formula": "ceil(accounts / 30)"}})[0]
    {'accounts': 100, 'pages': 4}
    """
    known: dict[str, int | float | str] = {}
    findings: list[Finding] = []
    for name, value in written.items() if isinstance(written, Mapping) else ():
        if isinstance(value, datetime.date):
            known[name] = value.isoformat()
        elif isinstance(value, int | float | str) and not isinstance(value, bool):
            known[name] = value
        elif isinstance(value, Mapping) and list(value) == ["formula"] and isinstance(value["formula"], str):
            try:
                known[name] = evaluate(value["formula"], known)
            except FormulaError as error:
                findings.append(Finding("formula", str(error), ("data", name), error.hint))
        else:
            hint = 'a number, a text, a date or { formula = "2 * accounts" }'
            findings.append(Finding("wrong-type", f"`{name}` is not a value", ("data", name), hint))
    return known, findings


class ColumnError(ValueError):
    """Why a column of a file cannot be read: slug, sentence, hint."""

    def __init__(self, slug: str, message: str, hint: str = "") -> None:
        """`slug` is one of the error table's."""
        super().__init__(message)
        self.slug = slug
        self.hint = hint
