//! How much memory there is.

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
