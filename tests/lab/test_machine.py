"""What a lab asks of the machine, against machines of other kinds than this one."""

import ipaddress
import os
import shutil
from pathlib import Path

import pytest

from loadstone.errors import LoadstoneError
from loadstone.lab import bring_up, cgroups, keys, layout, links, take_down
from loadstone.lab.folder import Folder, HostRecord, Record, locked
from loadstone.lab.model import Direction, Link
from loadstone.lab.topology import Topology, load_topology

ONE = 'format = 1\nname = "t-machine"\n[[host]]\nname = "one"\n'


def topology(tmp_path: Path, text: str = ONE) -> Topology:
    path = tmp_path / "t.toml"
    path.write_text(text)
    return load_topology(path)


def refused(tmp_path: Path, text: str = ONE) -> str:
    with pytest.raises(LoadstoneError) as error:
        bring_up.up(topology(tmp_path, text), lambda step: None)
    assert error.value.slug == "lab-unsupported"
    assert not Folder("t-machine").path.exists()
    return str(error.value)


def test_without_root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "needs root" in refused(tmp_path)


def test_without_programs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(bring_up, "_TOOLS", ["sh", "no-such-program"])
    message = refused(tmp_path)
    assert "not installed: no-such-program" in message and "scripts/setup-lab" in message


def test_without_the_congestion_control(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(bring_up, "_TOOLS", ["sh"])
    message = refused(tmp_path, ONE.replace("[[", 'network.congestion_control = "vegan"\n[['))
    assert "no congestion control `vegan`" in message


def test_groups_of_version_1(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mounts = [(1, tmp_path / "cpu", {"rw", "cpu"}), (1, tmp_path / "memory", {"rw", "memory"})]
    monkeypatch.setattr(cgroups, "_mounts", lambda text: mounts)
    for controller, files in (("cpu", ["cpu.cfs_quota_us"]), ("memory", ["memory.limit_in_bytes"])):
        group = tmp_path / controller / "loadstone.x" / "web1"
        group.mkdir(parents=True)
        for file in files:
            (group / file).write_text("-1")
    (tmp_path / "cpu/loadstone.x/cpu.shares").write_text("1024")
    entries = cgroups.limit("x", "web1", 0.5, 64)
    assert entries == [tmp_path / each / "loadstone.x/web1/cgroup.procs" for each in ("cpu", "memory")]
    assert (tmp_path / "cpu/loadstone.x/web1/cpu.cfs_quota_us").read_text() == "50000"
    assert (tmp_path / "memory/loadstone.x/web1/memory.limit_in_bytes").read_text() == str(64 << 20)
    assert not (tmp_path / "cpu/loadstone.x/web1/cpu.max").exists()
    assert (tmp_path / "cpu/loadstone.x/cpu.shares").read_text() == "16384", "the lab's, of all its hosts"
    assert not (tmp_path / "cpu/loadstone.x/web1/cpu.shares").exists()
    assert cgroups.limit("x", "web2", None, None) == [tmp_path / "cpu/loadstone.x/web2/cgroup.procs"]


def test_without_groups_only_a_quota_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "_mounts", lambda text: [])
    assert cgroups.limit("x", "web1", None, None) == []
    with pytest.raises(cgroups.QuotaError, match="no such cgroup controller"):
        cgroups.limit("x", "web1", 0.5, None)


def test_groups_of_version_2(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cgroups, "_mounts", lambda text: [(2, tmp_path, {"cpu", "memory"})])
    group = tmp_path / "loadstone.x" / "web1"
    group.mkdir(parents=True)
    for file in ("cpu.max", "memory.max"):
        (group / file).write_text("max")
    (group.parent / "cpu.weight").write_text("100")
    assert cgroups.limit("x", "web1", 1.5, 64) == [group / "cgroup.procs"]
    assert (group / "cpu.max").read_text() == "150000 100000"
    assert (group / "memory.max").read_text() == str(64 << 20)
    assert (group.parent / "cpu.weight").read_text() == "1600"
    for above in (tmp_path, group.parent):
        assert (above / "cgroup.subtree_control").exists(), "the controller is passed on"
    assert cgroups.left("x") == [group.parent]

    assert cgroups.counted("x", "web1") is None
    (group / "cpu.stat").write_text("nr_periods 0")
    assert cgroups.counted("x", "web1") == group


def test_without_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "_mounts", lambda text: [])
    with pytest.raises(cgroups.QuotaError, match="no such cgroup controller"):
        cgroups.limit("x", "web1", 1.0, None)
    assert cgroups.limit("x", "web1", None, None) == []


def test_removing_groups_takes_all_of_the_lab_and_no_other(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(cgroups, "_mounts", lambda text: [(1, tmp_path, {"cpu"})])
    for group in ("loadstone.x/web1", "loadstone.x/web2", "loadstone.x-y/web1"):
        (tmp_path / group).mkdir(parents=True)
    cgroups.remove("x")
    assert [path.name for path in tmp_path.iterdir()] == ["loadstone.x-y"]


@pytest.mark.parametrize(
    ("link", "with_netem", "without"),
    [
        (Link(), "veth", "veth"),
        (Link(delay_ms=1.0), "netem", "switch"),
        (Link(loss=0.1, rate_mbit=10.0), "netem", "switch"),
        (Link(up=Direction(delay_ms=1.0)), "netem", "switch"),
        (Link(delay_ms=9.0, jitter_ms=1.0), "switch", "switch"),
        (Link(rate_mbit=10.0, burst_kib=8.0), "switch", "switch"),
        (Link(rate_mbit=10.0, down=Direction(cross_mbit=5.0)), "switch", "switch"),
    ],
)
def test_who_carries_a_link(link: Link, with_netem: str, without: str) -> None:
    assert links.carrier(link, netem=True) == with_netem
    assert links.carrier(link, netem=False) == without


def test_a_layout_gives_every_host_its_own_address(tmp_path: Path) -> None:
    text = 'format = 1\nname = "t-machine"\nnetwork.subnet = "10.9.8.0/24"\n' + "".join(
        f'[[host]]\nname = "h{number}"\n' + ('address = "10.9.8.12"\n' if number == 5 else "")
        for number in range(150)
    )
    record = layout.lay_out(topology(tmp_path, text), "", [])
    addresses = [ipaddress.IPv4Address(host.address) for host in record.hosts]
    assert len(set(addresses)) == 150
    assert all(address in ipaddress.IPv4Network("10.9.8.0/24") for address in addresses)
    assert record.gateway not in map(str, addresses) and str(addresses[5]) == "10.9.8.12"


def test_subnets_run_out() -> None:
    pool = list(ipaddress.IPv4Network("198.18.0.0/15").subnets(new_prefix=24))
    free = pool.pop(77)
    assert layout.choose_subnet("any", pool) == free
    with pytest.raises(LoadstoneError, match="no subnet"):
        layout.choose_subnet("any", [*pool, free])


def test_a_device_name_fits() -> None:
    assert len(layout.door("a-very-long-name-of-a-laboratory")) <= 15
    assert layout.door("a") != layout.door("b")


def test_a_broken_record_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = Folder("x")
    folder.path = tmp_path
    host = HostRecord("one", "host", "10.0.0.11", "plain", "veth")
    record = Record("x", "x.toml", "0", "10.0.0.0/24", "10.0.0.1", "", [host])
    folder.write(record)
    assert folder.read() == record
    (tmp_path / "lab.json").write_text('{"name": "x"')
    assert folder.read() is None


def test_a_lock_on_a_removed_folder_is_taken_anew(tmp_path: Path) -> None:
    path = tmp_path / "lab"
    with locked(path, wait=False):
        with pytest.raises(LoadstoneError, match="another command"), locked(path, wait=False):
            pass
        path.rmdir()
        with locked(path, wait=False):
            assert path.is_dir()


@pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="ssh-keygen is not installed")
def test_ssh_names_every_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Folder("x")
    folder.path = tmp_path
    hosts = [
        HostRecord("one", "host", "10.0.0.11", "plain", "veth"),
        HostRecord("far", "host", "me@far.example", "", "", real=True),
    ]
    keys.write(folder, Record("x", "x.toml", "0", "10.0.0.0/24", "10.0.0.1", "", hosts))
    config = (tmp_path / "ssh_config").read_text()
    assert "Host one\n    HostName 10.0.0.11\n    User root\n" in config
    assert "Host far\n    HostName far.example\n    User me\n    ConnectTimeout 10\n" in config
    files = tmp_path / "hosts/one/files/etc"
    assert (files / "hosts").read_text() == "127.0.0.1 localhost\n10.0.0.11 one\n"
    assert (files / "ssh/ssh_host_ed25519_key").stat().st_mode & 0o777 == 0o600
    known = (tmp_path / "known_hosts").read_text().split()
    assert known[:2] == ["10.0.0.11", "ssh-ed25519"]
    assert known[2] in (files / "ssh/ssh_host_ed25519_key.pub").read_text()


def test_the_only_lab_need_not_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for known, words in (([], "no lab is up"), (["a", "b"], "there are several labs: a, b")):
        monkeypatch.setattr(take_down, "names", lambda known=known: known)
        with pytest.raises(LoadstoneError, match=words):
            take_down.only()
    monkeypatch.setattr(take_down, "names", lambda: ["a"])
    assert take_down.only() == "a"
