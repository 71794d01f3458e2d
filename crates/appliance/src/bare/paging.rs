//! Pages: what is code cannot be written, what is data cannot be run, and below the stack and at address 0
//! there is nothing. All but the image keeps pages of 2 MB.

use alloc::alloc::alloc_zeroed;
use core::alloc::Layout;
use core::arch::asm;
use core::arch::x86_64::{__cpuid, __cpuid_count};

const PAGE: u64 = 4096;
const LARGE: u64 = 2 << 20;
const PRESENT: u64 = 1;
const WRITABLE: u64 = 1 << 1;
/// Not cached, for the registers of devices.
const UNCACHED: u64 = 1 << 3 | 1 << 4;
const IS_LARGE: u64 = 1 << 7;
const NO_EXECUTE: u64 = 1 << 63;
/// Device windows of PCs begin here.
const DEVICES: u64 = 3 << 30;
/// What `entry` has mapped.
pub(super) const MAPPED: u64 = 4 << 30;

unsafe extern "C" {
    static image_start: u8;
    static text_end: u8;
    static rodata_end: u8;
    static stack_guard: u8;
    static stack_bottom: u8;
    static stack_top: u8;
    static image_end: u8;
    static mut page_directories: [u64; 2048];
}

/// The address of a label that the linker defines.
macro_rules! label {
    ($name:ident) => {
        (&raw const $name).addr() as u64
    };
}

/// Where the image lies.
pub(super) fn image() -> core::ops::Range<u64> {
    label!(image_start)..label!(image_end)
}

/// Where its code lies.
pub(super) fn text() -> core::ops::Range<usize> {
    label!(image_start) as usize..label!(text_end) as usize
}

/// Where its stack lies.
pub(super) fn stack() -> core::ops::Range<usize> {
    label!(stack_bottom) as usize..label!(stack_top) as usize
}

/// What is known of an address that could not be used, to be written behind it.
pub(super) fn what_is_at(address: u64) -> &'static str {
    if address < PAGE {
        return ": nothing is at zero";
    }
    if (label!(stack_guard)..label!(stack_bottom)).contains(&address) {
        return ": the stack has overflowed";
    }
    if (label!(image_start)..label!(rodata_end)).contains(&address) {
        return ": code and constants cannot be written";
    }
    ""
}

/// Protects what is mapped; needs the heap.
pub(super) fn protect() {
    // SAFETY: this is the only use of the tables, besides the processor's.
    let directories = unsafe { &mut *(&raw mut page_directories) };
    let small = label!(image_end).div_ceil(LARGE) as usize;
    for (index, entry) in directories.iter_mut().enumerate() {
        let address = index as u64 * LARGE;
        if index < small {
            *entry = small_pages(address) | PRESENT | WRITABLE;
        } else {
            let cache = if address >= DEVICES { UNCACHED } else { 0 };
            *entry = address | PRESENT | WRITABLE | IS_LARGE | NO_EXECUTE | cache;
        }
    }
    // SAFETY: loads the same tables again, so that no old translation is left.
    unsafe { asm!("mov {0}, cr3", "mov cr3, {0}", out(reg) _) };
    harden();
}

/// Has the processor refuse, where it can: to run or to touch pages of users, of which there are none, so that
/// a changed table is of less use; and to tell programs of users where its tables are.
fn harden() {
    let features = if __cpuid(0).eax >= 7 { __cpuid_count(7, 0) } else { return };
    let bits = [(features.ebx >> 7, 20), (features.ebx >> 20, 21), (features.ecx >> 2, 11)];
    let wanted = bits.into_iter().fold(0_u64, |sum, (has, bit)| sum | u64::from(has & 1) << bit);
    // SAFETY: the processor has what is switched on, and no page is a user's.
    unsafe { asm!("mov {0}, cr4", "or {0}, {1}", "mov cr4, {0}", out(reg) _, in(reg) wanted) };
}

/// A table for the 2 MB at `address`.
fn small_pages(address: u64) -> u64 {
    let layout = Layout::new::<[u64; 512]>().align_to(PAGE as usize).expect("a page is a power of two");
    // SAFETY: the layout is not empty.
    let table: *mut [u64; 512] = unsafe { alloc_zeroed(layout) }.cast();
    assert!(!table.is_null(), "there is no memory for page tables");
    // SAFETY: just allocated, and never freed.
    for (index, entry) in unsafe { &mut *table }.iter_mut().enumerate() {
        let page = address + index as u64 * PAGE;
        *entry = page | rights(page);
    }
    table.addr() as u64
}

fn rights(page: u64) -> u64 {
    if page == 0 || page == label!(stack_guard) {
        0
    } else if (label!(image_start)..label!(text_end)).contains(&page) {
        PRESENT
    } else if (label!(text_end)..label!(rodata_end)).contains(&page) {
        PRESENT | NO_EXECUTE
    } else {
        PRESENT | WRITABLE | NO_EXECUTE
    }
}
