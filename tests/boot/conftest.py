"""An image of a small folder, built once."""

from __future__ import annotations

import os

import pytest
from folder_image import LARGE, Served

from loadstone.image.build import build


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    """The image `files` with a page, a style sheet, a compressed twin and a large file."""
    folder = tmp_path_factory.mktemp("folder")
    (folder / "index.html").write_text("<!doctype html><title>été</title><p>hello")
    (folder / "deep").mkdir()
    (folder / "deep/style.css").write_text("p { color: red }\n" * 200)
    (folder / "deep/style.css.gz").write_bytes(b"not really compressed")
    (folder / "large.bin").write_bytes(LARGE)
    (folder / ".hidden").write_text("secret")
    # Long ago: what has just changed has a weak tag in a process, which looks again.
    for path in folder.rglob("*"):
        os.utime(path, ns=(10**18, 10**18))
    return Served(build("files", tmp_path_factory.mktemp("image") / "files.elf", folder), folder)
