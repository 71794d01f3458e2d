//! What was agreed on in the handshakes of a run.

use std::sync::{Mutex, PoisonError};

use rustls::{ClientConnection, HandshakeKind};

use crate::record::Negotiated;

/// Counts handshakes by what was agreed on; threads share it. A handshake takes a thousand times as long as
/// waiting for another one to be counted.
#[derive(Debug, Default)]
pub(crate) struct Handshakes(Mutex<Vec<Negotiated>>);

impl Handshakes {
    pub(crate) fn note(&self, connection: &ClientConnection, kind: HandshakeKind) {
        let agreed = Negotiated {
            protocol: connection.protocol_version().map_or_else(String::new, |version| {
                format!("{version:?}").replace("TLSv", "TLS ").replace('_', ".")
            }),
            cipher: connection
                .negotiated_cipher_suite()
                .map_or_else(String::new, |suite| format!("{:?}", suite.suite()).replace("TLS13_", "TLS_")),
            group: connection.negotiated_key_exchange_group().map(|group| format!("{:?}", group.name())),
            full: 0,
            resumed: 0,
        };
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |one: &Negotiated| {
            (&one.protocol, &one.cipher, &one.group) == (&agreed.protocol, &agreed.cipher, &agreed.group)
        };
        let at = all.iter().position(same).unwrap_or_else(|| {
            all.push(agreed);
            all.len() - 1
        });
        match kind {
            HandshakeKind::Resumed => all[at].resumed += 1,
            HandshakeKind::Full | HandshakeKind::FullWithHelloRetryRequest => all[at].full += 1,
        }
    }

    /// All of them, the most frequent first.
    pub(crate) fn all(&self) -> Vec<Negotiated> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        all.sort_by_key(|one| std::cmp::Reverse(one.full + one.resumed));
        all
    }
}
