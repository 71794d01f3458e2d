"""Certificates of servers that tests start."""

from __future__ import annotations

import subprocess
from pathlib import Path


def make_certificate(folder: Path) -> None:
    """A new certificate for 127.0.0.1 at `cert.pem` with its key at `key.pem`."""
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=test"
    command += f" -addext subjectAltName=IP:127.0.0.1 -keyout {folder}/key.pem -out {folder}/cert.pem"
    subprocess.run(command.split(), check=True, capture_output=True)
