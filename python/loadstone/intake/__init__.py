"""Where files that people hand in come in: one reader of bytes, of TOML, of JSON, of tables.

Whatever is in a file, its reader gives what its kind may hold or raises a LoadstoneError with the caller's
slug: no memory is taken that a limit does not cover, and nothing deeper, longer or larger than one gets past.
What a file must hold is said by its reader; what it may be at all is said here. `intake.shapes` and
`intake.tables` are imported by those who use them: they wait for pydantic and for the database.
"""

from loadstone.intake.bounds import DEEPEST, MOST_DIGITS
from loadstone.intake.files import Kind, decoded, read_bytes, read_text
from loadstone.intake.misread import as_written
from loadstone.intake.records import json_lines, json_of, read_object
from loadstone.intake.toml import toml_of

__all__ = [
    "DEEPEST",
    "MOST_DIGITS",
    "Kind",
    "as_written",
    "decoded",
    "json_lines",
    "json_of",
    "read_bytes",
    "read_object",
    "read_text",
    "toml_of",
]
