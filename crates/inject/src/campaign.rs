//! Injections into a program that ends by itself.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use loadstone_stats::Rng;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::child::Start;
use crate::error::{Error, Kind, Result};
use crate::flip::Flip;
use crate::outcome::{End, FAIL_STOP, Injection, Outcome};
use crate::place::spelled;
use crate::program::{Only, Program};
use crate::route::Route;
use crate::trace::{Bounds, Trace, trace};
use crate::tracee::{self, Stop};
use crate::walk::{Walk, Way};
use crate::watch::Watch;

/// What an unharmed run may write.
const MOST_OUTPUT: u64 = 256 << 20;
/// What a harmed one may write beyond what the unharmed one wrote, and the memory beyond its own.
const MORE_OUTPUT: u64 = 1 << 20;
const MORE_MEMORY: u64 = 1 << 30;

/// What is asked for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    program: PathBuf,
    arguments: Vec<String>,
    stdin: Option<PathBuf>,
    /// `own`, `all`, or names of functions.
    only: Vec<String>,
    seed: u64,
    /// Unharmed runs that must agree.
    golden_runs: u32,
    golden_limit_s: f64,
    /// A run that takes so many times the unharmed one, and at least `hang_least_s`, hangs.
    hang_factor: f64,
    hang_least_s: f64,
    most_steps: u64,
    trace_limit_s: f64,
}

/// A program, and what is known of its unharmed run. Threads may share it.
pub struct Campaign {
    config: Config,
    program: Program,
    only: Only,
    start: Start,
    golden: OnceLock<(Golden, Vec<u8>)>,
    trace: OnceLock<Trace>,
    steps: AtomicU64,
    stop: Arc<AtomicBool>,
}

/// What the unharmed runs did.
#[derive(Clone, Debug, Serialize)]
pub struct Golden {
    /// SHA-256 of the program's file.
    pub program: String,
    /// What it says of its hardening.
    pub hardened: Option<String>,
    /// Whether it has no symbols.
    pub stripped: bool,
    /// Whether it counts what it has put right.
    pub counts: bool,
    /// The exit code.
    pub code: i32,
    /// Bytes of output.
    pub output_bytes: u64,
    /// SHA-256 of the output.
    pub output: String,
    /// The longest of the runs.
    pub took_s: f64,
}

/// What the trace showed.
#[derive(Clone, Debug, Serialize)]
pub struct Traced {
    /// Instructions that were executed, from the program's entry on.
    pub instructions: u64,
    /// Of these, those that can be hit.
    pub can_be_hit: u64,
    /// At so many addresses.
    pub addresses: u64,
    /// SHA-256 of the order: two traces of one program agree.
    pub order: String,
    /// What it took.
    pub took_s: f64,
}

impl Campaign {
    /// A campaign by its configuration in JSON. Errors: no such program, not for this processor.
    pub fn open(config: &str) -> Result<Self> {
        let config: Config =
            serde_json::from_str(config).map_err(|error| Error::new(Kind::System, error.to_string()))?;
        let program = Program::read(&config.program)?;
        let only = match &config.only[..] {
            [word] if word == "own" => Only::Own,
            [word] if word == "all" => Only::All,
            names => Only::Functions(names.to_vec()),
        };
        if let Only::Functions(names) = &only {
            program.ranges(names)?;
        }
        let start = Start {
            path: config.program.clone(),
            arguments: config.arguments.iter().map(OsString::from).collect(),
            stdin: config.stdin.clone(),
            most_output: Some(MOST_OUTPUT),
            most_memory: None,
        };
        Ok(Self {
            config,
            program,
            only,
            start,
            golden: OnceLock::new(),
            trace: OnceLock::new(),
            steps: AtomicU64::new(0),
            stop: Arc::new(AtomicBool::new(false)),
        })
    }

    /// Runs the program unharmed, several times. Errors: it does not end, ends badly, or never twice alike.
    pub fn golden(&self) -> Result<Golden> {
        let (mut first, mut longest) = (None::<(i32, Vec<u8>)>, 0.0_f64);
        for run in 1..=self.config.golden_runs {
            let began = Instant::now();
            let (code, output) = self.unharmed()?;
            longest = longest.max(began.elapsed().as_secs_f64());
            match &first {
                None => first = Some((code, output)),
                Some((usual, known)) if *usual == code && *known == output => {}
                Some((usual, known)) => return Err(self.unsteady(run, (*usual, known), (code, &output))),
            }
        }
        let (code, output) =
            first.ok_or_else(|| Error::new(Kind::System, "no unharmed run was asked for"))?;
        let golden = Golden {
            program: self.program.digest.clone(),
            hardened: self.program.hardened.clone(),
            stripped: self.program.stripped,
            counts: self.program.corrected.is_some(),
            code,
            output_bytes: output.len() as u64,
            output: hex(&Sha256::digest(&output)),
            took_s: longest,
        };
        Ok(self.golden.get_or_init(|| (golden, output)).0.clone())
    }

    /// Runs it once step by step; `golden` comes before. Errors: it takes too long, starts threads or
    /// processes, or nothing that it executes can be hit.
    pub fn trace(&self) -> Result<Traced> {
        let bounds = Bounds {
            steps: self.config.most_steps,
            time: Duration::from_secs_f64(self.config.trace_limit_s),
        };
        let pinned = Pinned::here();
        let found = trace(&self.start, &self.program, &self.only, &bounds, &self.steps, &self.stop)?;
        drop(pinned);
        if found.stream.order.is_empty() {
            return Err(Error::new(Kind::Program, "the program executes nothing that can be hit"));
        }
        let mut digest = Sha256::new();
        for number in &found.stream.order {
            digest.update((found.stream.addresses[*number as usize].wrapping_sub(found.base)).to_le_bytes());
        }
        let traced = Traced {
            instructions: found.stream.steps,
            can_be_hit: found.stream.order.len() as u64,
            addresses: found.stream.addresses.len() as u64,
            order: hex(&digest.finalize()),
            took_s: found.took.as_secs_f64(),
        };
        let _ = self.trace.set(found);
        Ok(traced)
    }

    /// The injection of this number; `golden` and `trace` come before.
    pub fn inject(&self, index: u64) -> Result<Injection> {
        let (Some((golden, output)), Some(trace)) = (self.golden.get(), self.trace.get()) else {
            return Err(Error::new(Kind::System, "an injection before the trace"));
        };
        self.unless_stopped()?;
        let began = Instant::now();
        let mut random = Rng::stream(self.config.seed, index);
        let at = random.below(trace.stream.order.len() as u64);
        let number = trace.stream.order[at as usize] as usize;
        let (address, spot) = (trace.stream.addresses[number], &trace.spots[number]);
        let flip = Flip::draw(&spot.targets, &mut random)
            .ok_or_else(|| Error::new(Kind::System, "an instruction that writes nothing"))?;
        let start = Start {
            most_output: Some(2 * golden.output_bytes + MORE_OUTPUT),
            most_memory: Some(trace.peak_bytes + MORE_MEMORY),
            ..self.start.clone()
        };
        let pinned = Pinned::here();
        let mut walk = Walk::begin(&start, &self.program)?;
        let watch = Watch::new(walk.pid(), self.way_limit(trace), Arc::clone(&self.stop))?;
        let hit = hit(&mut walk, &trace.stream.route(at as usize), flip);
        drop(pinned);
        // One that was killed on its way does not do what is asked of it.
        self.unless_stopped()?;
        let (outcome, end, corrected) = if watch.again(self.hang_limit(golden)) && hit? {
            let (end, corrected) = walk.finish(self.program.corrected)?;
            let end = if end == End::Signal(libc::SIGKILL) && watch.late() { End::Hang } else { end };
            (Outcome::of(end, golden.code, walk.child.output()? == *output, corrected), end, corrected)
        } else {
            (Outcome::Missed, End::Astray, 0)
        };
        self.unless_stopped()?;
        let in_file = address.wrapping_sub(trace.base);
        Ok(Injection {
            index,
            at,
            address: in_file,
            function: self.program.function_at(in_file).map(str::to_owned),
            instruction: spelled(&spot.code, in_file),
            register: flip.place.name(),
            bit: flip.bit,
            outcome,
            end,
            corrected,
            took_s: began.elapsed().as_secs_f64(),
        })
    }

    /// Steps of the trace that is under way.
    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Ends what is under way, with an error, and all that comes.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    fn unless_stopped(&self) -> Result<()> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Error::new(Kind::Stopped, "stopped"));
        }
        Ok(())
    }

    /// One unharmed run: exit code and output.
    fn unharmed(&self) -> Result<(i32, Vec<u8>)> {
        let shown = self.config.program.display();
        let mut child = self.start.spawn(false)?;
        let limit = Duration::from_secs_f64(self.config.golden_limit_s);
        let watch = Watch::new(child.pid, limit, Arc::clone(&self.stop))?;
        let stop = tracee::wait(child.pid)?;
        let said = child.last_words()?;
        let said = if said.is_empty() { String::new() } else { format!("; it said: {said}") };
        self.unless_stopped()?;
        match stop {
            _ if watch.late() => Err(Error::new(
                Kind::Endless,
                format!(
                    "`{shown}` has not ended after {:.0} s without any fault",
                    self.config.golden_limit_s
                ),
            )),
            Stop::Exit(FAIL_STOP) => Err(Error::new(
                Kind::Program,
                format!("`{shown}` stops itself as if it had found a fault, and there was none{said}"),
            )),
            Stop::Exit(code) => Ok((code, child.output()?)),
            Stop::Killed(signal) => Err(Error::new(
                Kind::Program,
                format!("`{shown}` ends by signal {signal} without any fault{said}"),
            )),
            other => Err(Error::new(Kind::System, format!("`{shown}` stopped: {other:?}"))),
        }
    }

    fn unsteady(&self, run: u32, usual: (i32, &[u8]), other: (i32, &[u8])) -> Error {
        let what = if usual.0 == other.0 {
            let pairs = usual.1.iter().zip(other.1);
            let byte = pairs.take_while(|(one, other)| one == other).count();
            let line = 1 + usual.1[..byte].iter().filter(|byte| **byte == b'\n').count();
            format!("its output differs from byte {byte} on, in line {line}")
        } else {
            format!("its exit code is {}, and was {}", other.0, usual.0)
        };
        let shown = self.config.program.display();
        let message = format!("`{shown}` does not answer alike without any fault: in run {run} {what}");
        Error::new(Kind::Unsteady, message)
    }

    fn hang_limit(&self, golden: &Golden) -> Duration {
        Duration::from_secs_f64((golden.took_s * self.config.hang_factor).max(self.config.hang_least_s))
    }

    /// A way never takes longer than the whole trace did; on a busy machine some times that.
    fn way_limit(&self, trace: &Trace) -> Duration {
        trace.took * 10 + Duration::from_secs(30)
    }
}

/// Goes to an instruction, executes it and turns the bit; false: the program went another way.
fn hit(walk: &mut Walk, route: &Route, flip: Flip) -> Result<bool> {
    let there = walk.follow(route)? && walk.step()? == Way::Arrived;
    if there {
        flip.apply(walk.pid())?;
    }
    Ok(there)
}

/// This thread on the processor where it is, and so its children: a stop and a step take half as long where
/// both wait for each other on one.
struct Pinned {
    before: libc::cpu_set_t,
}

impl Pinned {
    fn here() -> Self {
        // SAFETY: sets of processors are plain bits, and zeros are an empty one.
        unsafe {
            let (mut before, mut one) = (std::mem::zeroed(), std::mem::zeroed());
            let size = size_of::<libc::cpu_set_t>();
            libc::sched_getaffinity(0, size, &raw mut before);
            if let Ok(here) = usize::try_from(libc::sched_getcpu()) {
                libc::CPU_SET(here, &mut one);
                libc::sched_setaffinity(0, size, &raw const one);
            }
            Self { before }
        }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: as above; the set is the one that we were given.
        unsafe {
            libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const self.before);
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
