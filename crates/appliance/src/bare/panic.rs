//! The end of a program that is wrong: a report on the console, with where it came from.

use core::panic::PanicInfo;

use super::power::End;
use super::{paging, power};

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
    let stack = paging::stack();
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
    let text = paging::text();
    if place < text.start + 8 || place >= text.end {
        return false;
    }
    // SAFETY: within the code, which is mapped.
    let before: [u8; 7] = unsafe { core::ptr::with_exposed_provenance::<[u8; 7]>(place - 7).read() };
    let relative = i32::from_le_bytes([before[3], before[4], before[5], before[6]]);
    let target = place.wrapping_add_signed(relative as isize);
    // By a register or through memory, with displacements of 0, 1 or 4 bytes: FF /2.
    let indirect = |at: usize, form: u8| before[at] == 0xff && before[at + 1] & 0xf8 == form;
    (before[2] == 0xe8 && text.contains(&target))
        || indirect(5, 0xd0)
        || indirect(5, 0x10)
        || indirect(4, 0x50)
        || indirect(1, 0x90)
        || (before[1] == 0xff && before[2] == 0x15)
}
