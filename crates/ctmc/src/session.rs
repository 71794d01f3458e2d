//! Questions answered one after the other on one model, of which no more is explored than they need.

use crate::answer::Answer;
use crate::chain::Chain;
use crate::enclosure::Enclosure;
use crate::error::{Error, Result, refuse};
use crate::horizon::{Kind, Options};
use crate::language::{Limits, Program, Space, Split, Subject};
use crate::lumping::Lumped;
use crate::model::Model;
use crate::passage::{passage_by, passage_mean_to};
use crate::product::product;
use crate::question::{Ask, Figure, Question};
use crate::stationary::{cycle, long_run, stationary};
use crate::transient::{accumulated, distribution_at, reward_at, solve_lazily};

/// Texts with no more states than this are explored at once.
const FEW: usize = 4000;

/// A model, and how much of it is known.
pub struct Session {
    /// The text, while not all of its states are known.
    program: Option<(Program, Limits)>,
    model: Option<Model>,
    /// States and transitions met so far, and the most of any question.
    met: (usize, usize),
    /// Whether whole chains are lumped before they are solved; where it may pay, when nobody says.
    lump: Option<bool>,
}

impl Session {
    /// A model all of whose states are known.
    pub fn known(model: Model) -> Self {
        Self { program: None, model: Some(model), met: (0, 0), lump: None }
    }

    /// A text; explored if it is small.
    pub fn read(program: Program, limits: Limits, threads: usize) -> Result<Self> {
        let few = Limits { states: limits.states.min(FEW), ..limits };
        match program.explored(few, threads) {
            Ok(model) => Ok(Self::known(model)),
            Err(Error::TooLarge(_)) => {
                Ok(Self { program: Some((program, limits)), model: None, met: (0, 0), lump: None })
            }
            Err(other) => Err(other),
        }
    }

    /// The same; whether whole chains are lumped before they are solved.
    pub fn lumping(self, lump: Option<bool>) -> Self {
        Self { lump, ..self }
    }

    /// The model with all its states. Errors: as exploring.
    pub fn whole(&mut self, threads: usize) -> Result<&Model> {
        if let (None, Some((program, limits))) = (&self.model, &self.program) {
            self.model = Some(program.explored(*limits, threads)?);
        }
        Ok(self.model.as_ref().expect("a session has a model or a text"))
    }

    /// States and transitions, and whether these are all.
    pub fn size(&self) -> (usize, usize, bool) {
        match &self.model {
            Some(model) => (model.chain.states(), model.chain.transitions(), true),
            None => (self.met.0, self.met.1, false),
        }
    }

    /// Names of the labels and of the rewards.
    pub fn names(&self) -> (Vec<String>, Vec<String>) {
        fn owned<'a, T>(names: impl Iterator<Item = (&'a str, T)>) -> Vec<String> {
            names.map(|each| each.0.to_owned()).collect()
        }
        match (&self.model, &self.program) {
            (None, Some((program, _))) => (owned(program.labels()), owned(program.rewards())),
            (model, _) => {
                let of = |model: &Model| {
                    let labels = model.labels.iter().map(|each| each.0.clone()).collect();
                    (labels, model.rewards.iter().map(|each| each.0.clone()).collect())
                };
                model.as_ref().map(of).unwrap_or_default()
            }
        }
    }

    /// Adds the answers to one question.
    pub fn answer(&mut self, question: &Question, options: &Options, out: &mut Vec<Figure>) -> Result<()> {
        let (labels, rewards) = self.names();
        let names = match (question, question.of()) {
            (Question::States { time, most }, _) => {
                return likeliest(self.whole(options.threads)?, *time, *most, options, out);
            }
            (_, Some(of)) => vec![of.to_owned()],
            (Question::At { .. } | Question::Until { .. } | Question::LongRun { .. }, None) => rewards,
            (_, None) => labels,
        };
        if names.is_empty() {
            return refuse("the model has nothing of the kind this question is about: name a condition");
        }
        // Modules that are others renamed are often identical nodes.
        let alike = self.program.as_ref().is_some_and(|(program, _)| program.renamed);
        let lump = self.lump.unwrap_or(alike);
        for of in names {
            if self.partly(question, &of, options, false, out)? {
                continue;
            }
            match self.whole(options.threads) {
                Ok(model) => answer_one(question, model, &of, options, lump, out)?,
                // What cannot be explored may still be answered from a larger part.
                Err(Error::TooLarge(message)) => {
                    if !self.partly(question, &of, options, true, out)? {
                        return Err(Error::TooLarge(message));
                    }
                }
                Err(other) => return Err(other),
            }
        }
        Ok(())
    }

    /// The error of a question with what was hard about it, when its time was over.
    pub fn explained(&self, error: Error, question: &Question) -> Error {
        let Error::Stopped(doing) = error else { return error };
        let size = match self.size() {
            (0, ..) => "a model of many states".to_owned(),
            (states, transitions, true) => format!("{states} states, {transitions} transitions"),
            (states, transitions, false) => format!("{states} states, {transitions} transitions met so far"),
        };
        let fastest = self.model.as_ref().map(|model| model.chain.fastest());
        let jumps = match (fastest, question.time()) {
            (Some(fastest), Some(time)) => {
                format!(", {:.1e} jumps of the fastest state until {time}", fastest * time)
            }
            _ => String::new(),
        };
        Error::Stopped(format!("{doing} did not end ({size}{jumps}); allow more time or a wider precision"))
    }

    /// Answers from a part of the states, if that can be done; `patient` when there is no other way.
    fn partly(
        &mut self,
        question: &Question,
        of: &str,
        options: &Options,
        patient: bool,
        out: &mut Vec<Figure>,
    ) -> Result<bool> {
        let (None, Some((program, limits))) = (&self.model, &self.program) else { return Ok(false) };
        let Some(subject) = program.subject(of) else { return Ok(false) };
        let meet = |states, transitions| (self.met.0.max(states), self.met.1.max(transitions));
        if let Some(split) = program.split(subject) {
            if let [(group, _)] = split.parts[..] {
                let alone = program.alone(&split, group);
                let mut alone = Self::read(alone, *limits, options.threads)?.lumping(self.lump);
                alone.answer(question, options, out)?;
                let (states, transitions, _) = alone.size();
                self.met = meet(states, transitions);
                return Ok(true);
            }
            let found = multiplied(question, program, subject, &split, *limits, options)?;
            if let Some((ask, time, answer)) = found {
                out.push(figure(ask, of, time, answer));
                self.met = meet(answer.states, 0);
                return Ok(true);
            }
        }
        let (ask, time, kind) = match question {
            Question::At { time, .. } => (Ask::At, *time, Kind::At),
            Question::Until { time, .. } => (Ask::Until, *time, Kind::Until),
            Question::FirstBy { time, .. } if matches!(subject, Subject::Label(_)) => {
                (Ask::FirstBy, *time, Kind::At)
            }
            _ => return Ok(false),
        };
        let Some(mut space) = Space::new(program, subject, ask == Ask::FirstBy, limits.bytes) else {
            return Ok(false);
        };
        let found = solve_lazily(&mut space, time, options, kind, patient);
        self.met = meet(space.states(), space.transitions);
        let found = found?;
        if let Some(answer) = found {
            out.push(figure(ask, of, Some(time), answer));
        }
        Ok(found.is_some())
    }
}

/// A number of independent groups.
type Asked = (Ask, Option<f64>, Answer);

fn multiplied(
    question: &Question,
    program: &Program,
    subject: Subject<'_>,
    split: &Split<'_>,
    limits: Limits,
    options: &Options,
) -> Result<Option<Asked>> {
    let (ask, time) = match question {
        Question::At { time, .. } => (Ask::At, Some(*time)),
        Question::LongRun { .. } => (Ask::LongRun, None),
        _ => return Ok(None),
    };
    let found = product(program, subject, split, time, limits, options)?;
    Ok(found.map(|answer| (ask, time, answer)))
}

/// What is asked of one name, answered on the chain or, if `lump`, on its lumping where that is smaller.
fn answer_one(
    question: &Question,
    model: &Model,
    of: &str,
    options: &Options,
    lump: bool,
    out: &mut Vec<Figure>,
) -> Result<()> {
    if matches!(question, Question::Cycle { .. }) {
        return cycle_figures(model, of, options, out);
    }
    let (ask, time) = match question {
        Question::At { time, .. } => (Ask::At, Some(*time)),
        Question::Until { time, .. } => (Ask::Until, Some(*time)),
        Question::LongRun { .. } => (Ask::LongRun, None),
        Question::FirstMean { .. } => (Ask::FirstMean, None),
        Question::FirstBy { time, .. } => (Ask::FirstBy, Some(*time)),
        Question::Cycle { .. } | Question::States { .. } => return Ok(()),
    };
    let about = match question {
        Question::FirstMean { .. } | Question::FirstBy { .. } => ones(&mark(model, of)?),
        _ => value(model, of)?,
    };
    let chain = &model.chain;
    if lump
        && let Some(lumped) = Lumped::new(chain, &about)?
        && lumped.chain.states() < chain.states()
        && lumped.loss(time).as_relative() <= options.precision / 4.0
    {
        let found = answer_on(question, &lumped.chain, &lumped.reward, options)?;
        let enclosure = found.enclosure.widened(lumped.loss(time));
        let mut figure = figure(ask, of, time, Answer { enclosure, ..found });
        figure.lumped_to = Some(lumped.chain.states());
        out.push(figure);
        return Ok(());
    }
    out.push(figure(ask, of, time, answer_on(question, chain, &about, options)?));
    Ok(())
}

/// The answer to a question about a reward, or about the states where it is not zero.
fn answer_on(question: &Question, chain: &Chain, about: &[f64], options: &Options) -> Result<Answer> {
    let marks = || about.iter().map(|value| *value > 0.0).collect::<Vec<bool>>();
    match question {
        Question::At { time, .. } => reward_at(chain, about, *time, options),
        Question::Until { time, .. } => accumulated(chain, about, *time, options),
        Question::FirstMean { .. } => passage_mean_to(chain, &marks(), options.precision),
        Question::FirstBy { time, .. } => passage_by(chain, &marks(), *time, options),
        _ => long_run(chain, about, options),
    }
}

fn figure(ask: Ask, of: &str, time: Option<f64>, answer: Answer) -> Figure {
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
        lumped_to: None,
    }
}

fn cycle_figures(model: &Model, of: &str, options: &Options, out: &mut Vec<Figure>) -> Result<()> {
    let found = cycle(&model.chain, &mark(model, of)?, options)?;
    let parts = [
        (Ask::CycleShare, found.down),
        (Ask::CycleFrequency, found.frequency),
        (Ask::CycleMean, found.mean_down),
        (Ask::CycleMeanBetween, found.mean_up),
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
        let name = model.name(state);
        out.push(figure(
            Ask::State,
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
        None => Ok(ones(&mark(model, of)?)),
    }
}

fn ones(marks: &[bool]) -> Vec<f64> {
    marks.iter().map(|mark| f64::from(u8::from(*mark))).collect()
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
