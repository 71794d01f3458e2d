"""How large images are: bounds that a change must not cross unseen."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadstone.image.build import build

# Each of the two may have to be built.
pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]


@pytest.mark.parametrize(("app", "most"), [("files", 120_000), ("olio", 1_110_000)])
def test_an_image_for_microvm_stays_small(app: str, most: int, tmp_path: Path) -> None:
    """Without the parts that others have: PCI, DHCP, metrics, guard, IPv6, TLS."""
    found = build(app, tmp_path, parts=["mmio"]).stripped.path.stat().st_size
    assert found <= most, f"{app} takes {found:,} bytes: what came in? (image inspect tells it by crate)"
