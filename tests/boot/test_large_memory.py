"""More RAM than 32 bits can name: it is found, used, and holds what is written there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from booted import BOOT_S
from folder_image import ask, get
from own_crate import own_crate

from loadstone.image.build import build
from loadstone.image.guest import Guest, free_port
from loadstone.image.qemu import Machine, PcBoard

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

_MIB = 6 * 1024


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A service that asks for more memory than lies below 4 GiB."""
    folder = own_crate(tmp_path_factory.mktemp("own") / "large", _LARGE)
    return build(str(folder), folder / "large.elf").stripped.path


@pytest.mark.parametrize("board", ["microvm", "q35"])
def test_memory_above_4_gib_is_used(large: Path, board: PcBoard) -> None:
    words = ("ip=10.0.2.15/24", "gw=10.0.2.2")
    machine = Machine(large, board, _MIB, words=words, ports={80: free_port()})
    with Guest(machine) as guest:
        guest.wait_for("^serving large ", BOOT_S)
        said = guest.order("status", "^status: ", BOOT_S)
        total = re.search(r"of (\d+) KiB in use", said)
        assert total and int(total[1]) > (_MIB - 512) * 1024, said
        # Two pieces of 1.5 GiB and one of 1 do not fit below.
        body = ask(machine.ports[80], get("/", "Connection: close"), BOOT_S).split(b"\r\n\r\n")[1].decode()
        addresses = [int(word, 16) for word in body.split()]
        assert len(addresses) == 3 and max(addresses) >= 4 << 30, body


_LARGE = """use alloc::format;
use alloc::vec::Vec;

const STEP: usize = 64 << 20;

impl Handler for Own {
    fn handle(&mut self, _: &Request<'_>, response: &mut Response) {
        let mut pieces: Vec<Vec<u64>> = [3 << 29, 3 << 29, 1 << 30]
            .map(|bytes| Vec::with_capacity(bytes / 8))
            .into();
        // A word here and there: all of it would be much for an emulator.
        for piece in &mut pieces {
            for at in (0..piece.capacity()).step_by(STEP / 8) {
                let word = piece.as_mut_ptr().wrapping_add(at);
                unsafe { word.write_volatile(word as u64) };
            }
        }
        for piece in &pieces {
            for at in (0..piece.capacity()).step_by(STEP / 8) {
                let word = piece.as_ptr().wrapping_add(at);
                assert_eq!(unsafe { word.read_volatile() }, word as u64, "memory is there twice");
            }
        }
        let text: String = pieces.iter().map(|piece| format!("{:p} ", piece.as_ptr())).collect();
        response.text(text);
    }
}
"""
