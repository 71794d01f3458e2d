"""One lab for each module of tests."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import lab_sites
import pytest
from labs import lab

_PROGRAMS = ("nginx", "haproxy", "memcached", "apache2", "varnishd", "caddy", "mariadbd", "nft")


@pytest.fixture(scope="session", autouse=True)
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Generated secrets of tests are not among the user's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="module")
def lab_file(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Path]:
    """The topology file of a lab that is up: `lb`, `web1`, `web2`, or the module's own `HOSTS`."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    if missing := [name for name in _PROGRAMS if not shutil.which(name, path=path)]:
        pytest.skip(f"not installed: {', '.join(missing)}; scripts/setup-servers installs it")
    name = f"t-{request.module.__name__.rpartition('.')[2].removeprefix('test_').replace('_', '-')}"
    hosts = getattr(request.module, "HOSTS", lab_sites.HOSTS)
    with lab(tmp_path_factory.mktemp("lab"), name, hosts) as path:
        yield path
