//! The values that operations draw, and the laws of their choice.

use serde::{Deserialize, Serialize};

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
    /// A number never drawn before by any user: start + k * users + user, k = 0, 1, ...; with a count, modulo that.
    Serial {
        /// First number.
        start: i64,
        /// Begins again behind so many; none: never.
        #[serde(default)]
        count: Option<i64>,
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
        /// None: ranks are independent. Else all users of the plan go through one sequence in which ranks
        /// return.
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
        /// Which kind of names the data set has.
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

/// How soon what was asked for is asked for again: a log-normal law of LRU stack distances
/// (`stats::Locality`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Locality {
    /// Mean of the logarithm.
    pub mu: f64,
    /// Standard deviation of the logarithm.
    pub sigma: f64,
}

/// Which kind of user names a data set has: see `stats::Era`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NameEra {
    /// 6 to 11 characters, of release 0.2.
    #[default]
    Release,
    /// 3 to 8 characters, of the paper.
    Paper,
    /// Words, for people to look at.
    Words,
}
