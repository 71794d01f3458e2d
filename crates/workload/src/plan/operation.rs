//! An operation: its requests, what they send, what a right answer is and what is taken from it.

use serde::{Deserialize, Serialize};

use super::{Draw, Pacing};

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
    /// The operation fails after this long, seconds; none: never as a whole.
    #[serde(default)]
    pub timeout_s: Option<f64>,
    /// Values drawn when the operation begins, in order; they stay until drawn again.
    #[serde(default)]
    pub draw: Vec<Draw>,
    /// Requests, in order.
    pub steps: Vec<Step>,
    /// So many of the steps, the first ones, are its way; those behind them only renew what others are refused
    /// for. None: all are its way.
    #[serde(default)]
    pub own: Option<u32>,
}

/// One request with what follows from its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// GET, HEAD, POST, PUT, DELETE or PATCH.
    pub method: String,
    /// Template of the path, with query.
    pub path: String,
    /// Which of [`super::Target::hosts`] is asked; none: the target's own.
    #[serde(default)]
    pub host: Option<String>,
    /// Extra header fields, values are templates.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// What is sent.
    #[serde(default)]
    pub body: Body,
    /// Flags that must be set, or with a leading `!` unset, and comparisons such as `{left} > 3` that must hold.
    #[serde(default)]
    pub when: Vec<String>,
    /// Probability that the step is taken when its flags allow it.
    #[serde(default = "one")]
    pub chance: f64,
    /// It is taken again, and how often; none: once.
    #[serde(default)]
    pub repeat: Option<Repeat>,
    /// Each of its requests has failed after this long without a whole answer, seconds; none: that of the load.
    #[serde(default)]
    pub timeout_s: Option<f64>,
    /// What the final answer (after redirects) must be.
    #[serde(default)]
    pub expect: Expect,
    /// Where the answer is 401, and that is none of the expected: the number of a step behind the operation's own
    /// ones, and how many from there on are taken before this one is taken once more. None: 401 fails as any other.
    #[serde(default)]
    pub renewal: Option<(u32, u32)>,
    /// Values and flags taken from the final answer.
    #[serde(default)]
    pub extract: Vec<Extract>,
    /// Flags set after success.
    #[serde(default)]
    pub set: Vec<String>,
    /// Flags unset after success.
    #[serde(default)]
    pub unset: Vec<String>,
    /// Follow 301, 302, 303, 307, 308 to hosts of the target, at most five times.
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
    /// What the step does with the session's WebSocket; none: it is a request.
    #[serde(default)]
    pub socket: Option<Socket>,
    /// The function that the step calls instead; none: it is a request.
    #[serde(default)]
    pub call: Option<Call>,
}

/// A call of a function that is no part of the engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// Which of [`super::Plan::functions`].
    pub function: usize,
    /// Names of its parameters, and templates of what they are given.
    pub arguments: Vec<(String, String)>,
    /// It is given the latest answer, too.
    #[serde(default)]
    pub answer: bool,
    /// Names of the values that it returns.
    pub returns: Vec<String>,
}

/// How steps are repeated, once their last one is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    /// Least and most rounds, the first one included; how many is drawn when the first one is done.
    pub times: (u32, u32),
    /// Only while these hold, as in [`Step::when`].
    #[serde(default, rename = "while")]
    pub holds: Vec<String>,
    /// So many steps make a round, this one the last.
    pub steps: u32,
}

/// What a step does with the WebSocket of its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Socket {
    /// Opens it, by a GET of the step's path.
    Open,
    /// Sends the step's body, and awaits a message that is as expected, if anything is expected or taken from it.
    Send {
        /// As a binary message; else as text.
        binary: bool,
    },
    /// Awaits a message that is as expected.
    Receive,
    /// Closes it.
    Close {
        /// With this code.
        code: u16,
    },
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
    /// Greatest length of the body.
    #[serde(default)]
    pub max_bytes: Option<u64>,
    /// What the values must be to which paths of the body's JSON lead; only the first value of each counts.
    #[serde(default)]
    pub json: Vec<(String, Test)>,
    /// What the text of the first element must be that each CSS selector finds; as a length, how many it finds.
    #[serde(default)]
    pub css: Vec<(String, Test)>,
    /// What fields of the head must be: each has the text somewhere.
    #[serde(default)]
    pub headers: Vec<(String, Test)>,
    /// Most seconds from the beginning of the step to its whole answer, redirects included.
    #[serde(default)]
    pub within_s: Option<f64>,
}

/// What a part of an answer must be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Test {
    /// It says this, or in a header: has this in it.
    Is {
        /// A template.
        text: String,
    },
    /// It is there, or is not.
    Exists {
        /// Which of them.
        wanted: bool,
    },
    /// A list, object or text of JSON has so many values, members or characters; a selector finds so many
    /// elements.
    Length {
        /// Least.
        min: u64,
        /// Greatest.
        max: u64,
    },
}

impl Default for Expect {
    fn default() -> Self {
        Self {
            status: vec![200],
            contains: Vec::new(),
            lacks: Vec::new(),
            min_bytes: 0,
            max_bytes: None,
            json: Vec::new(),
            css: Vec::new(),
            headers: Vec::new(),
            within_s: None,
        }
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
    /// The operation fails when nothing is found.
    #[serde(default)]
    pub required: bool,
    /// Template of the value when nothing is found; none: the old value stays.
    #[serde(default)]
    pub default: Option<String>,
}

/// Where an extracted value stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Source {
    /// List: the distinct `{int}` or `{segment}` of links (href) such as `/events/{int}`. The old list stays
    /// when none is found.
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
        /// List: of all matches, distinct.
        #[serde(default)]
        all: bool,
    },
    /// Value to which a path leads in a body that is JSON, the first; `null` is none.
    Json {
        /// The path.
        path: String,
        /// List: all of them, distinct.
        #[serde(default)]
        all: bool,
    },
    /// Value of the first element that a CSS selector finds: its text, or an attribute that it has.
    Css {
        /// The selector.
        selector: String,
        /// The attribute; none: the text.
        #[serde(default)]
        attribute: Option<String>,
        /// List: of all such elements, distinct.
        #[serde(default)]
        all: bool,
    },
    /// Value of a cookie that the browser holds then.
    Cookie {
        /// Its name.
        cookie: String,
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
