//! The certificate and its key, which are in no image: the hypervisor has them in files for the machine.

use alloc::format;
use alloc::vec::Vec;

use super::clock;
use super::ports::{in8, out16};
use crate::Refusal;
use crate::fw_cfg::{Registers, file};
use crate::tls::Tls;

const CERTIFICATE: &str = "opt/loadstone/tls-cert";
const KEY: &str = "opt/loadstone/tls-key";
/// Most bytes of either: chains of many certificates have a tenth of it.
const MOST: usize = 256 * 1024;

/// The ports of the device that has them.
struct Ports;

const SELECTOR: u16 = 0x510;
const DATA: u16 = 0x511;

impl Registers for Ports {
    fn select(&mut self, key: u16) {
        // SAFETY: nothing else uses the device; where there is none, nobody listens.
        unsafe { out16(SELECTOR, key) };
    }

    fn byte(&mut self) -> u8 {
        // SAFETY: as before.
        unsafe { in8(DATA) }
    }
}

/// TLS with what the hypervisor has.
pub(super) fn tls() -> Result<Tls, Refusal> {
    let certificate = found(CERTIFICATE)?;
    let mut key = found(KEY)?;
    let tls = Tls::new(&certificate, &key, clock::unix_s);
    // Its text is needed no more, and memory that is given back may become another's.
    key.fill(0);
    core::hint::black_box(&key);
    tls
}

fn found(name: &str) -> Result<Vec<u8>, Refusal> {
    file(&mut Ports, name, MOST).ok_or_else(|| {
        format!("tls=fw_cfg, but the hypervisor has no file {name} of at most {} KiB (-fw_cfg)", MOST >> 10)
    })
}
