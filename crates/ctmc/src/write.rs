//! Models for other tools: the PRISM language, and explicit files.

use std::fmt::Write;

use crate::error::{Result, refuse};
use crate::model::Model;

/// The model as a text in the PRISM language with one variable, the number of the state.
///
/// Numbers are written in full, so that reading them gives the same rates. Errors: several initial states.
pub fn write_prism(model: &Model) -> Result<String> {
    let chain = &model.chain;
    let [(start, _)] = chain.initial() else {
        return refuse("the PRISM language has one initial state, this chain has several");
    };
    let mut text = format!("ctmc\n\nmodule chain\n  s : [0..{}] init {start};\n", chain.states() - 1);
    for from in 0..chain.states() {
        for (at, (to, rate)) in chain.row(from).enumerate() {
            let head = if at == 0 { format!("  [] s={from} -> ") } else { " + ".to_owned() };
            write!(text, "{head}{}:(s'={to})", spell(rate)).expect("text takes everything");
        }
        if chain.row(from).len() > 0 {
            text.push_str(";\n");
        }
    }
    text.push_str("endmodule\n");
    for (name, marks) in &model.labels {
        let states: Vec<String> =
            marks.iter().enumerate().filter(|each| *each.1).map(|(state, _)| format!("s={state}")).collect();
        let states = if states.is_empty() { "false".to_owned() } else { states.join(" | ") };
        writeln!(text, "label \"{}\" = {states};", plain(name)).expect("text takes everything");
    }
    for (name, values) in &model.rewards {
        writeln!(text, "rewards \"{}\"", plain(name)).expect("text takes everything");
        for (state, value) in values.iter().enumerate().filter(|each| *each.1 > 0.0) {
            writeln!(text, "  s={state} : {};", spell(*value)).expect("text takes everything");
        }
        text.push_str("endrewards\n");
    }
    Ok(text)
}

/// A number that reads back as itself; with an exponent, so that it is never taken for a whole one.
fn spell(value: f64) -> String {
    format!("{value:e}")
}

/// A name that the language takes: letters, digits and underscores.
fn plain(name: &str) -> String {
    name.chars().map(|each| if each.is_ascii_alphanumeric() { each } else { '_' }).collect()
}

/// The transitions in explicit form: states and transitions, then `from to rate` a line.
pub fn write_tra(model: &Model) -> String {
    let chain = &model.chain;
    let mut text = format!("{} {}\n", chain.states(), chain.transitions());
    for from in 0..chain.states() {
        for (to, rate) in chain.row(from) {
            writeln!(text, "{from} {to} {}", spell(rate)).expect("text takes everything");
        }
    }
    text
}

/// The labels in explicit form: numbers and names in one line, then `state: numbers`. Label 0 marks the
/// start.
pub fn write_lab(model: &Model) -> String {
    let mut text = "0=\"init\"".to_owned();
    for (number, (name, _)) in model.labels.iter().enumerate() {
        write!(text, " {}=\"{}\"", number + 1, plain(name)).expect("text takes everything");
    }
    text.push('\n');
    for state in 0..model.chain.states() {
        let start = model.chain.initial().iter().any(|each| each.0 == state).then_some(0);
        let marks =
            (0..model.labels.len()).filter(|&label| model.labels[label].1[state]).map(|label| label + 1);
        let numbers: Vec<String> = start.into_iter().chain(marks).map(|number| number.to_string()).collect();
        if !numbers.is_empty() {
            writeln!(text, "{state}: {}", numbers.join(" ")).expect("text takes everything");
        }
    }
    text
}

/// One reward in explicit form: states and rewarded states, then `state value` a line.
pub fn write_srew(values: &[f64]) -> String {
    let mut text = format!("{} {}\n", values.len(), values.iter().filter(|value| **value > 0.0).count());
    for (state, value) in values.iter().enumerate().filter(|each| *each.1 > 0.0) {
        writeln!(text, "{state} {}", spell(*value)).expect("text takes everything");
    }
    text
}
