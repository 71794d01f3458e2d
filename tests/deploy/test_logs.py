"""Logs are kept small where they are written, and fetched in pieces: from this machine, without ssh."""

import contextlib
import json
import os
import resource
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadstone.deploy import Site, SiteError, collect_logs, load_site, remote
from loadstone.deploy.host import home, logs
from loadstone.deploy.host.home import Home
from loadstone.ssh import Ssh

SITE = """
format = 1
name = "t-logs"
[[host]]
name = "web1"
[[host]]
name = "web2"
[[service]]
name = "web"
role = "nginx"
hosts = ["web1", "web2"]
"""
SMALL_BYTES = 96 << 20
"""Memory of the helper: less than the log is long."""


class Here(Ssh):
    """Hosts that are folders of this machine: `ROOT` of the host's program is one below `root`."""

    def __init__(self, root: Path) -> None:
        super().__init__(Path("/dev/null"), {"web1": "web1", "web2": "web2"}, root, topology="t-logs")
        self.root = root
        self.together = threading.Barrier(2, timeout=60)

    def start(self, host: str, command: object) -> "subprocess.Popen[bytes]":
        # Both hosts are asked before either is answered.
        self.together.wait()
        words = [str(word) for word in command]  # type: ignore[attr-defined]
        boot = next(number for number, word in enumerate(words) if word.startswith("\nimport json"))
        root = f"    if name == 'home': module.ROOT = module.Path({str(self.root / host)!r})\n"
        words[boot] = (
            words[boot]
            .replace("module.main()", "")
            .replace("module.__dict__)\n", f"module.__dict__)\n{root}")
            + "module.main()\n"
        )
        return subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (SMALL_BYTES, SMALL_BYTES)),
        )  # fmt: skip


@pytest.fixture
def site(tmp_path: Path) -> Site:
    file = tmp_path / "site.toml"
    file.write_text(SITE)
    return load_site(file)


@pytest.fixture
def hosts(tmp_path: Path) -> Here:
    for host in ("web1", "web2"):
        log = tmp_path / host / "web" / "log"
        log.mkdir(parents=True)
        (log / "service.log").write_text("first line\nsecond line\n")
        (log / "empty.log").touch()
    return Here(tmp_path)


def test_logs_come_from_all_hosts_at_once_and_whole(site: Site, hosts: Here, tmp_path: Path) -> None:
    files = collect_logs(site, hosts, tmp_path / "run", most=1 << 20)
    names = [str(path.relative_to(tmp_path / "run" / "logs")) for path in files]
    assert names == [f"{host}/web/{name}.log" for host in ("web1", "web2") for name in ("empty", "service")]
    assert files[1].read_text() == "first line\nsecond line\n" and files[0].read_bytes() == b""


def test_of_a_long_log_the_newest_part_is_fetched_without_its_size_in_memory(
    site: Site, hosts: Here, tmp_path: Path
) -> None:
    line = b"x" * 99 + b"\n"
    with (hosts.root / "web1" / "web" / "log" / "access.log").open("wb") as log:
        log.truncate(300 << 20)  # what is in front takes no room on the disk
        log.seek(300 << 20)
        log.writelines([line] * 30_000)
    told: list[str] = []
    files = collect_logs(site, hosts, tmp_path / "run", told.append, most=2 << 20)
    (access,) = [path for path in files if path.name == "access.log"]
    text = access.read_bytes()
    assert text == line * (len(text) // 100) and (2 << 20) - 100 <= len(text) <= 2 << 20
    assert told == ["web on web1: access.log: the last 2 MiB of 302.9 MiB were fetched"]


@pytest.mark.parametrize(
    "dies, slug, sentence",
    [
        ("os.kill(os.getpid(), 9)", "helper-killed", "logs: our program was killed by signal 9"),
        ("raise SystemExit(0)", "logs-cut", "the logs end in the middle"),
    ],
)
def test_a_helper_that_was_killed_is_told_with_a_code(
    site: Site,
    hosts: Here,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    dies: str,
    slug: str,
    sentence: str,
) -> None:
    killed = hosts.root / "web2" / "web" / "log" / "access.log"
    killed.write_bytes(os.urandom(3 << 20))
    program = json.loads(remote.program())
    before = "            while left > 0 and (piece"
    at = program["logs"].replace(before, f"            if size > 1 << 21:\n                {dies}\n{before}")
    assert at != program["logs"]
    text = json.dumps(program | {"logs": at})
    monkeypatch.setattr(remote, "program", lambda: text)
    with pytest.raises(SiteError) as failed:
        collect_logs(site, hosts, tmp_path / "run")
    assert (failed.value.slugs, failed.value.exit_code) == ([slug], 3)
    assert f"`web` on `web2`: {sentence}" in str(failed.value)
    assert (tmp_path / "run/logs/web1/web/service.log").read_text() == "first line\nsecond line\n"


def test_names_that_lead_elsewhere_are_not_believed(tmp_path: Path) -> None:
    from loadstone.deploy.fetching import _inside

    assert _inside(tmp_path, "a/b.log") == tmp_path / "a/b.log"
    for name in ("../x", "/etc/passwd", "a/../../x"):
        with pytest.raises(ValueError, match="no name of a log"):
            _inside(tmp_path, name)


@pytest.fixture
def growing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    monkeypatch.setattr(home, "ROOT", tmp_path)
    monkeypatch.setattr(logs, "LARGEST", 1 << 16)
    monkeypatch.setattr(logs, "_KEEPER", logs._KEEPER.replace("sleep 10", "sleep 0.1"))
    there = Home("words")
    there.log.mkdir(parents=True)
    yield there
    logs.let_grow(there)


def test_a_log_that_grows_begins_anew_and_its_older_part_stays(growing: Home) -> None:
    logs.keep_small(growing, [])
    path = growing.log / "service.log"
    deadline = time.monotonic() + 60
    with path.open("ab") as log:  # as a program that keeps it open
        while not (growing.log / "service.log.1").exists():
            log.write(b"y" * 10_000 + b"\n")
            log.flush()
            time.sleep(0.01)
            assert time.monotonic() < deadline
        while path.stat().st_size > 1 << 16:
            time.sleep(0.01)
            assert time.monotonic() < deadline
        log.write(b"afterwards\n")
    assert path.read_bytes().endswith(b"afterwards\n")
    assert (growing.log / "service.log.1").stat().st_size > 1 << 16
    pid = int((growing.path / "keeper").read_text())
    logs.let_grow(growing)
    with pytest.raises(ProcessLookupError):
        while True:
            os.killpg(pid, 0)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)  # ours, where a host's would be nobody's
    assert not (growing.path / "keeper").exists()


def test_the_end_of_a_log_is_read_without_the_rest(growing: Home) -> None:
    with (growing.log / "service.log").open("wb") as log:
        log.truncate(1 << 30)
        log.seek(1 << 30)
        log.write(b"\n" + b"".join(b"line %d\n" % number for number in range(20)))
    assert logs.tail(growing) == [f"line {number}" for number in range(5, 20)]
