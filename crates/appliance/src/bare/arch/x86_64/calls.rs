//! How a call looks.

use core::ops::Range;

/// Most bytes of an instruction that calls.
pub const LONGEST: usize = 8;

/// Whether the instruction before `place` calls. The code lies at `text`, and begins at least
/// [`LONGEST`] bytes before `place`.
pub fn is_behind_one(place: usize, text: &Range<usize>) -> bool {
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
