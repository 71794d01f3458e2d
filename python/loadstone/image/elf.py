"""An image's file: what a hypervisor's loader would make of it, and what is in it."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, read_bytes

_KIND = Kind("image-file", "an image", 1 << 30)
_HEAD = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_LOAD, _NOTE = 1, 4
_X86_64, _EXECUTABLE = 62, 2
_SYMTAB, _NOBITS = 2, 8
_ALLOCATED = 2
_PVH = 18
"""Type of the note whose content is the address to jump to (XEN_ELFNOTE_PHYS32_ENTRY)."""


@dataclass(frozen=True)
class Segment:
    """A part of the file that the loader puts into memory."""

    address: int
    file_bytes: int
    memory_bytes: int
    readable: bool
    writable: bool
    executable: bool

    @property
    def rights(self) -> str:
        """As `ls` shows them."""
        marks = ((self.readable, "r"), (self.writable, "w"), (self.executable, "x"))
        return "".join(mark if has else "-" for has, mark in marks)


@dataclass(frozen=True)
class Section:
    """A part of the file as the linker named it."""

    name: str
    kind: int
    flags: int
    address: int
    offset: int
    bytes: int
    link: int

    @property
    def loaded(self) -> bool:
        """Whether it is in memory when the image runs."""
        return bool(self.flags & _ALLOCATED)

    @property
    def in_file(self) -> bool:
        """Whether it takes room in the file."""
        return self.kind != _NOBITS


@dataclass(frozen=True)
class Symbol:
    """A name in a section."""

    name: str
    address: int
    bytes: int
    section: str
    file: str
    """The source file that the compiler was given; empty when other files see the symbol."""


@dataclass(frozen=True)
class Image:
    """A file that a hypervisor can boot."""

    path: Path
    bytes: int
    entry: int
    """Where the PVH note sends the processor, in 32-bit mode."""
    segments: list[Segment]
    sections: list[Section]
    symbols: list[Symbol]

    @property
    def memory_bytes(self) -> int:
        """What it takes of the guest's memory before it asks for more."""
        return sum(segment.memory_bytes for segment in self.segments)

    @property
    def end(self) -> int:
        """The first address behind it."""
        return max(segment.address + segment.memory_bytes for segment in self.segments)

    @property
    def warnings(self) -> list[str]:
        """What a loader takes and a careful person does not."""
        return [
            f"the segment at {one.address:#x} is writable and executable"
            for one in self.segments
            if one.writable and one.executable
        ]


def read_image(path: Path) -> Image:
    """Reads and checks an image. LoadstoneError `image-file`."""
    content = read_bytes(path, _KIND)
    try:
        return _read(path, content)
    except (struct.error, IndexError, OverflowError, ValueError) as error:
        raise _refused(path, "it is cut off") from error


def _read(path: Path, content: bytes) -> Image:
    if content[:4] != b"\x7fELF":
        raise _refused(path, "it is not an ELF file")
    ident, kind, machine, _, _, programs, sections, *_, program_count, _, section_count, names = (
        _HEAD.unpack_from(content)
    )
    if ident[4] != 2 or ident[5] != 1 or machine != _X86_64:
        raise _refused(path, "it is not for 64-bit x86")
    if kind != _EXECUTABLE:
        raise _refused(path, "it is not a program for a fixed address")
    headers = [_SEGMENT.unpack_from(content, programs + i * _SEGMENT.size) for i in range(program_count)]
    segments, entry = [], None
    for kind, flags, offset, _, address, in_file, in_memory, _ in headers:
        if kind not in (_LOAD, _NOTE):
            continue
        if offset + in_file > len(content) or in_file > in_memory:
            raise _refused(path, "it is cut off")
        if kind == _NOTE:
            entry = _pvh_entry(content[offset : offset + in_file]) or entry
        else:
            rights = [bool(flags & bit) for bit in (4, 2, 1)]
            segments.append(Segment(address, in_file, in_memory, *rights))
    _check(path, segments, entry)
    found = list(_sections(content, sections, section_count, names))
    return Image(path, len(content), entry or 0, segments, found, list(_symbols(content, found)))


def _check(path: Path, segments: list[Segment], entry: int | None) -> None:
    if entry is None:
        raise _refused(path, "it has no PVH note that says where to begin")
    if not any(one.executable and one.address <= entry < one.address + one.file_bytes for one in segments):
        raise _refused(path, f"its PVH note points to {entry:#x}, where no code is")
    ordered = sorted(segments, key=lambda one: one.address)
    for one, after in pairwise(ordered):
        if one.address + one.memory_bytes > after.address:
            raise _refused(path, f"its segments at {one.address:#x} and {after.address:#x} overlap")


def _pvh_entry(notes: bytes) -> int | None:
    at = 0
    while at + 12 <= len(notes):
        name_bytes, content_bytes, kind = struct.unpack_from("<III", notes, at)
        name = notes[at + 12 : at + 12 + name_bytes]
        start = at + 12 + (name_bytes + 3) // 4 * 4
        if name == b"Xen\0" and kind == _PVH and content_bytes in (4, 8):
            return int.from_bytes(notes[start : start + content_bytes], "little")
        at = start + (content_bytes + 3) // 4 * 4
    return None


def _sections(content: bytes, at: int, count: int, names: int) -> Iterator[Section]:
    rows = [_SECTION.unpack_from(content, at + i * _SECTION.size) for i in range(count)]
    for name, kind, flags, address, offset, size, link, *_ in rows:
        yield Section(_text(content, rows[names][4] + name), kind, flags, address, offset, size, link)


def _symbols(content: bytes, sections: list[Section]) -> Iterator[Symbol]:
    """Of the symbol table, if the file was not stripped."""
    for table in sections:
        if table.kind != _SYMTAB:
            continue
        strings, file = sections[table.link].offset, ""
        for at in range(table.offset, table.offset + table.bytes, _SYMBOL.size):
            name, info, _, section, address, size = _SYMBOL.unpack_from(content, at)
            kind, is_local = info & 15, info >> 4 == 0
            called = _text(content, strings + name)
            if kind == 4:
                file = called
            elif kind <= 2 and 0 < section < len(sections) and called:
                yield Symbol(called, address, size, sections[section].name, file if is_local else "")


def _text(content: bytes, at: int) -> str:
    return content[at : content.index(b"\0", at)].decode("utf-8", "replace")


def _refused(path: Path, why: str) -> LoadstoneError:
    return LoadstoneError(
        "image-file", f"{path} cannot be booted: {why}", hint="make an image with `loadstone image build`"
    )
