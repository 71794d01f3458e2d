//! What the hypervisor tells at the PVH start.

use core::slice;

use super::{console, interrupts};
use crate::bare::{LINE, begin, refuse};
use crate::memory::{self, Ram};

/// What the hypervisor says it is.
const MAGIC: u32 = 0x336e_c578;
const IS_RAM: u32 = 1;

/// The start info of PVH (Xen's `hvm_start_info`), as far as it is used.
#[repr(C)]
pub struct StartInfo {
    magic: u32,
    version: u32,
    flags: u32,
    modules: u32,
    module_list: u64,
    command_line: u64,
    rsdp: u64,
    memory_map: u64,
    memory_ranges: u32,
}

#[repr(C)]
struct Range {
    base: u64,
    size: u64,
    kind: u32,
    reserved: u32,
}

/// Called by the first instructions.
pub extern "C" fn start(info: *const StartInfo) -> ! {
    interrupts::catch_exceptions();
    console::start();
    let mut line = [0; LINE];
    // SAFETY: the hypervisor passes its start info, which lies in memory that nothing was written to so far.
    let (line, ram) = unsafe {
        if (*info).magic != MAGIC {
            refuse("no PVH start info");
        }
        (copy_line(&*info, &mut line), copy_map(&*info))
    };
    begin(line, &ram)
}

#[inline(always)]
unsafe fn copy_line<'a>(info: &StartInfo, line: &'a mut [u8; LINE]) -> &'a str {
    let from: *const u8 = core::ptr::with_exposed_provenance(info.command_line as usize);
    let mut length = 0;
    if !from.is_null() {
        // SAFETY: it ends in a zero, or is cut.
        while let byte @ 1.. = unsafe { from.add(length).read() } {
            if length == LINE {
                refuse("the command line is too long");
            }
            line[length] = byte;
            length += 1;
        }
    }
    core::str::from_utf8(&line[..length]).unwrap_or_else(|_| refuse("the command line is no UTF-8"))
}

#[inline(always)]
unsafe fn copy_map(info: &StartInfo) -> [Ram; memory::RANGES] {
    let mut ram = [(0, 0); memory::RANGES];
    let first: *const Range = core::ptr::with_exposed_provenance(info.memory_map as usize);
    if info.version < 1 || first.is_null() {
        refuse("the hypervisor tells of no memory");
    }
    // SAFETY: the table has so many ranges.
    let ranges = unsafe { slice::from_raw_parts(first, info.memory_ranges as usize) };
    for (slot, range) in ram.iter_mut().zip(ranges.iter().filter(|range| range.kind == IS_RAM)) {
        *slot = (range.base, range.size);
    }
    ram
}
