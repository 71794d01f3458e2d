"""Commands on real lab hosts over connections that stay open, and what is said when that cannot be."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from labs import described

from loadstone.errors import LoadstoneError
from loadstone.lab.topology import load_topology
from loadstone.ssh import Ssh, ssh


def kill_host(name: str) -> None:
    (host,) = [host for host in described("t-ssh")["hosts"] if host["name"] == name]
    os.kill(host["pid"], signal.SIGKILL)


def refused(hosts: Ssh, host: str) -> LoadstoneError:
    with pytest.raises(LoadstoneError) as error:
        hosts.run(host, ["true"])
    return error.value


@contextmanager
def put(path: Path, text: str) -> Iterator[None]:
    """Another text in a file of the lab, for a while."""
    before = path.read_text()
    path.write_text(text)
    try:
        yield
    finally:
        path.write_text(before)


def test_commands_run_on_open_connections(topology: Path) -> None:
    with ssh(load_topology(topology)) as hosts:
        assert hosts.hosts == ["one", "small"]
        assert hosts.check() == {}
        answer = hosts.run("one", ["sh", "-c", "cat; hostname >&2; exit 3"], send="a 'word' $HOME\n")
        assert (answer.code, answer.out, answer.err) == (3, "a 'word' $HOME\n", "one\n")
        assert answer.words == "one"
        # All through one connection: sshd sees one login.
        logins = hosts.run("one", "pgrep -cf 'sshd: root@'").out.strip()
        assert logins == "1"
        kept = next(word for word in hosts.options("one") if word.startswith("ControlPath="))
        folder = Path(kept.removeprefix("ControlPath=")).parent
        assert any(folder.iterdir())
        assert hosts.as_root("one") == []
    assert not folder.exists()


def test_blocks_within_each_other_share_the_connections(topology: Path) -> None:
    with ssh(load_topology(topology)) as hosts:
        with ssh(load_topology(topology)) as inner:
            assert inner is hosts and inner.run("one", ["true"]).code == 0
        # The end of the inner block closes nothing: sshd still sees one login.
        assert hosts.run("one", "pgrep -cf 'sshd: root@'").out.strip() == "1"
    with ssh(load_topology(topology)) as later:
        assert later is not hosts


def test_another_user_becomes_root(tmp_path: Path) -> None:
    hosts = Ssh(tmp_path / "config", {"db": "db.example"}, tmp_path, {"db": "admin"})
    assert hosts.as_root("db") == ["sudo", "-n"]


def test_a_started_command_takes_input_while_it_runs(topology: Path) -> None:
    with ssh(load_topology(topology)) as hosts:
        process = hosts.start("one", ["cat"])
        assert process.stdin and process.stdout
        for word in (b"first\n", b"second\n"):
            process.stdin.write(word)
            process.stdin.flush()
            assert process.stdout.readline() == word
        process.stdin.close()
        assert process.wait(60) == 0


def test_a_file_is_replaced_whole_or_not_at_all(topology: Path) -> None:
    with ssh(load_topology(topology)) as hosts:
        hosts.write("small", "/srv/with space/file", b"\0old\n", mode=0o600)
        assert hosts.run("small", "stat -c '%a %s' '/srv/with space/file'").out == "600 5\n"
        with pytest.raises(LoadstoneError) as full:
            hosts.write("small", "/srv/with space/file", bytes(32 << 20))
        assert full.value.slug == "host-write" and full.value.exit_code == 3
        assert "/srv/with space/file on `small`" in str(full.value)
        assert "No space left on device" in str(full.value)
        assert hosts.run("small", "ls '/srv/with space'; wc -c <'/srv/with space/file'").out == "file\n5\n"


def test_a_wrong_key_is_told_as_such(topology: Path, tmp_path: Path) -> None:
    key = Path("/run/loadstone/t-ssh/id_ed25519")
    other = tmp_path / "other"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(other)], check=True)
    with put(key, other.read_text()), ssh(load_topology(topology)) as hosts:
        error = refused(hosts, "one")
        assert (error.slug, error.exit_code) == ("host-refused", 3)
        assert "`one`" in str(error) and "Permission denied" in str(error)
        assert set(hosts.check()) == {"one", "small"}


def test_a_host_that_is_another_than_before_is_refused(topology: Path) -> None:
    known = Path("/run/loadstone/t-ssh/known_hosts")
    one, small = known.read_text().splitlines()
    swapped = [f"{one.split()[0]} {small.split(maxsplit=1)[1]}", small]
    with put(known, "\n".join(swapped) + "\n"), ssh(load_topology(topology)) as hosts:
        assert refused(hosts, "one").slug == "host-refused"
        assert hosts.run("small", ["true"]).code == 0


def test_a_command_that_does_not_end_is_left(topology: Path) -> None:
    with ssh(load_topology(topology)) as hosts, pytest.raises(LoadstoneError) as error:
        hosts.run("one", ["sleep", "600"], timeout_s=0.5)
    assert error.value.slug == "host-unreachable" and "within 0.5 s" in str(error.value)


def test_only_a_lab_that_is_up_can_be_reached(tmp_path: Path) -> None:
    path = tmp_path / "other.toml"
    path.write_text('format = 1\nname = "t-ssh-other"\n[[host]]\nname = "one"\n')
    with pytest.raises(LoadstoneError) as error, ssh(load_topology(path)):
        pass
    assert error.value.slug == "lab-missing"


@pytest.mark.long  # ssh needs half a minute to give a host up; it is the last test because it kills one
def test_a_host_that_is_gone_is_told_from_the_others(topology: Path) -> None:
    with ssh(load_topology(topology)) as hosts:
        assert hosts.check() == {}
        kill_host("one")
        error = refused(hosts, "one")
        assert (error.slug, error.exit_code) == ("host-unreachable", 3)
        assert "`one` (198." in str(error)
        assert list(hosts.check()) == ["one"]
        assert hosts.run("small", ["hostname"]).out == "small\n"
    # Nor does it keep a later command from the others.
    with ssh(load_topology(topology)) as hosts:
        assert [error.slug for error in hosts.check().values()] == ["host-unreachable"]
