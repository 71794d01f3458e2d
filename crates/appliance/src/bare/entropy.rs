//! Unpredictable bytes: from the hypervisor and from the processor, whichever there are; never from a clock.

use super::arch::{interrupts, random};
use super::{clock, power};
use crate::one_cpu::OneCpu;
use crate::virtio::entropy::Entropy;

/// A processor without a generator waits so long for the hypervisor, and so long between two looks.
const PATIENCE_US: u64 = 60_000_000;
const REST_US: u64 = 10_000;

static SOURCE: OneCpu<Option<Entropy>> = OneCpu::new(None);

/// Takes the hypervisor's source.
pub(super) fn set_source(source: Entropy) {
    // SAFETY: nothing else is using it.
    *unsafe { SOURCE.get() } = Some(source);
}

/// Whether there is a source.
pub(super) fn is_there() -> bool {
    // SAFETY: as before.
    unsafe { SOURCE.get() }.is_some() || random::is_there()
}

/// Fills `bytes` with what nobody can predict. Where the processor has a generator, the hypervisor's bytes are
/// mixed with its: neither can make the sum predictable, and nobody waits for a source that is slow. A machine
/// whose last source ends ends, too: there is nothing that may stand in for it.
pub fn fill(bytes: &mut [u8]) {
    bytes.fill(0);
    // SAFETY: the driver does not call back.
    let source = unsafe { SOURCE.get() }.as_mut();
    if random::is_there() {
        // What has come of it is of use, whether it was enough or not.
        source.map(|source| source.fill(bytes));
        bytes.chunks_mut(8).for_each(mix);
    } else if !source.is_some_and(|source| wait(source, bytes)) {
        ended();
    }
}

/// The same for the package `getrandom`, which stands between ring and who has entropy.
#[cfg(feature = "tls")]
#[unsafe(no_mangle)]
fn loadstone_entropy(bytes: &mut [u8]) {
    fill(bytes);
}

/// Waits for the hypervisor's bytes; false when none came for long.
fn wait(source: &mut Entropy, bytes: &mut [u8]) -> bool {
    let since_us = clock::monotonic_us();
    while source.fill(bytes).is_err() {
        if clock::monotonic_us() - since_us > PATIENCE_US {
            return false;
        }
        interrupts::halt(REST_US);
    }
    true
}

fn mix(bytes: &mut [u8]) {
    let Some(word) = random::word() else { ended() };
    bytes.iter_mut().zip(word.to_le_bytes()).for_each(|(byte, other)| *byte ^= other);
}

fn ended() -> ! {
    crate::log!("appliance: the source of entropy has ended");
    power::end(power::End::Fault);
}
