use super::*;
use alloc::string::ToString;
use proptest::prelude::*;
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    EthernetAddress, EthernetFrame, EthernetProtocol, Icmpv6Packet, Icmpv6Repr, Ipv6Packet, NdiscRepr,
};

const ETHERNET: [u8; 6] = [0x52, 0x54, 0, 0x12, 0x34, 0x56];

fn link() -> Link {
    Link::new(ETHERNET, ("2001:db8::15".parse().unwrap(), 64))
}

#[test]
fn the_address_of_the_link_comes_from_the_card() {
    assert_eq!(link().local().to_string(), "fe80::5054:ff:fe12:3456");
    let [near, same, far] = ["fe80::1", "2001:db8::ffff", "2001:db8:0:1::1"].map(|address| {
        let address: Ipv6Addr = address.parse().unwrap();
        link().reaches(address.to_bits())
    });
    assert_eq!([near, same, far], [true, true, false]);
    assert!(!Link::new(ETHERNET, ("2001:db8::15".parse().unwrap(), 128)).reaches(1));
}

#[test]
fn others_read_announcements_as_meant() {
    let [report, local, own] = link().announcements();
    let listeners = EthernetAddress([0x33, 0x33, 0, 0, 0, 0x16]);
    assert_eq!(EthernetFrame::new_checked(&report[..]).unwrap().dst_addr(), listeners);
    for (frame, address) in [(local, "fe80::5054:ff:fe12:3456"), (own, "2001:db8::15")] {
        let address: Ipv6Addr = address.parse().unwrap();
        let frame = EthernetFrame::new_checked(&frame[..]).unwrap();
        assert_eq!(frame.dst_addr(), EthernetAddress([0x33, 0x33, 0, 0, 0, 1]));
        assert_eq!((frame.src_addr().0, frame.ethertype()), (ETHERNET, EthernetProtocol::Ipv6));
        let packet = Ipv6Packet::new_checked(frame.payload()).unwrap();
        assert_eq!((packet.src_addr(), packet.hop_limit()), (address, 255));
        let message = Icmpv6Packet::new_checked(packet.payload()).unwrap();
        let sums = ChecksumCapabilities::default();
        let read = Icmpv6Repr::parse(&packet.src_addr(), &packet.dst_addr(), &message, &sums).unwrap();
        let Icmpv6Repr::Ndisc(NdiscRepr::NeighborAdvert { target_addr, lladdr, .. }) = read else {
            panic!("it says where the machine is")
        };
        assert_eq!((target_addr, lladdr.unwrap().as_bytes()), (address, &ETHERNET[..]));
    }
}

/// As listeners read it: 8 bytes of options, 8 of a report, 20 a group.
#[test]
fn a_report_names_the_groups_of_both_addresses() {
    let [report, ..] = link().announcements();
    assert_eq!((report.len(), report[20], report[21]), (14 + 40 + 8 + 48, 0, 1));
    let packet = Packet::read(&report).unwrap();
    assert!(packet.message(&report, BEHIND + 8).is_some(), "its checksum is right");
    let groups = [70, 90].map(|at| Ipv6Addr::from_bits(read_address(&report[at + 4..])).to_string());
    assert_eq!(groups, ["ff02::1:ff12:3456", "ff02::1:ff00:15"]);
}

proptest! {
    #[test]
    fn any_options_are_survived(options in prop::collection::vec(any::<u8>(), 0..80)) {
        if let Some(place) = place(&options) {
            prop_assert!(options.windows(8).any(|eight| eight[..2] == [2, 1] && eight[2..] == place));
        }
    }

    #[test]
    fn any_packet_is_survived(
        next in prop::sample::select(&[0_u8, 6, 17, 44, 58][..]),
        hops in prop::sample::select(&[1_u8, 64, 255][..]),
        bytes in prop::collection::vec(any::<u8>(), 0..120),
        cut in 0_usize..120,
    ) {
        let mut frame = [&ETHERNET[..], &[2, 0, 0, 0, 0, 2, 0x86, 0xdd, 0x60, 0, 0, 0]].concat();
        frame.extend([0, bytes.len() as u8, next, hops]);
        frame.extend([0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
        frame.extend(link().own.to_be_bytes());
        frame.extend(&bytes);
        frame.truncate(frame.len().saturating_sub(cut));
        let mut six = Six::new();
        six.set_link(link());
        six.sent(&frame);
        let entry = six.judge(&frame, Instant::ZERO);
        prop_assert_eq!(entry == Entry::Dropped, six.dropped != Dropped::default());
    }
}
