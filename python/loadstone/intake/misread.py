"""Records whose parts do not fit together: the error says that the file was changed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from loadstone.errors import LoadstoneError

_MISFITS = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError)


@contextlib.contextmanager
def as_written(slug: str, folder: Path, hint: str) -> Iterator[None]:
    """Surrounds code that uses records, which somebody may have changed since they were written.

    Their shape is checked when they are read. What then still does not fit (an operation that another file
    of the folder does not know, a figure that is not a number) is `slug` with `folder`, and no fault of ours.
    """
    try:
        yield
    except _MISFITS as error:
        # Imported here: who meets no such record need not wait for pydantic.
        from pydantic import ValidationError

        from loadstone.intake.shapes import misshapen

        if isinstance(error, ValidationError):
            raise misshapen(error, slug, str(folder), hint) from error
        what = f"`{error.args[0]}` is missing" if isinstance(error, KeyError) else str(error)
        message = f"its records do not fit together: {what[:200] or type(error).__name__}"
        raise LoadstoneError(slug, message, place=str(folder), hint=hint) from error
