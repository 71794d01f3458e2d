"""Boots an image under another hypervisor, in a network of its own: run under `unshare --net`, prints JSON.

Firecracker and Cloud Hypervisor need KVM. QEMU stands in for them, on a board that has as little.
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
from pathlib import Path

ADDRESS, HOST = "10.9.0.2", "10.9.0.1"
NETWORK = f"""
link set lo up
tuntap add tap0 mode tap
address add {HOST}/24 dev tap0
link set tap0 up
"""
# Firecracker has no clock that knows the day.
WORDS = f"ip={ADDRESS}/24 gw={HOST} time={int(time.time())}"
MAC = "06:00:0a:09:00:02"
MEMORY_MIB = 64
PATIENCE_S = 60.0


def firecracker(image: Path, folder: Path) -> list[str]:
    """It names its devices in the guest's words, and has neither PCI nor a real-time clock."""
    described = {
        "boot-source": {"kernel_image_path": str(image), "boot_args": WORDS},
        "drives": [],
        "machine-config": {"vcpu_count": 1, "mem_size_mib": MEMORY_MIB},
        "network-interfaces": [{"iface_id": "net0", "guest_mac": MAC, "host_dev_name": "tap0"}],
        "entropy": {},
    }
    (folder / "machine.json").write_text(json.dumps(described))
    return ["firecracker", "--no-api", "--config-file", str(folder / "machine.json")]


def cloud_hypervisor(image: Path, _folder: Path) -> list[str]:
    """Its devices are on PCI; an image enters it by PVH."""
    return [
        *("cloud-hypervisor", "--kernel", str(image), "--cmdline", WORDS, "--cpus", "boot=1"),
        *("--memory", f"size={MEMORY_MIB}M", "--net", f"tap=tap0,mac={MAC}"),
        *("--serial", "tty", "--console", "off"),
    ]


def qemu(image: Path, _folder: Path) -> list[str]:
    """Without an interval timer, a real-time clock and a device to exit by: what the others lack."""
    return [
        *("qemu-system-x86_64", "-nodefaults", "-no-user-config", "-nographic", "-no-reboot"),
        *("-machine", "microvm,acpi=off,pit=off,pic=off,rtc=off,isa-serial=on", "-bios", "qboot.rom"),
        *("-accel", "tcg", "-cpu", "max", "-m", str(MEMORY_MIB)),
        *("-global", "virtio-mmio.force-legacy=false", "-kernel", str(image), "-append", WORDS),
        *("-netdev", "tap,id=net0,ifname=tap0,script=no,downscript=no"),
        *("-device", f"virtio-net-device,netdev=net0,mac={MAC}", "-device", "virtio-rng-device"),
        *("-serial", "stdio"),
    ]


HYPERVISORS = {"firecracker": firecracker, "cloud-hypervisor": cloud_hypervisor, "qemu": qemu}


def _first_page() -> tuple[int, str]:
    """Asked for until somebody answers."""
    end = time.monotonic() + PATIENCE_S
    while True:
        connection = http.client.HTTPConnection(ADDRESS, 80, timeout=2)
        try:
            connection.request("GET", "/")
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.02)
        finally:
            connection.close()


def main() -> None:
    """Boots, asks for the first page, tells."""
    name, image, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    subprocess.run(["ip", "-batch", "-"], input=NETWORK, text=True, check=True)
    with (folder / "console").open("wb") as console:
        began = time.monotonic()
        machine = subprocess.Popen(
            HYPERVISORS[name](image, folder), stdin=subprocess.PIPE, stdout=console, stderr=console
        )
        try:
            status, page = _first_page()
            took_s = time.monotonic() - began
        except OSError as error:
            sys.exit(f"{error}\n{(folder / 'console').read_text(errors='replace')}")
        finally:
            machine.kill()
            machine.wait()
    print(json.dumps({"status": status, "page": page, "first_page_s": took_s}))


if __name__ == "__main__":
    main()
