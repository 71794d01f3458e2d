//! TAP devices: a network device whose wire is a file descriptor.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::ioctl::{Updater, ioctl};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

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

/// Makes the device `name`, in the namespace at the path `netns` if one is given. It is gone when the
/// descriptor, which never blocks, is closed.
pub(crate) fn create(name: &str, netns: Option<&Path>) -> io::Result<OwnedFd> {
    let Some(netns) = netns else { return open_device(name) };
    let home = File::open("/proc/thread-self/ns/net")?;
    enter(&File::open(netns)?)?;
    let device = open_device(name);
    enter(&home)?;
    device
}

fn enter(namespace: &File) -> io::Result<()> {
    Ok(move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))?)
}

fn open_device(name: &str) -> io::Result<OwnedFd> {
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
