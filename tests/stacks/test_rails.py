"""What is special to the stack in Rails."""

from __future__ import annotations

import subprocess

import pytest

from loadstone.site.stack import FOLDER
from loadstone.site.stack.running import set_up

pytestmark = pytest.mark.stacks


def test_its_own_unit_tests() -> None:
    set_up("rails")
    done = subprocess.run(
        ["ruby", str(FOLDER / "rails/test/units.rb")],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
