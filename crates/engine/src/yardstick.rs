//! A fixed piece of work: the time that it takes tells how fast the machine is at that moment.
//!
//! On a shared machine caches, memory and the clock of the processors are shared, too. What neighbours take of
//! these shows in no counter: the same work just takes longer. A service is measured on the same machine.

use rustix::time::{ClockId, clock_gettime};

/// Lines of a cache that are read one after the other: 16 MiB, more than a core has for itself.
const LINES: usize = 1 << 18;
/// Numbers of a line.
const LINE: usize = 16;
/// Reads of a measurement, each of a line that the one before names.
const READS: usize = 250;
/// Steps of arithmetic, each of what the one before made.
const STEPS: u32 = 50_000;

/// CPU time of both pieces of work, microseconds.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Arithmetic: the processor's own speed, and what the hypervisor takes of it unseen.
    pub compute_us: f64,
    /// Reads that miss the caches of the core: those of the machine, and its memory.
    pub memory_us: f64,
}

/// The work, and where its last measurement has left it.
pub struct Yardstick {
    lines: Vec<u32>,
    at: usize,
}

impl Yardstick {
    /// Takes some milliseconds and 16 MiB.
    #[must_use]
    pub fn new() -> Self {
        // Sattolo: one cycle through all lines, so that no measurement comes to what the last one has read.
        let mut next: Vec<u32> = (0..LINES as u32).collect();
        let mut state = 0x9e37_79b9_7f4a_7c15;
        for last in (1..LINES).rev() {
            state = step(state);
            next.swap(last, (state >> 33) as usize % last);
        }
        let mut lines = vec![0; LINES * LINE];
        for (line, next) in next.into_iter().enumerate() {
            lines[line * LINE] = next;
        }
        Self { lines, at: 0 }
    }

    /// Does it once: a fraction of a millisecond, some milliseconds where memory is very slow.
    pub fn measure(&mut self) -> Reading {
        let begun = cpu_us();
        let mut state = self.at as u64;
        for _ in 0..STEPS {
            // A whole row of steps has a short formula, which the compiler would find.
            state = std::hint::black_box(step(state));
        }
        let between = cpu_us();
        for _ in 0..READS {
            self.at = self.lines[self.at * LINE] as usize;
        }
        std::hint::black_box(self.at);
        Reading { compute_us: between - begun, memory_us: cpu_us() - between }
    }
}

impl Default for Yardstick {
    fn default() -> Self {
        Self::new()
    }
}

/// A step of Knuth's linear congruential generator for MMIX.
fn step(state: u64) -> u64 {
    state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407)
}

/// CPU time of this thread.
fn cpu_us() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 * 1e6 + now.tv_nsec as f64 * 1e-3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lines_are_on_one_cycle() {
        let yardstick = Yardstick::new();
        let (mut at, mut seen) = (0, 0);
        loop {
            at = yardstick.lines[at * LINE] as usize;
            seen += 1;
            if at == 0 {
                break;
            }
        }
        assert_eq!(seen, LINES);
    }

    #[test]
    fn each_measurement_goes_on_where_the_last_one_was() {
        let mut yardstick = Yardstick::new();
        let mut ends = std::collections::HashSet::new();
        for _ in 0..LINES / READS {
            let reading = yardstick.measure();
            assert!(reading.compute_us > 0.0 && reading.memory_us > 0.0);
            assert!(ends.insert(yardstick.at), "it came back before it had read all");
        }
    }
}
