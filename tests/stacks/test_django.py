"""What is special to the stack in Django: its own tests."""

from __future__ import annotations

import subprocess

import pytest

from loadstone.site.stack import FOLDER
from loadstone.site.stack.running import set_up

pytestmark = [pytest.mark.stacks, pytest.mark.timeout(900)]


def test_its_own_tests_pass() -> None:
    python = set_up("django") / "venv/bin/python"
    command = [str(python), "-B", "-m", "unittest", "discover", "-t", ".", "-s", "tests"]
    done = subprocess.run(command, cwd=FOLDER / "django", capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "\nOK" in done.stderr, done.stderr
