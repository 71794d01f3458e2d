//! A bounded store of values: second-chance eviction. Without threads; see [`super::cache`] for one with
//! them.

#[cfg(not(feature = "std"))]
use alloc::collections::BTreeMap as Map;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::sync::Arc;
use core::time::Duration;
#[cfg(feature = "std")]
use std::collections::HashMap as Map;

/// What an entry costs besides its key and value: table slot, queue slot, reference counts.
const OVERHEAD: usize = 128;

/// Values by key, each with its time to live, within a number of bytes. Times are counted from any fixed
/// instant.
#[derive(Default)]
pub(super) struct Bounded {
    entries: Map<Arc<str>, Entry>,
    /// Every key of `entries` once, the longest kept first.
    queue: VecDeque<Arc<str>>,
    bytes: usize,
    capacity: usize,
}

struct Entry {
    value: Option<Arc<[u8]>>,
    expires: Duration,
    /// Read since eviction last came by.
    touched: bool,
}

impl Bounded {
    /// Room for about `capacity` bytes.
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity, ..Self::default() }
    }

    pub(super) fn get(&mut self, key: &str, now: Duration) -> Option<Arc<[u8]>> {
        let entry = self.entries.get_mut(key).filter(|entry| now < entry.expires)?;
        entry.touched = true;
        entry.value.clone()
    }

    pub(super) fn put(&mut self, key: &str, value: Arc<[u8]>, expires: Duration) {
        self.set(key, Some(value), expires);
    }

    /// The key stays behind without a value, so that putting and removing it over and over does not grow
    /// the queue; eviction takes it like any other.
    pub(super) fn remove(&mut self, key: &str) {
        if self.entries.contains_key(key) {
            self.set(key, None, Duration::ZERO);
        }
    }

    /// Forgets everything, and gives the memory back.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.capacity);
    }

    fn set(&mut self, key: &str, value: Option<Arc<[u8]>>, expires: Duration) {
        let entry = Entry { value, expires, touched: false };
        self.bytes += weight(key, &entry);
        if let Some(old) = self.entries.get_mut(key) {
            self.bytes -= weight(key, old);
            *old = entry;
        } else {
            let key: Arc<str> = String::from(key).into();
            self.queue.push_back(key.clone());
            self.entries.insert(key, entry);
        }
        self.shrink();
    }

    /// Evicts until the shard fits. Whatever was read since the last visit gets a second chance.
    fn shrink(&mut self) {
        while self.bytes > self.capacity
            && let Some(key) = self.queue.pop_front()
        {
            match self.entries.get_mut(&key) {
                Some(entry) if entry.touched => {
                    entry.touched = false;
                    self.queue.push_back(key);
                }
                Some(entry) => {
                    self.bytes -= weight(&key, entry);
                    self.entries.remove(&key);
                }
                None => {}
            }
        }
    }
}

fn weight(key: &str, entry: &Entry) -> usize {
    OVERHEAD + key.len() + entry.value.as_ref().map_or(0, |value| value.len())
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::sync::Arc;
    use core::time::Duration;

    use super::{Bounded, OVERHEAD};

    const SOON: Duration = Duration::from_secs(10);

    fn value(length: usize) -> Arc<[u8]> {
        alloc::vec![7; length].into()
    }

    #[test]
    fn a_value_lives_until_its_time_or_its_removal() {
        let mut kept = Bounded::new(64 * 1024);
        kept.put("a", value(3), SOON);
        assert_eq!(kept.get("a", SOON - Duration::from_nanos(1)).as_deref(), Some(&[7_u8; 3][..]));
        assert_eq!(kept.get("a", SOON), None);
        kept.put("a", value(1), SOON);
        kept.remove("a");
        kept.remove("never there");
        assert_eq!(kept.get("a", Duration::ZERO), None);
        kept.put("b", value(1), SOON);
        kept.clear();
        assert_eq!(kept.get("b", Duration::ZERO), None);
    }

    #[test]
    fn what_is_kept_stays_within_its_bytes_and_is_what_is_read() {
        let mut kept = Bounded::new(4 * 1024);
        kept.put("hot", value(100), SOON);
        for i in 0..10_000 {
            kept.put(&format!("cold {i}"), value(100), SOON);
            assert!(kept.get("hot", Duration::ZERO).is_some(), "after {i}");
            if i % 3 == 0 {
                kept.remove(&format!("cold {i}"));
            }
        }
        assert!(kept.bytes <= 4 * 1024);
        assert_eq!(kept.queue.len(), kept.entries.len());
        assert!(kept.entries.len() * OVERHEAD <= kept.bytes && kept.entries.len() > 5);
    }

    #[test]
    fn a_value_that_does_not_fit_is_not_kept() {
        let mut kept = Bounded::new(1024);
        kept.put("big", value(2000), SOON);
        assert_eq!(kept.get("big", Duration::ZERO), None);
    }
}
