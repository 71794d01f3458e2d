"""A guest and its neighbours over IPv6: run under `unshare --net`, prints JSON.

    near (a namespace's own device) -- tap -- guest
    far (an address beyond a router, which near is)

Frames that no system sends are sent as they are, from a raw socket on the TAP device.
"""

from __future__ import annotations

import json
import re
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from loadstone.image.guest import Guest
from loadstone.image.qemu import Machine

DEVICE = "guest"
OURS, THEIRS, FAR = "fd09::2", "fd09::1", "2001:db8::1"
STRANGER = bytes([2, 0, 0, 0, 0, 9])
ETH_P_IPV6 = 0x86DD


def _ip(*lines: str) -> str:
    done = [
        subprocess.run(["ip", *line.split()], check=True, capture_output=True, text=True) for line in lines
    ]
    return done[-1].stdout


def _bytes_from(source: str, target: str = OURS) -> int:
    """Of the large file, asked for from this address."""
    with socket.create_connection((target, 80), 30, (source, 0)) as connection:
        connection.sendall(b"GET /large.bin HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        data = b""
        while part := connection.recv(1 << 16):
            data += part
    return len(data.partition(b"\r\n\r\n")[2])


def _pings(source: str, target: str) -> bool:
    with socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6) as echo:
        echo.bind((source, 0))
        echo.settimeout(20)
        echo.sendto(b"\x80\0\0\0\0\7\0\1hello", (target, 0))
        while (answer := echo.recv(1 << 16))[0] != 129:
            pass
        return answer.endswith(b"\0\7\0\1hello")


def _sum(source: bytes, target: bytes, next_header: int, payload: bytes) -> int:
    data = source + target + struct.pack("!IHBB", len(payload), 0, 0, next_header) + payload
    data += bytes(len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total >> 16) + (total & 0xFFFF)
    return ~total & 0xFFFF


def _packet(ethernet: bytes, ends: tuple[str, str], next_header: int, hops: int, payload: bytes) -> bytes:
    """A frame from the stranger."""
    source, target = (socket.inet_pton(socket.AF_INET6, one) for one in ends)
    head = struct.pack("!IHBB", 6 << 28, len(payload), next_header, hops)
    return ethernet + STRANGER + struct.pack("!H", ETH_P_IPV6) + head + source + target + payload


def _message(ethernet: bytes, ends: tuple[str, str], message: bytes) -> bytes:
    source, target = (socket.inet_pton(socket.AF_INET6, one) for one in ends)
    total = struct.pack("!H", _sum(source, target, 58, message))
    return _packet(ethernet, ends, 58, 255, message[:2] + total + message[4:])


def _about(kind: int, flags: int, target: str, option: bytes) -> bytes:
    return struct.pack("!BBHI", kind, 0, 0, flags << 24) + socket.inet_pton(socket.AF_INET6, target) + option


def _opening(ends: tuple[str, str], port: int) -> bytes:
    source, target = (socket.inet_pton(socket.AF_INET6, one) for one in ends)
    tcp = struct.pack("!HHIIBBHHH", port, 80, 1, 0, 0x50, 2, 8192, 0, 0)
    return tcp[:16] + struct.pack("!H", _sum(source, target, 6, tcp)) + tcp[18:]


class Wire:
    """All frames of IPv6 on the device."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self._socket.bind((DEVICE, 3))
        self._socket.settimeout(0.1)
        self._frames: list[bytes] = []
        self._changed, self._ended = threading.Condition(), threading.Event()
        self._thread = threading.Thread(target=self._hear, daemon=True)
        self._thread.start()

    def _hear(self) -> None:
        while not self._ended.is_set():
            try:
                frame = self._socket.recv(1 << 16)
            except TimeoutError:
                continue
            if frame[12:14] == b"\x86\xdd":
                with self._changed:
                    self._frames.append(frame)
                    self._changed.notify_all()

    def send(self, frame: bytes) -> int:
        """Sends it; how many have been heard before."""
        with self._changed:
            before = len(self._frames)
        self._socket.send(frame)
        return before

    def after(self, before: int) -> list[bytes]:
        """What was heard since."""
        with self._changed:
            return self._frames[before:]

    def find(self, before: int, fits: Callable[[bytes], bool], time_s: float = 20) -> bool:
        """Whether such a frame comes."""
        with self._changed:
            return self._changed.wait_for(lambda: any(map(fits, self._frames[before:])), time_s)

    def close(self) -> None:
        """No more of them."""
        self._ended.set()
        self._thread.join()
        self._socket.close()


def _largest(wire: Wire, source: str) -> int:
    """Bytes of the largest packet to this address."""
    before = len(wire.after(0))
    _bytes_from(source)
    to = socket.inet_pton(socket.AF_INET6, source)
    return max(len(frame) - 14 for frame in wire.after(before) if frame[38:54] == to)


def _dropped() -> dict[str, int]:
    with urllib.request.urlopen(f"http://[{OURS}]:9100/metrics", timeout=30) as answer:
        page = answer.read().decode()
    found = re.findall(r'loadstone_ipv6_dropped_frames_total\{reason="(\w+)"\} (\d+)', page)
    return {reason: int(count) for reason, count in found}


def _place() -> str:
    """Where Linux has the guest."""
    found = re.search(rf"{OURS} lladdr (\S+)", _ip(f"-6 neigh show dev {DEVICE}"))
    return found[1] if found else ""


def _checks(link: str, ethernet: bytes) -> dict[str, Any]:
    wire = Wire()
    found: dict[str, Any] = {"ethernet": ethernet.hex(":")}
    found["bytes"] = {
        "near": _bytes_from(THEIRS),
        "far": _bytes_from(FAR),
        "link": _bytes_from("::", f"{link}%{DEVICE}"),
        "ipv4": _bytes_from("10.9.0.1", "10.9.0.2"),
    }
    found["largest"] = {"near": _largest(wire, THEIRS), "far": _largest(wire, FAR)}
    found["pings"] = {
        "near": _pings(THEIRS, OURS),
        "far": _pings(FAR, OURS),
        "all": _answers_all(wire, ethernet),
    }
    place = {"before": _place()}
    # The stranger says that it has the neighbour's address: unasked, and as a question.
    said = _about(136, 0x60, THEIRS, b"\x02\x01" + STRANGER)
    wire.send(_message(ethernet, (THEIRS, OURS), said))
    wire.send(_message(ethernet, (THEIRS, OURS), _about(135, 0, OURS, b"\x01\x01" + STRANGER)))
    found["poisoned"] = _bytes_from(THEIRS)
    found["place"] = place | {"after": _place()}
    # Somebody looks whether the guest's address is free.
    group = bytes([0x33, 0x33, 0xFF, 0, 0, 2])
    before = wire.send(_message(group, ("::", "ff02::1:ff00:2"), _about(135, 0, OURS, b"")))
    all_nodes = socket.inet_pton(socket.AF_INET6, "ff02::1")
    found["duplicate"] = wire.find(before, lambda frame: frame[38:54] == all_nodes and frame[54] == 136)
    found["taken"] = _taken(wire, ethernet)
    found["dropped"] = _dropped()
    wire.close()
    return found


def _answers_all(wire: Wire, ethernet: bytes) -> bool:
    """Whether who asks all is answered; the echo behind it says that it was seen."""
    wire.send(_message(bytes([0x33, 0x33, 0, 0, 0, 1]), (THEIRS, "ff02::1"), b"\x80\0\0\0\0\1\0\1all!"))
    before = wire.send(_message(ethernet, (THEIRS, OURS), b"\x80\0\0\0\0\1\0\2one!"))
    assert wire.find(before, lambda frame: frame.endswith(b"one!") and frame[54] == 129)
    return any(frame.endswith(b"all!") and frame[54] == 129 for frame in wire.after(before - 1))


def _taken(wire: Wire, ethernet: bytes) -> dict[str, bool | None]:
    """Whether a request for a connection is answered, behind options for the target and without."""
    ends = ("fd09::77", OURS)
    options = b"\x06\0\1\4\0\0\0\0"
    before = wire.send(_packet(ethernet, ends, 60, 64, options + _opening(ends, 5000)))
    wire.send(_packet(ethernet, ends, 6, 64, _opening(ends, 5001)))

    def answers(port: int) -> Callable[[bytes], bool]:
        return lambda frame: frame[20] == 6 and frame[56:58] == struct.pack("!H", port) and frame[67] == 0x12

    without = wire.find(before, answers(5001))
    return {"extension": wire.find(before, answers(5000), 0) or None, "without": without}


def main(image: Path) -> None:
    """Boots the image on a TAP device; asks, and says what came of it."""
    _ip("link set lo up", f"tuntap add {DEVICE} mode tap", f"link set {DEVICE} up")
    _ip(f"-6 address add {THEIRS}/64 dev {DEVICE} nodad", f"-6 address add {FAR}/128 dev lo nodad")
    _ip(f"address add 10.9.0.1/24 dev {DEVICE}")
    words = ["ip=10.9.0.2/24", f"ip6={OURS}/64", f"gw6={THEIRS}", "metrics=9100"]
    with Guest(Machine(image, words=words, tap=DEVICE)) as guest:
        guest.wait_for("^serving ", 60)
        said = re.search(r"at \[(fd09::2)\]:80, on its link at \[(fe80:\S+)\]:80", guest.console())
        assert said, guest.console()
        found = _checks(said[2], bytes.fromhex("525400123456"))
        assert guest.exit_code is None, guest.console()
    command = [sys.executable, "-m", "loadstone", "image", "boot", str(image), "--tap", DEVICE]
    refused = subprocess.run([*command, "--cmdline", "ip6=fe80::1/64"], capture_output=True, check=False)
    print(json.dumps(found | {"refused": refused.returncode}))


if __name__ == "__main__":
    began = time.monotonic()
    main(Path(sys.argv[1]))
    print(f"{time.monotonic() - began:.1f} s", file=sys.stderr)
