"""Loadstone's sources where the package has no checkout around it."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from loadstone import sources
from loadstone.errors import LoadstoneError


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package in a virtual environment, without sources."""
    package = tmp_path / "venv" / "site-packages" / "loadstone"
    (package / "data").mkdir(parents=True)
    monkeypatch.setattr(sources.loadstone, "__file__", str(package / "__init__.py"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return package


@pytest.fixture
def brought(installed: Path) -> Path:
    """The same with an archive of them."""
    with tarfile.open(installed / "data" / "sources.tar.gz", "w:gz") as archive:
        for name in ("crates/linux-init/Cargo.toml", "scripts/setup-lab"):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = 5, 0o755
            archive.addfile(entry, io.BytesIO(b"words"))
    return installed


def test_without_sources_it_says_what_to_install(installed: Path) -> None:
    with pytest.raises(LoadstoneError, match="make wheel") as caught:
        sources.checkout()
    assert caught.value.slug == "image-source"
    assert sources.script("setup-lab") == "scripts/setup-lab"


@pytest.mark.parametrize("filters", [True, False])
def test_a_wheel_unpacks_its_sources_once(
    brought: Path, tmp_path: Path, filters: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not filters:  # as Python is before 3.11.4
        monkeypatch.delattr(sources.tarfile, "data_filter")
        monkeypatch.setattr(sources.tarfile.TarFile, "extractall", _as_before)
    folder = sources.checkout()
    assert folder.parent == tmp_path / "cache" / "loadstone"
    assert (folder / "crates/linux-init/Cargo.toml").read_text() == "words"
    (folder / "built").touch()
    assert sources.checkout() == folder and (folder / "built").exists()
    assert list(folder.parent.iterdir()) == [folder], "nothing half made is left"
    assert sources.script("setup-lab") == str(folder / "scripts/setup-lab")
    assert (folder / "scripts/setup-lab").stat().st_mode & 0o111


def _as_before(self: tarfile.TarFile, path: Path) -> None:
    """Without the argument that came later."""
    for member in self:
        self.extract(member, path)


def test_other_sources_have_another_folder(brought: Path) -> None:
    before = sources.checkout()
    with tarfile.open(brought / "data" / "sources.tar.gz", "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("crates"))
    assert sources.checkout() != before


def test_a_cache_that_cannot_be_written_is_named(
    brought: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(LoadstoneError, match="XDG_CACHE_HOME") as caught:
        sources.checkout()
    assert caught.value.slug == "image-source"
    assert sources.script("setup-lab") == "scripts/setup-lab"
