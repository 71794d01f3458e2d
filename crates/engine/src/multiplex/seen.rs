//! What a run saw of HTTP/2: which protocol connections spoke, and by which frames streams were given up.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use loadstone_h2::Signal;

use crate::record::{GivenUp, Http2};

/// Counts of all threads. Connections and given-up streams are rare beside requests.
#[derive(Debug, Default)]
pub(crate) struct Protocols(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    /// By HTTP/1.1, and by HTTP/2.
    connections: [u64; 2],
    given_up: BTreeMap<(bool, &'static str, String), u64>,
}

impl Protocols {
    /// A connection speaks HTTP/2, or HTTP/1.1.
    pub(crate) fn connected(&self, two: bool) {
        self.change(|counts| counts.connections[usize::from(two)] += 1);
    }

    /// Streams or connections were given up.
    pub(crate) fn errors(&self, signals: Vec<Signal>) {
        if !signals.is_empty() {
            self.change(|counts| {
                for Signal { received, frame, code } in signals {
                    *counts.given_up.entry((received, frame, code)).or_default() += 1;
                }
            });
        }
    }

    /// All of it, the most frequent first.
    pub(crate) fn all(&self) -> Http2 {
        self.change(|counts| {
            let mut given_up: Vec<GivenUp> = counts
                .given_up
                .iter()
                .map(|((received, frame, code), count)| GivenUp {
                    by: if *received { "server" } else { "engine" }.into(),
                    frame: (*frame).into(),
                    code: code.clone(),
                    count: *count,
                })
                .collect();
            given_up.sort_by_key(|one| std::cmp::Reverse(one.count));
            let [http1, http2] = counts.connections;
            Http2 { connections: http2, http1_connections: http1, given_up }
        })
    }

    fn change<T>(&self, change: impl FnOnce(&mut Counts) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
