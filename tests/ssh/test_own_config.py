"""Real machines by the user's own `~/.ssh/config`: an alias, a key of its own, a jump host, all the way."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from labs import described, lab, ssh

import loadstone

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]

NAME = "t-ssh-own"
HOSTS = "".join(f'[[host]]\nname = "{name}"\n' for name in ("desk", "bastion", "db"))
CONFIG = """
Host gate
    HostName {bastion}
    IdentityFile ~/.ssh/special
    StrictHostKeyChecking accept-new
Host inner
    HostName {db}
    User somebody-else
    ProxyJump gate
    IdentityFile ~/.ssh/special
    StrictHostKeyChecking accept-new
    RemoteCommand echo meant for a terminal
"""
TOPOLOGY = """
format = 1
name = "own"
[[host]]
name = "database"
address = "root@inner"
[[service]]
role = "nginx"
hosts = ["database"]
"""
ASK = """
from pathlib import Path
from loadstone.lab import load_topology
from loadstone.ssh import ssh
with ssh(load_topology(Path.home() / "own.toml")) as hosts:
    print(hosts.run("database", "hostname; whoami; echo $SSH_CONNECTION").out, hosts.address("database"))
"""


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """`desk` reaches `db` by way of `bastion` only, with a key that no default finds."""
    with lab(tmp_path_factory.mktemp("lab"), NAME, HOSTS):
        found = {host["name"]: host["address"] for host in described(NAME)["hosts"]}
        on("desk", "rm -rf ~/.ssh; mkdir -m 700 ~/.ssh")
        on("desk", "ssh-keygen -q -t ed25519 -N '' -f ~/.ssh/special")
        key = on("desk", "cat ~/.ssh/special.pub").strip()
        for host in ("bastion", "db"):
            on(host, f"echo '{key}' >>/etc/ssh/authorized_keys")
        on("desk", f"cat >~/.ssh/config <<'END'\n{CONFIG.format(**found)}END")
        on("desk", f"cat >~/own.toml <<'END'\n{TOPOLOGY}END")
        on("desk", f"cat >~/ask.py <<'END'\n{ASK}END")
        on("desk", f"ip route add blackhole {found['db']}/32")
        yield found


def on(host: str, script: str) -> str:
    done = ssh(NAME, host, script)
    assert done.returncode == 0, done.stderr
    return done.stdout


def own(command: str) -> str:
    """A command of this interpreter on `desk`."""
    package = Path(loadstone.__file__).parents[1]
    return on("desk", f"PYTHONPATH={package} {sys.executable} {command}")


def test_alias_key_and_jump_host_are_used(addresses: dict[str, str]) -> None:
    own("-m loadstone lab up ~/own.toml")
    host, user, connection, address = own("~/ask.py").split("\n")[:4]
    assert (host, user) == ("db", "root"), "the user of the topology goes before that of the configuration"
    assert connection.split()[0] == addresses["bastion"]
    assert address.strip() == addresses["db"], "other hosts get the address, not the alias"


def test_deployment_goes_the_same_way(addresses: dict[str, str]) -> None:
    own("-m loadstone lab up ~/own.toml")
    assert "started" in own("-m loadstone deploy ~/own.toml")
    assert "running" in own("-m loadstone status ~/own.toml")
