"""`loadstone serve … --compress`: pages leave compressed for those who take them so."""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path


def test_pages_are_compressed_for_those_who_take_them_so(tmp_path: Path) -> None:
    page = b"<p>to be or not to be</p>" * 200
    (tmp_path / "page.html").write_bytes(page)
    command = [sys.executable, "-m", "loadstone", "serve", "files", str(tmp_path)]
    options = ["--port", "0", "--compress", "6", "--json"]
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = json.loads(process.stdout.readline())["url"] + "/page.html"
            asking = urllib.request.Request(url, headers={"Accept-Encoding": "gzip"})
            with urllib.request.urlopen(asking, timeout=60) as answer:
                assert answer.headers["Content-Encoding"] == "gzip"
                packed = answer.read()
            assert gzip.decompress(packed) == page and len(packed) < len(page) / 10
            with urllib.request.urlopen(url, timeout=60) as answer:
                assert answer.headers["Content-Encoding"] is None and answer.read() == page
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
