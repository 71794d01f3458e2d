"""Words fixed at build time: they count, cannot be changed, and what they rule out takes no room."""

from __future__ import annotations

from pathlib import Path

import pytest
from booted import BOOT_S
from folder_image import ask, get

from loadstone.image.build import Built, build
from loadstone.image.contents import drivers
from loadstone.image.elf import read_image
from loadstone.image.fixed import fixed_words
from loadstone.image.guest import REFUSED, Guest, free_port
from loadstone.image.qemu import HTTP_PORT, Machine

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

WORDS = ("ip=10.9.0.15/24", "gw=10.9.0.2", "port=8081", "metrics=off", "scale=off", "tx=32768")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """A folder's image with an address, a port and sizes of its own."""
    return build("files", tmp_path_factory.mktemp("fixed"), fix=fixed_words(WORDS))


def test_it_serves_by_them_and_is_told_nothing_else(files: Built) -> None:
    known = read_image(files.stripped.path).fixed
    assert known == dict(word.split("=") for word in WORDS)
    machine = Machine(files.stripped.path, fixed=known, ports={HTTP_PORT: free_port()})
    with Guest(machine) as guest:
        guest.wait_for(r"^serving files at 10\.9\.0\.15:8081", BOOT_S)
        assert b"200 OK" in ask(machine.ports[HTTP_PORT], get("/", "Connection: close"), BOOT_S)


@pytest.mark.parametrize("word", ["ip=10.9.0.16/24", "port=80", "scale=90"])
def test_a_machine_that_is_told_one_is_refused(files: Built, word: str) -> None:
    with Guest(Machine(files.stripped.path, words=[word])) as guest:
        known = next(one for one in WORDS if one.startswith(word.partition("=")[0]))
        guest.wait_for(
            f"refused: `{word}`: the image was built with {known}, which cannot be changed", BOOT_S
        )
        assert guest.wait_for_end(BOOT_S) == REFUSED


def test_what_is_fixed_takes_no_room(files: Built, tmp_path: Path) -> None:
    plain = build("files", tmp_path / "plain.elf")
    # DHCP and the port of figures, and what would read the words; 13 KB when this was written.
    assert plain.stripped.bytes - files.stripped.bytes > 10_000
    assert {"dhcp", "metrics"}.isdisjoint(files.features) and "DHCP" not in drivers(files.symbols)
    least = build("files", tmp_path / "least.elf", parts=["mmio"]).stripped.bytes
    words = (
        "ip=10.0.2.15/24",
        "gw=10.0.2.2",
        "port=80",
        "scale=off",
        "rx=8192",
        "tx=16384",
        "connections=64",
    )
    assert (
        build("files", tmp_path / "words.elf", parts=["mmio"], fix=fixed_words(words)).stripped.bytes < least
    )


def test_a_site_without_a_disk_or_a_loader_has_no_code_for_it(tmp_path: Path) -> None:
    sizes = {
        word: build("olio", tmp_path / "olio.elf", parts=["mmio"], fix=fixed_words([word] if word else []))
        for word in ("", "data.disk=none", "data.load=none")
    }
    usual = sizes[""].stripped.bytes
    # 73 KB: the disk's log and its driver. 57 KB: the data set's texts, names and pictures.
    assert usual - sizes["data.disk=none"].stripped.bytes > 60_000
    assert "virtio-blk" not in drivers(sizes["data.disk=none"].symbols)
    assert usual - sizes["data.load=none"].stripped.bytes > 45_000


def test_the_same_words_are_the_same_image_bit_for_bit(files: Built, tmp_path: Path) -> None:
    other = build("files", tmp_path / "other.elf", fix=fixed_words([*WORDS[:-1], "tx=16384"])).stripped.path
    again = build("files", tmp_path / "again.elf", fix=fixed_words(WORDS)).stripped.path
    assert again.read_bytes() == files.stripped.path.read_bytes() != other.read_bytes()
