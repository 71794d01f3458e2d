//! From the loader's jump to Rust: caches and an identity map in blocks of 1 GB, then a stack. The first
//! gigabyte has devices, RAM begins behind it.

use core::arch::global_asm;

global_asm!(
    ".section .boot, \"ax\", @progbits",
    ".global first_instruction",
    "first_instruction:",
    "    msr daifset, #15",
    // Floating point, as the compiler expects it.
    "    mov x0, #(3 << 20)",
    "    msr cpacr_el1, x0",
    // A table of 512 blocks: of a device (attributes 1, not run), then of memory (attributes 0, shareable).
    "    adrp x1, page_root",
    "    mov x2, #0x405",
    "    movk x2, #0x60, lsl #48",
    "    str x2, [x1]",
    "    mov x2, #0x701",
    "    movk x2, #0x4000, lsl #16",
    "    movk x2, #0x40, lsl #48",
    "    mov x3, #(1 << 30)",
    "    mov x4, #1",
    "1:  str x2, [x1, x4, lsl #3]",
    "    add x2, x2, x3",
    "    add x4, x4, #1",
    "    cmp x4, #512",
    "    b.ne 1b",
    // Memory that is written back; devices.
    "    mov x2, #0x04ff",
    "    msr mair_el1, x2",
    // 39 bits from one table, walked through the caches; addresses of 40 bits; no upper half.
    "    mov x2, #0x3519",
    "    movk x2, #0x80, lsl #16",
    "    movk x2, #2, lsl #32",
    "    msr tcr_el1, x2",
    "    msr ttbr0_el1, x1",
    "    dsb sy",
    "    tlbi vmalle1",
    "    ic iallu",
    "    dsb sy",
    "    isb",
    // Translation, caches, an aligned stack; `wfi` is no trap.
    "    mov x2, #0x180d",
    "    movk x2, #0x30d5, lsl #16",
    "    msr sctlr_el1, x2",
    "    isb",
    "    adrp x0, stack_top",
    "    add x0, x0, :lo12:stack_top",
    "    mov sp, x0",
    "    mov x29, #0",
    "    mov x30, #0",
    "    bl {start}",
    "    brk #0",
    ".section .tables, \"aw\", @nobits",
    ".balign 4096",
    "page_root: .skip 4096",
    ".text",
    start = sym super::start::start,
);
