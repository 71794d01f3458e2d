//! The bare machine: from its first instruction to its last.

pub mod clock;
mod console;
mod devices;
mod entropy;
mod entry;
mod interrupts;
mod paging;
mod panic;
#[cfg(feature = "pci")]
mod pci;
pub mod ports;
mod power;
mod run;
#[cfg(feature = "tls")]
mod secrets;
mod symbols;

use core::sync::atomic::{AtomicU64, Ordering};
use core::{fmt, slice};

pub use console::Console;
pub use entropy::fill as entropy;
pub use power::{End, end};
pub use run::Machine;

use crate::args::Args;
use crate::heap::{Heap, Usage};
use crate::memory::{self, Ram};
use crate::one_cpu::OneCpu;
use crate::virtio::IoRegion;

#[global_allocator]
static HEAP: OneCpu<Heap> = OneCpu::new(Heap::new());

/// Bytes of memory that the hypervisor told of.
static RAM: AtomicU64 = AtomicU64::new(0);

/// Most of a command line that is read.
const LINE: usize = 4096;
/// What the hypervisor says it is.
const MAGIC: u32 = 0x336e_c578;
const IS_RAM: u32 = 1;

/// The start info of PVH (Xen's `hvm_start_info`), as far as it is used.
#[repr(C)]
struct StartInfo {
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

/// How full the heap is.
pub fn heap() -> Usage {
    // SAFETY: the heap is not in use: nothing of it calls back.
    unsafe { HEAP.get() }.usage()
}

/// A machine with too little memory: bytes that it needs in all.
struct Lack(u64);

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ram = RAM.load(Ordering::Relaxed);
        // Firmware keeps a little of each machine's memory.
        let had = ram.div_ceil(1 << 20);
        let needed = self.0.div_ceil(1 << 20).max(had + 1);
        write!(f, "the machine has {had} MiB of memory and needs at least {needed}")
    }
}

/// Says that an allocation failed; returns how the machine is to end. One that serves nothing yet is too
/// small for its image.
fn tell_out_of_memory() -> End {
    // SAFETY: the heap is not in use: its allocation has failed.
    let (usage, asked) = unsafe { (HEAP.get().usage(), HEAP.get().refused()) };
    let serves = run::serves();
    let more = asked.saturating_sub(usage.free()) as u64;
    crate::log!(
        "appliance: {}out of memory: {asked} bytes were asked for, {} of {} KiB are in use; {}",
        if serves { "" } else { "refused: " },
        usage.used >> 10,
        usage.total >> 10,
        Lack(RAM.load(Ordering::Relaxed) + more)
    );
    if serves { End::Fault } else { End::Refused }
}

/// Gives memory back that the heap keeps for small objects; returns how many bytes.
pub fn compact() -> usize {
    // SAFETY: as in `heap`.
    unsafe { HEAP.get() }.compact()
}

/// Clears what is free of the heap; returns how many bytes.
fn clear_free() -> usize {
    // SAFETY: as in `heap`.
    unsafe { HEAP.get() }.clear_free()
}

/// Ends the machine because it, or its command line, is not what the image needs.
pub fn refuse(why: &str) -> ! {
    crate::log!("appliance: refused: {why}");
    end(End::Refused)
}

/// Called by the first instructions.
extern "C" fn start(info: *const StartInfo) -> ! {
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
    RAM.store(ram.iter().map(|(_, size)| size).sum(), Ordering::Relaxed);
    let map = memory::divide(&ram, &paging::image(), paging::MAPPED);
    let Ok(map) = map else {
        crate::log!("appliance: refused: out of memory: {}", Lack(paging::image().end + memory::LEAST));
        end(End::Refused)
    };
    for part in map.heap.iter().filter(|part| !part.is_empty()) {
        let base = core::ptr::with_exposed_provenance_mut(part.start as usize);
        // SAFETY: RAM that nothing uses, mapped as far as `MAPPED`.
        unsafe { HEAP.get().add(base, (part.end - part.start) as usize) };
    }
    paging::protect();
    clock::start_timer();
    interrupts::start();
    let args = Args::parse(line).unwrap_or_else(|why| refuse(&why));
    // SAFETY: the region is RAM that nothing else uses.
    let io = unsafe { IoRegion::new(map.io.start as usize..map.io.end as usize) };
    run::run(args, io)
}

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

/// What [`image!`](crate::image) defines.
type Open = fn(&mut Machine) -> Result<crate::BoxedService, crate::Refusal>;

/// Makes a program an image: names the function that opens its [`loadstone_http::Service`] on a
/// [`bare::Machine`](Machine).
#[macro_export]
macro_rules! image {
    ($open:path) => {
        /// Called when the machine is up.
        #[unsafe(no_mangle)]
        static LOADSTONE_IMAGE: fn(
            &mut $crate::bare::Machine,
        ) -> Result<$crate::BoxedService, $crate::Refusal> = $open;

        /// What the machine calls itself.
        #[unsafe(no_mangle)]
        static LOADSTONE_NAME: &str = env!("CARGO_BIN_NAME");
    };
}
