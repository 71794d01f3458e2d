"""`loadstone capacity --resume`: a search that ran out of runs goes on, by the same options and no others."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

LOADSTONE = [sys.executable, "-m", "loadstone"]


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "root").mkdir()
    (tmp_path / "root/index.html").write_text("<p>hello</p>")
    serve = [*LOADSTONE, "serve", "files", str(tmp_path / "root"), "--port", "0", "--json"]
    with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["url"]
        process.send_signal(signal.SIGTERM)


def test_a_search_goes_on_where_it_ran_out_of_runs(url: str, tmp_path: Path) -> None:
    search = [
        *LOADSTONE, "capacity", "page", "--url", url, "--from", "20", "--to", "40", "--probe", "0",
        "--window", "2", "--repeats", "1", "--set", "load.ramp_up_s=0",
    ]  # fmt: skip
    folder = tmp_path / "search"

    def said(*options: object) -> str:
        done = subprocess.run([*search, *map(str, options)], capture_output=True, text=True, check=False)
        return done.stderr

    first = said("--out", folder, "--max-runs", 1)
    assert f"the same command with --resume {folder} goes on" in first
    before = json.loads((folder / "capacity.json").read_text())
    assert before["outcome"] == "max-runs" and len(before["runs"]) == 1

    assert "error[search-resume]" in said("--resume", folder, "--max-runs", 1)
    assert "--resume goes on in its own folder" in said("--resume", folder, "--out", tmp_path / "other")
    assert "holds no search" in said("--resume", tmp_path)
    other = said("--resume", folder, "--max-runs", 2, "--window", 3)
    assert "error[search-resume]" in other and "load.steady_s: 2.0 there, 3.0 now" in other
    assert json.loads((folder / "capacity.json").read_text()) == before

    assert "goes on with 1 of at most 2 runs made" in said("--resume", folder, "--max-runs", 2)
    after = json.loads((folder / "capacity.json").read_text())
    assert len(after["runs"]) == 2 and after["runs"][0] == before["runs"][0]
    assert after["time"]["took_s"] > before["time"]["took_s"]
