"""The crates' own suites on real database servers: the store's, and every test of the site."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from servers import Server

ROOT = Path(__file__).parents[2]
COMPILER = "1.95"
"""Whose words `crates/store/tests/misuse/*.stderr` are."""
FEATURES = "loadstone-store/postgres,loadstone-store/mariadb"


def _cargo(variables: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        ["cargo", "test", "--quiet", *arguments],
        cwd=ROOT,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.long
def test_the_store_keeps_its_promises_on_every_database(database_servers: dict[str, Server]) -> None:
    urls = " ".join(server.url for server in database_servers.values())
    told = _cargo(
        {"LOADSTONE_TEST_DATABASES": urls},
        *("-p", "loadstone-store", "--features", "postgres,mariadb", "--test", "servers"),
        *("--", "--ignored"),
    )
    assert "0 ignored" in told and " 0 passed" not in told


@pytest.mark.long
def test_tls_only_servers_are_believed_or_refused_by_their_certificates(
    database_servers: dict[str, Server], secure_servers: tuple[dict[str, Server], Path]
) -> None:
    secure, folder = secure_servers
    words = [*(server.url for server in secure.values()), str(folder)]
    urls = " ".join(server.url for server in database_servers.values())
    told = _cargo(
        {"LOADSTONE_TEST_DATABASES": urls, "LOADSTONE_TEST_SECURE": " ".join(words)},
        *("-p", "loadstone-store", "--features", "postgres,mariadb", "--test", "secure"),
        *("--", "--ignored"),
    )
    assert "6 passed" in told and "0 ignored" in told


@pytest.mark.long
def test_misuse_of_entities_does_not_compile() -> None:
    compiler = subprocess.run(
        ["rustc", "--version"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    if not compiler.startswith(f"rustc {COMPILER}."):
        pytest.skip(f"the messages were written by rustc {COMPILER}, this is {compiler.strip()}")
    told = _cargo({}, "-p", "loadstone-store", "--test", "misuse", "--", "--ignored")
    assert "test result: ok. 1 passed" in told


@pytest.mark.long
def test_entities_are_the_same_on_every_database(database_servers: dict[str, Server]) -> None:
    urls = " ".join(server.url for server in database_servers.values())
    told = _cargo(
        {"LOADSTONE_TEST_DATABASES": urls},
        *("-p", "loadstone-store", "--features", "postgres,mariadb", "--test", "entities"),
    )
    assert "test result: ok" in told and "0 ignored" in told and " 0 passed" not in told


@pytest.mark.long
@pytest.mark.parametrize("name", ["postgres", "mariadb"])
def test_the_site_behaves_the_same(database_servers: dict[str, Server], name: str) -> None:
    told = _cargo(
        {"LOADSTONE_TEST_DATABASE": database_servers[name].url},
        *("-p", "loadstone-olio", "--features", FEATURES, "--test", "site"),
    )
    assert "test result: ok" in told
