"""What a command does not read it does not wait for."""

from __future__ import annotations

import subprocess
import sys


def test_the_command_line_starts_without_the_models_of_records() -> None:
    code = "import sys, loadstone.cli; print([name for name in sys.modules if 'loadstone.stages' in name])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
