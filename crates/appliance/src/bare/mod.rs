//! The bare machine: from its first instruction to its last.

mod arch;
pub mod clock;
mod console;
mod devices;
mod entropy;
mod layout;
mod panic;
mod power;
mod run;
#[cfg(feature = "tls")]
mod secrets;

use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};

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

/// Most of a command line that is read.
const LINE: usize = 4096;
/// Bytes of memory that the hypervisor told of.
static RAM: AtomicU64 = AtomicU64::new(0);

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

/// Goes on when exceptions are caught and the console works, with the command line and the RAM that the
/// hypervisor tells of.
#[inline(always)]
fn begin(line: &str, ram: &[Ram]) -> ! {
    RAM.store(ram.iter().map(|(_, size)| size).sum(), Ordering::Relaxed);
    let map = memory::divide(ram, &layout::image(), arch::paging::reach(ram));
    let Ok(map) = map else {
        let needed = layout::image().end - arch::paging::RAM_START + memory::LEAST;
        crate::log!("appliance: refused: out of memory: {}", Lack(needed));
        end(End::Refused)
    };
    for part in map.heap.iter().filter(|part| !part.is_empty()) {
        let base = core::ptr::with_exposed_provenance_mut(part.start as usize);
        // SAFETY: RAM that nothing uses, mapped as far as `reach` says.
        unsafe { HEAP.get().add(base, (part.end - part.start) as usize) };
    }
    arch::paging::protect();
    arch::interrupts::start();
    let mut args = Args::parse(line).unwrap_or_else(|why| refuse(&why));
    arch::devices::tell(&mut args);
    // SAFETY: the region is RAM that nothing else uses.
    let io = unsafe { IoRegion::new(map.io.start as usize..map.io.end as usize) };
    run::run(args, io)
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
