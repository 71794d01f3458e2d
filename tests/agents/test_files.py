"""What agents leave on a host."""

import os
import time
from pathlib import Path

from local_hosts import LocalHosts

from loadstone.measure.agent_files import install, unfit
from loadstone.measure.ssh_wire import OverSsh


def test_copies_that_nobody_uses_any_more_go(tmp_path: Path) -> None:
    hosts = LocalHosts(["one"], tmp_path)
    own = Path(install(OverSsh(hosts), "one")[1]).parent
    assert own.name.startswith("agent-") and (own / "_core.abi3.so").is_file()
    old, new, other = (own.with_name(name) for name in ("agent-old", "agent-new", "data"))
    for folder in (old, new, other):
        folder.mkdir()
        (folder / "agent.py").touch()
    long_ago = time.time() - 3 * 86_400
    for folder in (own, old, other):
        os.utime(folder, (long_ago, long_ago))
    install(OverSsh(hosts), "one")
    assert sorted(path.name for path in own.parent.iterdir()) == sorted([own.name, "agent-new", "data"])
    assert own.stat().st_mtime > long_ago, "it is in use"


def test_an_old_c_library_is_told_as_such() -> None:
    said = "/lib/libc.so.6: version `GLIBC_2.38' not found; version `GLIBC_2.4' not found"
    error = unfit("web1", said)
    assert error.slug == "agent-start" and "its C library is older than 2.38" in error.message
    assert error.hint is not None and "oldest system" in error.hint
    assert unfit("web1", "no module named x").message == "the agent does not run on `web1`: no module named x"
