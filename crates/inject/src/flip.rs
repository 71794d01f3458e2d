//! One bit turned in a thread that is stopped.

use std::arch::x86_64::__cpuid_count;

use loadstone_stats::Rng;

use crate::error::{Error, Kind, Result};
use crate::place::{Place, Target};
use crate::tracee;

/// A bit of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flip {
    /// Which register, or the flags.
    pub place: Place,
    /// Which bit of it.
    pub bit: u32,
}

impl Flip {
    /// One of all bits that an instruction writes, each as likely as the other; None where it writes none.
    pub fn draw(targets: &[Target], random: &mut Rng) -> Option<Self> {
        let all = targets.iter().map(|target| target.bits.len() as u64).sum();
        let mut left = (all > 0).then(|| random.below(all))? as usize;
        for target in targets {
            if let Some(bit) = target.bits.get(left) {
                return Some(Self { place: target.place, bit: *bit });
            }
            left -= target.bits.len();
        }
        None
    }

    /// Turns it.
    pub fn apply(self, pid: i32) -> Result<()> {
        match self.place {
            Place::Flags => {
                let mut registers = tracee::registers(pid)?;
                registers.eflags ^= 1 << self.bit;
                tracee::set_registers(pid, &registers)
            }
            Place::General(number) => {
                let mut registers = tracee::registers(pid)?;
                *general(&mut registers, number) ^= 1 << self.bit;
                tracee::set_registers(pid, &registers)
            }
            Place::Vector(number) => {
                let mut area = tracee::vectors(pid)?;
                flip_vector(&mut area, number, self.bit)?;
                tracee::set_vectors(pid, &mut area)
            }
        }
    }
}

fn general(registers: &mut tracee::Registers, number: u8) -> &mut u64 {
    match number {
        0 => &mut registers.rax,
        1 => &mut registers.rcx,
        2 => &mut registers.rdx,
        3 => &mut registers.rbx,
        4 => &mut registers.rsp,
        5 => &mut registers.rbp,
        6 => &mut registers.rsi,
        7 => &mut registers.rdi,
        8 => &mut registers.r8,
        9 => &mut registers.r9,
        10 => &mut registers.r10,
        11 => &mut registers.r11,
        12 => &mut registers.r12,
        13 => &mut registers.r13,
        14 => &mut registers.r14,
        _ => &mut registers.r15,
    }
}

/// Where the states of `XSAVE`'s standard form begin: the header with the map of those in use, and `xmm0`.
const IN_USE: usize = 512;
const XMM: usize = 160;

/// Intel's manual, volume 1, chapter 13: 128 bits are in the legacy area, the next 128 are state 2, the next
/// 256 state 6. A state that is not in use counts as zeros, so we say that it is.
fn flip_vector(area: &mut [u8], number: u8, bit: u32) -> Result<()> {
    let (state, start, wide, bit) = match bit {
        0..128 => (1, XMM, 16, bit),
        128..256 => (2, begin_of(2), 16, bit - 128),
        _ => (6, begin_of(6), 32, bit - 256),
    };
    let byte = start + usize::from(number) * wide + bit as usize / 8;
    if area.len() <= byte.max(IN_USE) || start == 0 {
        return Err(Error::new(Kind::System, "the system does not show this vector register"));
    }
    if area[IN_USE] & (1 << state) == 0 {
        area[IN_USE] |= 1 << state;
        let whole = start..(start + 16 * wide).min(area.len());
        area[whole].fill(0);
    }
    area[byte] ^= 1 << (bit % 8);
    Ok(())
}

fn begin_of(state: u32) -> usize {
    __cpuid_count(0xd, state).ebx as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_that_is_written_is_drawn_as_often() {
        let targets = [
            Target { place: Place::General(0), bits: (0..8).collect() },
            Target { place: Place::Flags, bits: vec![0, 6] },
        ];
        let mut random = Rng::new(1);
        let mut flags = 0;
        for _ in 0..10_000 {
            let flip = Flip::draw(&targets, &mut random).unwrap();
            assert!(targets.iter().any(|one| one.place == flip.place && one.bits.contains(&flip.bit)));
            flags += u32::from(flip.place == Place::Flags);
        }
        // Two of ten bits: 2,000 of 10,000 with a standard deviation of 40.
        assert!((1_800..2_200).contains(&flags), "{flags}");
        assert_eq!(Flip::draw(&[], &mut random), None);
    }

    #[test]
    fn a_state_that_was_not_in_use_is_in_use_afterwards_and_zero_but_for_the_bit() {
        let mut area = vec![0xff_u8; 4096];
        area[IN_USE] = 0;
        flip_vector(&mut area, 3, 9).unwrap();
        assert_eq!(area[IN_USE], 2);
        assert_eq!(area[XMM..XMM + 256].iter().map(|byte| byte.count_ones()).sum::<u32>(), 1);
        assert_eq!(area[XMM + 3 * 16 + 1], 2);
    }
}
