//! The plan: a scenario as data, exactly as the scenario file spells it after validation.
//!
//! `python/loadstone/scenario` validates the TOML, resolves every number that names an entry of
//! `[data]`, writes all defaults out and hands this structure over as JSON.
//! Compilation to indexed operations happens in this crate and refuses what does not resolve.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

mod operation;
mod target;
mod value;

pub use operation::{Body, Call, Expect, Extract, Operation, Part, Repeat, Socket, Source, Step, Test};
pub use target::{Http, Pem, Place, Target, Tls};
pub use value::{Draw, Locality, NameEra, Value};

/// A whole scenario for one agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Name of the scenario.
    pub name: String,
    /// Seed of every random choice; the same seed and slice give the same choices.
    pub seed: u64,
    /// Where requests go.
    pub target: Target,
    /// How many users and for how long.
    pub load: Load,
    /// Which users of the plan this agent runs.
    pub slice: Slice,
    /// When operations start, unless an operation says otherwise.
    #[serde(default)]
    pub pacing: Option<Pacing>,
    /// Sessions: how they begin, go on and end. None where there are several scenarios, which have their own.
    #[serde(default)]
    pub session: Option<Session>,
    /// What the emulated browser caches and fetches. None where there are several scenarios.
    #[serde(default)]
    pub browser: Option<Browser>,
    /// Several scenarios at once, each with users, sessions or requests of its own; none: the plan is one.
    #[serde(default)]
    pub scenarios: Vec<Scenario>,
    /// Operations in the order of the file.
    pub operations: Vec<Operation>,
    /// Row-stochastic transition matrix by operation name. The column `end` ends the session: the user's next
    /// operation is the first one, of a new session. The column `back` returns to the operation before; a row
    /// that has it, be it with probability 0, belongs to an operation that remembers where the user came
    /// from.
    pub mix: BTreeMap<String, BTreeMap<String, f64>>,
    /// What steps call.
    #[serde(default)]
    pub functions: Vec<Function>,
}

/// One of several scenarios. No walk leads from its operations to those of another one, and what these draw,
/// extract or set is theirs alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// Its share of the users, of the sessions or of the requests, as a part of the weights of all.
    pub weight: u32,
    /// How many operations it has: the next ones of the plan after those of the scenario before.
    pub operations: usize,
    /// Sessions: how they begin, go on and end.
    pub session: Session,
    /// What the emulated browser caches and fetches.
    pub browser: Browser,
}

/// A function that steps call. Who runs the plan has it; the engine only knows its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Function {
    /// As the scenario has it: `sign.py:payment`.
    pub name: String,
    /// Where it was found.
    pub file: String,
    /// Digest of that file, SHA-256 in hexadecimal.
    pub sha256: String,
}

impl Plan {
    /// Reads a plan.
    ///
    /// # Errors
    /// What is not well-formed, and where.
    pub fn from_json(json: &str) -> Result<Self> {
        serde_json::from_str(json)
            .map_err(|why| Error::Malformed(format!("the plan is not well-formed: {why}")))
    }
}

/// The load: users, sessions or operations over time. All times in seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// Concurrent users; 0 where sessions or operations arrive.
    #[serde(default)]
    pub users: u32,
    /// Open workload: so many sessions arrive each second, all agents together, from the start to the end of
    /// the steady state. Each of them is a user of its own.
    #[serde(default)]
    pub sessions_per_s: Option<f64>,
    /// So many operations arrive each second, all agents together, to the end of the run. Each is drawn from
    /// the long-run shares of the mix, and belongs to no session.
    #[serde(default)]
    pub requests_per_s: Option<f64>,
    /// Connections that carry them, all agents together.
    #[serde(default)]
    pub connections: Option<u32>,
    /// Most of them at once on one connection, by HTTP/2; the server may allow fewer.
    #[serde(default)]
    pub streams: Option<u32>,
    /// Most of them that wait for a connection, all agents together; what arrives beyond is dropped.
    #[serde(default)]
    pub most_waiting: Option<u32>,
    /// When sessions, or operations, arrive.
    #[serde(default)]
    pub arrivals: ArrivalLaw,
    /// Users start spread evenly over this time.
    pub ramp_up_s: f64,
    /// Only operations that begin and end in this span are judged.
    pub steady_s: f64,
    /// Load goes on for this long after the steady state.
    pub ramp_down_s: f64,
    /// A request without a whole answer after this long has failed.
    pub timeout_s: f64,
    /// Variable load: (seconds from the end of ramp-up, load), ascending; empty = constant. The load is in the
    /// unit of the plan: users, or a rate.
    #[serde(default)]
    pub profile: Vec<(f64, f64)>,
    /// Threads of the engine; 0 = one.
    #[serde(default)]
    pub threads: u32,
    /// The run ends when so many operations, all agents together, have begun and ended, at the latest after
    /// `steady_s`.
    #[serde(default)]
    pub operations: Option<u32>,
}

impl Load {
    /// The rate at which sessions, or operations, arrive; none where users stay.
    pub fn rate(&self) -> Option<f64> {
        self.sessions_per_s.or(self.requests_per_s)
    }
}

/// When sessions, or operations, arrive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArrivalLaw {
    /// At equal distances.
    #[default]
    Even,
    /// As a Poisson process.
    Poisson,
}

/// Agents run disjoint slices of one plan: user `i` belongs to agent `i % of`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slice {
    /// This agent, from 0.
    pub index: u32,
    /// Number of agents.
    pub of: u32,
}

/// When the next operation starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pacing {
    /// What the law measures.
    pub kind: PacingKind,
    /// The law of the time, in seconds.
    pub law: Law,
}

/// Start to start, or end to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PacingKind {
    /// Cycle time: from one start to the next; a late operation starts at once, and its actual
    /// start is the new reference.
    Cycle,
    /// Think time: from the last byte to the next start.
    Think,
}

/// A law of times in seconds. Clamped, not redrawn, at `max_s`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Law {
    /// Always `value_s`.
    Fixed {
        /// Seconds.
        value_s: f64,
    },
    /// Uniform on [low_s, high_s].
    Uniform {
        /// Seconds.
        low_s: f64,
        /// Seconds.
        high_s: f64,
    },
    /// min_s + (mean_s - min_s)(-ln u), clamped at max_s.
    NegExp {
        /// Mean before clamping.
        mean_s: f64,
        /// Shift.
        #[serde(default)]
        min_s: f64,
        /// Clamp.
        max_s: f64,
    },
    /// exp(N(mu, sigma)) seconds, clamped at max_s.
    LogNormal {
        /// Mean of the logarithm.
        mu: f64,
        /// Standard deviation of the logarithm.
        sigma: f64,
        /// Clamp.
        max_s: f64,
    },
    /// Pareto with scale k seconds and shape alpha, clamped at max_s.
    Pareto {
        /// Scale, seconds.
        k_s: f64,
        /// Shape.
        alpha: f64,
        /// Clamp.
        max_s: f64,
    },
    /// Survival exp(-(x / scale_s)^shape), clamped at max_s.
    Weibull {
        /// Scale, seconds.
        scale_s: f64,
        /// Shape; 1 is exponential.
        shape: f64,
        /// Clamp.
        max_s: f64,
    },
}

/// Sessions: how they begin, go on and end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// Name of the first operation.
    pub first: String,
    /// A session ends, completed, after so many operations.
    #[serde(default)]
    pub max_operations: Option<u32>,
    /// What a failed operation means for its session.
    #[serde(default)]
    pub on_failure: OnFailure,
    /// How often in a row a 503 with Retry-After is waited for and tried again before it is a failure.
    #[serde(default)]
    pub retry_after: u32,
    /// What answers say about what follows, before the mix does; the first that applies.
    #[serde(default)]
    pub after: Vec<After>,
}

/// What an answer with a text leads to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct After {
    /// A template.
    pub contains: String,
    /// An operation, `back` or `end`, as in a row of the mix.
    pub next: String,
}

/// What a failed operation means for its session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnFailure {
    /// Nothing: the user goes on.
    #[default]
    GoOn,
    /// The session is lost.
    End,
}

/// The emulated browser of each user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Browser {
    /// Share of sessions whose cache already holds what `cached` matches.
    pub warm_share: f64,
    /// Warm sessions ask with If-None-Match / If-Modified-Since on every page; false: they do not ask.
    pub revalidate: bool,
    /// Path prefixes of resources that a warm cache holds (style sheets, scripts, icons). What else
    /// a page refers to is an image, fetched once a session.
    pub cached: Vec<String>,
    /// User-Agent header.
    pub user_agent: String,
    /// Ask for compressed answers, as browsers do.
    #[serde(default = "yes")]
    pub compressed: bool,
    /// Most connections to one host at once, by HTTP/1.1, for the files of a page.
    #[serde(default = "one")]
    pub connections: u32,
    /// What style sheets and a page's own styles refer to is fetched, too.
    #[serde(default)]
    pub styles: bool,
    /// Width of its window in CSS pixels: what `srcset` is chosen by,
    #[serde(default = "desktop")]
    pub width: f64,
    /// and device pixels for each of them.
    #[serde(default = "unit")]
    pub density: f64,
    /// Pause before each further file of a page: what browser and user do between two of them. It is part of
    /// the operation and of its response time. None: none.
    #[serde(default)]
    pub pause: Option<Law>,
}

fn yes() -> bool {
    true
}

fn one() -> u32 {
    1
}

fn desktop() -> f64 {
    1280.0
}

fn unit() -> f64 {
    1.0
}
