//! Explicit files: transitions, labels, rewards; each error names its line.

use std::collections::{BTreeSet, HashMap};
use std::str::FromStr;

use crate::budget::fits;
use crate::chain::Chain;
use crate::error::{Error, Result};
use crate::model::Model;

/// The model of a `.tra` text, with the labels of a `.lab` text and rewards (name and `.srew` text) if there
/// are.
///
/// The label "init" marks the start, state 0 without it; several such states start alike.
///
/// ```
/// let model = loadstone_ctmc::read_explicit("2 2\n0 1 0.5\n1 0 2\n", None, &[]).unwrap();
/// assert_eq!(model.chain.exit(1), 2.0);
/// ```
pub fn read_explicit(tra: &str, lab: Option<&str>, rewards: &[(String, String)]) -> Result<Model> {
    let mut lines = Lines::new(tra, "transitions");
    let (states, _) = lines.pair::<usize, usize>()?;
    let mut transitions = Vec::new();
    while let Some(words) = lines.next() {
        let [from, to, rate] = words[..] else { return Err(lines.fault("expected `from to rate`")) };
        let (from, to) = (lines.state(from, states)?, lines.state(to, states)?);
        let rate: f64 = lines.number(rate)?;
        if !(rate >= 0.0 && rate.is_finite()) {
            return Err(lines.fault(&format!("the rate {rate} is not a finite number of at least 0")));
        }
        transitions.push((from, to, rate));
    }
    let labels = lab.map(|text| read_labels(text, states)).transpose()?.unwrap_or_default();
    let marked: BTreeSet<usize> = match labels.iter().find(|each| each.0 == "init") {
        Some((_, marked)) => marked.iter().copied().collect(),
        None => BTreeSet::from([0]),
    };
    let share = 1.0 / marked.len() as f64;
    let initial = marked.into_iter().map(|state| (state, share)).collect();
    // The first line announces; what it announces is asked for when it is known to fit.
    let mut model = Model::new(Chain::new(states, transitions, initial)?);
    fits(states, labels.len() + 8 * rewards.len(), "labels and rewards")?;
    for (name, marked) in labels.into_iter().filter(|each| each.0 != "init") {
        let mut marks = vec![false; states];
        marked.into_iter().for_each(|state| marks[state] = true);
        model.labels.push((name, marks));
    }
    for (name, text) in rewards {
        model.rewards.push((name.clone(), read_reward(text, states)?));
    }
    Ok(model)
}

/// The states that each label marks, in the order of the text.
fn read_labels(text: &str, states: usize) -> Result<Vec<(String, Vec<usize>)>> {
    let mut lines = Lines::new(text, "labels");
    let mut labels = Vec::new();
    let mut numbers = HashMap::new();
    for word in lines.next().unwrap_or_default() {
        let parts = word.split_once('=').map(|(number, name)| (number, name.trim_matches('"')));
        let Some((number, name)) = parts else {
            return Err(lines.fault("expected `0=\"init\" 1=\"name\" …`"));
        };
        numbers.insert(lines.number::<usize>(number)?, labels.len());
        labels.push((name.to_owned(), Vec::new()));
    }
    while let Some(words) = lines.next() {
        let state = lines.state(words[0].trim_end_matches(':'), states)?;
        for word in &words[1..] {
            match numbers.get(&lines.number::<usize>(word)?) {
                Some(&label) => labels[label].1.push(state),
                None => return Err(lines.fault(&format!("no label has the number {word}"))),
            }
        }
    }
    Ok(labels)
}

fn read_reward(text: &str, states: usize) -> Result<Vec<f64>> {
    let mut lines = Lines::new(text, "rewards");
    lines.pair::<usize, usize>()?;
    let mut values = vec![0.0_f64; states];
    while let Some(words) = lines.next() {
        let [state, value] = words[..] else { return Err(lines.fault("expected `state value`")) };
        let state = lines.state(state, states)?;
        values[state] = lines.number::<f64>(value)?;
        if !(values[state] >= 0.0 && values[state].is_finite()) {
            return Err(lines.fault(&format!("the reward {value} is not a finite number of at least 0")));
        }
    }
    Ok(values)
}

/// Lines with words, counted.
struct Lines<'a> {
    rest: std::iter::Enumerate<std::str::Lines<'a>>,
    line: usize,
    what: &'static str,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str, what: &'static str) -> Self {
        Self { rest: text.lines().enumerate(), line: 1, what }
    }

    fn next(&mut self) -> Option<Vec<&'a str>> {
        for (number, line) in self.rest.by_ref() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if !words.is_empty() {
                self.line = number + 1;
                return Some(words);
            }
        }
        None
    }

    fn fault(&self, message: &str) -> Error {
        Error::Text { line: self.line, column: 1, message: format!("{message} ({})", self.what) }
    }

    fn number<T: FromStr>(&self, word: &str) -> Result<T> {
        word.parse().map_err(|_| self.fault(&format!("`{word}` is not a number that fits here")))
    }

    fn state(&self, word: &str, states: usize) -> Result<usize> {
        let state = self.number(word)?;
        if state < states {
            Ok(state)
        } else {
            Err(self.fault(&format!("state {state} is not one of {states}")))
        }
    }

    fn pair<A: FromStr, B: FromStr>(&mut self) -> Result<(A, B)> {
        match self.next().as_deref() {
            Some([a, b]) => Ok((self.number(a)?, self.number(b)?)),
            _ => Err(self.fault("expected two numbers in the first line")),
        }
    }
}
