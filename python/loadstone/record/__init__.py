"""The run folder: written during the run, completed at its end or by its first reader.

`docs/reference/run-folder.md` is the contract.
"""

from loadstone.record.disk import make_folder, require_unused, write_json, write_stage, write_text
from loadstone.record.folder import Beginning, begin, measurement_of, now, recover
from loadstone.record.journal import Journal
from loadstone.record.machine import machine, versions

__all__ = [
    "Beginning",
    "Journal",
    "begin",
    "machine",
    "make_folder",
    "measurement_of",
    "now",
    "recover",
    "require_unused",
    "versions",
    "write_json",
    "write_stage",
    "write_text",
]
