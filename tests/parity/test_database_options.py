"""What `--database` refuses before anything starts; no server is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest
from shared_sites import load

NOBODY = "postgres://olio:s3cret@127.0.0.1:1/olio"


def _serve(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "loadstone", "serve", "olio", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize(
    ("done", "code", "words"),
    [
        (lambda: load("oracle://x@y/z"), 2, ["data-options", "is not a database", "postgres://"]),
        (lambda: load(NOBODY, "--out", "x"), 2, ["data-options", "either --out or --database"]),
        (lambda: load("never-made", "--replace"), 2, ["data-options", "--replace is for --database"]),
        (lambda: load(NOBODY), 4, ["load-data", "postgres://olio@127.0.0.1:1/olio", "refused"]),
        (lambda: load("mysql://olio:s3cret@127.0.0.1"), 4, ["load-data", "no database; wanted scheme://"]),
        (lambda: _serve("--database", "olio.db"), 2, ["serve-options", "is not a database"]),
        (lambda: _serve("--database", NOBODY, "--data", "x"), 2, ["serve-options", "either --data"]),
        (lambda: _serve("--database", NOBODY), 4, ["sut-start", "127.0.0.1:1/olio", "refused"]),
    ],
)
def test_a_wrong_database_is_refused_without_telling_the_password(
    done: object, code: int, words: list[str]
) -> None:
    assert callable(done)
    answer = done()
    assert answer.returncode == code, answer.stderr
    told = " ".join(answer.stderr.split())
    assert all(word in told for word in words), told
    assert "s3cret" not in answer.stderr + answer.stdout
