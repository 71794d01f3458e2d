//! Which address was last seen at which port.

use std::collections::HashMap;

use crate::Nanos;
use crate::frame::Mac;

/// How long an address is remembered (IEEE 802.1Q, 8.8.3: 300 s recommended).
const AGE: Nanos = 300_000_000_000;
/// Most addresses remembered, so that a flood of made-up ones costs no memory; the others are flooded.
const MOST: usize = 4096;

/// The forwarding table of a learning switch.
#[derive(Debug, Default)]
pub struct Table {
    seen: HashMap<Mac, (usize, Nanos)>,
}

impl Table {
    /// Notes that `address` sent through `port`.
    pub fn learn(&mut self, now: Nanos, address: Mac, port: usize) {
        if self.seen.len() >= MOST && !self.seen.contains_key(&address) {
            self.seen.retain(|_, (_, at)| now.saturating_sub(*at) < AGE);
            if self.seen.len() >= MOST {
                return;
            }
        }
        self.seen.insert(address, (port, now));
    }

    /// The port of `address`; None for groups and strangers, which every port must get.
    pub fn port(&self, now: Nanos, address: Mac) -> Option<usize> {
        let (port, at) = *self.seen.get(&address)?;
        (now.saturating_sub(at) < AGE).then_some(port)
    }
}

#[cfg(test)]
mod tests {
    use super::{AGE, MOST, Table};
    use crate::frame::Mac;

    fn mac(number: u32) -> Mac {
        let [a, b, c, d] = number.to_be_bytes();
        Mac([2, 0, a, b, c, d])
    }

    #[test]
    fn addresses_move_and_age() {
        let mut table = Table::default();
        assert_eq!(table.port(0, mac(1)), None);
        table.learn(0, mac(1), 3);
        assert_eq!(table.port(1, mac(1)), Some(3));
        table.learn(2, mac(1), 4);
        assert_eq!(table.port(3, mac(1)), Some(4));
        assert_eq!(table.port(2 + AGE, mac(1)), None);
    }

    #[test]
    fn a_flood_of_addresses_is_forgotten() {
        let mut table = Table::default();
        for number in 0..2 * MOST as u32 {
            table.learn(0, mac(number), 1);
        }
        assert_eq!(table.seen.len(), MOST);
        table.learn(1, mac(0), 2);
        assert_eq!(table.port(1, mac(0)), Some(2), "those known may still move");
        table.learn(AGE + 1, mac(u32::MAX), 5);
        assert_eq!(table.port(AGE + 1, mac(u32::MAX)), Some(5), "old ones make room");
    }
}
