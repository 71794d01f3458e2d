//! The processor's generator.

use core::arch::x86_64::{__cpuid, _rdrand64_step};

/// Tries before the generator counts as broken; its maker asks for ten.
const TRIES: u32 = 100;

/// Whether the processor has one.
pub fn is_there() -> bool {
    __cpuid(1).ecx & 1 << 30 != 0
}

/// A word of it, where [`is_there`]; none when it is broken.
pub fn word() -> Option<u64> {
    let mut word = 0;
    // SAFETY: the caller has looked that the instruction is there.
    (0..TRIES).any(|_| unsafe { rdrand(&mut word) }).then_some(word)
}

/// # Safety
/// The processor has the instruction.
#[target_feature(enable = "rdrand")]
unsafe fn rdrand(word: &mut u64) -> bool {
    _rdrand64_step(word) == 1
}
