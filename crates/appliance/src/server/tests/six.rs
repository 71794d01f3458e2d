//! What holds over IPv4 holds over IPv6; and what is IPv6's own.

use alloc::vec::Vec;

use smoltcp::iface::{Interface, SocketHandle};
use smoltcp::socket::tcp::Socket;
use smoltcp::wire::{IpAddress, IpCidr, Ipv6Address};

use super::cookies::crowded;
use super::strangers::{answered, forge};
use super::{SIX, Way, World, get, server_address, ticks};
use crate::net::six::{ADDRESSES, BEHIND, sum};
use crate::net::{Dropped, Link, Wire, checksum};

const SERVER: [u8; 6] = [2, 0, 0, 0, 0, 1];
const CLIENT: [u8; 6] = [2, 0, 0, 0, 0, 2];
const STRANGER: [u8; 6] = [2, 0, 0, 0, 0, 9];
const OURS: Ipv6Address = Ipv6Address::new(0xfd00, 0, 0, 0, 0, 0, 0, 1);
const THEIRS: Ipv6Address = Ipv6Address::new(0xfd00, 0, 0, 0, 0, 0, 0, 2);
/// Beyond a router.
const FAR: Ipv6Address = Ipv6Address::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 2);
const EVERYBODY: Ipv6Address = Ipv6Address::new(0xff02, 0, 0, 0, 0, 0, 0, 1);

/// Gives a client its addresses.
pub(super) fn speak(interface: &mut Interface, wire: &mut Wire<Way, Way>) {
    let link = Link::new(CLIENT, (THEIRS, 64));
    interface.update_ip_addrs(|addresses| {
        addresses.push(IpCidr::new(THEIRS.into(), 64)).unwrap();
        addresses.push(IpCidr::new(link.local().into(), 64)).unwrap();
    });
    wire.set_link(link);
}

macro_rules! over_six {
    ($($module:ident: $($test:ident),* $(,)?;)*) => {
        $($(
            #[test]
            fn $test() {
                SIX.set(true);
                super::$module::$test();
            }
        )*)*
    };
}

over_six! {
    cookies:
        a_flood_that_never_ends_delays_nobody,
        such_a_connection_carries_bytes_both_ways_on_a_wire_that_loses_some,
        who_is_answered_by_a_socket_speaks_of_no_timestamps,
        who_has_no_number_of_ours_has_no_connection,
        the_end_of_a_handshake_twice_makes_one_connection,
        a_number_of_long_ago_makes_no_connection,
        who_comes_with_a_number_while_every_socket_is_taken_has_one_soon,
        when_the_flood_is_over_sockets_answer_again,
        who_comes_at_the_end_has_no_answer;
    handshakes:
        who_asks_again_because_the_answer_was_lost_has_one_connection,
        who_got_the_second_answer_keeps_the_socket_that_others_want;
    newcomers:
        who_is_idle_makes_way_and_nobody_is_refused,
        who_comes_as_another_leaves_is_answered,
        many_ask_at_the_same_instant,
        who_is_slow_at_a_head_makes_way;
    strangers:
        a_guessed_reset_is_challenged_and_only_the_exact_one_ends,
        a_client_that_has_lost_its_connection_gets_another_at_the_same_port,
        the_numbers_of_one_connection_say_nothing_about_those_of_another,
        many_neighbours_are_answered_at_once,
        who_asks_for_thousands_of_connections_silences_nobody;
    endings:
        an_idle_connection_is_closed_after_its_time_and_counted,
        a_slow_reader_gets_every_byte_before_the_end,
        who_has_all_and_reads_it_late_sees_no_reset,
        who_stops_reading_is_dropped_and_counted,
        an_old_client_reads_content_of_unknown_length_until_the_connection_ends,
        content_that_breaks_off_ends_with_a_reset;
    memory:
        without_memory_requests_are_refused,
        buffers_are_as_long_as_there_is_memory_for,
        answers_of_one_turn_share_what_there_is,
        content_that_is_made_waits_for_memory_and_comes_whole,
        a_body_that_grows_is_refused_before_there_is_no_room;
}

fn six(words: &str, loss: Option<usize>) -> World {
    SIX.set(true);
    World::new(words, loss)
}

/// A message of ICMPv6 in a frame, with its checksum.
fn message(
    ethernet: [[u8; 6]; 2],
    ends: [Ipv6Address; 2],
    next: u8,
    hops: u8,
    mut message: Vec<u8>,
) -> Vec<u8> {
    let mut frame = ethernet.concat();
    frame.extend([0x86, 0xdd, 0x60, 0, 0, 0, 0, message.len() as u8, next, hops]);
    ends.iter().for_each(|address| frame.extend(address.octets()));
    let total = checksum::finish(sum(&frame[ADDRESSES], &message));
    message[2..4].copy_from_slice(&total.to_be_bytes());
    frame.extend(message);
    frame
}

/// Says where `target` is.
fn advertisement(target: Ipv6Address, place: [u8; 6]) -> Vec<u8> {
    let mut said = alloc::vec![136, 0, 0, 0, 0x60, 0, 0, 0];
    said.extend(target.octets());
    said.extend([2, 1]);
    said.extend(place);
    message([SERVER, place], [target, OURS], 58, 255, said)
}

/// Asks where `target` is.
fn solicitation(from: Ipv6Address, to: Ipv6Address, target: Ipv6Address, place: [u8; 6]) -> Vec<u8> {
    let mut said = alloc::vec![135, 0, 0, 0, 0, 0, 0, 0];
    said.extend(target.octets());
    said.extend([1, 1]);
    said.extend(place);
    let [.., a, b, c, d] = to.octets();
    let ethernet = if to.is_multicast() { [0x33, 0x33, a, b, c, d] } else { SERVER };
    message([ethernet, place], [from, to], 58, 255, said)
}

/// What the server sends to a frame.
fn sent(world: &mut World, frame: Vec<u8>) -> Vec<Vec<u8>> {
    world.wire.incoming.frames.borrow_mut().clear();
    forge(world, frame);
    let now = world.now();
    world.server.poll(now, &|| 4 << 20, &mut || false);
    world.now_us += 1000;
    world.wire.incoming.frames.borrow_mut().drain(..).collect()
}

#[test]
fn advertisements_and_questions_that_nobody_asked_for_tell_nothing() {
    let mut world = six("", None);
    let client = answered(&mut world);
    let before = world.server.wire.dropped_six();
    assert!(sent(&mut world, advertisement(THEIRS, STRANGER)).is_empty());
    // Who asks is answered where it asks from, and not remembered.
    let answers = sent(&mut world, solicitation(THEIRS, OURS, OURS, STRANGER));
    assert_eq!(answers.iter().map(|frame| &frame[..6]).collect::<Vec<_>>(), [&STRANGER[..]]);
    let dropped = Dropped { neighbours: before.neighbours + 1, ..before };
    assert_eq!(world.server.wire.dropped_six(), dropped);
    let from_us = world.now_us;
    assert!(world.ask(client, &get("/b")).ends_with("/b:"));
    assert!(world.now_us < from_us + 100_000, "nothing had to be sent twice");
}

#[test]
fn a_neighbour_that_was_asked_for_is_heard_once() {
    let mut world = six("gw6=fd00::9", None);
    // Somebody beyond the router asks at a port that is closed: to answer, smoltcp looks for the router.
    let tcp = alloc::vec![0x30, 0x39, 0, 81, 0, 0, 0, 1, 0, 0, 0, 0, 0x50, 2, 16, 0, 0, 0, 0, 0];
    let mut frame = message([SERVER, STRANGER], [FAR, OURS], 6, 64, tcp);
    frame[BEHIND + 2..BEHIND + 4].copy_from_slice(&81_u16.to_be_bytes());
    let segment = crate::net::frame::Segment::find(&frame).unwrap();
    segment.seal(&mut frame);
    let router = Ipv6Address::new(0xfd00, 0, 0, 0, 0, 0, 0, 9);
    let questions = sent(&mut world, frame.clone());
    assert_eq!(questions.len(), 1);
    assert_eq!((questions[0][BEHIND], &questions[0][BEHIND + 8..][..16]), (135, &router.octets()[..]));
    let mut damaged = advertisement(router, STRANGER);
    damaged[80] ^= 1;
    for other in [advertisement(THEIRS, STRANGER), damaged] {
        sent(&mut world, other);
        assert!(
            sent(&mut world, frame.clone()).is_empty(),
            "the router is not known, and not asked for again"
        );
    }
    sent(&mut world, advertisement(router, STRANGER));
    let resets = sent(&mut world, frame.clone());
    assert_eq!(resets.iter().map(|frame| &frame[..6]).collect::<Vec<_>>(), [&STRANGER[..]]);
    sent(&mut world, advertisement(router, CLIENT));
    let resets = sent(&mut world, frame);
    assert_eq!(resets[0][..6], STRANGER, "each question has one answer");
}

#[test]
fn who_is_about_to_take_an_address_hears_that_it_is_taken() {
    let mut world = six("", None);
    let group = Ipv6Address::new(0xff02, 0, 0, 0, 0, 1, 0xff00, 1);
    let nobody = Ipv6Address::UNSPECIFIED;
    let answers = sent(&mut world, solicitation(nobody, group, OURS, STRANGER));
    assert_eq!(answers.len(), 1);
    assert_eq!(answers[0][..6], [0x33, 0x33, 0, 0, 0, 1]);
    assert_eq!(answers[0][22..54], [OURS.octets(), EVERYBODY.octets()].concat());
    assert!(sent(&mut world, solicitation(nobody, group, THEIRS, STRANGER)).is_empty());
    assert!(sent(&mut world, solicitation(nobody, OURS, OURS, STRANGER)).is_empty());
    let mut from_afar = solicitation(THEIRS, group, OURS, STRANGER);
    from_afar[21] = 254;
    assert!(sent(&mut world, from_afar).is_empty(), "a router has passed it on");
}

#[test]
fn echoes_are_answered_to_where_they_came_from_a_hundred_a_second() {
    let mut world = six("", None);
    let echo =
        |target| message([SERVER, STRANGER], [FAR, target], 58, 60, alloc::vec![128, 0, 0, 0, 1, 2, 3, 4, 5]);
    let answers = sent(&mut world, echo(OURS));
    let mut expected =
        message([STRANGER, SERVER], [OURS, FAR], 58, 64, alloc::vec![129, 0, 0, 0, 1, 2, 3, 4, 5]);
    assert_eq!(answers, [expected.clone()]);
    expected[BEHIND] = 128;
    assert!(sent(&mut world, expected).is_empty(), "it is damaged");
    assert!(sent(&mut world, echo(EVERYBODY)).is_empty(), "who asks all is not answered");
    let more: usize = (0..150).map(|_| sent(&mut world, echo(OURS)).len()).sum();
    assert_eq!((more, world.server.wire.dropped_six().echoes), (99, 51));
    world.now_us += 1_000_000;
    assert_eq!(sent(&mut world, echo(OURS)).len(), 1);
}

#[test]
fn what_the_machine_has_no_use_for_is_dropped_without_a_word() {
    let mut world = six("", None);
    let client = answered(&mut world);
    let mut segment = world.wire.outgoing.last.borrow().clone();
    // Options of every hop, of the target, routes, fragments, nothing, UDP.
    for next in [0, 60, 43, 44, 59, 17] {
        let mut frame = message([SERVER, CLIENT], [THEIRS, OURS], next, 64, alloc::vec![0; 48]);
        frame[BEHIND] = 6;
        assert!(sent(&mut world, frame).is_empty(), "{next}");
    }
    // Routers and what they say of paths; a group's members.
    for kind in [1, 2, 3, 4, 130, 131, 133, 134, 137, 200] {
        let mut said = alloc::vec![0; 64];
        said[0] = kind;
        assert!(
            sent(&mut world, message([SERVER, CLIENT], [THEIRS, OURS], 58, 255, said)).is_empty(),
            "{kind}"
        );
    }
    assert_eq!(world.server.wire.dropped_six(), Dropped { packets: 13, neighbours: 3, echoes: 0 });
    // In the name of nobody, the loopback, IPv4, a group, the machine itself; to those.
    let strange = ["::", "::1", "::ffff:10.0.0.2", "ff02::1", "fd00::1"];
    for address in strange.map(|address| address.parse::<Ipv6Address>().unwrap().octets()) {
        let mut frame = segment.clone();
        frame[22..38].copy_from_slice(&address);
        assert!(sent(&mut world, frame).is_empty(), "{address:?}");
        if address != OURS.octets() {
            let mut frame = segment.clone();
            frame[38..54].copy_from_slice(&address);
            assert!(sent(&mut world, frame).is_empty(), "{address:?}");
        }
    }
    segment[0] = 4;
    assert!(sent(&mut world, segment).is_empty(), "it is for another card");
    assert!(world.ask(client, &get("/b")).ends_with("/b:"));
}

#[test]
fn switches_that_ask_hear_what_the_machine_listens_to() {
    let mut world = six("", None);
    let mut query = alloc::vec![58, 0, 5, 2, 0, 0, 0, 0];
    let mut said = alloc::vec![0; 28];
    said[0] = 130;
    let router = Ipv6Address::new(0xfe80, 0, 0, 0, 0, 0, 0, 7);
    let mut frame = message([[0x33, 0x33, 0, 0, 0, 1], STRANGER], [router, EVERYBODY], 0, 1, said);
    query.extend(frame.drain(BEHIND..));
    frame.extend(query);
    frame[19] += 8;
    let reports = sent(&mut world, frame.clone());
    assert_eq!(reports.len(), 1);
    assert_eq!(reports[0][..6], [0x33, 0x33, 0, 0, 0, 0x16]);
    frame[21] = 2;
    assert!(sent(&mut world, frame).is_empty(), "a router has passed it on");
}

#[test]
fn without_an_address_there_is_no_ipv6() {
    let mut world = World::new("", None);
    let group = Ipv6Address::new(0xff02, 0, 0, 0, 0, 1, 0xff00, 1);
    assert!(sent(&mut world, solicitation(THEIRS, group, OURS, STRANGER)).is_empty());
    assert!(sent(&mut world, solicitation(THEIRS, OURS, OURS, STRANGER)).is_empty());
    assert_eq!(world.server.wire.dropped_six().packets, 2);
}

/// A client beyond a router, which is itself.
fn far(world: &mut World) -> SocketHandle {
    world.interface.update_ip_addrs(|addresses| {
        addresses.retain(|known| *known != IpCidr::new(THEIRS.into(), 64));
        addresses.push(IpCidr::new(FAR.into(), 128)).unwrap();
    });
    world.interface.routes_mut().add_default_ipv6_route(OURS).unwrap();
    world.wire.set_link(Link::new(CLIENT, (FAR, 64)));
    let buffer = || smoltcp::socket::tcp::SocketBuffer::new(alloc::vec![0; 100_000]);
    let mut socket = Socket::new(buffer(), buffer());
    socket.set_tsval_generator(Some(ticks));
    let (context, address) = (world.interface.context(), (server_address(), 80));
    socket.connect(context, address, (IpAddress::from(FAR), 40_000)).unwrap();
    world.sockets.add(socket)
}

#[test]
fn who_is_far_gets_packets_that_pass_everywhere() {
    SIX.set(true);
    let words = "gw6=fe80::ff:fe00:2 connections=8";
    for mut world in [World::new(words, None), crowded(words, None)] {
        let cookies = world.server.wire.cookies_sent > 0;
        let client = far(&mut world);
        world.send(client, get("/large").as_bytes());
        let (mut largest, mut got) = (0, 0);
        while got < 100_000 && world.now_us < 60_000_000 {
            let now = world.now();
            world.server.poll(now, &|| 4 << 20, &mut || false);
            let lengths = world.wire.incoming.frames.borrow().iter().map(Vec::len).max();
            largest = largest.max(lengths.unwrap_or(0));
            world.step();
            let socket = world.socket(client);
            while socket.can_recv() {
                got += socket.recv(|came| (came.len(), came.len())).unwrap();
            }
        }
        assert!(got > 100_000, "{got}");
        assert_eq!((largest, world.server.wire.cookies_taken > 0), (14 + 1280, cookies));
        assert_eq!(world.socket(client).timestamp_enabled(), cookies);
    }
}
