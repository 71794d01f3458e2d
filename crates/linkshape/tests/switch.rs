//! The switch under a virtual clock.

use loadstone_linkshape::{Nanos, PortCounters, Shape, Switch};
use proptest::prelude::*;

const MS: Nanos = 1_000_000;
const EVERYONE: [u8; 6] = [0xff; 6];

fn host(number: u8) -> [u8; 6] {
    [2, 0, 0, 0, 0, number]
}

fn frame(to: [u8; 6], from: [u8; 6], bytes: usize) -> Vec<u8> {
    let mut frame = [&to[..], &from[..], &[8, 0]].concat();
    frame.resize(bytes, 0);
    frame
}

fn plain(ports: usize) -> Switch {
    Switch::new((0..ports).map(|_| Default::default()), 1)
}

/// Runs the switch's own events to their end: (time, port) of each delivery.
fn settle(switch: &mut Switch) -> Vec<(Nanos, usize)> {
    let mut delivered = Vec::new();
    while let Some(at) = switch.next_event() {
        switch.poll(at, usize::MAX, |port, _| {
            delivered.push((at, port));
            true
        });
    }
    delivered
}

fn ports(delivered: &[(Nanos, usize)]) -> Vec<usize> {
    delivered.iter().map(|(_, port)| *port).collect()
}

#[test]
fn strangers_are_flooded_and_the_known_are_not() {
    let mut switch = plain(4);
    switch.receive(0, 0, &frame(host(9), host(1), 60));
    assert_eq!(ports(&settle(&mut switch)), [1, 2, 3], "nobody knows host 9");
    switch.receive(1, 2, &frame(host(1), host(9), 60));
    assert_eq!(ports(&settle(&mut switch)), [0]);
    switch.receive(2, 0, &frame(host(9), host(1), 60));
    assert_eq!(ports(&settle(&mut switch)), [2]);
    switch.receive(3, 0, &frame(EVERYONE, host(1), 60));
    assert_eq!(ports(&settle(&mut switch)), [1, 2, 3]);
    switch.receive(4, 0, &frame(host(1), host(1), 60));
    assert!(settle(&mut switch).is_empty(), "never back where it came from");
}

#[test]
fn both_links_of_a_path_count() {
    let up = Shape { delay_ms: 3.0, ..Shape::default() };
    let down = Shape { delay_ms: 4.0, rate_mbit: Some(1.0), ..Shape::default() };
    let links = [(up, Shape::default()), (Shape::default(), down)];
    let mut switch = Switch::new(links, 1);
    switch.receive(MS, 0, &frame(host(2), host(1), 125));
    // 125 bytes at 1 Mbit/s: 1 ms.
    assert_eq!(settle(&mut switch), [((1 + 3 + 4 + 1) * MS, 1)]);
}

#[test]
fn lateness_is_counted_and_does_not_add_up() {
    let shape = Shape { delay_ms: 5.0, ..Shape::default() };
    let mut switch = Switch::new([(shape.clone(), Shape::default()), (Shape::default(), shape)], 1);
    switch.receive(0, 0, &frame(host(2), host(1), 60));
    switch.poll(8 * MS, usize::MAX, |_, _| panic!("the second link has 2 ms to go"));
    assert_eq!(switch.next_event(), Some(10 * MS), "late at the first link, in time at the second");
    switch.poll(11 * MS, usize::MAX, |port, _| port == 1);
    let counters = switch.counters()[1];
    assert_eq!((counters.delivered, counters.late_us_p50, counters.late_us_max), (1, 1000, 1000));
}

#[test]
fn every_frame_is_counted_once() {
    let narrow = Shape { rate_mbit: Some(10.0), queue_ms: 2.0, loss: 0.3, ..Shape::default() };
    let mut switch = Switch::new([(narrow, Shape::default()), Default::default()], 1);
    switch.receive(0, 1, &frame(EVERYONE, host(2), 60));
    settle(&mut switch);
    for number in 0..1000_u64 {
        switch.receive(MS + number * MS / 2, 0, &frame(host(2), host(1), 1000));
    }
    let delivered = settle(&mut switch).len() as u64;
    let [near, far] = switch.counters()[..] else { panic!("two ports") };
    assert_eq!((near.up.frames, near.up.bytes), (1000, 1_000_000));
    assert_eq!(near.up.lost + near.up.queue_full + far.down.frames, 1000);
    assert!(near.up.lost > 0 && near.up.queue_full > 0);
    assert_eq!((far.down.frames, far.delivered), (delivered, delivered));
}

#[test]
fn a_flood_does_not_eat_the_memory() {
    let slow = Shape { delay_ms: 60_000.0, ..Shape::default() };
    let mut switch = Switch::new([(slow, Shape::default()), Default::default()], 1);
    for _ in 0..200_000 {
        switch.receive(0, 0, &frame(host(2), host(1), 1514));
    }
    let up = switch.counters()[0].up;
    assert_eq!(up.under_way + up.overflow, 200_000);
    // A gigabit of full frames over two seconds.
    assert!((165_000..171_000).contains(&up.under_way), "{up:?}");
}

#[test]
fn a_cut_link_passes_nothing_and_a_mended_one_all() {
    let slow = Shape { delay_ms: 10.0, ..Shape::default() };
    let mut switch = Switch::new([(slow.clone(), slow.clone()), Default::default()], 1);
    switch.receive(0, 0, &frame(host(2), host(1), 60));
    switch.set(MS, 0, slow.clone(), slow.clone(), true);
    switch.receive(2 * MS, 0, &frame(host(2), host(1), 60));
    switch.receive(2 * MS, 1, &frame(host(1), host(2), 60));
    assert!(settle(&mut switch).is_empty(), "what was under way is lost, too");
    let cut = switch.counters()[0];
    assert_eq!((cut.up.cut, cut.down.cut, cut.up.passed, cut.delivered), (2, 1, 0, 0));
    switch.set(20 * MS, 0, slow.clone(), slow, false);
    switch.receive(20 * MS, 0, &frame(host(2), host(1), 60));
    assert_eq!(settle(&mut switch), [(30 * MS, 1)]);
}

#[test]
fn another_shape_holds_from_now_on_and_keeps_the_order() {
    let slow = Shape { delay_ms: 10.0, ..Shape::default() };
    let mut switch = Switch::new([(slow, Shape::default()), Default::default()], 1);
    switch.receive(0, 0, &frame(host(2), host(1), 60));
    switch.set(MS, 0, Shape { delay_ms: 1.0, ..Shape::default() }, Shape::default(), false);
    switch.receive(2 * MS, 0, &frame(host(2), host(1), 60));
    switch.receive(15 * MS, 0, &frame(host(2), host(1), 60));
    assert_eq!(settle(&mut switch), [(10 * MS, 1), (10 * MS, 1), (16 * MS, 1)]);
}

#[test]
fn a_batch_is_no_larger_than_asked() {
    let mut switch = plain(2);
    for _ in 0..100 {
        switch.receive(0, 0, &frame(host(2), host(1), 60));
    }
    let mut batches = Vec::new();
    while switch.next_event().is_some() {
        let mut moved = 0;
        switch.poll(0, 64, |_, _| {
            moved += 1;
            true
        });
        batches.push(moved);
    }
    assert_eq!(batches.iter().sum::<u32>(), 100);
    assert!(batches.iter().all(|moved| *moved <= 64), "{batches:?}");
}

/// One thing that happens to a switch: a frame between hosts, a change of a link, or time that passes.
#[derive(Debug, Clone)]
enum Step {
    Frame(usize, u8, u8, usize),
    Link(usize, bool, f64, f64, Option<f64>),
    Time(Nanos),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let rate = prop::option::of(1.0..100.0);
    let step = prop_oneof![
        8 => (0..3_usize, 0..5_u8, 0..4_u8, 0..1600_usize)
            .prop_map(|(port, to, from, bytes)| Step::Frame(port, to, from, bytes)),
        1 => (0..3_usize, any::<bool>(), 0.0..5.0, 0.0..1.0, rate)
            .prop_map(|(port, cut, delay, loss, rate)| Step::Link(port, cut, delay, loss, rate)),
        4 => (0..3 * MS).prop_map(Step::Time),
    ];
    prop::collection::vec(step, 0..300)
}

proptest! {
    #[test]
    fn every_frame_is_accounted_for_at_any_moment(steps in steps(), refuses in any::<bool>()) {
        let mut switch = plain(3);
        let (mut now, mut sent, mut handed, mut turned_down) = (0, 0, 0, 0);
        for step in steps {
            match step {
                Step::Frame(port, to, from, bytes) => {
                    let to = if to == 4 { EVERYONE } else { host(to) };
                    switch.receive(now, port, &frame(to, host(from), bytes));
                    sent += 1;
                }
                Step::Link(port, cut, delay_ms, loss, rate_mbit) => {
                    let shape = Shape { delay_ms, loss, rate_mbit, queue_ms: 1.0, ..Shape::default() };
                    switch.set(now, port, shape.clone(), shape, cut);
                }
                Step::Time(nanos) => now += nanos,
            }
            switch.poll(now, 8, |port, _| {
                let takes = !(refuses && port == 1);
                *(if takes { &mut handed } else { &mut turned_down }) += 1;
                takes
            });
            let counters = switch.counters();
            let sum = |of: fn(&PortCounters) -> u64| counters.iter().map(of).sum::<u64>();
            for port in &counters {
                prop_assert_eq!(port.up.accounted(), port.up.frames);
                prop_assert_eq!(port.down.accounted(), port.down.frames);
                prop_assert_eq!(port.down.passed, port.delivered + port.refused);
            }
            prop_assert_eq!(sum(|port| port.up.frames + port.malformed), sent);
            let forwarded = sum(|port| port.up.passed - port.turned_back - port.flooded + port.copies);
            prop_assert_eq!(forwarded, sum(|port| port.down.frames));
            prop_assert_eq!((sum(|port| port.delivered), sum(|port| port.refused)), (handed, turned_down));
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_at_any_port_leave_it_sane(
        frames in prop::collection::vec((0..3_usize, prop::collection::vec(any::<u8>(), 0..80)), 0..100),
    ) {
        let mut switch = plain(3);
        for (number, (port, frame)) in frames.iter().enumerate() {
            switch.receive(number as Nanos, *port, frame);
            switch.poll(number as Nanos, usize::MAX, |to, bytes| {
                assert_ne!(to, *port);
                assert_eq!(bytes, &frame[..]);
                true
            });
        }
        let seen: u64 = switch.counters().iter().map(|port: &PortCounters| port.up.frames + port.malformed).sum();
        prop_assert_eq!(seen, frames.len() as u64);
        prop_assert_eq!(switch.next_event(), None);
    }
}
