//! How long users and sessions lived within a second: an integral over time, where a count once a second
//! would only be a sample, which even arrivals deceive.

/// Things that begin and end, and the time that they lived since it was last taken.
#[derive(Debug, Default)]
pub(crate) struct Lived {
    living: u32,
    /// Instants of the ends minus those of the beginnings, microseconds. What still lives has begun, in this
    /// sum, when the time was last taken.
    balance: i64,
}

impl Lived {
    /// One began at this instant. It may lie before the time was last taken, if nobody noticed it then.
    #[inline]
    pub(crate) fn begun(&mut self, at: u64) {
        self.living += 1;
        self.balance -= at as i64;
    }

    /// One that lived ended.
    #[inline]
    pub(crate) fn ended(&mut self, at: u64) {
        self.living -= 1;
        self.balance += at as i64;
    }

    /// How many live.
    pub(crate) fn living(&self) -> u32 {
        self.living
    }

    /// Microseconds that all together lived up to `until`; from there it counts anew.
    pub(crate) fn take(&mut self, until: u64) -> u64 {
        let so_far = i64::from(self.living) * until as i64;
        let lived = self.balance + so_far;
        self.balance = -so_far;
        lived.max(0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_lived_is_exact_in_every_second() {
        let mut lived = Lived::default();
        lived.begun(250_000);
        lived.begun(900_000);
        lived.ended(950_000);
        assert_eq!(lived.take(1_000_000), 700_000 + 100_000);
        assert_eq!((lived.living(), lived.take(2_000_000)), (1, 1_000_000));
        lived.ended(2_000_007);
        assert_eq!((lived.take(3_000_000), lived.take(4_000_000)), (7, 0));
    }

    #[test]
    fn even_arrivals_do_not_deceive_it() {
        // One every 200 ms that lives for 5 ms: whoever looks at whole seconds sees one, or none.
        let mut lived = Lived::default();
        for at in (0..1_000_000).step_by(200_000) {
            lived.begun(at);
            lived.ended(at + 5_000);
        }
        assert_eq!(lived.take(1_000_000), 25_000);
    }

    #[test]
    fn what_was_noticed_late_counts_where_it_was_noticed() {
        let mut lived = Lived::default();
        assert_eq!(lived.take(1_000_000), 0);
        lived.begun(999_000);
        lived.ended(1_500_000);
        assert_eq!(lived.take(2_000_000), 501_000);
    }
}
