"""Olio on a database without room, and with a folder of uploads without room."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from full_disk import FIELDS, picture, says_that_it_is_full, small
from servers import missing
from shared_sites import Browser, load, serving

from loadstone._core import usernames

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(600),
    pytest.mark.skipif(os.geteuid() != 0, reason="a file system of its own needs root"),
]


@pytest.mark.parametrize("kind", ["postgres", "mariadb"])
def test_a_database_without_room_is_507(kind: str) -> None:
    if reason := missing():
        pytest.skip(reason)
    with small(kind) as disk:
        done = load(disk.server.url, "--replace")
        assert done.returncode == 0, done.stderr
        with serving(disk.server.url) as (url,):
            says_that_it_is_full(disk, url)


def test_a_folder_of_uploads_without_room_is_507(tmp_path: Path) -> None:
    place = tmp_path / "data"
    assert load(str(place)).returncode == 0
    uploads = place / "uploads"
    uploads.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600k", "loadstone-test", str(uploads)], check=True)
    try:
        with serving(str(place)) as (url,):
            browser, name = Browser([url]), usernames(3, 1)[0]
            browser.log_in(name, "3")
            browser.get("/users/3/edit")
            fields, first = FIELDS | {"user[username]": name}, picture()
            assert browser.upload("/users/3", fields, {"user_image": first})[0] == 200
            code, page = browser.upload("/users/3", fields, {"user_image": picture() + picture()})
            assert (code, b'data-key="error:507"' in page) == (507, True)
            assert browser.send("GET", "/media/p3.jpg")[1] == first
            assert browser.get("/users/3")[0] == 200
            assert browser.upload("/users/3", fields, {"user_image": picture()[:50_000]})[0] == 200
    finally:
        subprocess.run(["umount", "--lazy", str(uploads)], check=True)
