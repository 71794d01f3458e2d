"""The Linux guest: its archive, its command line, and itself."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadstone.errors import LoadstoneError
from loadstone.image import linux as module
from loadstone.image.linux import Kernel, kernel, linux, write_initramfs
from loadstone.image.qemu import Machine


@pytest.fixture
def fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kernel whose modules say their names."""
    for name in {name for names in module._MODULES.values() for name in names} | set(module._DEVICES):
        (tmp_path / f"{name}.ko").write_text(name)
    monkeypatch.setattr(module, "kernel", lambda: Kernel(tmp_path / "vmlinuz", tmp_path, "linux 6.1"))
    return tmp_path


def test_the_archive_holds_what_the_first_process_reads(fetched: Path) -> None:
    site = fetched / "site"
    (site / "deep").mkdir(parents=True)
    (site / "deep" / "page.html").write_text("hello")
    (fetched / "program").write_text("run me")
    archive = fetched / "initramfs"
    write_initramfs(archive, "q35", {"init": fetched / "program"}, site)
    found = dict(_entries(archive))
    assert found["init"] == (0o100755, b"run me")
    assert found["data/deep/page.html"] == (0o100644, b"hello")
    assert found["dev/console"][0] == 0o020600
    order = found["modules/order"][1].decode().split()
    assert order[0] == "virtio_ring" and order[-1] == "virtio_blk" and "virtio_pci" in order
    assert all(found[f"modules/{name}.ko"][1] == name.encode() for name in order)
    before = archive.read_bytes()
    write_initramfs(archive, "q35", {"init": fetched / "program"}, site)
    assert archive.read_bytes() == before


def test_the_first_process_gets_its_words(fetched: Path) -> None:
    made = linux(Machine(Path("image"), memory_mib=96), fetched / "initramfs", ["app=olio", "port=80"])
    assert made.kernel == fetched / "vmlinuz" and made.memory_mib == 96
    assert list(made.words)[-2:] == ["app=olio", "port=80"]


def test_without_a_kernel_it_says_what_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "kept", lambda: tmp_path)
    with pytest.raises(LoadstoneError, match="scripts/setup-appliance") as caught:
        kernel()
    assert caught.value.slug == "program-missing"


def _entries(archive: Path) -> Iterator[tuple[str, tuple[int, bytes]]]:
    """Names with modes and contents."""
    content, at = gzip.decompress(archive.read_bytes()), 0
    while True:
        assert content[at : at + 6] == b"070701"
        fields = [int(content[at + 6 + 8 * i : at + 14 + 8 * i], 16) for i in range(13)]
        size, called = fields[6], fields[11]
        name = content[at + 110 : at + 110 + called - 1].decode()
        at += -(-(110 + called) // 4) * 4
        if name == "TRAILER!!!":
            return
        yield name, (fields[1], content[at : at + size])
        at += -(-size // 4) * 4
