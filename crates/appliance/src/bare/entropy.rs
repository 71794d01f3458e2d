//! Unpredictable bytes: from the hypervisor, else from the processor; never from a clock.

use core::arch::x86_64::{__cpuid, _rdrand64_step};

use super::power;
use crate::one_cpu::OneCpu;
use crate::virtio::entropy::Entropy;

/// Tries before the processor's generator counts as broken; its maker asks for ten.
const TRIES: u32 = 100;

static SOURCE: OneCpu<Option<Entropy>> = OneCpu::new(None);

/// Takes the hypervisor's source.
pub(super) fn set_source(source: Entropy) {
    // SAFETY: nothing else is using it.
    *unsafe { SOURCE.get() } = Some(source);
}

/// Whether there is a source.
pub(super) fn is_there() -> bool {
    // SAFETY: as before.
    unsafe { SOURCE.get() }.is_some() || has_rdrand()
}

fn has_rdrand() -> bool {
    __cpuid(1).ecx & 1 << 30 != 0
}

/// Fills `bytes` with what nobody can predict. A machine whose source ends ends, too: there is nothing that
/// may stand in for it.
pub fn fill(bytes: &mut [u8]) {
    // SAFETY: the driver does not call back.
    let source = unsafe { SOURCE.get() };
    if source.as_mut().is_some_and(|source| source.fill(bytes).is_ok()) {
        return;
    }
    for chunk in bytes.chunks_mut(8) {
        let mut word = 0;
        // SAFETY: `is_there` was asked before anything is served.
        if !has_rdrand() || !(0..TRIES).any(|_| unsafe { rdrand(&mut word) }) {
            crate::log!("appliance: the source of entropy has ended");
            power::end(power::End::Fault);
        }
        chunk.copy_from_slice(&word.to_le_bytes()[..chunk.len()]);
    }
}

/// # Safety
/// The processor has the instruction.
#[target_feature(enable = "rdrand")]
unsafe fn rdrand(word: &mut u64) -> bool {
    _rdrand64_step(word) == 1
}
