"""A stack as the product runs it: any program that keeps to the contract."""

from __future__ import annotations

import os
import socket
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from served_page import until

from loadstone.errors import LoadstoneError
from loadstone.site.stack import running as module
from loadstone.site.stack.running import Wanted, database_of, prepared, running, set_up

DATA = {"profile": "olio-0.2", "media_scale": 0.01}
SERVES = '#!/bin/sh\ncd "$OLIO_FILES" && exec python3 -m http.server "$OLIO_PORT" --bind "$OLIO_ADDRESS"\n'


@pytest.fixture(autouse=True)
def stacks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A folder of stacks with one in it, `toy`."""
    monkeypatch.setattr(module, "FOLDER", tmp_path / "stacks")
    monkeypatch.setattr(module, "checkout", lambda: tmp_path)
    write(tmp_path / "stacks", "setup", '#!/bin/sh\necho built >"$1/it"\n')
    write(tmp_path / "stacks", "start", SERVES)
    yield tmp_path / "stacks"


def write(stacks: Path, name: str, text: str) -> None:
    file = stacks / "toy" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(0o755)


def test_a_stack_that_cannot_be_built_here_is_told_of(tmp_path: Path) -> None:
    # As on a host of a lab, which may only read what was built.
    (tmp_path / "target").write_text("no folder")
    with pytest.raises(LoadstoneError) as refused:
        set_up("toy")
    assert refused.value.slug == "stack-setup" and "`toy` is not built" in str(refused.value)
    assert refused.value.hint == "run scripts/setup-stacks toy"


def test_files_are_dated_by_their_content() -> None:
    def dates(files: Path) -> dict[str, float]:
        return {path.name: path.stat().st_mtime for path in files.rglob("*") if path.is_file()}

    with prepared(DATA) as (one, _), prepared(DATA) as (other, _):
        first = dates(one)
        assert first == dates(other) and len(set(first.values())) > 10
        assert max(first.values()) < 1_224_633_600 + 366 * 86_400


def test_it_is_set_up_started_and_leaves_nothing(tmp_path: Path, stacks: Path) -> None:
    # Whatever a `start` forgets, the end of the block does not.
    write(stacks, "start", SERVES.replace("cd ", "sleep 600 & cd ", 1))
    with prepared(DATA) as (files, state):
        assert sorted(path.name for path in (files / "media").iterdir()) == [
            "e.jpg", "el.pdf", "et.jpg", "p.jpg", "pt.jpg",
        ]  # fmt: skip
        assert sum(path.stat().st_size for path in (files / "static").iterdir()) == 268_394
        with running(Wanted("toy", "sqlite:///x", files, state)) as one:
            with urllib.request.urlopen(f"{one.url}/static/brand.png", timeout=60) as answer:
                assert answer.read() == (files / "static/brand.png").read_bytes()
            session = one.process.pid
        until(lambda: not [one for one in psutil.process_iter() if is_of(one, session)])
    assert (tmp_path / "target/stacks/toy/it").read_text() == "built\n"
    assert not files.exists() and not state.exists()


def is_of(process: psutil.Process, session: int) -> bool:
    """Whether a process lives and is of that session."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE and os.getsid(process.pid) == session
    except (ProcessLookupError, psutil.NoSuchProcess):
        return False


def test_it_is_set_up_again_when_its_files_change(tmp_path: Path, stacks: Path) -> None:
    write(stacks, "setup", '#!/bin/sh\necho built >>"$1/it"\n')
    for _ in range(2):
        set_up("toy")
    write(stacks, "page", "new")
    set_up("toy")
    assert (tmp_path / "target/stacks/toy/it").read_text() == "built\nbuilt\n"


def test_what_its_setup_says_is_shown(stacks: Path) -> None:
    write(stacks, "setup", "#!/bin/sh\necho no such package >&2\nexit 3\n")
    with prepared(DATA) as (files, state):
        wanted = Wanted("toy", "sqlite:///x", files, state)
        with pytest.raises(LoadstoneError) as refused, running(wanted):
            pass
    assert "error[stack-setup]" in str(refused.value) and "no such package" in str(refused.value)


def test_one_that_ends_is_told(stacks: Path) -> None:
    write(stacks, "start", "#!/bin/sh\nexit 2\n")
    with prepared(DATA) as (files, state):
        wanted = Wanted("toy", "sqlite:///x", files, state)
        with pytest.raises(LoadstoneError) as refused, running(wanted):
            pass
    assert "error[sut-start]" in str(refused.value) and "with 2" in str(refused.value)


def test_a_port_that_something_else_listens_at_is_refused(stacks: Path) -> None:
    # What answers there would be measured in the stack's place.
    write(stacks, "start", "#!/bin/sh\nsleep 600\n")
    with socket.socket() as other, prepared(DATA) as (files, state):
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        wanted = Wanted("toy", "sqlite:///x", files, state, port=port)
        with pytest.raises(LoadstoneError) as refused, running(wanted):
            pass
    assert f"cannot listen at 127.0.0.1:{port}" in str(refused.value) and "--port 0" in str(refused.value)
    assert not (stacks.parent / "target/stacks/toy").exists(), "it is refused before it is set up"


def test_pictures_of_each_row_are_refused() -> None:
    with (
        pytest.raises(LoadstoneError) as refused,
        prepared({"profile": "loadstone-2026", "media_scale": 1.0}),
    ):
        pass
    assert "olio-0.2" in str(refused.value)


def test_a_folder_is_sqlites(tmp_path: Path) -> None:
    assert database_of(str(tmp_path)) == f"sqlite://{tmp_path}/olio.db"
    assert database_of("postgres://a@b/c") == "postgres://a@b/c"
