//! First numbers of connections that are remembered by nobody but the client (SYN cookies, RFC 4987 §3.6).
//!
//! Whoever asks for a connection gets a keyed hash of the connection's ends, of the client's first number and of
//! the time as ours. Whoever sends it back has received it. So who asks in somebody else's name takes no memory.
//! What the client said is in three bits of the number (the largest segment) and, if it speaks of timestamps, in
//! five of ours (RFC 7323); of the rest nothing is lost but the window's scale of those that speak of none.
//!
//! 16 of 2^32 numbers are right at a time: eight sizes in two periods. Numbers count only while some have been
//! given out lately. A segment that brings one back can be repeated until the number is too old, as everywhere
//! with cookies, but not while there is a connection between its ends.

use core::hash::Hasher;

use siphasher::sip::SipHasher13;
use smoltcp::time::Instant;

use super::frame::Address;
use super::guard::write_ends;
use super::screen::Flow;

/// A number counts in the period in which it was given out, and in the next.
const PERIOD_S: u64 = 32;
/// Largest segments that a number tells: what everybody takes (RFC 9293 §3.7.1), then those of IPv6's least
/// MTU, of tunnels, PPPoE and Ethernet.
const SIZES: [u16; 8] = [536, 960, 1220, 1360, 1400, 1440, 1452, 1460];
/// The bits of a timestamp that tell terms: the scale, and selective acknowledgement.
const TERMS: u32 = 0x1f;
const NO_SCALE: u32 = 15;
const SELECTIVE: u32 = 16;

/// Numbers that are given out, and known when they come back.
#[derive(Debug)]
pub struct Cookies {
    secret: [u64; 2],
    /// The period in which the last was given out.
    issued: Option<u64>,
}

impl Cookies {
    /// With a secret that nobody can guess.
    pub fn new(secret: [u64; 2]) -> Self {
        Self { secret, issued: None }
    }

    /// Our first number for who asks with `theirs` and takes segments of `size` bytes.
    pub fn issue(&mut self, flow: Flow, ours: Address, theirs: u32, size: u16, now: Instant) -> u32 {
        let period = period(now);
        self.issued = Some(period);
        let index = SIZES.iter().rposition(|known| *known <= size).unwrap_or(0);
        self.number(flow, ours, theirs, period) ^ index as u32
    }

    /// The largest segment of who brings a number back; none if it is none of ours, or too old.
    pub fn redeem(&self, flow: Flow, ours: Address, theirs: u32, number: u32, now: Instant) -> Option<u16> {
        let period = period(now);
        let issued = self.issued.filter(|issued| period <= issued + 1)?;
        [issued, issued.wrapping_sub(1)].iter().filter(|known| period.wrapping_sub(**known) <= 1).find_map(
            |known| {
                let index = self.number(flow, ours, theirs, *known) ^ number;
                SIZES.get(index as usize).copied()
            },
        )
    }

    fn number(&self, flow: Flow, ours: Address, theirs: u32, period: u64) -> u32 {
        let mut hasher = SipHasher13::new_with_keys(self.secret[0], self.secret[1]);
        write_ends(&mut hasher, flow, ours);
        hasher.write_u32(theirs);
        hasher.write_u64(period);
        hasher.finish() as u32
    }
}

fn period(now: Instant) -> u64 {
    now.secs().unsigned_abs() / PERIOD_S
}

/// What a client wants beside the largest segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// How its windows are scaled; none: not at all.
    pub scale: Option<u8>,
    /// Whether it takes selective acknowledgements.
    pub selective: bool,
}

impl Terms {
    /// A timestamp that tells them: the latest before `ticks`, so that those that follow do not go back.
    pub fn stamp(self, ticks: u32) -> u32 {
        let scale = self.scale.map_or(NO_SCALE, u32::from);
        let stamp = ticks & !TERMS | scale | if self.selective { SELECTIVE } else { 0 };
        if stamp.wrapping_sub(ticks) as i32 > 0 { stamp.wrapping_sub(TERMS + 1) } else { stamp }
    }

    /// What a timestamp tells that came back.
    pub fn read(stamp: u32) -> Self {
        let scale = Some((stamp & NO_SCALE) as u8).filter(|scale| u32::from(*scale) < NO_SCALE);
        Self { scale, selective: stamp & SELECTIVE != 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OURS: Address = 0x0a00_0001;
    const FLOW: Flow = (0x0a00_0002, 40_000, 80);

    fn at(seconds: i64) -> Instant {
        Instant::from_secs(seconds)
    }

    #[test]
    fn what_comes_back_tells_the_size_rounded_down() {
        let mut cookies = Cookies::new([1, 2]);
        for (size, told) in
            [(1460, 1460), (9000, 1460), (1459, 1452), (1220, 1220), (1219, 960), (536, 536), (100, 536)]
        {
            let number = cookies.issue(FLOW, OURS, 7, size, at(5));
            assert_eq!(cookies.redeem(FLOW, OURS, 7, number, at(6)), Some(told), "{size}");
        }
    }

    #[test]
    fn a_number_is_old_after_the_next_period() {
        let mut cookies = Cookies::new([1, 2]);
        let number = cookies.issue(FLOW, OURS, 7, 1460, at(31));
        for later in [31, 32, 63] {
            assert_eq!(cookies.redeem(FLOW, OURS, 7, number, at(later)), Some(1460), "{later}");
        }
        assert_eq!(cookies.redeem(FLOW, OURS, 7, number, at(64)), None, "nobody has got one lately");
        cookies.issue(FLOW, OURS, 9, 1460, at(64));
        assert_eq!(cookies.redeem(FLOW, OURS, 7, number, at(64)), None, "others have got one lately");
    }

    #[test]
    fn nothing_counts_before_one_was_given_out() {
        let mut cookies = Cookies::new([1, 2]);
        let number = cookies.issue(FLOW, OURS, 7, 1460, at(5));
        let unasked = Cookies::new([1, 2]);
        assert_eq!(unasked.redeem(FLOW, OURS, 7, number, at(5)), None);
    }

    proptest! {
        #[test]
        fn only_who_got_it_can_bring_it_back(
            theirs: u32, other: u32, port: u16, address: u32, secret: [u64; 2], seconds in 0_i64..1_000_000,
        ) {
            let mut cookies = Cookies::new([1, 2]);
            let number = cookies.issue(FLOW, OURS, theirs, 1460, at(seconds));
            let redeem = |flow, ours, theirs, number| cookies.redeem(flow, ours, theirs, number, at(seconds));
            prop_assert_eq!(redeem(FLOW, OURS, theirs, number), Some(1460));
            // By chance, 16 of 2^32 are right.
            if other ^ number > 7 {
                prop_assert_eq!(redeem(FLOW, OURS, theirs, other), None);
            }
            if other != theirs {
                prop_assert_eq!(redeem(FLOW, OURS, other, number), None);
            }
            if port != FLOW.1 {
                prop_assert_eq!(redeem((FLOW.0, port, 80), OURS, theirs, number), None);
            }
            if port != FLOW.2 {
                prop_assert_eq!(redeem((FLOW.0, FLOW.1, port), OURS, theirs, number), None);
            }
            if address != 0x0a00_0002 {
                prop_assert_eq!(redeem((address.into(), FLOW.1, 80), OURS, theirs, number), None);
            }
            let mut stranger = Cookies::new(secret);
            stranger.issued = cookies.issued;
            if secret != [1, 2] {
                prop_assert_eq!(stranger.redeem(FLOW, OURS, theirs, number, at(seconds)), None);
            }
        }

        #[test]
        fn stamps_tell_terms_and_never_run_ahead(ticks: u32, scale in prop::option::of(0_u8..15), selective: bool) {
            let terms = Terms { scale, selective };
            let stamp = terms.stamp(ticks);
            prop_assert_eq!(Terms::read(stamp), terms);
            prop_assert!(ticks.wrapping_sub(stamp) < 64);
        }
    }
}
