//! The address of a network device, by the classic ioctls: a guest has no tool to set it with.

use std::io;
use std::mem::zeroed;
use std::net::{Ipv4Addr, UdpSocket};
use std::os::fd::AsRawFd;

use crate::settings::Network;
use crate::start::wait_for;

/// Brings `device` and the loopback up, gives `device` its address and, if there is one, the way to
/// everywhere else.
///
/// # Errors
/// A sentence that says what the kernel refused.
pub fn configure(device: &str, (address, bits): Network, gateway: Option<Ipv4Addr>) -> Result<(), String> {
    wait_for(&format!("/sys/class/net/{device}"))?;
    let trouble = |what: &str, error: io::Error| format!("{device}: {what}: {error}");
    // Any socket will do to ask the kernel through.
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).map_err(|error| trouble("no socket", error))?;
    bring_up(&socket, "lo").map_err(|error| trouble("loopback", error))?;
    let mask = Ipv4Addr::from(u32::MAX << (32 - u32::from(bits)));
    for (what, request, value) in
        [("address", libc::SIOCSIFADDR, address), ("network mask", libc::SIOCSIFNETMASK, mask)]
    {
        let mut asked = request_for(device);
        asked.ifr_ifru.ifru_addr = socket_address(value);
        ask(&socket, request, &mut asked).map_err(|error| trouble(what, error))?;
    }
    bring_up(&socket, device).map_err(|error| trouble("up", error))?;
    if let Some(gateway) = gateway {
        add_route(&socket, gateway).map_err(|error| trouble("gateway", error))?;
    }
    Ok(())
}

fn bring_up(socket: &UdpSocket, device: &str) -> io::Result<()> {
    let mut asked = request_for(device);
    asked.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    ask(socket, libc::SIOCSIFFLAGS, &mut asked)
}

fn add_route(socket: &UdpSocket, gateway: Ipv4Addr) -> io::Result<()> {
    // SAFETY: a structure of numbers, addresses and null pointers; all zeros is a value of it.
    let mut route: libc::rtentry = unsafe { zeroed() };
    route.rt_dst = socket_address(Ipv4Addr::UNSPECIFIED);
    route.rt_genmask = socket_address(Ipv4Addr::UNSPECIFIED);
    route.rt_gateway = socket_address(gateway);
    route.rt_flags = libc::RTF_UP | libc::RTF_GATEWAY;
    ask(socket, libc::SIOCADDRT, &mut route)
}

fn request_for(device: &str) -> libc::ifreq {
    // SAFETY: a structure of numbers and a union of them; all zeros is a value of it.
    let mut asked: libc::ifreq = unsafe { zeroed() };
    // The last byte stays zero: it ends the name.
    let room = asked.ifr_name.len() - 1;
    for (to, from) in asked.ifr_name[..room].iter_mut().zip(device.bytes()) {
        *to = from.cast_signed();
    }
    asked
}

fn socket_address(address: Ipv4Addr) -> libc::sockaddr {
    let mut bytes = [0; 14];
    // After the port of an Internet address, which stays 0.
    for (to, from) in bytes[2..6].iter_mut().zip(address.octets()) {
        *to = from.cast_signed();
    }
    libc::sockaddr { sa_family: libc::AF_INET as libc::sa_family_t, sa_data: bytes }
}

fn ask<T>(socket: &UdpSocket, request: libc::c_ulong, argument: &mut T) -> io::Result<()> {
    // SAFETY: each request here reads and writes the structure that it is called with, which lives until it
    // returns.
    let answer = unsafe { libc::ioctl(socket.as_raw_fd(), request, std::ptr::from_mut(argument)) };
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
