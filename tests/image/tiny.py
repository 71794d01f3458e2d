"""A whole image in a few instructions: says a line on the serial port and ends with an exit code."""

from __future__ import annotations

import subprocess
from pathlib import Path

_SOURCE = """
.section .note.pvh, "a", @note
.balign 4
.long 4, 8, 18
.asciz "Xen"
.quad {entry}
.text
.code32
.globl start
.type start, @function
start:
    mov $text, %esi
    mov $0x3f8, %dx
1:  lodsb
    test %al, %al
    jz 2f
    out %al, %dx
    jmp 1b
2:  mov ${code}, %al
    out %al, $0xf4
3:  hlt
    jmp 3b
.size start, . - start
.globl _ZN14loadstone_http7request5parse17h0123456789abcdefE
.type _ZN14loadstone_http7request5parse17h0123456789abcdefE, @function
_ZN14loadstone_http7request5parse17h0123456789abcdefE:
    .skip 100, 0x90
.size _ZN14loadstone_http7request5parse17h0123456789abcdefE, 100
.section .rodata
text: .asciz "{text}\\n"
.bss
.skip 5000
"""
_LAYOUT = """
ENTRY(start)
PHDRS { text PT_LOAD FLAGS(5); rodata PT_LOAD FLAGS(4); data PT_LOAD FLAGS(6); note PT_NOTE FLAGS(4); }
SECTIONS {
    . = 0x100000;
    .text : { *(.text) } :text
    . = ALIGN(4096);
    .rodata : { *(.rodata) } :rodata
    .note.pvh : { *(.note.pvh) } :rodata :note
    . = ALIGN(4096);
    .bss : { *(.bss) } :data
    /DISCARD/ : { *(.note.gnu*) }
}
"""


def tiny_image(folder: Path, text: str = "serving nothing", code: int = 0x10, entry: str = "start") -> Path:
    """Makes one with the system's compiler."""
    source, layout, image = folder / "tiny.s", folder / "tiny.ld", folder / "tiny.elf"
    source.write_text(_SOURCE.format(text=text, code=code, entry=entry))
    layout.write_text(_LAYOUT)
    flags = ["-nostdlib", "-static", "-no-pie", "-Wl,--build-id=none", "-Wl,-z,max-page-size=4096"]
    subprocess.run(["gcc", *flags, f"-Wl,-T,{layout}", "-o", image, source], check=True)
    return image
