//! The plan: a scenario as data, exactly as the scenario file spells it after validation.
//!
//! `python/loadstone/scenario` validates the TOML, resolves every number that names an entry of
//! `[data]`, writes all defaults out and hands this structure over as JSON.
//! Compilation to indexed operations happens in this crate and refuses what does not resolve.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

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
    pub pacing: Pacing,
    /// Sessions: how they begin, go on and end.
    pub session: Session,
    /// What the emulated browser caches and fetches.
    pub browser: Browser,
    /// Operations in the order of the file.
    pub operations: Vec<Operation>,
    /// Row-stochastic transition matrix by operation name. The column `end` ends the session: the
    /// user's next operation is the first one, of a new session. The column `back` returns to the operation before; a row
    /// that has it, be it with probability 0, belongs to an operation that remembers where the user came from.
    pub mix: BTreeMap<String, BTreeMap<String, f64>>,
}

impl Plan {
    /// Reads a plan.
    ///
    /// # Errors
    /// A sentence that names the place at fault.
    pub fn from_json(json: &str) -> Result<Self, String> {
        serde_json::from_str(json).map_err(|why| format!("the plan is not well-formed: {why}"))
    }
}

/// The server's address. HTTP only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Host name or address, without brackets.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// Value of the Host header.
    pub authority: String,
    /// Prefix of every path, without a trailing slash; empty for a site at the root.
    pub base_path: String,
}

/// The load: users or sessions over time. All times in seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// Concurrent users; 0 in an open workload.
    #[serde(default)]
    pub users: u32,
    /// Open workload: so many sessions arrive each second, all agents together, from the start to the end of the steady
    /// state. Each of them is a user of its own.
    #[serde(default)]
    pub sessions_per_s: Option<f64>,
    /// When they arrive.
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
    /// Variable load: (seconds from the end of ramp-up, users), ascending; empty = constant.
    #[serde(default)]
    pub profile: Vec<(f64, u32)>,
    /// Threads of the engine; 0 = one.
    #[serde(default)]
    pub threads: u32,
    /// The run ends when so many operations, all agents together, have begun and ended, at the latest after `steady_s`.
    #[serde(default)]
    pub operations: Option<u32>,
}

/// When the sessions of an open workload arrive.
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
    /// Pause before each further file of a page: what browser and user do between two of them. It is part of the
    /// operation and of its response time. None: none.
    #[serde(default)]
    pub pause: Option<Law>,
}

/// The unit a user waits for and the SLA judges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    /// Its name.
    pub name: String,
    /// Response time allowed, seconds.
    pub limit_s: f64,
    /// Pacing of its own, before this operation.
    #[serde(default)]
    pub pacing: Option<Pacing>,
    /// Values drawn when the operation begins, in order; they stay until drawn again.
    #[serde(default)]
    pub draw: Vec<Draw>,
    /// Requests, in order.
    pub steps: Vec<Step>,
}

/// A named value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draw {
    /// Used in templates as `{name}`.
    pub name: String,
    /// Where the value comes from.
    pub value: Value,
}

/// A generator of values. Integers are 64-bit; ranges are inclusive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Value {
    /// Uniform integer.
    Int {
        /// Least.
        low: i64,
        /// Greatest.
        high: i64,
    },
    /// An integer in 1..=count that no other user of the plan draws while users <= count:
    /// (random(0..R) * users + user) mod count + 1 with R = max(1, count / users).
    Slice {
        /// How many there are.
        count: i64,
    },
    /// A number never drawn before by any user: start + k * users + user, k = 0, 1, ...
    Serial {
        /// First number.
        start: i64,
    },
    /// A popularity rank in 1..=count: floor(-scale * count * ln u) + 1, redrawn beyond count.
    Rank {
        /// How many ranks.
        count: i64,
        /// Mean of the law as a share of count.
        scale: f64,
    },
    /// A popularity rank in 1..=count by Zipf's law: P(rank = k) proportional to k^-exponent.
    Zipf {
        /// How many ranks.
        count: i64,
        /// Zipf's exponent.
        exponent: f64,
        /// None: ranks are independent. Else all users of the plan go through one sequence in which ranks return.
        #[serde(default)]
        locality: Option<Locality>,
    },
    /// Random text: lower-case words of 1..12 letters, of this many characters.
    Words {
        /// Least characters.
        low: u32,
        /// Most characters.
        high: u32,
    },
    /// One run of letters.
    Letters {
        /// Least characters.
        low: u32,
        /// Most characters.
        high: u32,
        /// First letter in upper case.
        #[serde(default)]
        capital: bool,
    },
    /// A run of decimal digits.
    Digits {
        /// How many.
        count: u32,
    },
    /// One of these, uniformly.
    Pick {
        /// Templates to choose from.
        from: Vec<String>,
    },
    /// base + low..=high days, printed as 2008-10-22; `{x.year}`, `{x.month}`, `{x.day}` are its parts.
    Date {
        /// ISO date.
        base: String,
        /// Days.
        low: i64,
        /// Days.
        high: i64,
    },
    /// The deterministic user name of an integer (`stats::username`).
    Username {
        /// The integer.
        id: Box<Value>,
        /// Which lengths of names the data set has.
        #[serde(default)]
        era: NameEra,
    },
    /// Uniformly one of a list extracted earlier; the previous value stays when the list is empty.
    Choose {
        /// Name of the list.
        from: String,
    },
    /// A template over other values.
    Text {
        /// The template.
        text: String,
    },
    /// Several values joined.
    List {
        /// Least items.
        low: u32,
        /// Most items.
        high: u32,
        /// Between items.
        separator: String,
        /// Draw again what was drawn already.
        #[serde(default)]
        distinct: bool,
        /// Each item.
        item: Box<Value>,
    },
    /// A column of a table given with the plan (a CSV file of the scenario): a random row, or
    /// the row (from 1) that `row` names.
    Column {
        /// All values of the column.
        cells: Vec<String>,
        /// Template of the row number; none: uniformly random.
        #[serde(default)]
        row: Option<String>,
    },
}

/// How soon what was asked for is asked for again: a log-normal law of LRU stack distances (`stats::Locality`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Locality {
    /// Mean of the logarithm.
    pub mu: f64,
    /// Standard deviation of the logarithm.
    pub sigma: f64,
}

/// Which lengths of user names occur: see `stats::Era`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NameEra {
    /// 6 to 11 characters, of release 0.2.
    #[default]
    Release,
    /// 3 to 8 characters, of the paper.
    Paper,
}

/// One request with what follows from its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// GET, HEAD, POST, PUT, DELETE or PATCH.
    pub method: String,
    /// Template of the path, with query.
    pub path: String,
    /// Extra header fields, values are templates.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// What is sent.
    #[serde(default)]
    pub body: Body,
    /// Flags that must be set, or with a leading `!` unset.
    #[serde(default)]
    pub when: Vec<String>,
    /// Probability that the step is taken when its flags allow it.
    #[serde(default = "one")]
    pub chance: f64,
    /// What the final answer (after redirects) must be.
    #[serde(default)]
    pub expect: Expect,
    /// Values and flags taken from the final answer.
    #[serde(default)]
    pub extract: Vec<Extract>,
    /// Flags set after success.
    #[serde(default)]
    pub set: Vec<String>,
    /// Flags unset after success.
    #[serde(default)]
    pub unset: Vec<String>,
    /// Follow 301, 302, 303, 307, 308 on the same host, at most five times.
    #[serde(default = "yes")]
    pub redirects: bool,
    /// Fetch the style sheets, scripts and images that the final answer refers to.
    #[serde(default)]
    pub page: bool,
    /// Forget cookies, flags, extracted values and the browser's cache after success. Lists of links stay.
    #[serde(default)]
    pub forget: bool,
    /// Name under which successful executions of the step are counted.
    #[serde(default)]
    pub count: Option<String>,
}

/// A request body.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Body {
    /// None.
    #[default]
    None,
    /// application/x-www-form-urlencoded; values are templates.
    Form {
        /// Fields in order.
        fields: Vec<(String, String)>,
    },
    /// multipart/form-data.
    Multipart {
        /// Parts in order.
        parts: Vec<Part>,
    },
    /// Any other content.
    Raw {
        /// Content-Type.
        content_type: String,
        /// Template of the content.
        text: String,
    },
}

/// A part of a multipart body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Part {
    /// A text field.
    Field {
        /// Its name.
        name: String,
        /// Template of its value.
        text: String,
    },
    /// A file of seeded filler behind the signature of its type.
    File {
        /// Its name.
        name: String,
        /// File name, a template.
        filename: String,
        /// image/jpeg, image/png, application/pdf or another.
        content_type: String,
        /// Size in bytes.
        bytes: u64,
    },
}

/// What a right answer looks like.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Accepted status codes.
    pub status: Vec<u16>,
    /// Templates that must all stand in the body.
    #[serde(default)]
    pub contains: Vec<String>,
    /// Templates none of which may stand in the body.
    #[serde(default)]
    pub lacks: Vec<String>,
    /// Least length of the body.
    #[serde(default)]
    pub min_bytes: u64,
}

impl Default for Expect {
    fn default() -> Self {
        Self { status: vec![200], contains: Vec::new(), lacks: Vec::new(), min_bytes: 0 }
    }
}

/// Takes something from a body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extract {
    /// Value, list or flag that it fills.
    pub name: String,
    /// How it is found.
    pub from: Source,
}

/// Where an extracted value stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Source {
    /// List: the distinct `{int}` or `{segment}` of links (href) such as `/events/{int}`. The old list stays when none is found.
    Links {
        /// Pattern of the whole path.
        pattern: String,
        /// Only inside the first element of this name, such as `main`; none: anywhere.
        #[serde(default)]
        within: Option<String>,
    },
    /// Value of the hidden input field (or meta tag) of this name.
    Hidden {
        /// Name of the field.
        field: String,
    },
    /// Value between two literal strings, first occurrence.
    Between {
        /// Before.
        left: String,
        /// After.
        right: String,
    },
    /// First group of a regular expression.
    Regex {
        /// The expression.
        pattern: String,
    },
    /// Value of a response header.
    Header {
        /// Its name.
        header: String,
    },
    /// Flag: whether the body holds this text.
    Contains {
        /// A template.
        text: String,
    },
}

fn one() -> f64 {
    1.0
}

fn yes() -> bool {
    true
}
