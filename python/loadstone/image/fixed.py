"""Words of a guest's command line that are fixed when its image is built (`image build --fix`)."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from loadstone.errors import LoadstoneError

VARIABLE = "LOADSTONE_FIX"
"""Hands the words over to the compiler."""
PART = "fixed"
"""Of the library OS: it is linked where something is fixed."""
SECTION = ".fixed"
"""Of an image's file: the words."""

Value = Callable[[str], str | None]

_APPLICATION = re.compile(r"[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)+")
_WORD = re.compile(r"[!-~]+")
_NEVER = ("time", "virtio_mmio.device", "data.erase")
"""They differ from machine to machine, or are said once."""


def _number(least: int, most: int, word: str | None = None) -> Value:
    def value(text: str) -> str | None:
        if text == word:
            return text
        return str(int(text)) if text.isascii() and text.isdecimal() and least <= int(text) <= most else None

    return value


def _one_of(*words: str) -> Value:
    return lambda text: text if text in words else None


def _four(text: str) -> str | None:
    address = ipaddress.IPv4Address(text)
    usable = not (
        address.is_unspecified or address.is_multicast or address == ipaddress.IPv4Address(2**32 - 1)
    )
    return str(address) if usable else None


def _six(text: str) -> str | None:
    address = ipaddress.IPv6Address(text)
    usable = int(address) >> 64 and not address.is_multicast and not address.scope_id
    return address.exploded if usable else None


def _network(one: Callable[[str], str | None], most: int) -> Value:
    def value(text: str) -> str | None:
        address, _, bits = text.partition("/")
        known = one(address)
        width = _number(1, most)(bits)
        is_of_link = ":" in address and ipaddress.IPv6Address(address).is_link_local
        return f"{known}/{width}" if known and width and not is_of_link else None

    return value


def _any_word(text: str) -> str | None:
    return text if _WORD.fullmatch(text) else None


def _or_none(one: Callable[[str], str | None]) -> Value:
    return lambda text: text if text == "none" else one(text)


_BUFFER = _number(2048, 1 << 20)
_KNOWN: Mapping[str, tuple[Value, str]] = {
    "ip": (_network(_four, 32), "an address such as 10.0.2.15/24"),
    "gw": (_or_none(_four), "an address such as 10.0.2.2, or none"),
    "ip6": (_network(_six, 128), "an address such as 2001:db8::15/64"),
    "gw6": (_or_none(_six), "an address such as fe80::1, or none"),
    "port": (_number(1, 65535), "a port from 1 to 65535"),
    "metrics": (_number(1, 65535, "off"), "a port from 1 to 65535, or off"),
    "tls": (_one_of("fw_cfg"), "fw_cfg"),
    "connections": (_number(1, 1 << 20), "a number from 1 to 1048576"),
    "scale": (_number(1, 100, "off"), "a percentage from 1 to 100, or off"),
    "rx": (_BUFFER, "bytes from 2048 to 1048576"),
    "tx": (_BUFFER, "bytes from 2048 to 1048576"),
    "data.disk": (_one_of("none"), "none"),
}
_PARTS = {"metrics": "metrics", "ip6": "ipv6", "gw6": "ipv6", "tls": "tls"}
"""What must be linked for a word to mean something."""


@dataclass(frozen=True)
class Fixed:
    """Words that an image is built with, checked."""

    words: Mapping[str, str]

    def line(self) -> str:
        """As the compiler gets them."""
        return " ".join(f"{key}={value}" for key, value in self.words.items())

    def environment(self) -> dict[str, str]:
        """For Cargo."""
        return {VARIABLE: self.line()} if self.words else {}

    def useless(self) -> list[str]:
        """The parts of the library OS that these words leave without a use."""
        unused = (("dhcp", "ip" in self.words), ("metrics", self.words.get("metrics") == "off"))
        return [part for part, is_unused in unused if is_unused]

    def needed(self) -> list[str]:
        """The parts that these words are about."""
        about = (part for key, part in _PARTS.items() if self.words.get(key, "off") != "off")
        return list(dict.fromkeys(about))


NOTHING = Fixed({})


def fixed_words(words: Sequence[str]) -> Fixed:
    """Reads `KEY=VALUE` as people type them. LoadstoneError `image-options`.

    >>> fixed_words(["port=8080", "ip6=2001:db8::15/64"]).line()
    'port=8080 ip6=2001:0db8:0000:0000:0000:0000:0000:0015/64'
    """
    found: dict[str, str] = {}
    for word in words:
        key, sign, value = word.partition("=")
        if not sign:
            raise _refused(f"`{word}` is no KEY=VALUE", "such as port=80 or data.disk=none")
        if key in _NEVER:
            raise _refused(f"`{key}` cannot be fixed", "say it at boot, with --cmdline")
        if key in found:
            raise _refused(f"`{key}` is fixed twice", None)
        found[key] = _value(key, value)
    if "gw6" in found and "ip6" not in found:
        raise _refused("gw6= is fixed without ip6=", "fix both, or say both at boot")
    if found.get("data.disk") == "none" and found.get("data.load") == "none":
        raise _refused("without a disk and without data.load= there is never a data set", None)
    return Fixed(found)


def fixed_in(text: str) -> dict[str, str]:
    """The words that an image was built with, from its file."""
    return dict(word.split("=", 1) for word in text.split() if "=" in word)


def said_again(words: Sequence[str], known: Mapping[str, str]) -> None:
    """LoadstoneError `image-options` where a guest is to be told what its image was built with."""
    for word in words:
        key = word.partition("=")[0]
        if key in known:
            raise LoadstoneError(
                "image-options",
                f"`{word}`: the image was built with {key}={known[key]}, which cannot be changed at boot",
                hint="leave the word out, or build the image without --fix for it",
            )


def _value(key: str, text: str) -> str:
    if key not in _KNOWN and not _APPLICATION.fullmatch(key):
        raise _refused(
            f"there is no word `{key}`",
            f"there are {', '.join(_KNOWN)}, and words of the application, such as olio.cache",
        )
    value, told = _KNOWN.get(key, (_any_word, "what has no spaces"))
    try:
        found = value(text)
    except ValueError:
        found = None
    if found is None:
        raise _refused(f"`{key}={text}` is not understood", f"{key}= takes {told}")
    return found


def _refused(message: str, hint: str | None) -> LoadstoneError:
    return LoadstoneError("image-options", message, hint=hint)
