"""The second example, against the third-party application that it is about: nothing is wired to Olio."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadstone.errors import VERDICTS

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"

pytestmark = pytest.mark.long


@pytest.fixture
def datasette(tmp_path: Path) -> Iterator[str]:
    """The URL of a Datasette with the example's catalogue."""
    library = tmp_path / "library.db"
    subprocess.run([sys.executable, EXAMPLES / "datasette_data.py", library], check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "datasette", "serve", library, "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            said = []
            while not said or "running on" not in said[-1]:
                said.append(process.stderr.readline())
                assert said[-1], "".join(said)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def test_people_browse_a_catalogue(datasette: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "loadstone", "run", "datasette.toml", "--url", datasette, "--json"]
    load = ["--users", "5", "--window", "20", "--set", "load.ramp_up_s=2", "--set", "load.ramp_down_s=1"]
    done = subprocess.run(
        [*command, *load, "--out", tmp_path / "run"],
        cwd=EXAMPLES,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode in VERDICTS, done.stderr  # how fast the machine is, is not the question
    result = json.loads(done.stdout)
    assert result["failures"] == []
    assert result["outcome"] == "complete"
    operations = result["operations"]
    assert set(operations) == {"Start", "Table", "NextPage", "Search", "Book", "Api"}
    assert all(not sum(operation["failed"].values()) for operation in operations.values())
    assert operations["Table"]["ok"] > 0
    assert operations["Book"]["counters"]["requests"] >= operations["Book"]["ok"] > 0
    assert operations["Start"]["counters"]["cached_full"] > 0
