"""Labs on this machine: up, used, broken, killed half-way, down; and nothing left."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

import pytest
import traces
from labs import Command, Topology, described, loadstone, ssh, wait_until

pytestmark = pytest.mark.long

PACKAGE = Path(str(files("loadstone")))

SEVEN = "".join(
    f'[[host]]\nname = "{name}"\nlink = "{link}"\n'
    for name, link in [
        ("client", "far"),
        ("balancer", "near"),
        ("web1", "near"),
        ("web2", "near"),
        ("web3", "near"),
        ("db", "bare"),
        ("cache", "bare"),
    ]
)
LINKS = "[link.far]\ndelay_ms = 5\njitter_ms = 1\n[link.near]\ndelay_ms = 0.2\n[link.bare]\n"
TWO = '[[host]]\nname = "one"\n[[host]]\nname = "two"\n'


def test_seven_hosts(command: Command, topology: Topology, capsys: pytest.CaptureFixture[str]) -> None:
    path = topology(LINKS + SEVEN, "t-seven")
    lab = json.loads(command("lab", "up", path, "--json").stdout)
    with capsys.disabled():
        print(f"\nseven hosts up in {lab['took_s']} s")
    assert lab["state"] == "up"
    names = [host["name"] for host in lab["hosts"]]
    for host in lab["hosts"]:
        said = ssh(
            "t-seven", host["name"], "hostname; cat /proc/sys/kernel/hostname; ip -br address show eth0"
        )
        assert said.stdout.split()[:2] == [host["name"]] * 2, said.stderr
        assert f"{host['address']}/24" in said.stdout
    pings = " && ".join(f"ping -c 1 -W 2 {name} >/dev/null" for name in names)
    with ThreadPoolExecutor() as pool:
        for done in pool.map(lambda name: ssh("t-seven", name, pings), names):
            assert done.returncode == 0, done.stderr
    started = time.monotonic()
    command("lab", "down", path)
    with capsys.disabled():
        print(f"down in {time.monotonic() - started:.2f} s")


def test_up_and_down_are_idempotent(command: Command, topology: Topology) -> None:
    path = topology(TWO)
    command("lab", "up", path)
    pids = [host["pid"] for host in described("t-lab")["hosts"]]
    command("lab", "up", path)
    assert [host["pid"] for host in described("t-lab")["hosts"]] == pids
    path.write_text(path.read_text() + '[[host]]\nname = "three"\n')
    refused = command("lab", "up", path, check=False)
    assert (refused.returncode, "error[lab-exists]" in refused.stderr) == (2, True)
    command("lab", "down", path)
    assert "nothing to remove" in command("lab", "down", path).stdout


def test_a_loadstone_below_a_temporary_folder_is_seen_by_hosts(topology: Topology, tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    shutil.copytree(PACKAGE, checkout / "loadstone")
    (tmp_path / "other").write_text("not the host's")
    path = topology(TWO)
    command = [sys.executable, "-m", "loadstone", "lab", "up", str(path)]
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    subprocess.run(command, env=environment, capture_output=True, check=True, timeout=120)
    module = f"{checkout}/loadstone/__init__.py"
    assert ssh("t-lab", "one", f"ls {module}").returncode == 0
    assert ssh("t-lab", "one", f"touch {module}").returncode != 0, "this machine's files are not the host's"
    assert ssh("t-lab", "one", f"ls {tmp_path}").stdout == "checkout\n"


def test_a_host_is_a_machine_of_its_own(command: Command, topology: Topology, tmp_path: Path) -> None:
    command("lab", "up", topology(TWO))
    written = tmp_path / "written"
    assert ssh("t-lab", "one", f"mkdir -p {tmp_path}; echo here >{written}; cat {written}").stdout == "here\n"
    assert not written.exists(), "what a host writes is not on this machine"
    assert ssh("t-lab", "two", f"cat {written}").returncode != 0
    processes = ssh("t-lab", "one", "ps -e -o pid=,args=").stdout
    assert "host.sh" in processes.splitlines()[0] and str(os.getpid()) not in processes.split()
    assert ssh("t-lab", "one", "ls /run").stdout.split() == ["lock", "mount", "sshd", "sshd.pid"]
    # Orphans are laid to rest by the host's first process.
    orphans = ssh("t-lab", "one", "(setsid sh -c 'sleep 0.1' &) ; sleep 0.5; ps -e -o stat=").stdout
    assert "Z" not in orphans
    assert ssh("t-lab", "one", "ip route get 192.0.2.1").returncode != 0, "there is no way out"
    stranger = subprocess.run(
        ["ssh", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
         "-F", "none", described("t-lab")["hosts"][0]["address"], "true"],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert stranger.returncode == 255 and "Permission denied" in stranger.stderr


def test_sizes(command: Command, topology: Topology) -> None:
    path = topology(
        '[[host]]\nname = "small"\ncpus = 0.25\nmemory_mib = 64\ndisk_mib = 32\n[[host]]\nname = "big"\n'
    )
    noted = command("lab", "up", path).stderr
    if "no quota" in noted:
        pytest.skip(noted.strip())
    spin = "import time; e = time.time() + 2\nwhile time.time() < e: pass\nprint(time.process_time())"
    cpu_s = float(ssh("t-lab", "small", f"python3 -c '{spin}'").stdout)
    assert cpu_s < 2 * 0.25 * 1.4, "a quota is granted 100 ms at a time"
    hoard = "python3 -c 'bytearray(b\"x\" * (200 << 20))'"
    assert ssh("t-lab", "small", hoard).returncode != 0
    assert ssh("t-lab", "big", hoard).returncode == 0
    full = ssh("t-lab", "small", "dd if=/dev/zero of=/root/fill bs=1M count=48")
    assert "No space left on device" in full.stderr
    assert ssh("t-lab", "big", "dd if=/dev/zero of=/root/fill bs=1M count=48").returncode == 0


@pytest.mark.parametrize(
    "control", Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
)
def test_congestion_control_is_each_labs_own(control: str, command: Command, topology: Topology) -> None:
    """Whatever the kernel has, also what it does not allow to everybody."""
    mine = Path("/proc/sys/net/ipv4/tcp_congestion_control").read_text()
    command("lab", "up", topology(f'network.congestion_control = "{control}"\n' + TWO))
    assert f"congctl {control}" in ssh("t-lab", "one", "ip route").stdout
    assert f" {control} " in ssh("t-lab", "two", "ss -tin state established").stdout
    assert Path("/proc/sys/net/ipv4/tcp_congestion_control").read_text() == mine


@pytest.mark.parametrize("stage", ["network", "keys", "hosts", "links", "ssh"])
def test_killed_half_way(stage: str, command: Command, topology: Topology) -> None:
    path = topology(LINKS + SEVEN, "t-killed")
    before = traces.traces()
    arguments = [sys.executable, "-m", "loadstone", "lab", "up", str(path)]
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        assert process.stderr
        assert any(line.strip() == stage for line in process.stderr)
        process.send_signal(signal.SIGKILL)
    assert "files" in traces.added(before), "it was killed with a lab half made"
    assert described("t-killed")["state"].startswith("half-way, at ")
    again = command("lab", "up", path, check=False)
    assert (again.returncode, "error[lab-exists]" in again.stderr) == (2, True)
    command("lab", "down", path)
    assert traces.added(before) == {}
    command("lab", "up", path)


def test_ctrl_c_undoes_what_was_done(command: Command, topology: Topology) -> None:
    path = topology(LINKS + SEVEN)
    before = traces.traces()
    arguments = [sys.executable, "-m", "loadstone", "lab", "up", str(path)]
    for _ in range(20):
        with subprocess.Popen(
            arguments, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
        ) as process:
            assert process.stderr
            assert any(line.strip() == "hosts" for line in process.stderr)
            process.send_signal(signal.SIGINT)
            process.stderr.read()
        if process.returncode:
            break
        # The lab was up before the signal came.
        command("lab", "down", path)
    assert process.returncode != 0
    assert traces.added(before) == {}


def test_a_lost_record_does_not_hide_a_lab(command: Command, topology: Topology) -> None:
    path = topology(LINKS + SEVEN)
    before = traces.traces()
    command("lab", "up", path)
    for file in Path("/run/loadstone/t-lab").iterdir():
        if file.is_file():
            file.unlink()
    refused = command("lab", "up", path, check=False)
    assert (refused.returncode, "error[lab-exists]" in refused.stderr) == (2, True)
    command("lab", "down", "t-lab")
    assert traces.added(before) == {}


def test_two_labs_at_once(topology: Topology) -> None:
    paths = [topology(LINKS + SEVEN, "t-left"), topology(LINKS + SEVEN, "t-right")]
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda path: loadstone("lab", "up", path), paths))
    left, right = described("t-left"), described("t-right")
    assert (left["state"], right["state"]) == ("up", "up")
    assert left["subnet"] != right["subnet"]
    for name in ("t-left", "t-right"):
        assert ssh(name, "web1", "ping -c 1 -W 2 db >/dev/null && hostname").stdout == "web1\n"
    other = right["hosts"][0]["address"]
    assert ssh("t-left", "web1", f"ping -c 1 -W 1 {other}").returncode != 0, "labs do not see each other"
    loadstone("lab", "down", "t-left")
    assert described("t-right")["state"] == "up"


def test_labs_whose_names_begin_alike(command: Command, topology: Topology) -> None:
    command("lab", "up", topology(TWO, "t-a"))
    command("lab", "up", topology(TWO, "t-a-b"))
    command("lab", "down", "t-a")
    assert described("t-a-b")["state"] == "up"


def test_a_subnet_in_use_is_refused(command: Command, topology: Topology) -> None:
    command("lab", "up", topology('network.subnet = "198.19.200.0/24"\n' + TWO, "t-first"))
    refused = command(
        "lab", "up", topology('network.subnet = "198.19.200.0/25"\n' + TWO, "t-second"), check=False
    )
    assert refused.returncode == 4
    assert "error[lab-start]: 198.19.200.0/25 overlaps 198.19.200.0/24" in refused.stderr
    assert not Path("/run/loadstone/t-second").exists()


def test_what_does_not_start_is_undone(
    command: Command, topology: Topology, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = traces.traces()
    program = tmp_path / "broken-switch"
    program.write_text("#!/bin/sh\necho out of order >&2\nexit 4\n")
    program.chmod(0o755)
    monkeypatch.setenv("LOADSTONE_LINKSHAPE", str(program))
    refused = command("lab", "up", topology(LINKS + SEVEN), check=False)
    assert refused.returncode == 4
    assert "error[lab-start]: the switch did not start: out of order\n" in refused.stderr
    assert traces.added(before) == {}


def test_a_second_command_waits_for_nothing(topology: Topology) -> None:
    path = topology(LINKS + SEVEN)
    arguments = [sys.executable, "-m", "loadstone", "lab", "up", str(path)]
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        assert process.stderr
        assert any(line.strip() == "network" for line in process.stderr)
        process.send_signal(signal.SIGSTOP)
        for action in ("up", "down"):
            refused = loadstone("lab", action, path, check=False)
            assert (refused.returncode, "error[lab-busy]" in refused.stderr) == (2, True)
        process.send_signal(signal.SIGCONT)
        process.stderr.read()
    assert process.returncode == 0


def test_a_dead_host_is_told(command: Command, topology: Topology) -> None:
    command("lab", "up", topology(TWO))
    os.kill(described("t-lab")["hosts"][0]["pid"], signal.SIGKILL)
    wait_until(lambda: described("t-lab")["state"] != "up", "its death is seen")
    lab = described("t-lab")
    assert lab["state"] == "broken"
    assert [host["state"] for host in lab["hosts"]] == ["down", "up"]
    assert ssh("t-lab", "two", "hostname").stdout == "two\n"


def test_real_machines_are_left_alone(command: Command, topology: Topology) -> None:
    body = '[[host]]\nname = "far"\naddress = "me@far.example:2222"\n'
    before = traces.traces()
    lab = json.loads(command("lab", "up", topology(body), "--json").stdout)
    assert (lab["state"], lab["hosts"][0]["state"]) == ("up", "real")
    assert set(traces.added(before)) == {"files"}
    config = Path(lab["ssh_config"]).read_text()
    assert "HostName far.example\n    User me\n    Port 2222" in config
