"""The script for machines with KVM says at once what a machine lacks, and begins nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from loadstone.image.qemu import accelerator

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "appliance-on-kvm"


@pytest.mark.skipif(accelerator() == "kvm", reason="this machine has KVM")
def test_a_machine_without_kvm_is_refused(tmp_path: Path) -> None:
    done = subprocess.run([SCRIPT, tmp_path / "out"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("appliance-on-kvm: ") and not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--slow"], "there is no option --slow"), (["--rehearse", "{there}"], "is there already")],
)
def test_what_it_cannot_use_is_refused(words: list[str], said: str, tmp_path: Path) -> None:
    given = [word.format(there=tmp_path) for word in words]
    done = subprocess.run([SCRIPT, *given], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and said in done.stderr and done.stdout == ""
