//! The machine's address: fixed or leased, and announced after a move.

use smoltcp::iface::Interface;
use smoltcp::wire::{EthernetAddress, HardwareAddress, IpCidr};

use super::Server;
#[cfg(feature = "ipv6")]
use crate::args::Args;
use crate::net::announce::{self, announcement};
use crate::net::{Departure, Incoming, Outgoing};
#[cfg(feature = "ipv6")]
use crate::net::{Link, Wire, send_whole};

impl<I: Incoming, O: Outgoing> Server<I, O> {
    #[cfg(feature = "dhcp")]
    pub(super) fn renew_lease(&mut self) {
        use smoltcp::socket::dhcpv4;
        let Some(handle) = self.lease else { return };
        match self.sockets.get_mut::<dhcpv4::Socket<'_>>(handle).poll() {
            Some(dhcpv4::Event::Configured(config)) => {
                let address = IpCidr::Ipv4(config.address);
                let router = config.router;
                set_address(&mut self.interface, address);
                if let Some(router) = router {
                    let _ = self.interface.routes_mut().add_default_ipv4_route(router);
                }
            }
            Some(dhcpv4::Event::Deconfigured) => {
                self.interface.update_ip_addrs(|addresses| {
                    addresses.retain(|known| !matches!(known, IpCidr::Ipv4(_)));
                });
                self.interface.routes_mut().remove_default_ipv4_route();
            }
            None => {}
        }
    }

    /// Tells the neighbours where the machine is, after it has moved.
    pub fn announce(&mut self) {
        let HardwareAddress::Ethernet(EthernetAddress(ethernet)) = self.interface.hardware_addr();
        if let Some(address) = self.interface.ipv4_addr().filter(|_| self.wire.outgoing.has_room()) {
            let frame = announcement(ethernet, address);
            self.wire
                .outgoing
                .send(announce::BYTES, |bytes| (bytes.copy_from_slice(&frame), Departure::Whole));
            self.wire.flush();
        }
        #[cfg(feature = "ipv6")]
        if let Some(link) = &self.link {
            tell(&mut self.wire, link);
        }
    }

    /// The machine's address, when it has one.
    pub fn address(&self) -> Option<IpCidr> {
        #[cfg(feature = "ipv6")]
        return self.interface.ip_addrs().iter().find(|cidr| matches!(cidr, IpCidr::Ipv4(_))).copied();
        #[cfg(not(feature = "ipv6"))]
        self.interface.ip_addrs().first().copied()
    }

    /// That of IPv6, and the one that is good on the link.
    #[cfg(feature = "ipv6")]
    pub fn addresses6(&self) -> Option<[core::net::Ipv6Addr; 2]> {
        Some([self.link?.own(), self.link?.local()])
    }
}

/// Gives the machine its addresses of IPv6 and the way to other networks.
#[cfg(feature = "ipv6")]
pub(super) fn add_six<I: Incoming, O: Outgoing>(
    interface: &mut Interface,
    wire: &mut Wire<I, O>,
    link: Option<Link>,
    args: &Args,
) {
    let Some((link, (own, bits))) = link.zip(args.address6) else { return };
    interface.update_ip_addrs(|addresses| {
        // There is room for them, and one of IPv4.
        let _ = addresses.push(IpCidr::new(link.local().into(), 64));
        let _ = addresses.push(IpCidr::new(own.into(), bits));
    });
    if let Some(gateway) = args.gateway6 {
        // There is room for a route of each kind.
        let _ = interface.routes_mut().add_default_ipv6_route(gateway);
    }
    wire.set_link(link);
    tell(wire, &link);
}

/// Tells the neighbours where the machine is.
#[cfg(feature = "ipv6")]
fn tell<I: Incoming, O: Outgoing>(wire: &mut Wire<I, O>, link: &Link) {
    for frame in link.announcements() {
        if wire.outgoing.has_room() {
            send_whole(&mut wire.outgoing, &frame);
        }
    }
    wire.flush();
}

pub(super) fn set_address(interface: &mut Interface, address: IpCidr) {
    interface.update_ip_addrs(|addresses| {
        // The last one of IPv4. Where there are no others, this takes less code.
        #[cfg(feature = "ipv6")]
        addresses.retain(|known| matches!(known, IpCidr::Ipv6(_)));
        #[cfg(not(feature = "ipv6"))]
        addresses.clear();
        // There is room for one in any configuration of smoltcp.
        let _ = addresses.push(address);
    });
}
