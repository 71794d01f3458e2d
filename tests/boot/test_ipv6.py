"""IPv6 of images on a network of their own: real neighbours, and strangers who send what they should not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from folder_image import Served

from loadstone.image.build import build

# The first test of an image may have to build it.
pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

HERE = Path(__file__).parent


def test_a_guest_is_a_good_neighbour_over_ipv6(served: Served, tmp_path: Path) -> None:
    """Found by Linux, on the link and beyond a router, and by both families; what strangers say of neighbours
    moves nothing.
    """
    if os.geteuid() or not Path("/dev/net/tun").exists():
        pytest.skip("needs root and TAP devices")
    image = build("files", tmp_path / "six.elf", served.folder, beside=["ipv6"]).stripped.path
    done = subprocess.run(
        ["unshare", "--net", sys.executable, str(HERE / "neighbours6.py"), str(image)],
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    page = len((served.folder / "large.bin").read_bytes())
    assert found["bytes"] == {"near": page, "link": page, "far": page, "ipv4": page}
    assert found["largest"] == {"near": 1500, "far": 1280}
    assert found["pings"] == {"near": True, "far": True, "all": False}
    assert found["place"] == {"before": found["ethernet"], "after": found["ethernet"]}
    assert found["poisoned"] == page, "an advertisement that nobody asked for moves nobody"
    assert found["duplicate"], "who would take its address hears that it is taken"
    assert found["taken"] == {"extension": None, "without": True}
    assert found["dropped"]["neighbour"] > 0 and found["dropped"]["packet"] > 0
    assert found["refused"] == 2
