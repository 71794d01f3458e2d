//! How much memory there is.

use crate::budget;
use crate::error::{Error, Result};

/// Fewer bytes than this are taken without asking.
const LITTLE: usize = 64 << 20;

/// Errors: `states` times `bytes` are more than the memory holds. The message says `what` they are for.
pub fn fits(states: usize, bytes: usize, what: &str) -> Result<()> {
    let needed = states.saturating_mul(bytes);
    if needed <= LITTLE || needed <= budget::bytes() {
        return Ok(());
    }
    let free = budget::bytes();
    let gib = |bytes: usize| bytes as f64 / f64::from(1 << 30);
    Err(Error::TooLarge(format!(
        "{states} states need {:.2} GiB at least for {what}, of {:.2} GiB that may be used",
        gib(needed),
        gib(free)
    )))
}

/// Memory that can be had without swapping, most of it; without limit where nobody tells.
pub fn free_bytes() -> usize {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<usize>().ok());
    kib.map_or(usize::MAX, |kib| kib / 10 * 9 * 1024)
}

#[cfg(test)]
mod tests {
    #[test]
    fn there_is_some() {
        assert!(super::free_bytes() > 1 << 20);
    }
}
