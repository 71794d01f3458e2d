//! The end of a program that is wrong: a report on the console, with where it came from.

use core::panic::PanicInfo;

use super::arch::calls;
use super::power::End;
use super::{layout, power};

/// Most places told.
const DEPTH: usize = 32;

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    // The place at which the standard library reports an allocation that failed.
    let is_memory = info.location().is_some_and(|place| place.file().ends_with("alloc/src/alloc.rs"));
    if is_memory {
        if super::tell_out_of_memory() == End::Refused {
            power::end(End::Refused)
        }
    } else {
        crate::log!("appliance: {info}");
    }
    let mark = 0_usize;
    trace(0, (&raw const mark).addr());
    power::end(End::Fault)
}

/// Writes the addresses that code between here and the beginning of the program was called from, the latest
/// first.
///
/// There are no frame pointers and no tables to unwind by: every word on the stack counts that leads behind
/// an instruction that calls. A few of those may be left over from calls that have returned.
pub(super) fn trace(at: usize, stack_pointer: usize) {
    crate::log!("appliance: backtrace; `loadstone image inspect` names the places");
    if at != 0 {
        crate::log!("  {at:#x}");
    }
    let stack = layout::stack();
    let from = stack_pointer.next_multiple_of(size_of::<usize>());
    if !stack.contains(&from) {
        return;
    }
    let words = (from..stack.end).step_by(size_of::<usize>());
    // SAFETY: within the stack, which is mapped.
    let words =
        words.map(|word| unsafe { core::ptr::with_exposed_provenance::<usize>(word).read_volatile() });
    // Told is the call's last byte: behind a call that never returns another function may begin.
    for place in words.filter(|place| is_called_from(*place)).take(DEPTH) {
        crate::log!("  {:#x}", place - 1);
    }
}

/// Whether the instruction before `place` calls.
fn is_called_from(place: usize) -> bool {
    let text = layout::text();
    place >= text.start + calls::LONGEST && place < text.end && calls::is_behind_one(place, &text)
}
