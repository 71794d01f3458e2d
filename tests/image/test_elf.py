"""What a loader would make of a file, and what is in it."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest
from tiny import tiny_image

from loadstone.errors import LoadstoneError
from loadstone.image.contents import ASSEMBLY, NAMELESS, by_crate, drivers, loaded, places
from loadstone.image.elf import read_image


def test_an_image_is_read(tmp_path: Path) -> None:
    image = read_image(tiny_image(tmp_path))
    assert image.entry == 0x100000
    assert [one.rights for one in image.segments] == ["r-x", "r--", "rw-"]
    assert image.segments[2].memory_bytes == 5000 and image.segments[2].file_bytes == 0
    assert image.warnings == []


def test_every_byte_has_a_crate(tmp_path: Path) -> None:
    image = read_image(tiny_image(tmp_path))
    found = by_crate(image)
    assert found["loadstone_http"] == 100
    named = {symbol.section for symbol in image.symbols}
    assert sum(found.values()) == sum(one.bytes for one in loaded(image) if one.name in named)
    assert found.keys() <= {"loadstone_http", ASSEMBLY, NAMELESS, "tiny"}
    assert drivers(image) == []


def test_an_address_has_a_place_unless_stripped(tmp_path: Path) -> None:
    file = tiny_image(tmp_path)
    image = read_image(file)
    inside = next(one.address for one in image.symbols if "loadstone_http" in one.name) + 5
    assert "loadstone_http::request::parse" in places(image, [inside])[0]
    subprocess.run(["strip", file], check=True)
    with pytest.raises(LoadstoneError, match="no symbols") as caught:
        places(read_image(file), [inside])
    assert caught.value.slug == "image-file"


def test_what_cannot_be_booted_is_refused(tmp_path: Path) -> None:
    whole = tiny_image(tmp_path).read_bytes()
    changed = bytearray(whole)
    changed[18] = 243  # another processor
    low = bytearray(whole)
    low[18] = 183  # Arm
    for content, why in [
        (b"", "not an ELF"),
        (b"MZ" + bytes(100), "not an ELF"),
        (whole[:40], "cut off"),
        (whole[:5000], "cut off"),
        (bytes(changed), "64-bit x86 or Arm"),
        (bytes(low), "0x100000 lies where its processor has no RAM"),
        (whole[:16] + b"\3" + whole[17:], "fixed address"),
        (whole.replace(b"Xen\0", b"Zen\0"), "no PVH note"),
    ]:
        file = tmp_path / "bad.elf"
        file.write_bytes(content)
        with pytest.raises(LoadstoneError, match=why) as caught:
            read_image(file)
        assert caught.value.slug == "image-file"
    with pytest.raises(LoadstoneError, match="where no code is"):
        read_image(tiny_image(tmp_path, entry="0x5000"))
    with pytest.raises(LoadstoneError, match="No such file"):
        read_image(tmp_path / "none.elf")


def test_no_more_parts_are_read_than_a_linker_makes(tmp_path: Path) -> None:
    whole = bytearray(tiny_image(tmp_path).read_bytes())
    table, count = struct.unpack_from("<Q", whole, 40)[0], struct.unpack_from("<H", whole, 60)[0]
    heads = [table + 64 * number for number in range(count)]
    symbols = next(head for head in heads if struct.unpack_from("<I", whole, head + 4)[0] == 2)
    many_symbols, many_sections = bytearray(whole), bytearray(whole)
    struct.pack_into("<Q", many_symbols, symbols + 32, 24 << 18 | 24)
    # A file without a number of sections has it in the size of the first.
    struct.pack_into("<H", many_sections, 60, 0)
    struct.pack_into("<Q", many_sections, heads[0] + 32, 1 << 60)
    for content, why in [(many_symbols, "262,144 symbols"), (many_sections, "65,536 segments or sections")]:
        file = tmp_path / "bad.elf"
        file.write_bytes(content)
        with pytest.raises(LoadstoneError, match=f"more than {why}"):
            read_image(file)


def test_random_damage_never_breaks_the_reader(tmp_path: Path) -> None:
    import random

    whole, file = tiny_image(tmp_path).read_bytes(), tmp_path / "bad.elf"
    draw = random.Random(1)
    for _ in range(300):
        content = bytearray(whole)
        for _ in range(draw.randint(1, 8)):
            content[draw.randrange(400)] = draw.randrange(256)
        file.write_bytes(bytes(content[: draw.randint(60, len(content))]))
        try:
            image = read_image(file)
        except LoadstoneError as error:
            assert error.slug == "image-file"
        else:
            by_crate(image)
