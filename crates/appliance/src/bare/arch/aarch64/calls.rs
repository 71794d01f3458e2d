//! How a call looks.

use core::ops::Range;

/// Bytes of an instruction.
pub const LONGEST: usize = 4;

/// Whether the instruction before `place` calls: a branch with link to an address within the code at `text`, or
/// to one in a register. The code begins at least [`LONGEST`] bytes before `place`.
pub fn is_behind_one(place: usize, text: &Range<usize>) -> bool {
    if !place.is_multiple_of(LONGEST) {
        return false;
    }
    // SAFETY: within the code, which is mapped.
    let before = unsafe { core::ptr::with_exposed_provenance::<u32>(place - LONGEST).read() };
    // 26 bits, with a sign, count instructions.
    let offset = ((before << 6) as i32 >> 6) as isize * LONGEST as isize;
    let target = (place - LONGEST).wrapping_add_signed(offset);
    (before >> 26 == 0b10_0101 && text.contains(&target)) || before & 0xffff_fc1f == 0xd63f_0000
}
