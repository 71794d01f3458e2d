"""Reads what tcpdump writes: TCP over IPv4 over Ethernet, headers and the start of the payload."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from socket import inet_ntoa

_MAGIC = {0xA1B2C3D4: 1000, 0xA1B23C4D: 1}
"""Nanoseconds in a unit of the fraction, by the file's first word."""

_ETHERNET = 1
_IPV4 = 0x0800
_TCP = 6
_MOST = 1 << 18
"""Bytes; a record that claims more is not one (tcpdump's own limit)."""

FIN, SYN, RST, ACK = 0x01, 0x02, 0x04, 0x10


@dataclass(frozen=True, slots=True)
class Segment:
    """A TCP segment as it passed an interface."""

    at_ns: int
    """By the clock of that host, since 1970."""
    source: tuple[str, int]
    target: tuple[str, int]
    sequence: int
    flags: int
    size: int
    """Bytes of payload that were sent, captured or not."""
    start: bytes
    """What was captured of the payload."""


def segments(content: bytes) -> Iterator[Segment]:
    """The TCP segments of a capture file, in its order; what is no TCP over IPv4 is passed over.

    A last record that was cut off ends the file. ValueError when it is not a capture file of Ethernet frames.
    """
    if len(content) < 24:
        raise ValueError("not a capture file: shorter than its header")
    for order in ("<", ">"):
        (magic,) = struct.unpack_from(f"{order}I", content)
        if magic in _MAGIC:
            break
    else:
        raise ValueError("not a capture file: it begins with no known number")
    (link,) = struct.unpack_from(f"{order}I", content, 20)
    if link & 0x0FFFFFFF != _ETHERNET:
        raise ValueError(f"link type {link} is not Ethernet")
    head, unit = struct.Struct(f"{order}IIII"), _MAGIC[magic]
    at = 24
    while at + head.size <= len(content):
        second, fraction, captured, _ = head.unpack_from(content, at)
        at += head.size
        if captured > _MOST or at + captured > len(content):
            return
        found = _segment(content[at : at + captured], second * 1_000_000_000 + fraction * unit)
        if found:
            yield found
        at += captured


def _segment(frame: bytes, at_ns: int) -> Segment | None:
    if len(frame) < 34 or frame[12:14] != _IPV4.to_bytes(2, "big") or frame[14] >> 4 != 4:
        return None
    ip_length = (frame[14] & 0x0F) * 4
    (total, fragment) = struct.unpack_from(">H2xH", frame, 16)
    tcp = 14 + ip_length
    # Later fragments of a datagram carry no TCP header.
    if ip_length < 20 or frame[23] != _TCP or fragment & 0x1FFF or len(frame) < tcp + 20:
        return None
    source_port, target_port, sequence, offset, flags = struct.unpack_from(">HHI4xBB", frame, tcp)
    tcp_length = (offset >> 4) * 4
    size = total - ip_length - tcp_length
    if tcp_length < 20 or size < 0:
        return None
    start = frame[tcp + tcp_length : tcp + tcp_length + size]
    source, target = inet_ntoa(frame[26:30]), inet_ntoa(frame[30:34])
    return Segment(at_ns, (source, source_port), (target, target_port), sequence, flags, size, start)
