//! Sessions as they are counted: begun, completed, lost by cause.

use loadstone_stats::Histogram;

use crate::record::{CAUSES, SessionWindow};
use crate::recorder::{Cause, PHASES, Steady, drain};
use crate::user::Session;

/// The sessions of the current window, by scenario and by the phase in which they began.
#[derive(Debug)]
pub(crate) struct Sessions {
    steady: Steady,
    cells: Vec<[Cell; PHASES]>,
}

#[derive(Debug, Default)]
struct Cell {
    begun: u64,
    completed: u64,
    lost: [u64; CAUSES.len()],
    dropped: u64,
    life_ms: Histogram,
    lost_life_ms: Histogram,
    operations: Histogram,
}

impl Sessions {
    pub(crate) fn new(steady: Steady, scenarios: usize) -> Self {
        Self { steady, cells: std::iter::repeat_with(Default::default).take(scenarios).collect() }
    }

    /// A session of a scenario began, or should have arrived, at `at`.
    pub(crate) fn begun(&mut self, scenario: usize, at: u64) {
        self.cell(scenario, at).begun += 1;
    }

    /// A session that should have arrived at `at` found no room.
    pub(crate) fn dropped(&mut self, scenario: usize, at: u64) {
        self.cell(scenario, at).dropped += 1;
    }

    /// A session ended at `end`: lost by this cause, or completed.
    pub(crate) fn ended(&mut self, scenario: usize, session: Session, end: u64, lost: Option<Cause>) {
        let life_ms = (end - session.began) / 1_000;
        let cell = self.cell(scenario, session.began);
        match lost {
            Some(cause) => {
                cell.lost[cause as usize] += 1;
                cell.lost_life_ms.record(life_ms);
            }
            None => {
                cell.completed += 1;
                cell.life_ms.record(life_ms);
                cell.operations.record(session.operations.into());
            }
        }
    }

    fn cell(&mut self, scenario: usize, began: u64) -> &mut Cell {
        let Steady { from, to } = self.steady;
        &mut self.cells[scenario][usize::from(began >= from) + usize::from(began >= to)]
    }

    /// What was recorded; the next window begins.
    pub(crate) fn drain(&mut self) -> Vec<SessionWindow> {
        let of_scenario = |(scenario, cells): (usize, &mut [Cell; PHASES])| {
            let drained =
                cells.iter_mut().enumerate().filter_map(|(phase, cell)| cell.drain(scenario, phase));
            drained.collect::<Vec<_>>()
        };
        self.cells.iter_mut().enumerate().flat_map(of_scenario).collect()
    }
}

impl Cell {
    fn drain(&mut self, scenario: usize, phase: usize) -> Option<SessionWindow> {
        let ended = self.life_ms.count() + self.lost_life_ms.count();
        if self.begun + self.dropped + ended == 0 {
            return None;
        }
        Some(SessionWindow {
            scenario: scenario as u32,
            phase: phase as u8,
            begun: std::mem::take(&mut self.begun),
            completed: std::mem::take(&mut self.completed),
            lost: std::mem::take(&mut self.lost),
            dropped: std::mem::take(&mut self.dropped),
            life_ms: drain(&mut self.life_ms),
            lost_life_ms: drain(&mut self.lost_life_ms),
            operations: drain(&mut self.operations),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_belongs_to_the_phase_in_which_it_began() {
        let mut sessions = Sessions::new(Steady { from: 1_000_000, to: 3_000_000 }, 2);
        for began in [0, 999_999, 1_000_000, 2_999_999, 3_000_000] {
            sessions.begun(1, began);
            let session = Session { began, operations: 7, reached: 1, lives: false };
            sessions.ended(1, session, began + 2_500_999, (began == 999_999).then_some(Cause::Timeout));
        }
        sessions.dropped(1, 2_000_000);
        let [early, steady, late] = &sessions.drain()[..] else { panic!() };
        assert_eq!([early.phase, steady.phase, late.phase], [0, 1, 2]);
        assert_eq!([early.scenario, steady.scenario, late.scenario], [1, 1, 1]);
        assert_eq!([early.begun, steady.begun, late.begun], [2, 2, 1]);
        assert_eq!((early.completed, early.lost), (1, [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]));
        assert_eq!((steady.completed, steady.dropped), (2, 1));
        assert_eq!((steady.operations.bucket[0], steady.operations.count[0]), (7, 2));
        // 2,500 ms lie in a bucket that is two wide.
        assert_eq!(steady.life_ms.bucket, [loadstone_stats::bucket_of(2_500) as u32]);
        assert!(sessions.drain().is_empty());
    }
}
