"""A port that something else listens at is refused before anything is made."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from loadstone.errors import LoadstoneError
from loadstone.site.listen import not_taken

LOADSTONE = Path(sys.executable).parent / "loadstone"


@pytest.mark.parametrize(("family", "host"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")])
def test_a_port_is_taken_while_something_listens(family: int, host: str) -> None:
    with socket.create_server((host, 0), family=family) as other:
        port = other.getsockname()[1]
        with pytest.raises(LoadstoneError) as refused:
            not_taken(host, port)
        assert refused.value.slug == "sut-start" and str(port) in str(refused.value)
    not_taken(host, port)


def test_a_site_is_refused_before_its_data_are_made() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        # More than a machine loads before the test's time is over.
        command = [LOADSTONE, "serve", "olio", "--port", port, "--accounts", "1000000"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 4 and done.stderr.startswith("error[sut-start]: cannot listen at 127.0.0.1:")
    assert "--port 0 takes a free one" in done.stderr
