"""A machine that runs systemd: this one's files below a layer of its own, booted in namespaces."""

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from loadstone.ssh import Answer, Ssh

_HIERARCHY = Path("/sys/fs/cgroup/systemd")
# Devices are this machine's: nothing there may look after them, or change its kernel.
_MASKED = ("systemd-udevd", "systemd-udev-trigger", "systemd-modules-load", "systemd-sysctl")
_BOOT = """
set -e
cd "$1"; mkdir -p root
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/layer/upper,workdir=$1/layer/work" root
cd root
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t tmpfs tmpfs sys/fs/cgroup
mkdir sys/fs/cgroup/systemd
mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd
mount -t tmpfs tmpfs dev
mkdir dev/pts dev/shm
for name in null zero full random urandom tty; do touch dev/$name; mount --bind /dev/$name dev/$name; done
ln -s /proc/self/fd dev/fd
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs tmp
mkdir -p .old
pivot_root . .old
umount -l /.old
ip link set lo up
export container=other
exec /lib/systemd/systemd --system --unit=multi-user.target --log-target=null --show-status=0
"""


class Machine(Ssh):
    """Reached by its namespaces in place of ssh."""

    def __init__(self, folder: Path) -> None:
        """Off."""
        super().__init__(
            Path("/dev/null"), {"here": "127.0.0.1"}, folder, topology="t-booted", jumped=["here"]
        )
        self.folder = folder
        self.group = _HIERARCHY / f"loadstone-{os.getpid()}"
        self.holder: subprocess.Popen[bytes] | None = None

    @property
    def upper(self) -> Path:
        """Where its own files are while it is off."""
        return self.folder / "layer" / "upper"

    def boot(self) -> None:
        """Returns when its services are up, or have failed."""
        self.group.mkdir(exist_ok=True)
        namespaces = ["--cgroup", "--pid", "--mount", "--uts", "--ipc", "--net", "--propagation", "private"]
        words = ["unshare", *namespaces, "--fork", "--kill-child", "sh", "-c", _BOOT, "sh", str(self.folder)]
        self.holder = subprocess.Popen(
            ["sh", "-c", 'echo $$ >"$1/cgroup.procs"; shift; exec "$@"', "sh", str(self.group), *words],
            stdin=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 120
        while self._said("systemctl is-system-running") not in ("running", "degraded"):
            assert self.holder.poll() is None and time.monotonic() < deadline, "it did not boot"
            time.sleep(0.2)

    def off(self) -> None:
        """Without a word, as when the power goes."""
        if self.holder:
            self.holder.kill()
            self.holder.wait()
            self.holder = None

    def run(
        self,
        host: str,
        command: Sequence[str] | str,
        *,
        send: bytes | str | Path = b"",
        timeout_s: float = 60,
    ) -> Answer:
        """As over ssh."""
        assert not isinstance(send, Path), "nothing is brought"
        words = ["sh", "-c", command] if isinstance(command, str) else list(command)
        done = subprocess.run(
            ["nsenter", "-t", str(self._first()), "-a", "--", *words],
            input=send.encode() if isinstance(send, str) else send, capture_output=True, check=False,
            timeout=timeout_s,
        )  # fmt: skip
        return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())

    def says(self, line: str) -> str:
        """What a shell line prints there."""
        return self.run("here", line).out.strip()

    def _said(self, line: str) -> str:
        with contextlib.suppress(ValueError, IndexError, FileNotFoundError):
            return self.says(line)
        return ""

    def _first(self) -> int:
        assert self.holder
        pid = self.holder.pid
        return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


@contextlib.contextmanager
def machine(folder: Path) -> Iterator[Machine]:
    """One that is on; skips the test where none can be."""
    if os.geteuid() or not (_HIERARCHY.is_dir() and Path("/lib/systemd/systemd").exists()):
        pytest.skip("needs root, systemd and its hierarchy of control groups")
    layer = folder / "layer"
    layer.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(layer)], check=True)
    one = Machine(folder)
    try:
        for name in ("upper/etc/systemd/system", "work"):
            (layer / name).mkdir(parents=True)
        # What this machine's packages start at boot is left out: it takes minutes.
        wants = one.upper / "etc/systemd/system/multi-user.target.wants"
        wants.mkdir()
        os.setxattr(wants, "trusted.overlay.opaque", b"y")
        for name in _MASKED:
            (one.upper / f"etc/systemd/system/{name}.service").symlink_to("/dev/null")
        one.boot()
        yield one
    finally:
        one.off()
        subprocess.run(["umount", "-l", str(layer)], check=False)
        shutil.rmtree(folder, ignore_errors=True)
        deadline = time.monotonic() + 60
        while one.group.exists() and time.monotonic() < deadline:
            for path in sorted(one.group.rglob("*/"), key=lambda path: -len(path.parts)):
                with contextlib.suppress(OSError):
                    path.rmdir()
            with contextlib.suppress(OSError):
                one.group.rmdir()
