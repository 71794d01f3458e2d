//! Arbitrary bytes as Ethernet frames into the switch: nothing panics, and no frame goes back where it came
//! from.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loadstone_linkshape::{Nanos, Switch};

const PORTS: usize = 3;

fuzz_target!(|frames: Vec<Vec<u8>>| {
    let mut switch = Switch::new((0..PORTS).map(|_| Default::default()), 1);
    for (number, frame) in frames.iter().enumerate() {
        let from = number % PORTS;
        switch.receive(number as Nanos, from, frame);
        switch.poll(number as Nanos, usize::MAX, |to, bytes| {
            assert_ne!(to, from);
            assert_eq!(bytes, &frame[..]);
            true
        });
    }
});
