//! What became of a run with a flipped bit.

use serde::Serialize;

/// The exit code of a hardened program that has found a fault (hardening/CONTRACT.md).
pub const FAIL_STOP: i32 = 86;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// By this exit code.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// We ended it: it took too long.
    Hang,
    /// We ended it: it started another process or thread, which it does not do unharmed.
    Astray,
}

/// The classes. HAFT's (EuroSys 2016, section 5) and one for what ends without being asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Right answer, and nothing noticed.
    Masked,
    /// Wrong answer, and nothing noticed: silent data corruption.
    Corrupt,
    /// A signal, or an exit code that is not that of the unharmed program.
    Crash,
    /// The program found the fault and stopped itself.
    Detected,
    /// The program found the fault, put it right and gave the right answer.
    Recovered,
    /// No end within the limit.
    Hang,
    /// The program ended before the flip: its instructions came in another order than in the trace.
    Missed,
}

impl Outcome {
    /// The class of a run. `corrected`: votes that put a copy right; `right`: the output is as it should be;
    /// `usual`: the exit code of the unharmed program.
    pub fn of(end: End, usual: i32, right: bool, corrected: u64) -> Self {
        match end {
            End::Exit(FAIL_STOP) => Self::Detected,
            End::Exit(code) if code != usual => Self::Crash,
            End::Signal(_) | End::Astray => Self::Crash,
            End::Hang => Self::Hang,
            End::Exit(_) if !right => Self::Corrupt,
            End::Exit(_) if corrected > 0 => Self::Recovered,
            End::Exit(_) => Self::Masked,
        }
    }
}

/// One injection, as it is written.
#[derive(Clone, Debug, Serialize)]
pub struct Injection {
    /// Its number: with the seed, everything else follows from it.
    pub index: u64,
    /// The instruction's place in the order of those that can be hit.
    pub at: u64,
    /// Its address, in the program's file where it is the program's own.
    pub address: u64,
    /// The function that it belongs to, where symbols say so.
    pub function: Option<String>,
    /// As a disassembler writes it.
    pub instruction: String,
    /// What was hit: `rax`, `xmm3`, `flags`.
    pub register: String,
    /// Which bit of it.
    pub bit: u32,
    /// The class.
    pub outcome: Outcome,
    /// How the process ended.
    pub end: End,
    /// Votes that put a copy right.
    pub corrected: u64,
    /// What it took, in seconds.
    pub took_s: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_answer_is_corrupt_whatever_was_corrected_and_a_stop_of_its_own_is_no_crash() {
        assert_eq!(Outcome::of(End::Exit(0), 0, false, 3), Outcome::Corrupt);
        assert_eq!(Outcome::of(End::Exit(0), 0, true, 3), Outcome::Recovered);
        assert_eq!(Outcome::of(End::Exit(0), 0, true, 0), Outcome::Masked);
        assert_eq!(Outcome::of(End::Exit(FAIL_STOP), 0, false, 0), Outcome::Detected);
        assert_eq!(Outcome::of(End::Exit(1), 0, false, 0), Outcome::Crash);
        assert_eq!(Outcome::of(End::Exit(1), 1, true, 0), Outcome::Masked);
        assert_eq!(Outcome::of(End::Signal(11), 0, true, 0), Outcome::Crash);
        assert_eq!(Outcome::of(End::Hang, 0, true, 0), Outcome::Hang);
    }
}
