"""What an image does not trust: its disk's bytes, its host's speed, its machine's parts."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from booted import OLIO, booted, disk, machine
from shared_sites import Browser

from loadstone.image.guest import CLEAN, REFUSED, Guest
from loadstone.image.monitor import Monitor
from loadstone.image.qemu import Machine

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]
_SMEP, _SMAP, _UMIP = 1 << 20, 1 << 21, 1 << 11
_LOG_END = (42 + 1024) * 4096
"""Of a disk of 64 MiB."""


@dataclass(frozen=True)
class _Changed(Machine):
    """A machine with other parts."""

    parts: tuple[tuple[str, str], ...] = ()
    """Of the command line, and what stands in their place."""

    def command(self) -> list[str]:
        """The program with its arguments."""
        words = super().command()
        for part, by in self.parts:
            words = [word.replace(part, by) for word in words]
        return words


def _changed(described: Machine, *parts: tuple[str, str]) -> Machine:
    return _Changed(**vars(described), parts=parts)


def test_a_machine_without_a_known_clock_is_refused_in_a_sentence(tmp_path: Path) -> None:
    # Without its name, nobody can know how fast an emulator has the local APIC count.
    emulated = replace(machine("olio", OLIO, disk(tmp_path)), accelerator="tcg")
    nameless = ("max", "max,tcg-cpuid=off")
    with Guest(_changed(emulated, ("acpi=off", "acpi=off,pit=off"), nameless)) as guest:
        assert guest.wait_for_end(60) == REFUSED, guest.console()
        assert "no interval timer" in guest.console()


def test_a_host_that_gives_little_entropy_stalls_nobody(tmp_path: Path) -> None:
    # Sixteen bytes, and then none for an hour.
    slow = "virtio-rng-device,max-bytes=16,period=3600000"
    described = _changed(machine("olio", OLIO, disk(tmp_path)), ("virtio-rng-device", slow))
    with booted(described) as site:
        browser = Browser([site.url])
        assert all(browser.get("/")[0] == 200 for _ in range(20))


def test_the_processor_keeps_what_it_can(tmp_path: Path) -> None:
    monitor = tmp_path / "monitor"
    with booted(replace(machine("olio", OLIO, disk(tmp_path)), monitor=monitor)), Monitor(monitor) as asked:
        registers = asked.ask("human-monitor-command", command_line="info registers")
    found = re.search(r"CR4=([0-9a-f]+)", registers)
    assert found, registers
    assert int(found[1], 16) & (_SMEP | _SMAP | _UMIP) == _SMEP | _SMAP | _UMIP


def test_a_page_that_rots_is_an_error_and_everything_else_goes_on(tmp_path: Path) -> None:
    block = disk(tmp_path)
    with booted(machine("olio", OLIO, block)) as site:
        browser = Browser([site.url])
        before = {path: browser.get(path) for path in (f"/events/{number}" for number in range(1, 60))}
        site.guest.say("shutdown")
        assert site.guest.wait_for_end(20) == CLEAN
    # A boot brings the log into place.
    with booted(machine("olio", (), block)):
        pass
    text = max(re.findall(rb"[A-Za-z ]{40,}", before["/events/1"][1]), key=len)
    content = bytearray(block.file.read_bytes())
    at = content.find(text, _LOG_END)
    assert at > 0, text
    content[at] ^= 1
    block.file.write_bytes(content)
    with booted(machine("olio", (), block)) as site:
        browser = Browser([site.url])
        after = {path: browser.get(path) for path in before}
        assert "checksum is wrong" in site.guest.console()
    assert after["/events/1"][0] == 500
    wrong = [path for path, answer in after.items() if answer[0] != 500 and answer != before[path]]
    assert wrong == [], "a page was made of what rotted"
    assert sum(answer[0] == 200 for answer in after.values()) > 20
