//! A model and questions about it as plain data, and the answers as plain data: what other languages call.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::answer::{Answer, Method};
use crate::chain::{Chain, Transition};
use crate::enclosure::Enclosure;
use crate::error::{Error, Result, refuse};
use crate::explicit::read_explicit;
use crate::language::{Reading, read_prism};
use crate::model::Model;
use crate::passage::{passage_by, passage_mean};
use crate::stationary::{cycle, long_run, stationary};
use crate::transient::{Options, accumulated, distribution_at, reward_at};
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

/// One question; `of` names a reward or a label, or, for a text, is a truth-valued expression. Without it the
/// question is asked of every reward, or of every label where only a label makes sense.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "ask", deny_unknown_fields)]
enum Question {
    /// Expected value at a time.
    At { of: Option<String>, time: f64 },
    /// Expected integral up to a time.
    Until { of: Option<String>, time: f64 },
    /// Long-run mean.
    LongRun { of: Option<String> },
    /// Mean time to the first visit.
    FirstMean { of: Option<String> },
    /// Probability of a visit by a time.
    FirstBy { of: Option<String>, time: f64 },
    /// Frequency and mean lengths of the visits in the long run.
    Cycle { of: Option<String> },
    /// The likeliest states at a time, or in the long run.
    States { time: Option<f64>, most: usize },
}

/// The answers in the order of the questions.
#[derive(Debug, Clone, Serialize)]
pub struct Reply {
    /// States of the chain.
    pub states: usize,
    /// Transitions between different states.
    pub transitions: usize,
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

/// One number.
#[derive(Debug, Clone, Serialize)]
pub struct Figure {
    /// The question's `ask`, or which part of a cycle.
    pub ask: &'static str,
    /// What it is about.
    pub of: String,
    /// The time of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// Lower bound.
    pub low: f64,
    /// Upper bound; null when the answer is infinite.
    pub high: Option<f64>,
    /// (high − low) / high.
    pub relative_width: f64,
    /// How it was found.
    pub method: Method,
    /// States that were computed with.
    pub states_used: usize,
}

impl Request {
    /// From JSON. Errors: what does not fit the structure.
    pub fn from_json(text: &str) -> Result<Self> {
        serde_json::from_str(text).map_err(|error| Error::Input(error.to_string()))
    }

    /// Builds the model and answers.
    pub fn answer(self) -> Result<Reply> {
        let options = self.options()?;
        let model = self.model.read(&self.questions, options.threads)?;
        let mut answers = Vec::new();
        for question in &self.questions {
            question.answer(&model, &options, &mut answers)?;
        }
        let export = if self.export { texts(&model)? } else { BTreeMap::new() };
        let names = |each: &[&str]| each.iter().map(|name| (*name).to_owned()).collect();
        Ok(Reply {
            states: model.chain.states(),
            transitions: model.chain.transitions(),
            labels: names(&model.labels.iter().map(|each| each.0.as_str()).collect::<Vec<_>>()),
            rewards: names(&model.rewards.iter().map(|each| each.0.as_str()).collect::<Vec<_>>()),
            answers,
            export,
        })
    }

    fn options(&self) -> Result<Options> {
        let default = Options::default();
        let precision = self.precision.unwrap_or(default.precision);
        if !(1e-12..1.0).contains(&precision) {
            return refuse(format!("a precision of {precision} is not between 1e-12 and 1"));
        }
        if self.method.is_some_and(|method| !matches!(method, Method::Doubling | Method::Uniformization)) {
            return refuse("finite horizons are solved by doubling or by uniformization");
        }
        Ok(Options { precision, threads: self.threads.unwrap_or(default.threads), method: self.method })
    }
}

impl Source {
    fn read(self, questions: &[Question], threads: usize) -> Result<Model> {
        match self {
            Self::Prism { text, constants, most_states } => {
                let default = Reading::default();
                let most_states = most_states.unwrap_or(default.most_states);
                read_prism(&text, &Reading { constants, marks: marks(questions), most_states, threads })
            }
            Self::Explicit { tra, lab, rewards } => read_explicit(&tra, lab.as_deref(), &rewards),
            Self::Chain { states, transitions, initial, labels, rewards } => {
                let initial = initial.unwrap_or_else(|| vec![(0, 1.0)]);
                let mut model = Model::new(Chain::new(states, transitions, initial)?);
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
                Ok(model)
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

impl Question {
    fn of(&self) -> Option<&str> {
        match self {
            Self::At { of, .. } | Self::Until { of, .. } | Self::LongRun { of } => of.as_deref(),
            Self::FirstMean { of } | Self::FirstBy { of, .. } | Self::Cycle { of } => of.as_deref(),
            Self::States { .. } => None,
        }
    }

    fn answer(&self, model: &Model, options: &Options, out: &mut Vec<Figure>) -> Result<()> {
        let names: Vec<&str> = match (self, self.of()) {
            (Self::States { time, most }, _) => return likeliest(model, *time, *most, options, out),
            (_, Some(of)) => vec![of],
            (Self::At { .. } | Self::Until { .. } | Self::LongRun { .. }, None) => {
                model.rewards.iter().map(|each| each.0.as_str()).collect()
            }
            (_, None) => model.labels.iter().map(|each| each.0.as_str()).collect(),
        };
        if names.is_empty() {
            return refuse("the model has nothing of the kind this question is about: name a condition");
        }
        names.into_iter().try_for_each(|of| self.answer_one(model, of, options, out))
    }

    fn answer_one(&self, model: &Model, of: &str, options: &Options, out: &mut Vec<Figure>) -> Result<()> {
        let chain = &model.chain;
        let (ask, time, answer) = match self {
            Self::At { time, .. } => {
                ("at", Some(*time), reward_at(chain, &value(model, of)?, *time, options)?)
            }
            Self::Until { time, .. } => {
                ("until", Some(*time), accumulated(chain, &value(model, of)?, *time, options)?)
            }
            Self::LongRun { .. } => ("long-run", None, long_run(chain, &value(model, of)?, options)?),
            Self::FirstMean { .. } => ("first-mean", None, passage_mean(chain, &mark(model, of)?)?),
            Self::FirstBy { time, .. } => {
                ("first-by", Some(*time), passage_by(chain, &mark(model, of)?, *time, options)?)
            }
            Self::Cycle { .. } => return cycle_figures(model, of, options, out),
            Self::States { .. } => return Ok(()),
        };
        out.push(figure(ask, of, time, answer));
        Ok(())
    }
}

fn figure(ask: &'static str, of: &str, time: Option<f64>, answer: Answer) -> Figure {
    let Enclosure { low, high } = answer.enclosure;
    let infinite = low.is_infinite();
    Figure {
        ask,
        of: of.to_owned(),
        time,
        // JSON has no infinity: what takes for ever has a null above and the largest number below.
        low: if infinite { f64::MAX } else { low },
        high: high.is_finite().then_some(high),
        relative_width: if infinite || high.is_finite() { answer.enclosure.relative_width() } else { 1.0 },
        method: answer.method,
        states_used: answer.states,
    }
}

fn cycle_figures(model: &Model, of: &str, options: &Options, out: &mut Vec<Figure>) -> Result<()> {
    let found = cycle(&model.chain, &mark(model, of)?, options)?;
    let parts = [
        ("cycle-share", found.down),
        ("cycle-frequency", found.frequency),
        ("cycle-mean", found.mean_down),
        ("cycle-mean-between", found.mean_up),
    ];
    for (ask, enclosure) in parts {
        out.push(figure(ask, of, None, Answer::new(enclosure, found.method, model.chain.states())));
    }
    Ok(())
}

fn likeliest(
    model: &Model,
    time: Option<f64>,
    most: usize,
    options: &Options,
    out: &mut Vec<Figure>,
) -> Result<()> {
    let found = match time {
        Some(time) => distribution_at(&model.chain, time, options)?,
        None => stationary(&model.chain)?,
    };
    let mut order: Vec<usize> = (0..model.chain.states()).collect();
    order.sort_by(|&a, &b| found.probabilities[b].total_cmp(&found.probabilities[a]));
    for state in order.into_iter().take(most) {
        let name = model.names.get(state).cloned().unwrap_or_else(|| state.to_string());
        out.push(figure(
            "state",
            &name,
            time,
            Answer::new(found.enclosure(state), found.method, model.chain.states()),
        ));
    }
    Ok(())
}

/// A reward by its name, else a label as 0 and 1.
fn value(model: &Model, of: &str) -> Result<Vec<f64>> {
    match model.rewards.iter().find(|each| each.0 == of) {
        Some((_, values)) => Ok(values.clone()),
        None => Ok(mark(model, of)?.into_iter().map(|mark| f64::from(u8::from(mark))).collect()),
    }
}

fn mark(model: &Model, of: &str) -> Result<Vec<bool>> {
    match model.labels.iter().find(|each| each.0 == of) {
        Some((_, marks)) => Ok(marks.clone()),
        None if model.rewards.iter().any(|each| each.0 == of) => {
            refuse(format!("`{of}` is a reward; this question is about a label or a condition"))
        }
        None => refuse(format!("the model has no label or reward `{of}`")),
    }
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
