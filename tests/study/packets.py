"""Capture files made of packets that nobody sent."""

from __future__ import annotations

import struct
from socket import inet_aton

Endpoint = tuple[str, int]

SYN, ACK, PSH, FIN, RST = 0x02, 0x10, 0x08, 0x01, 0x04
ASK = b"GET /page HTTP/1.1\r\nHost: x\r\n\r\n"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nyes"


def frame(
    source: Endpoint, target: Endpoint, sequence: int, payload: bytes = b"", flags: int = ACK, pad: int = 0
) -> bytes:
    """An Ethernet frame with one TCP segment."""
    tcp = struct.pack(">HHIIBBHHH", source[1], target[1], sequence % (1 << 32), 0, 5 << 4, flags, 1000, 0, 0)
    length = 20 + len(tcp) + len(payload)
    ip = struct.pack(
        ">BBHHHBBH4s4s", 0x45, 0, length, 1, 0, 64, 6, 0, inet_aton(source[0]), inet_aton(target[0])
    )
    return bytes(12) + b"\x08\x00" + ip + tcp + payload + bytes(pad)


def capture(
    frames: list[tuple[float, bytes]], *, nano: bool = True, order: str = "<", snap: int = 1 << 16
) -> bytes:
    """A capture file of (microsecond, frame)."""
    magic = 0xA1B23C4D if nano else 0xA1B2C3D4
    content = struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, snap, 1)
    for at_us, one in frames:
        ns = round(at_us * 1000)
        fraction = ns % 1_000_000_000 // (1 if nano else 1000)
        kept = one[:snap]
        content += struct.pack(f"{order}IIII", ns // 1_000_000_000, fraction, len(kept), len(one)) + kept
    return content


def asked(
    client: Endpoint, server: Endpoint, *, asked_us: float, first_us: float, last_us: float, number: int = 0
) -> list[tuple[float, bytes]]:
    """A request and its answer in two packets, the `number`-th of its connection."""
    up, down = 1000 + number * len(ASK), 5000 + number * len(ANSWER)
    return [
        (asked_us, frame(client, server, up, ASK, ACK | PSH)),
        (first_us, frame(server, client, down, ANSWER[:30], ACK)),
        (last_us, frame(server, client, down + 30, ANSWER[30:], ACK | PSH)),
    ]
