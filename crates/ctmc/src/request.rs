//! A model and questions about it as plain data, and the answers as plain data: what other languages call.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use crate::answer::Method;
use crate::budget::{self, Budget, fits};
use crate::chain::{Chain, Transition};
use crate::error::{Error, Result, refuse};
use crate::explicit::read_explicit;
use crate::horizon::Options;
use crate::language::{Limits, Program, Reading};
use crate::model::Model;
use crate::question::{Figure, Question};
use crate::session::Session;
use crate::write::{write_lab, write_prism, write_srew, write_tra};

/// What is asked of which model.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    model: Source,
    #[serde(default)]
    questions: Vec<Question>,
    /// Relative width asked for.
    #[serde(default)]
    precision: Option<f64>,
    #[serde(default)]
    threads: Option<usize>,
    #[serde(default)]
    method: Option<Method>,
    /// Whether states that cannot be told apart become one before a whole chain is solved; when absent, if a
    /// large text has modules that are others renamed.
    #[serde(default)]
    lump: Option<bool>,
    /// Seconds after which there is a refusal instead of an answer; without limit when absent.
    #[serde(default)]
    within: Option<f64>,
    /// Bytes of memory that may be used; what is free when absent.
    #[serde(default)]
    memory: Option<usize>,
    /// Also the model as texts for other tools.
    #[serde(default)]
    export: bool,
}

/// Where a model comes from.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum Source {
    /// A text in the PRISM language.
    Prism {
        text: String,
        #[serde(default)]
        constants: BTreeMap<String, String>,
        #[serde(default)]
        most_states: Option<usize>,
    },
    /// Texts of explicit files.
    Explicit {
        tra: String,
        #[serde(default)]
        lab: Option<String>,
        /// Name and text.
        #[serde(default)]
        rewards: Vec<(String, String)>,
    },
    /// A chain written out.
    Chain {
        states: usize,
        transitions: Vec<Transition>,
        /// State and probability; state 0 when absent.
        #[serde(default)]
        initial: Option<Vec<(usize, f64)>>,
        /// Name and marked states.
        #[serde(default)]
        labels: BTreeMap<String, Vec<usize>>,
        /// Name and value a state.
        #[serde(default)]
        rewards: BTreeMap<String, Vec<f64>>,
    },
}

/// The answers in the order of the questions.
#[derive(Debug, Clone, Serialize)]
pub struct Reply {
    /// States of the chain; of those that were met, when not all were.
    pub states: usize,
    /// Transitions between different states, as many as were met.
    pub transitions: usize,
    /// Whether all states that can be reached were met.
    pub whole: bool,
    /// Names of the labels, expressions included.
    pub labels: Vec<String>,
    /// Names of the rewards.
    pub rewards: Vec<String>,
    /// One an asked number.
    pub answers: Vec<Figure>,
    /// File name ending and text, when asked for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub export: BTreeMap<String, String>,
}

impl Request {
    /// From JSON. Errors: what does not fit the structure.
    pub fn from_json(text: &str) -> Result<Self> {
        serde_json::from_str(text).map_err(|error| Error::Input(error.to_string()))
    }

    /// Builds the model and answers.
    pub fn answer(self) -> Result<Reply> {
        self.answer_until(Arc::default())
    }

    /// The same, given up soon after `stop` becomes true.
    ///
    /// Errors: `Stopped` then, or when the seconds of the request are over.
    pub fn answer_until(self, stop: Arc<AtomicBool>) -> Result<Reply> {
        let within = self.within;
        if within.is_some_and(|seconds| seconds.is_nan() || seconds <= 0.0) {
            return refuse("an answer needs more than no time");
        }
        Budget::new(within, self.memory, stop).spend(|| self.answered()).map_err(|error| {
            match (error, within) {
                (Error::Stopped(why), Some(seconds)) => {
                    Error::Stopped(format!("no answer within {seconds} s: {why}"))
                }
                (error, _) => error,
            }
        })
    }

    fn answered(self) -> Result<Reply> {
        let options = self.options()?;
        let mut session = self.model.open(&self.questions, options.threads)?.lumping(self.lump);
        let mut answers = Vec::new();
        for question in &self.questions {
            let told = session.answer(question, &options, &mut answers);
            told.map_err(|error| session.explained(error, question))?;
        }
        let export = if self.export { texts(session.whole(options.threads)?)? } else { BTreeMap::new() };
        let (states, transitions, whole) = session.size();
        let (labels, rewards) = session.names();
        Ok(Reply { states, transitions, whole, labels, rewards, answers, export })
    }

    fn options(&self) -> Result<Options> {
        let default = Options::default();
        let precision = self.precision.unwrap_or(default.precision);
        if !(1e-12..1.0).contains(&precision) {
            return refuse(format!("a precision of {precision} is not between 1e-12 and 1"));
        }
        if self.method.is_some_and(|method| {
            !matches!(method, Method::Doubling | Method::Implicit | Method::Uniformization)
        }) {
            return refuse("finite horizons are solved by doubling, by implicit steps or by uniformization");
        }
        Ok(Options { precision, threads: self.threads.unwrap_or(default.threads), method: self.method })
    }
}

impl Source {
    fn open(self, questions: &[Question], threads: usize) -> Result<Session> {
        match self {
            Self::Prism { text, constants, most_states } => {
                let default = Reading::default();
                let most_states = most_states.unwrap_or(default.most_states);
                let reading = Reading { constants, marks: marks(questions), most_states, threads };
                let limits = Limits { states: most_states, bytes: budget::bytes() };
                Session::read(Program::read(&text, &reading)?, limits, threads)
            }
            Self::Explicit { tra, lab, rewards } => {
                Ok(Session::known(read_explicit(&tra, lab.as_deref(), &rewards)?))
            }
            Self::Chain { states, transitions, initial, labels, rewards } => {
                let initial = initial.unwrap_or_else(|| vec![(0, 1.0)]);
                let mut model = Model::new(Chain::new(states, transitions, initial)?);
                fits(states, labels.len(), "labels")?;
                for (name, marked) in labels {
                    let mut marks = vec![false; states];
                    for state in marked {
                        match marks.get_mut(state) {
                            Some(mark) => *mark = true,
                            None => return refuse(format!("label `{name}` marks state {state} of {states}")),
                        }
                    }
                    model.labels.push((name, marks));
                }
                model.rewards = rewards.into_iter().collect();
                Ok(Session::known(model))
            }
        }
    }
}

/// What the questions are about, as expressions to be tried by a text that has no such name.
fn marks(questions: &[Question]) -> Vec<String> {
    let mut found: Vec<String> = questions.iter().filter_map(Question::of).map(str::to_owned).collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn texts(model: &Model) -> Result<BTreeMap<String, String>> {
    let mut texts = BTreeMap::from([
        ("tra".to_owned(), write_tra(model)),
        ("lab".to_owned(), write_lab(model)),
        ("prism".to_owned(), write_prism(model)?),
    ]);
    for (name, values) in &model.rewards {
        texts.insert(format!("{name}.srew"), write_srew(values));
    }
    Ok(texts)
}
