"""ssh for a lab: keys of its own, the files of each host, a configuration for `ssh -F`."""

from __future__ import annotations

import subprocess
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.lab.folder import Folder, HostRecord, Record

_SSHD = """\
# Written for this host of the lab; its root is forgotten with the host.
ListenAddress {address}
HostKey /etc/ssh/ssh_host_ed25519_key
AuthorizedKeysFile /etc/ssh/authorized_keys
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
UseDNS no
PrintMotd no
PidFile /run/sshd.pid
MaxStartups 200
MaxSessions 200
AcceptEnv LANG LC_*
Subsystem sftp internal-sftp
"""
_OURS = """\
Host {name}
    HostName {address}
    User root
    IdentityFile {folder}/id_ed25519
    IdentitiesOnly yes
    UserKnownHostsFile {folder}/known_hosts
    StrictHostKeyChecking yes
    ConnectTimeout 10
"""
_THEIRS = """\
Host {name}
    HostName {host}
    User {user}
{port}    ConnectTimeout 10
"""


def write(folder: Folder, record: Record) -> None:
    """Makes all keys at once and writes every file of the lab that ssh reads."""
    ours = [host for host in record.hosts if not host.real]
    for host in ours:
        (files(folder, host) / "etc/ssh").mkdir(parents=True, mode=0o755)
    _generate(
        [
            (folder.path / "id_ed25519", f"loadstone lab {record.name}"),
            *((files(folder, host) / "etc/ssh/ssh_host_ed25519_key", host.name) for host in ours),
        ]
    )
    public = (folder.path / "id_ed25519.pub").read_text(encoding="utf-8")
    addresses = "".join(f"{host.address} {host.name}\n" for host in ours)
    known = []
    for host in ours:
        etc = files(folder, host) / "etc"
        key = (etc / "ssh/ssh_host_ed25519_key.pub").read_text(encoding="utf-8").split()
        known.append(f"{host.address} {key[0]} {key[1]}\n")
        (etc / "ssh/authorized_keys").write_text(public, encoding="utf-8")
        (etc / "ssh/sshd_config").write_text(_SSHD.format(address=host.address), encoding="utf-8")
        (etc / "hostname").write_text(f"{host.name}\n", encoding="utf-8")
        (etc / "hosts").write_text(f"127.0.0.1 localhost\n{addresses}", encoding="utf-8")
        # No name server can be reached: asking one would only cost time-outs.
        (etc / "resolv.conf").write_text("", encoding="utf-8")
        for path in files(folder, host).rglob("*"):
            private = path.name == "ssh_host_ed25519_key"
            path.chmod(0o755 if path.is_dir() else 0o600 if private else 0o644)
        files(folder, host).chmod(0o755)
    (folder.path / "known_hosts").write_text("".join(known), encoding="utf-8")
    blocks = [_block(folder, host) for host in record.hosts]
    (folder.path / "ssh_config").write_text("\n".join(blocks), encoding="utf-8")


def files(folder: Folder, host: HostRecord) -> Path:
    """The tree that is laid over the host's root."""
    return folder.path / "hosts" / host.name / "files"


def _block(folder: Folder, host: HostRecord) -> str:
    if not host.real:
        return _OURS.format(name=host.name, address=host.address, folder=folder.path)
    user, _, rest = host.address.partition("@")
    name, colon, port = rest.rpartition(":")
    if not (colon and port.isdigit()):
        name, port = rest, ""
    given = f"    Port {port}\n" if port else ""
    return _THEIRS.format(name=host.name, user=user, host=name, port=given)


def _generate(wanted: list[tuple[Path, str]]) -> None:
    processes = [
        subprocess.Popen(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", str(path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for path, comment in wanted
    ]
    for process in processes:
        said, _ = process.communicate()
        if process.returncode:
            raise LoadstoneError("lab-start", f"ssh-keygen failed: {said.decode(errors='replace').strip()}")
