"""`from` of [target]: the addresses of this machine that users connect from."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator, Sequence

from loadstone.scenario.findings import Finding
from loadstone.scenario.positions import Path

MOST = 4096
"""Addresses in all: 28,000 ports each are more than a machine has files."""
_AT: Path = ("target", "from")

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address


def addresses(written: Sequence[str]) -> list[str]:
    """All of them, each once. ValueError with a sentence when one cannot be read.

    >>> addresses(["127.0.0.9", "127.0.0.2-127.0.0.4", "2001:db8::a-2001:db8::b"])
    ['127.0.0.9', '127.0.0.2', '127.0.0.3', '127.0.0.4', '2001:db8::a', '2001:db8::b']
    """
    found: dict[str, None] = {}
    for text in written:
        first, _, last = text.partition("-")
        low = _address(first)
        high = _address(last) if last else low
        if low.version != high.version or int(high) < int(low):
            raise ValueError(f"`{text}` is no range: its end is not behind its beginning")
        if int(high) - int(low) >= MOST or len(found) + int(high) - int(low) >= MOST:
            raise ValueError(f"`{text}` makes them more than {MOST} addresses")
        found |= {str(low + number): None for number in range(int(high) - int(low) + 1)}
    return list(found)


def _address(text: str) -> Ip:
    try:
        return ipaddress.ip_address(text.strip())
    except ValueError:
        raise ValueError(f"`{text.strip()}` is not an IP address") from None


def errors(written: Sequence[str]) -> Iterator[Finding]:
    """What cannot be read."""
    try:
        addresses(written)
    except ValueError as error:
        hint = 'for example from = ["10.0.0.5", "10.0.0.16-10.0.0.31"]'
        yield Finding("source-address", str(error), _AT, hint)


def foreign(written: Sequence[str]) -> Iterator[Finding]:
    """The first address that this machine does not have."""
    for address in addresses(written):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with socket.socket(family) as probe:
            try:
                probe.bind((address, 0))
            except OSError as error:
                message = f"{address} is not an address of this machine: {error.strerror or error}"
                hint = (
                    f"`ip address add {address} dev ...` gives it one; agents on other hosts have their own"
                )
                yield Finding("source-address", message, _AT, hint)
                return
