"""A lab that is up is used, changed, hurt and mended without taking it down."""

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from labs import Command, Topology, described, ssh, wait_until

pytestmark = pytest.mark.long

LAB = ("--lab", "t-lab")
TWO = '[[host]]\nname = "one"\nlink = "far"\n[[host]]\nname = "two"\n'
FAR = "[link.far]\ndelay_ms = 5\n"


def ping_ms(host: str, target: str) -> float:
    """The shortest of some round trips between hosts: a busy machine only adds to it."""
    said = ssh("t-lab", host, f"ping -n -q -i 0.01 -c 20 -W 5 {target}").stdout
    return float(said.rpartition("= ")[2].split("/")[0])


def reaches(host: str, target: str) -> bool:
    return ssh("t-lab", host, f"ping -n -q -c 1 -W 1 {target}").returncode == 0


def states(command: Command) -> dict[str, str]:
    told = json.loads(command("lab", "status", "t-lab", "--json", check=False).stdout)
    return {host["host"]: host["state"] for host in told["hosts"]}


def test_commands_run_in_a_host_with_and_without_ssh(command: Command, topology: Topology) -> None:
    command("lab", "up", topology(FAR + TWO))
    assert command("lab", "exec", *LAB, "one", "--", "hostname").stdout == "one\n"
    assert command("lab", "ssh", *LAB, "two", "--", "hostname").stdout == "two\n"
    assert command("lab", "exec", *LAB, "one", "--", "sh", "-c", "exit 7", check=False).returncode == 7
    seen = command("lab", "exec", *LAB, "one", "--", "ps", "-e", "-o", "args=").stdout
    assert "sshd" in seen and "pytest" not in seen, "it runs among the host's processes only"
    refused = command("lab", "exec", *LAB, "tow", "--", "true", check=False)
    assert refused.returncode == 2
    assert "error[lab-host]: the lab `t-lab` has no host `tow`\n  hint: did you mean `two`?" in refused.stderr


@pytest.mark.parametrize("host", ["one", "two"], ids=["shaped", "plain"])
def test_a_live_link_changes_and_connections_stay(host: str, command: Command, topology: Topology) -> None:
    other = {"one": "two", "two": "one"}[host]
    command("lab", "up", topology(FAR + TWO))
    assert 10 <= ping_ms(host, other) < 40
    config = "/run/loadstone/t-lab/ssh_config"
    with subprocess.Popen(
        ["ssh", "-F", config, host, "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as session:
        echo = _echo(session)
        assert echo("before")
        told = json.loads(command("lab", "link", "set", *LAB, host, "--delay", "40", "--json").stdout)
        assert (told[0]["link"], told[0]["carrier"]) == ("40 ms", "switch")
        assert ping_ms(host, other) >= 80
        assert echo("after"), "a connection outlives the change of its link"
        assert described("t-lab")["state"] == "up"
        command("lab", "link", "set", *LAB, host, "--plain")
        assert ping_ms(host, other) < 80
        session.stdin.close()  # type: ignore[union-attr]


def _echo(session: "subprocess.Popen[str]") -> Callable[[str], bool]:
    def echo(word: str) -> bool:
        assert session.stdin and session.stdout
        session.stdin.write(word + "\n")
        session.stdin.flush()
        return session.stdout.readline() == word + "\n"

    return echo


@pytest.mark.parametrize("host", ["one", "two"], ids=["shaped", "plain"])
def test_a_link_is_cut_and_mended(host: str, command: Command, topology: Topology) -> None:
    other = {"one": "two", "two": "one"}[host]
    command("lab", "up", topology(FAR + TWO))
    assert reaches(other, host)
    assert "cut" in command("lab", "link", "set", *LAB, host, "--cut").stdout
    assert not reaches(other, host)
    shown = command("lab", "status", "t-lab", check=False)
    assert shown.returncode == 3
    assert f"its link is cut; loadstone lab link set --mend {host} --lab t-lab" in shown.stdout
    assert command("lab", "exec", *LAB, host, "--", "hostname").stdout == f"{host}\n", (
        "without a network, too"
    )
    wait_until(lambda: _dropped(host, "down").get("cut", 0) > 0, "frames that the cut has taken are told")
    command("lab", "link", "set", *LAB, host, "--mend")
    # A host that lost its neighbour asks for it once a second: what is sent meanwhile waits or is lost.
    wait_until(lambda: reaches(other, host) and reaches(host, other), "a mended link carries frames again")
    assert states(command) == {"one": "up", "two": "up"}
    assert described("t-lab")["hosts"][0]["link"] == "5 ms", "its shape is what it was"


def _dropped(host: str, way: str) -> dict[str, int]:
    hosts: list[dict[str, Any]] = described("t-lab")["hosts"]
    dropped: dict[str, int] = next(one for one in hosts if one["name"] == host)["traffic"][way]["dropped"]
    return dropped


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--jitter", "9"], "9 ms of jitter do not fit a delay of 5 ms"),
        (["--cross", "3"], "`cross_mbit` without a rate to share"),
        (["--delay", "1e9"], "`delay_ms`: "),
        ([], "nothing to change"),
    ],
)
def test_a_link_that_contradicts_itself_is_refused(
    options: list[str], words: str, command: Command, topology: Topology
) -> None:
    command("lab", "up", topology(FAR + TWO))
    before = described("t-lab")["hosts"][0]["shape"]
    refused = command("lab", "link", "set", *LAB, "one", *options, check=False)
    assert (refused.returncode, "error[lab-link]" in refused.stderr, words in refused.stderr) == (
        2,
        True,
        True,
    )
    assert described("t-lab")["hosts"][0]["shape"] == before


@pytest.mark.parametrize("host", ["one", "two"], ids=["shaped", "plain"])
def test_a_killed_host_comes_back_with_its_data_and_its_link(
    host: str, command: Command, topology: Topology
) -> None:
    other = {"one": "two", "two": "one"}[host]
    command("lab", "up", topology(FAR + TWO))
    assert ssh("t-lab", host, "echo kept >/var/kept; echo lost >/tmp/lost; sync").returncode == 0
    command("lab", "host", "kill", *LAB, host)
    assert states(command) == {host: "down", other: "up"}
    assert ssh("t-lab", other, "hostname").stdout == f"{other}\n", "the others go on"
    assert not reaches(other, host), "a dead host answers nothing"
    command("lab", "link", "set", *LAB, host, "--delay", "30")
    command("lab", "host", "restart", *LAB, host)
    assert states(command) == {"one": "up", "two": "up"}
    assert ssh("t-lab", host, "cat /var/kept; ls /tmp").stdout == "kept\n"
    assert ping_ms(other, host) >= 60, "a link that was changed meanwhile is the one it has"
    command("lab", "host", "restart", *LAB, host)
    assert ssh("t-lab", host, "cat /var/kept").stdout == "kept\n", "one that runs is ended first"


def test_a_host_that_died_by_itself_is_told_and_restarted(command: Command, topology: Topology) -> None:
    path = topology(FAR + TWO)
    command("lab", "up", path)
    assert ssh("t-lab", "one", "echo kept >/var/kept").returncode == 0
    os.kill(described("t-lab")["hosts"][0]["pid"], signal.SIGKILL)
    wait_until(lambda: described("t-lab")["state"] == "broken", "the lab is told broken")
    refused = command("lab", "up", path, check=False)
    assert "is up, but not all of its hosts: `one`" in refused.stderr
    assert "hint: loadstone lab host restart one --lab t-lab" in refused.stderr
    command("lab", "host", "restart", *LAB, "one")
    assert ssh("t-lab", "one", "cat /var/kept").stdout == "kept\n"
    command("lab", "up", path)


@pytest.mark.parametrize(
    "harm",
    [
        "pkill -KILL -o -x sshd",
        "pkill -STOP -o -x sshd",
        "rm /etc/ssh/*; pkill -KILL -o -x sshd",
        "ip address flush dev eth0",
        "ip link delete eth0",
    ],
)
def test_a_host_is_repaired_and_nothing_else_is_touched(
    harm: str, command: Command, topology: Topology
) -> None:
    command("lab", "up", topology(FAR + TWO))
    command(
        "lab",
        "exec",
        *LAB,
        "one",
        "--",
        "sh",
        "-c",
        "setsid sleep 1000 >/dev/null 2>&1 & echo kept >/var/kept",
    )
    before = command("lab", "exec", *LAB, "one", "--", "pgrep", "-x", "sleep").stdout
    command("lab", "exec", *LAB, "one", "--", "sh", "-c", harm)
    shown = command("lab", "status", "t-lab", check=False)
    assert (shown.returncode, states(command)["one"]) == (3, "no ssh")
    assert "loadstone lab host repair one --lab t-lab" in shown.stdout
    command("lab", "host", "repair", *LAB, "one")
    assert states(command) == {"one": "up", "two": "up"}
    assert ssh("t-lab", "one", "cat /var/kept; pgrep -x sleep").stdout == f"kept\n{before}"


def test_a_host_that_is_down_and_a_real_machine_are_not_repaired(
    command: Command, topology: Topology
) -> None:
    command("lab", "up", topology(FAR + TWO + '[[host]]\nname = "far"\naddress = "me@far.example"\n'))
    command("lab", "host", "kill", *LAB, "one")
    refused = command("lab", "host", "repair", *LAB, "one", check=False)
    assert (refused.returncode, "hint: loadstone lab host restart one" in refused.stderr) == (2, True)
    for verb in ("kill", "restart", "repair"):
        refused = command("lab", "host", verb, *LAB, "far", check=False)
        assert (refused.returncode, "is a real machine" in refused.stderr) == (2, True)


def test_quotas_hold_for_what_exec_starts(command: Command, topology: Topology) -> None:
    noted = command("lab", "up", topology('[[host]]\nname = "small"\nmemory_mib = 64\n')).stderr
    if "no quota" in noted:
        pytest.skip(noted.strip())
    hoard = "bytearray(b'x' * (200 << 20))"
    done = command("lab", "exec", *LAB, "small", "--", "python3", "-c", hoard, check=False)
    assert done.returncode != 0


def test_disks_are_the_labs_and_end_with_it(command: Command, topology: Topology) -> None:
    command("lab", "up", topology('[[host]]\nname = "one"\ndisk_mib = 32\n'))
    assert ssh("t-lab", "one", "dd if=/dev/zero of=/var/fill bs=1M count=20").returncode == 0
    assert not list(Path("/run/loadstone/t-lab/hosts/one/root").iterdir()), "this machine does not see it"
    command("lab", "host", "restart", *LAB, "one")
    full = ssh("t-lab", "one", "dd if=/dev/zero of=/var/more bs=1M count=20")
    assert "No space left on device" in full.stderr
