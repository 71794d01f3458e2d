"""Where in the user's code something was written."""

from __future__ import annotations

import sys
from pathlib import Path

_HERE = str(Path(__file__).parent)


def caller() -> str:
    """`file:line` of the innermost frame outside this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
