"""`loadstone rubis load` and `loadstone serve rubis`: a data set, its site, and what is refused."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

from loadstone.site.rubis import RUBIS, RubisData


def loadstone(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line."""
    command = [sys.executable, "-m", "loadstone", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_what_is_loaded_is_served(tmp_path: Path) -> None:
    folder = str(tmp_path / "data")
    done = loadstone("rubis", "load", "--scale", "0.001", "--out", folder, "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert (rows["users"], rows["items"], rows["old_items"], rows["comments"]) == (1000, 33, 500, 533)
    again = loadstone("rubis", "load", "--out", folder)
    assert again.returncode == 2 and "error[" in again.stderr
    command = [sys.executable, "-m", "loadstone", "serve", "rubis", "--data", folder, "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = json.loads(process.stdout.readline())["url"].rstrip("/")
            with urllib.request.urlopen(url + "/items/501", timeout=60) as answer:
                assert b'data-page="ViewItem"' in answer.read()
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    database = "postgres://u:p@127.0.0.1:1/x"
    for arguments, words in [
        (("rubis", "load", "--database", "redis://x"), "is not a database"),
        (("rubis", "load", "--out", "x", "--database", database), "either --out or --database"),
        (("rubis", "load", "--base-day", "2008-02-30", "--out", str(tmp_path / "d")), "no day `2008-02-30`"),
        (("serve", "rubis", "--data", str(tmp_path)), "holds no data set"),
    ]:
        done = loadstone(*arguments)
        assert done.returncode == 2 and words in done.stderr, done.stderr


def test_the_scenario_says_what_to_load() -> None:
    data = {"scale": 0.1, "seed": 3, "today": "2009-01-01", "table": 1}
    assert RubisData(**RUBIS.given(data, {})) == RubisData(scale=0.1, base_day="2009-01-01", seed=3)
