//! The list of public authorities that `mysql` would believe unasked, with nobody on it: see `Cargo.toml`.
#![no_std]

use rustls_pki_types::{Der, TrustAnchor};

/// `CN=nobody`, without a key, so that no signature is ever theirs: rustls refuses a list that is empty.
pub const TLS_SERVER_ROOTS: &[TrustAnchor<'static>] = &[TrustAnchor {
    subject: Der::from_slice(b"\x31\x0f\x30\x0d\x06\x03\x55\x04\x03\x0c\x06nobody"),
    subject_public_key_info: Der::from_slice(b""),
    name_constraints: None,
}];
