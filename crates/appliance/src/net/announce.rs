//! Tells the neighbours where a machine is that has moved.

use core::net::Ipv4Addr;

/// Length of an announcement with its Ethernet header.
pub const BYTES: usize = 42;

/// An announcement by ARP (RFC 5227 §3): a request for our own address, to everybody. Switches learn the
/// port, neighbours the Ethernet address.
pub fn announcement(ethernet: [u8; 6], address: Ipv4Addr) -> [u8; BYTES] {
    let mut frame = [0; BYTES];
    frame[..6].fill(0xff);
    frame[6..12].copy_from_slice(&ethernet);
    // ARP; Ethernet and IPv4, with addresses of 6 and 4 bytes; a request.
    frame[12..22].copy_from_slice(&[8, 6, 0, 1, 8, 0, 6, 4, 0, 1]);
    frame[22..28].copy_from_slice(&ethernet);
    frame[28..32].copy_from_slice(&address.octets());
    frame[38..42].copy_from_slice(&address.octets());
    frame
}

#[cfg(test)]
mod tests {
    use super::*;
    use smoltcp::wire::{ArpOperation, ArpPacket, ArpRepr, EthernetAddress, EthernetFrame, EthernetProtocol};

    #[test]
    fn others_read_it_as_meant() {
        let (ethernet, address) = ([2, 0, 0, 0, 0, 7], Ipv4Addr::new(10, 0, 2, 15));
        let bytes = announcement(ethernet, address);
        let frame = EthernetFrame::new_checked(&bytes[..]).unwrap();
        assert_eq!(
            (frame.dst_addr(), frame.ethertype()),
            (EthernetAddress::BROADCAST, EthernetProtocol::Arp)
        );
        let packet = ArpPacket::new_checked(frame.payload()).unwrap();
        let ArpRepr::EthernetIpv4 {
            operation,
            source_hardware_addr,
            source_protocol_addr,
            target_protocol_addr,
            ..
        } = ArpRepr::parse(&packet).unwrap()
        else {
            panic!("it is about IPv4")
        };
        assert_eq!(operation, ArpOperation::Request);
        assert_eq!(source_hardware_addr, EthernetAddress(ethernet));
        assert_eq!((source_protocol_addr, target_protocol_addr), (address, address));
    }
}
