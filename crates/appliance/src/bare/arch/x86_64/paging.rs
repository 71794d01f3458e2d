//! Page tables. All but the image keeps pages of 2 MB.

use alloc::alloc::alloc_zeroed;
use core::alloc::Layout;
use core::arch::asm;
use core::arch::x86_64::{__cpuid, __cpuid_count};

use crate::bare::layout::{self, PAGE, Rights};
use crate::bare::refuse;
use crate::memory::Ram;

const LARGE: u64 = 2 << 20;
const PRESENT: u64 = 1;
const WRITABLE: u64 = 1 << 1;
/// Not cached, for the registers of devices.
const UNCACHED: u64 = 1 << 3 | 1 << 4;
const IS_LARGE: u64 = 1 << 7;
const NO_EXECUTE: u64 = 1 << 63;
/// Device windows of PCs begin here.
const DEVICES: u64 = 3 << 30;
/// Where RAM begins.
pub const RAM_START: u64 = 0;
/// What `entry` has mapped. Windows of devices must be here.
pub const MAPPED: u64 = 4 << 30;
/// A page of the RAM behind it, and the end of what one table of those maps.
const HUGE: u64 = 1 << 30;
const MOST: u64 = 512 * HUGE;

unsafe extern "C" {
    static mut page_directories: [u64; 2048];
    static mut page_pointers: [u64; 512];
}

/// Maps the RAM beyond `MAPPED`, where the processor has pages that large; the end of what is mapped.
pub fn reach(ram: &[Ram]) -> u64 {
    let extended = __cpuid(0x8000_0001).edx;
    if extended >> 26 & 1 == 0 {
        return MAPPED;
    }
    let end = ram.iter().map(|(base, size)| base.saturating_add(*size)).max().unwrap_or(0).min(MOST);
    // SAFETY: this is the only use of the table, besides the processor's.
    let pointers = unsafe { &mut *(&raw mut page_pointers) };
    for (index, entry) in pointers.iter_mut().enumerate().skip((MAPPED / HUGE) as usize) {
        let address = index as u64 * HUGE;
        if address < end {
            *entry = address | PRESENT | WRITABLE | IS_LARGE | NO_EXECUTE;
        }
    }
    end.max(MAPPED)
}

/// Protects what is mapped; needs the heap.
pub fn protect() {
    // SAFETY: this is the only use of the tables, besides the processor's.
    let directories = unsafe { &mut *(&raw mut page_directories) };
    let small = layout::image().end.div_ceil(LARGE) as usize;
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

#[repr(align(4096))]
struct Table([u64; 512]);

/// A table for the 2 MB at `address`.
fn small_pages(address: u64) -> u64 {
    // SAFETY: the layout is not empty.
    let table: *mut Table = unsafe { alloc_zeroed(Layout::new::<Table>()) }.cast();
    if table.is_null() {
        refuse("there is no memory for page tables");
    }
    // SAFETY: just allocated, and never freed.
    for (index, entry) in unsafe { &mut (*table).0 }.iter_mut().enumerate() {
        let page = address + index as u64 * PAGE;
        *entry = page | rights(page);
    }
    table.addr() as u64
}

fn rights(page: u64) -> u64 {
    match layout::rights(page) {
        Rights::None => 0,
        Rights::Run => PRESENT,
        Rights::Read => PRESENT | NO_EXECUTE,
        Rights::Write => PRESENT | WRITABLE | NO_EXECUTE,
    }
}
