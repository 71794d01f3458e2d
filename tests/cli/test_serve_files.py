"""`loadstone serve files`: a folder's files at an address, until told to stop."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

SERVE = [sys.executable, "-m", "loadstone", "serve", "files"]


@pytest.mark.parametrize("connector", ["hybrid", "threaded", "event"])
def test_it_serves_until_told_to_stop(connector: str, tmp_path: Path) -> None:
    content = bytes(range(256)) * 1000
    (tmp_path / "a b.css").write_bytes(content)
    (tmp_path / ".hidden").write_bytes(content)
    command = [*SERVE, str(tmp_path), "--port", "0", "--connector", connector, "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = json.loads(process.stdout.readline())["url"]
            with urllib.request.urlopen(url + "/a%20b.css", timeout=60) as answer:
                assert answer.headers["Content-Type"] == "text/css; charset=utf-8"
                assert answer.read() == content
            part = urllib.request.Request(url + "/a%20b.css", headers={"Range": "bytes=250-259"})
            with urllib.request.urlopen(part, timeout=60) as answer:
                assert (answer.status, answer.read()) == (206, content[250:260])
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(url + "/.hidden", timeout=60)
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    refused = subprocess.run([*SERVE, str(tmp_path / "none")], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "error[serve-options]" in refused.stderr and "is not a folder" in refused.stderr
