"""An image's file: what a hypervisor's loader would make of it, and what is in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from itertools import pairwise
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.construct import ConstructError
from elftools.elf.constants import P_FLAGS, SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from elftools.elf.segments import NoteSegment

from loadstone.errors import LoadstoneError
from loadstone.image.arch import ARCHES, X86_64, Arch
from loadstone.image.fixed import SECTION, fixed_in
from loadstone.intake import Kind, read_bytes

_KIND = Kind("image-file", "an image", 1 << 30)
_PVH = 18
"""Type of the note whose content is the address to jump to (XEN_ELFNOTE_PHYS32_ENTRY)."""
_NAMED = ("STT_NOTYPE", "STT_OBJECT", "STT_FUNC")
_MOST_PARTS, _MOST_SYMBOLS = 1 << 16, 1 << 18
"""Of a file: many times what a linker makes. A head of 64 bytes can announce more than anybody waits for."""


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
    address: int
    bytes: int
    loaded: bool
    """Whether it is in memory when the image runs."""
    in_file: bool
    """Whether it takes room in the file."""


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
    """Where the processor begins: on x86 where the PVH note says, in 32-bit mode."""
    segments: list[Segment]
    sections: list[Section]
    symbols: list[Symbol]
    arch: Arch
    """The processor that it is for."""
    fixed: Mapping[str, str] = field(default_factory=dict)
    """Words that it was built with, which no boot can change."""

    @property
    def memory_bytes(self) -> int:
        """What it takes of the guest's memory before it asks for more."""
        return sum(segment.memory_bytes for segment in self.segments)

    @property
    def end(self) -> int:
        """The first byte of RAM behind it, counted from where RAM begins."""
        return max(segment.address + segment.memory_bytes for segment in self.segments) - self.arch.ram_start

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
    if content[:4] != b"\x7fELF":
        raise _refused(path, "it is not an ELF file")
    try:
        return _read(path, ELFFile(BytesIO(content)), len(content))
    # The library calls most damage an ELFError; the others come of what it does not foresee.
    except (ELFError, ConstructError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise _refused(path, "it is cut off or damaged") from error


def _read(path: Path, elf: ELFFile, file_bytes: int) -> Image:
    known = {one.elf_machine: one for one in ARCHES.values()}
    arch = known.get(elf["e_machine"])
    if elf.elfclass != 64 or not elf.little_endian or arch is None:
        raise _refused(path, "it is not for 64-bit x86 or Arm")
    if elf["e_type"] != "ET_EXEC":
        raise _refused(path, "it is not a program for a fixed address")
    if max(elf.num_segments(), elf.num_sections()) > _MOST_PARTS:
        raise _refused(path, f"it has more than {_MOST_PARTS:,} segments or sections")
    segments, entry = [], None if arch is X86_64 else elf["e_entry"]
    for one in elf.iter_segments():
        if one["p_type"] not in ("PT_LOAD", "PT_NOTE"):
            continue
        in_file, in_memory = one["p_filesz"], one["p_memsz"]
        if one["p_offset"] + in_file > file_bytes or in_file > in_memory:
            raise _refused(path, "it is cut off")
        if isinstance(one, NoteSegment):
            if arch is X86_64:
                entry = _pvh_entry(one) or entry
        else:
            rights = [bool(one["p_flags"] & bit) for bit in (P_FLAGS.PF_R, P_FLAGS.PF_W, P_FLAGS.PF_X)]
            segments.append(Segment(one["p_paddr"], in_file, in_memory, *rights))
    _check(path, segments, entry, arch)
    if any(table.num_symbols() > _MOST_SYMBOLS for table in _symbol_tables(elf)):
        raise _refused(path, f"it has more than {_MOST_SYMBOLS:,} symbols")
    return Image(
        path, file_bytes, entry or 0, segments, list(_sections(elf)), list(_symbols(elf)), arch, _fixed(elf)
    )


def _check(path: Path, segments: list[Segment], entry: int | None, arch: Arch) -> None:
    if entry is None:
        raise _refused(path, "it has no PVH note that says where to begin")
    if not any(one.executable and one.address <= entry < one.address + one.file_bytes for one in segments):
        raise _refused(path, f"it is to begin at {entry:#x}, where no code is")
    if low := [one for one in segments if one.address < arch.ram_start]:
        raise _refused(path, f"its segment at {low[0].address:#x} lies where its processor has no RAM")
    ordered = sorted(segments, key=lambda one: one.address)
    for one, after in pairwise(ordered):
        if one.address + one.memory_bytes > after.address:
            raise _refused(path, f"its segments at {one.address:#x} and {after.address:#x} overlap")


def _pvh_entry(notes: NoteSegment) -> int | None:
    for note in notes.iter_notes():
        # A number: the library has names for types that other tools know.
        kind: object = note["n_type"]
        content = note["n_descdata"]
        if note["n_name"] == "Xen" and kind == _PVH and len(content) in (4, 8):
            return int.from_bytes(content, "little")
    return None


def _sections(elf: ELFFile) -> Iterator[Section]:
    for one in elf.iter_sections():
        loaded, in_file = bool(one["sh_flags"] & SH_FLAGS.SHF_ALLOC), one["sh_type"] != "SHT_NOBITS"
        yield Section(one.name, one["sh_addr"], one["sh_size"], loaded, in_file)


def _fixed(elf: ELFFile) -> dict[str, str]:
    section = elf.get_section_by_name(SECTION)
    return fixed_in(section.data().decode("ascii")) if section else {}


def _symbol_tables(elf: ELFFile) -> Iterator[SymbolTableSection]:
    """None in a file that was stripped."""
    return (one for one in elf.iter_sections("SHT_SYMTAB") if isinstance(one, SymbolTableSection))


def _symbols(elf: ELFFile) -> Iterator[Symbol]:
    names = [section.name for section in elf.iter_sections()]
    for table in _symbol_tables(elf):
        file = ""
        for one in table.iter_symbols():
            kind, section = one["st_info"]["type"], one["st_shndx"]
            if kind == "STT_FILE":
                file = one.name
            elif kind in _NAMED and isinstance(section, int) and section < len(names) and one.name:
                source = file if one["st_info"]["bind"] == "STB_LOCAL" else ""
                yield Symbol(one.name, one["st_value"], one["st_size"], names[section], source)


def _refused(path: Path, why: str) -> LoadstoneError:
    return LoadstoneError(
        "image-file", f"{path} cannot be booted: {why}", hint="make an image with `loadstone image build`"
    )
