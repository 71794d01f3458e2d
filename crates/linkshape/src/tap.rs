//! TAP devices: a network device whose wire is a file descriptor.

use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::ioctl::{Updater, ioctl};

/// `TUNSETIFF`, `IFF_TAP` and `IFF_NO_PI` of `linux/if_tun.h`.
const SET_DEVICE: u32 = 0x4004_54ca;
const TAP: u16 = 0x0002;
const NO_PACKET_INFO: u16 = 0x1000;

/// `struct ifreq` as `TUNSETIFF` reads and writes it.
#[repr(C)]
struct Request {
    name: [u8; 16],
    flags: u16,
    rest: [u8; 22],
}

/// Makes the device `name` in the namespace of this process. It is gone when the descriptor, which never
/// blocks, is closed. It may move to another namespace, and then ends with that one, too: the descriptor
/// holds only the namespace that it was opened in.
pub(crate) fn create(name: &str) -> io::Result<OwnedFd> {
    let mut request = Request { name: [0; 16], flags: TAP | NO_PACKET_INFO, rest: [0; 22] };
    // One byte must stay zero: it ends the name.
    if name.is_empty() || name.len() >= request.name.len() {
        return Err(Errno::NAMETOOLONG.into());
    }
    request.name[..name.len()].copy_from_slice(name.as_bytes());
    let device = open("/dev/net/tun", OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?;
    // SAFETY: TUNSETIFF reads and writes one `struct ifreq` of 40 bytes, which `Request` is.
    unsafe { ioctl(&device, Updater::<SET_DEVICE, Request>::new(&mut request))? };
    Ok(device)
}
