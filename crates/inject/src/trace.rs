//! The order of a program's instructions, by one run step by step.

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::child::Start;
use crate::error::{Error, Kind, Result};
use crate::place::{Target, targets};
use crate::program::{Only, Program};
use crate::route::Stream;
use crate::tracee;
use crate::walk::{Walk, Way};
use crate::watch::Watch;

/// An address that can be hit.
pub struct Spot {
    /// Its code.
    pub code: Vec<u8>,
    /// What the instruction writes.
    pub targets: Vec<Target>,
}

/// What one run showed.
pub struct Trace {
    /// The order.
    pub stream: Stream,
    /// By the numbers of the stream's addresses.
    pub spots: Vec<Spot>,
    /// What the addresses of the program's file are raised by.
    pub base: u64,
    /// The most memory that it asked for.
    pub peak_bytes: u64,
    /// How long it took.
    pub took: Duration,
}

/// Bounds of a trace.
pub struct Bounds {
    /// Steps.
    pub steps: u64,
    /// Time.
    pub time: Duration,
}

/// Steps through the program once. `counted` grows as it goes.
pub fn trace(
    start: &Start,
    program: &Program,
    only: &Only,
    bounds: &Bounds,
    counted: &AtomicU64,
    stop: &Arc<AtomicBool>,
) -> Result<Trace> {
    let began = Instant::now();
    let mut walk = Walk::begin(start, program)?;
    let watch = Watch::new(walk.pid(), bounds.time, Arc::clone(stop))?;
    let ranges = ranges(&walk, program, only)?;
    let mut found = Trace {
        stream: Stream::default(),
        spots: Vec::new(),
        base: walk.base,
        peak_bytes: 0,
        took: Duration::ZERO,
    };
    let mut numbers: HashMap<u64, Option<u32>> = HashMap::new();
    // Why a program that was killed does not do what is asked of it.
    let cut_short = |steps| {
        if stop.load(Ordering::Relaxed) {
            Some(Error::new(Kind::Stopped, "stopped while tracing"))
        } else {
            watch.late().then(|| too_long(program, steps, began.elapsed()))
        }
    };
    loop {
        let address = tracee::at(walk.pid());
        let address = address.map_err(|error| cut_short(found.stream.steps).unwrap_or(error))?;
        let number = *numbers.entry(address).or_insert_with(|| found.spot(&walk, &ranges, address));
        if let Some(number) = number {
            found.stream.order.push(number);
            found.stream.before.push(found.stream.steps as u32);
        }
        found.stream.steps += 1;
        counted.store(found.stream.steps, Ordering::Relaxed);
        if found.stream.steps > bounds.steps {
            return Err(too_long(program, found.stream.steps, began.elapsed()));
        }
        match walk.step()? {
            Way::Arrived => {}
            Way::Ending => match cut_short(found.stream.steps) {
                Some(error) => return Err(error),
                None => break,
            },
            Way::Started => {
                let message = format!(
                    "`{}` starts threads or processes, whose instructions have no order",
                    program.path.display()
                );
                return Err(Error::new(Kind::Threads, message));
            }
        }
    }
    found.peak_bytes = peak_bytes(walk.pid());
    found.took = began.elapsed();
    let (_, _) = walk.finish(None)?;
    Ok(found)
}

impl Trace {
    /// The number of an address, new where it can be hit.
    fn spot(&mut self, walk: &Walk, ranges: &[(u64, u64)], address: u64) -> Option<u32> {
        if !ranges.iter().any(|(start, end)| (*start..*end).contains(&address)) {
            return None;
        }
        let code = walk.code(address);
        let targets = targets(&code, address);
        if targets.is_empty() {
            return None;
        }
        self.spots.push(Spot { code, targets });
        self.stream.addresses.push(address);
        u32::try_from(self.stream.addresses.len() - 1).ok()
    }
}

fn too_long(program: &Program, steps: u64, took: Duration) -> Error {
    let message = format!(
        "`{}` has not ended after {steps} instructions, one at a time, and {:.0} s",
        program.path.display(),
        took.as_secs_f64()
    );
    Error::new(Kind::Long, message)
}

/// Addresses in memory that can be hit.
pub fn ranges(walk: &Walk, program: &Program, only: &Only) -> Result<Vec<(u64, u64)>> {
    match only {
        Only::All => Ok(vec![(0, u64::MAX)]),
        Only::Own => own(walk.pid()),
        Only::Functions(names) => {
            let raised = |(start, end)| (walk.base.wrapping_add(start), walk.base.wrapping_add(end));
            Ok(program.ranges(names)?.into_iter().map(raised).collect())
        }
    }
}

/// Where a process has mapped the code of its own file.
pub fn own(pid: i32) -> Result<Vec<(u64, u64)>> {
    let program = fs::read_link(format!("/proc/{pid}/exe"))?;
    let maps = fs::read_to_string(format!("/proc/{pid}/maps"))?;
    let mut found = Vec::new();
    for line in maps.lines() {
        let mut fields = line.split_ascii_whitespace();
        let (Some(range), Some(rights)) = (fields.next(), fields.next()) else { continue };
        let path = fields.nth(3).unwrap_or_default();
        let Some((start, end)) = range.split_once('-') else { continue };
        if rights.contains('x') && line.ends_with(&*program.to_string_lossy()) && path.starts_with('/') {
            let number = |text: &str| u64::from_str_radix(text, 16).unwrap_or(0);
            found.push((number(start), number(end)));
        }
    }
    Ok(found)
}

fn peak_bytes(pid: i32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmPeak:"));
    line.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) << 10
}
