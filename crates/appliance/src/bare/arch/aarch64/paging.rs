//! Page tables: pages of 4 KiB for the image, blocks of 2 MB and 1 GB for the rest of RAM; what is not RAM and
//! no device's window is not mapped. The processor refuses to run what can be written, whatever tables say.

use alloc::alloc::alloc_zeroed;
use core::alloc::Layout;
use core::arch::asm;
use core::sync::atomic::{AtomicU64, Ordering};

use super::registers::read_own;
use crate::bare::layout::{self, PAGE, Rights};
use crate::bare::refuse;
use crate::memory::Ram;

const LARGE: u64 = 2 << 20;
const HUGE: u64 = 1 << 30;
/// A block, and a table or a page.
const BLOCK: u64 = 1;
const TABLE: u64 = 3;
const DEVICE: u64 = 1 << 2;
const READ_ONLY: u64 = 1 << 7;
const SHAREABLE: u64 = 3 << 8;
const ACCESSED: u64 = 1 << 10;
const NOT_RUN: u64 = 1 << 53;
const NOT_RUN_BY_USERS: u64 = 1 << 54;
/// Memory that is read and written.
const MEMORY: u64 = SHAREABLE | ACCESSED | NOT_RUN | NOT_RUN_BY_USERS;
/// What can be written is not run.
const WRITE_OR_RUN: u64 = 1 << 19;

/// Where RAM begins: behind the devices.
pub const RAM_START: u64 = HUGE;
/// The end of what is mapped: `entry` has mapped all of it.
pub fn reach(_: &[Ram]) -> u64 {
    512 * HUGE
}

/// Where RAM ends.
static END: AtomicU64 = AtomicU64::new(0);

#[repr(align(4096))]
struct Table([u64; 512]);

/// Tells where RAM ends.
pub(super) fn set_end(end: u64) {
    END.store(end, Ordering::Relaxed);
}

/// Whether devices are mapped at this address. The first pages are kept free of them: nothing is at zero.
pub(super) fn has_devices(address: u64) -> bool {
    (LARGE..RAM_START).contains(&address)
}

/// Protects what is mapped; needs the heap.
pub fn protect() {
    let end = END.load(Ordering::Relaxed);
    let root = table();
    for (gigabyte, entry) in (0..).zip(&mut root.0) {
        let base = gigabyte * HUGE;
        // Whole gigabytes of RAM behind the one with the image need no table.
        *entry = if base >= end {
            0
        } else if gigabyte > 1 && base + HUGE <= end {
            base | BLOCK | MEMORY
        } else {
            larger_pages(base, end) | TABLE
        };
    }
    let root = core::ptr::from_mut(root).addr();
    let control = read_own!("sctlr_el1");
    // SAFETY: both maps say the same of what this code uses. Translation is off in between, as the processor
    // asks for where pages change their size, and nothing is read or written then.
    unsafe {
        asm!(
            "dsb sy",
            "msr sctlr_el1, {off}",
            "isb",
            "msr ttbr0_el1, {root}",
            "tlbi vmalle1",
            "dsb sy",
            "isb",
            "msr sctlr_el1, {on}",
            "isb",
            off = in(reg) control & !1,
            on = in(reg) control | WRITE_OR_RUN,
            root = in(reg) root,
            options(nostack),
        );
    }
}

/// A table for the gigabyte at `base`, of which RAM reaches to `end`.
fn larger_pages(base: u64, end: u64) -> u64 {
    let image = layout::image();
    let image = image.start / LARGE * LARGE..image.end;
    let table = table();
    for (index, entry) in (0..).zip(&mut table.0) {
        let address = base + index * LARGE;
        *entry = if image.contains(&address) {
            small_pages(address) | TABLE
        } else if has_devices(address) {
            address | BLOCK | DEVICE | ACCESSED | NOT_RUN | NOT_RUN_BY_USERS
        } else if (RAM_START..end).contains(&address) {
            address | BLOCK | MEMORY
        } else {
            0
        };
    }
    core::ptr::from_mut(table).addr() as u64
}

/// A table for the 2 MB at `address`.
fn small_pages(address: u64) -> u64 {
    let table = table();
    for (index, entry) in (0..).zip(&mut table.0) {
        let page = address + index * PAGE;
        *entry = match layout::rights(page) {
            Rights::None => 0,
            Rights::Run => page | TABLE | SHAREABLE | ACCESSED | READ_ONLY | NOT_RUN_BY_USERS,
            Rights::Read => page | TABLE | MEMORY | READ_ONLY,
            Rights::Write => page | TABLE | MEMORY,
        };
    }
    core::ptr::from_mut(table).addr() as u64
}

/// An empty table, which is never freed.
fn table() -> &'static mut Table {
    // SAFETY: the layout is not empty, and zeros are an empty table.
    unsafe {
        let table: *mut Table = alloc_zeroed(Layout::new::<Table>()).cast();
        table.as_mut().unwrap_or_else(|| refuse("there is no memory for page tables"))
    }
}
