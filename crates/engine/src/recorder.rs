//! What one thread measured in the current second.

use loadstone_stats::Histogram;

use crate::calls::Called;
use crate::clock::thread_cpu_s;
use crate::lived::Lived;
use crate::record::{CAUSES, COUNTERS, OperationWindow, Sparse, Window};
use crate::sessions::Sessions;
use crate::steps::{StepTimes, Timed};

/// One second in microseconds: the width of a window.
pub(crate) const SECOND: u64 = 1_000_000;
/// Ramp-up, steady, ramp-down or straddling.
pub(crate) const PHASES: usize = 3;

/// Causes of failure, in the order of [`crate::CAUSES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    Refused,
    Reset,
    Closed,
    Timeout,
    Status,
    Marker,
    Tls,
    Http2,
    Extract,
    Slow,
    WebSocket,
    Hook,
}

/// Index of a counter in [`COUNTERS`].
#[derive(Debug, Clone, Copy)]
pub(crate) enum Counter {
    Requests,
    BytesIn,
    BytesOut,
    ImageRefs,
    Images,
    ImageBytes,
    CachedFull,
    Cached304,
    ReferencesLeftOut,
    ReferencesOtherHost,
    Compressed,
    BodyBytes,
    ContentBytes,
}

/// The counters of one execution of an operation; the named steps follow the fixed ones.
#[derive(Debug)]
pub(crate) struct Counts(Box<[u64]>);

impl Counts {
    pub(crate) fn new(named_steps: usize) -> Self {
        Self(vec![0; COUNTERS.len() + named_steps].into())
    }

    #[inline]
    pub(crate) fn add(&mut self, counter: Counter, amount: u64) {
        self.0[counter as usize] += amount;
    }

    pub(crate) fn add_step(&mut self, named_step: usize) {
        self.0[COUNTERS.len() + named_step] += 1;
    }
}

/// An operation that ended.
#[derive(Debug)]
pub(crate) struct Ended<'a> {
    pub operation: usize,
    pub intended: u64,
    pub sent: u64,
    pub end: u64,
    /// From `sent` to its first byte, calls left out; none of messages only.
    pub first_byte: Option<u64>,
    pub pace: Option<u64>,
    pub limit_us: u64,
    /// Microseconds of it that were spent on calls of functions: no time of the service.
    pub called: u64,
    pub result: Result<(), Cause>,
    pub counts: &'a mut Counts,
    pub timed: &'a mut Vec<Timed>,
}

/// The steady span, microseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Steady {
    pub from: u64,
    pub to: u64,
}

impl Steady {
    /// Phase of an operation intended and ended at these instants.
    fn phase(self, intended: u64, end: u64) -> usize {
        match () {
            () if intended >= self.from && end <= self.to => 1,
            () if end <= self.from => 0,
            () => 2,
        }
    }
}

/// Figures that describe the present and go into a window as they are.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Gauges {
    pub in_flight: u32,
    pub connections: u32,
}

/// The current window. Recording allocates nothing, except the cell for the first end of an operation in a
/// phase, and the times for the first of its steps.
#[derive(Debug)]
pub(crate) struct Recorder {
    second: u32,
    steady: Steady,
    named_steps: usize,
    cells: Vec<Option<Box<Cell>>>,
    wake_lag: Histogram,
    /// Of TLS: those that began from nothing, and those that resumed.
    handshakes: [Histogram; 2],
    cpu_before: (f64, f64),
    pub sessions: Sessions,
    pub called: Called,
    /// Users that are started, and sessions.
    pub users: Lived,
    pub live_sessions: Lived,
    /// Operations that arrived at a rate, those that had to wait for a connection, and those that found no
    /// room to wait.
    pub arrived: u64,
    pub waited: u64,
    pub turned_away: u64,
    pub connects: u64,
    pub reconnects: u64,
    pub beside: u64,
    pub closed_idle: u64,
    pub closed_with_answer: u64,
    pub waits: u64,
    pub requests: u64,
    pub bytes_in: u64,
    pub bytes_out: u64,
}

#[derive(Debug)]
struct Cell {
    ok: u64,
    failed: [u64; CAUSES.len()],
    late: u64,
    dropped: u64,
    counters: Box<[u64]>,
    response: Histogram,
    service: Histogram,
    pace: Histogram,
    lag: Histogram,
    first_byte: Histogram,
    called: Option<Box<Histogram>>,
    steps: StepTimes,
}

impl Recorder {
    pub(crate) fn new(operations: usize, named_steps: usize, steady: Steady) -> Self {
        Self {
            second: 0,
            steady,
            named_steps,
            cells: std::iter::repeat_with(|| None).take(operations * PHASES).collect(),
            wake_lag: Histogram::new(),
            handshakes: [Histogram::new(), Histogram::new()],
            cpu_before: thread_cpu_s(),
            sessions: Sessions::new(steady, 1),
            called: Called::default(),
            users: Lived::default(),
            live_sessions: Lived::default(),
            arrived: 0,
            waited: 0,
            turned_away: 0,
            connects: 0,
            reconnects: 0,
            beside: 0,
            closed_idle: 0,
            closed_with_answer: 0,
            waits: 0,
            requests: 0,
            bytes_in: 0,
            bytes_out: 0,
        }
    }

    /// End of the current window.
    #[inline]
    pub(crate) fn window_end(&self) -> u64 {
        (u64::from(self.second) + 1) * SECOND
    }

    /// How late the engine came to a user that was ready.
    #[inline]
    pub(crate) fn woke(&mut self, late_us: u64) {
        self.wake_lag.record(late_us);
    }

    /// Records a TLS handshake.
    pub(crate) fn shook_hands(&mut self, resumed: bool, took_us: u64) {
        self.handshakes[usize::from(resumed)].record(took_us);
    }

    /// Records an operation in the current window and clears its counts.
    pub(crate) fn ended(&mut self, ended: Ended<'_>) {
        let phase = self.steady.phase(ended.intended, ended.end);
        let cell = self.cell(ended.operation, phase);
        match ended.result {
            Ok(()) => {
                let response = ended.end - ended.intended - ended.called;
                cell.ok += 1;
                cell.late += u64::from(response > ended.limit_us);
                cell.response.record(response);
                let service = ended.end - ended.sent - ended.called;
                cell.service.record(service);
                // The kernel's stamps are not of a clock that never goes back.
                ended.first_byte.iter().for_each(|after| cell.first_byte.record(service.min(*after)));
                if ended.called > 0 {
                    cell.called.get_or_insert_default().record(ended.called);
                }
                cell.steps.record(ended.timed);
            }
            Err(cause) => cell.failed[cause as usize] += 1,
        }
        if let Some(pace) = ended.pace {
            cell.pace.record(pace);
        }
        cell.lag.record(ended.sent - ended.intended);
        for (sum, count) in cell.counters.iter_mut().zip(&mut ended.counts.0) {
            *sum += std::mem::take(count);
        }
        ended.timed.clear();
    }

    /// Records an operation that was intended in a span that ended before it could be sent.
    pub(crate) fn dropped(&mut self, operation: usize, steady: bool) {
        self.cell(operation, if steady { 1 } else { 2 }).dropped += 1;
    }

    /// Records an operation, intended at `at`, that will never be sent.
    pub(crate) fn never_sent(&mut self, operation: usize, at: u64) {
        let Steady { from, to } = self.steady;
        let phase = usize::from(at >= from) + usize::from(at >= to);
        self.cell(operation, phase).dropped += 1;
    }

    fn cell(&mut self, operation: usize, phase: usize) -> &mut Cell {
        let counters = COUNTERS.len() + self.named_steps;
        self.cells[operation * PHASES + phase].get_or_insert_with(|| {
            Box::new(Cell {
                ok: 0,
                failed: [0; CAUSES.len()],
                late: 0,
                dropped: 0,
                counters: vec![0; counters].into(),
                response: Histogram::new(),
                service: Histogram::new(),
                pace: Histogram::new(),
                lag: Histogram::new(),
                first_byte: Histogram::new(),
                called: None,
                steps: StepTimes::default(),
            })
        })
    }

    /// Hands out the current window, which ends at `until`, and begins the next second.
    pub(crate) fn roll(&mut self, until: u64, gauges: Gauges) -> Window {
        let cpu = thread_cpu_s();
        let seconds = |micros: u64| micros as f64 / SECOND as f64;
        let window = Window {
            second: self.second,
            users: self.users.living(),
            users_s: seconds(self.users.take(until)),
            sessions_s: seconds(self.live_sessions.take(until)),
            in_flight: gauges.in_flight,
            connections: gauges.connections,
            arrived: std::mem::take(&mut self.arrived),
            waited: std::mem::take(&mut self.waited),
            turned_away: std::mem::take(&mut self.turned_away),
            connects: std::mem::take(&mut self.connects),
            reconnects: std::mem::take(&mut self.reconnects),
            beside: std::mem::take(&mut self.beside),
            closed_idle: std::mem::take(&mut self.closed_idle),
            closed_with_answer: std::mem::take(&mut self.closed_with_answer),
            waits: std::mem::take(&mut self.waits),
            requests: std::mem::take(&mut self.requests),
            bytes_in: std::mem::take(&mut self.bytes_in),
            bytes_out: std::mem::take(&mut self.bytes_out),
            cpu_user_s: cpu.0 - self.cpu_before.0,
            cpu_sys_s: cpu.1 - self.cpu_before.1,
            wake_lag: drain(&mut self.wake_lag),
            handshake_full: drain(&mut self.handshakes[0]),
            handshake_resumed: drain(&mut self.handshakes[1]),
            operations: self
                .cells
                .iter_mut()
                .enumerate()
                .filter_map(|(index, cell)| cell.as_mut()?.drain(index))
                .collect(),
            sessions: self.sessions.drain(),
            hooks: self.called.drain(),
            ..Window::default()
        };
        self.cpu_before = cpu;
        self.second += 1;
        window
    }
}

impl Cell {
    /// What was recorded; `None` when nothing was.
    fn drain(&mut self, index: usize) -> Option<OperationWindow> {
        let failed = std::mem::take(&mut self.failed);
        if self.lag.count() == 0 && self.dropped == 0 {
            return None;
        }
        Some(OperationWindow {
            operation: (index / PHASES) as u32,
            phase: (index % PHASES) as u8,
            ok: std::mem::take(&mut self.ok),
            failed,
            late: std::mem::take(&mut self.late),
            dropped: std::mem::take(&mut self.dropped),
            counters: self.counters.iter_mut().map(std::mem::take).collect(),
            response: drain(&mut self.response),
            service: drain(&mut self.service),
            pace: drain(&mut self.pace),
            lag: drain(&mut self.lag),
            first_byte: drain(&mut self.first_byte),
            called: self.called.as_deref_mut().map(drain).unwrap_or_default(),
            steps: self.steps.drain(),
        })
    }
}

pub(crate) fn drain(histogram: &mut Histogram) -> Sparse {
    let (bucket, count) = histogram.buckets().map(|(index, count)| (index as u32, count)).unzip();
    histogram.clear();
    Sparse { bucket, count }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::StepWindow;

    fn recorder() -> Recorder {
        Recorder::new(2, 1, Steady { from: 1_000_000, to: 3_000_000 })
    }

    fn end(recorder: &mut Recorder, intended: u64, sent: u64, end: u64, result: Result<(), Cause>) {
        let first_byte = (end - sent).checked_sub(40);
        let mut counts = Counts::new(1);
        counts.add(Counter::Images, 2);
        counts.add_step(0);
        let limit_us = 500;
        let pace = Some(7);
        let mut timed = vec![Timed {
            step: 2,
            connect: 6,
            handshake: 0,
            first_byte: Some(20),
            answer: 30,
            files: Some(4),
        }];
        recorder.ended(Ended {
            operation: 1,
            intended,
            sent,
            end,
            first_byte,
            pace,
            limit_us,
            called: 0,
            result,
            counts: &mut counts,
            timed: &mut timed,
        });
        assert!(timed.is_empty(), "the next operation begins with none");
    }

    #[test]
    fn only_what_began_and_ended_in_the_span_is_steady() {
        let mut recorder = recorder();
        for (intended, ended) in
            [(10, 999_999), (999_999, 1_000_001), (1_000_000, 3_000_000), (2_999_999, 3_000_001)]
        {
            end(&mut recorder, intended, intended, ended, Ok(()));
        }
        let window = recorder.roll(1_000_000, Gauges::default());
        let phases: Vec<_> = window.operations.iter().map(|o| (o.phase, o.ok)).collect();
        assert_eq!(phases, [(0, 1), (1, 1), (2, 2)]);
    }

    #[test]
    fn a_window_holds_its_second_only() {
        let mut recorder = recorder();
        end(&mut recorder, 10, 20, 520, Ok(()));
        end(&mut recorder, 10, 20, 500, Err(Cause::Timeout));
        recorder.dropped(0, true);
        [0, 0, 250_000, 1_000_000].into_iter().for_each(|at| recorder.users.begun(at));
        let window = recorder.roll(1_000_000, Gauges::default());
        let [dropped, ended] = &window.operations[..] else { panic!("{window:?}") };
        assert_eq!((dropped.operation, dropped.phase, dropped.dropped), (0, 1, 1));
        assert_eq!((ended.ok, ended.failed, ended.late), (1, [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0], 1));
        assert_eq!(ended.counters, [0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
        assert_eq!((ended.response.bucket[0], ended.service.bucket[0]), (510, 500));
        assert_eq!((&ended.lag.bucket, &ended.lag.count), (&vec![10], &vec![2]));
        // Of the failed operation only what it counted.
        let once = |bucket| Sparse { bucket: vec![bucket], count: vec![1] };
        assert_eq!(ended.first_byte, once(460));
        assert_eq!(
            ended.steps,
            [StepWindow {
                step: 2,
                connect: once(6),
                handshake: Sparse::default(),
                first_byte: once(20),
                answer: once(30),
                files: once(4)
            }]
        );
        assert_eq!((window.users, window.users_s), (4, 2.75));
        let next = recorder.roll(2_000_000, Gauges::default());
        assert!(next.operations.is_empty() && next.users_s == 4.0);
        assert_eq!(recorder.window_end(), 3_000_000);
    }
}
