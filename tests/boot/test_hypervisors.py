"""The same image under other hypervisors, where they are: the first page is that of the process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from booted import image
from hypervisor import HYPERVISORS

from loadstone.image.qemu import accelerator

HERE = Path(__file__).parent
SITE = HERE.parents[1] / "images" / "site" / "index.html"

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]


@pytest.mark.parametrize("name", HYPERVISORS)
def test_the_image_serves(name: str, tmp_path: Path) -> None:
    if os.geteuid() or not Path("/dev/net/tun").exists():
        pytest.skip("needs root and TAP devices")
    if name != "qemu" and not shutil.which(name):
        pytest.skip(f"{name} is not on the PATH")
    if name != "qemu" and accelerator() != "kvm":
        pytest.skip(f"{name} needs KVM")
    words = [str(HERE / "hypervisor.py"), name, str(image("files")), str(tmp_path)]
    done = subprocess.run(
        ["unshare", "--net", sys.executable, *words], capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert (found["status"], found["page"]) == (200, SITE.read_text())
    print(f"{name}: first page after {found['first_page_s']:.3f} s")
