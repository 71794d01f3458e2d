"""The last stage: shows what the earlier ones found, as a page, a summary, tables and data.

It formats and never computes: every figure comes from a folder's JSON or Parquet files, and is at most
binned for display.
"""

from loadstone.report.answer import badges, sentence
from loadstone.report.badge import Badge
from loadstone.report.data import as_json
from loadstone.report.folder import Chapter, Run, read_chapter
from loadstone.report.html import page
from loadstone.report.markdown import summary
from loadstone.report.tables import all_tables, write_csv

__all__ = [
    "Badge",
    "Chapter",
    "Run",
    "all_tables",
    "as_json",
    "badges",
    "page",
    "read_chapter",
    "sentence",
    "summary",
    "write_csv",
]
