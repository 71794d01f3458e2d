//! A generator in the processor: few have it, and what they have is not used. Entropy comes by virtio-rng.

/// Whether the processor has one.
pub fn is_there() -> bool {
    false
}

/// A word of it: none.
pub fn word() -> Option<u64> {
    None
}
