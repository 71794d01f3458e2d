//! The certificate and its key, which are in no image: the hypervisor has them in files for the machine.

use alloc::format;
use alloc::vec::Vec;

use super::arch::fw_cfg::Device;
use super::clock;
use crate::Refusal;
use crate::fw_cfg::file;
use crate::tls::Tls;

const CERTIFICATE: &str = "opt/loadstone/tls-cert";
const KEY: &str = "opt/loadstone/tls-key";
/// Most bytes of either: chains of many certificates have a tenth of it.
const MOST: usize = 256 * 1024;

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
    file(&mut Device, name, MOST).ok_or_else(|| {
        format!("tls=fw_cfg, but the hypervisor has no file {name} of at most {} KiB (-fw_cfg)", MOST >> 10)
    })
}
