"""What is special to the stack in Java: its own tests."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from loadstone.site.stack import FOLDER
from loadstone.site.stack.running import set_up

pytestmark = [pytest.mark.stacks, pytest.mark.timeout(900)]


def test_its_own_tests_pass(tmp_path: Path) -> None:
    set_up("java")
    command = ["mvn", "-q", "-B", "-f", str(FOLDER / "java/pom.xml"), f"-Dolio.build={tmp_path}", "test"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    reports = [report.read_text() for report in (tmp_path / "surefire-reports").glob("*.txt")]
    assert sum(int(re.findall(r"Tests run: (\d+)", report)[0]) for report in reports) >= 40
