//! The machine's address: fixed or leased, and announced after a move.

use smoltcp::iface::Interface;
use smoltcp::wire::{EthernetAddress, HardwareAddress, IpCidr};

use super::Server;
use crate::net::announce::{self, announcement};
use crate::net::{Departure, Incoming, Outgoing};

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
                self.interface.update_ip_addrs(|addresses| addresses.clear());
                self.interface.routes_mut().remove_default_ipv4_route();
            }
            None => {}
        }
    }

    /// Tells the neighbours where the machine is, after it has moved.
    pub fn announce(&mut self) {
        let HardwareAddress::Ethernet(EthernetAddress(ethernet)) = self.interface.hardware_addr();
        let Some(address) = self.interface.ipv4_addr() else { return };
        if self.wire.outgoing.has_room() {
            let frame = announcement(ethernet, address);
            self.wire
                .outgoing
                .send(announce::BYTES, |bytes| (bytes.copy_from_slice(&frame), Departure::Whole));
            self.wire.flush();
        }
    }

    /// The machine's address, when it has one.
    pub fn address(&self) -> Option<IpCidr> {
        self.interface.ip_addrs().first().copied()
    }
}

pub(super) fn set_address(interface: &mut Interface, address: IpCidr) {
    interface.update_ip_addrs(|addresses| {
        addresses.clear();
        // There is room for one in any configuration of smoltcp.
        let _ = addresses.push(address);
    });
}
