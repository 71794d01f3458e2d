//! Names that are fit to be shown: of users, and of places.

use loadstone_stats::{Era, username};
use pyo3::prelude::*;

use crate::server::choice;

#[pyfunction]
#[pyo3(signature = (first, count, names = "release"))]
pub fn usernames(first: u64, count: u64, names: &str) -> PyResult<Vec<String>> {
    let era = era(names)?;
    Ok((first..first.saturating_add(count)).map(|id| username(id, era)).collect())
}

/// The kind of names that a word says.
pub fn era(names: &str) -> PyResult<Era> {
    let era = match names {
        "release" => Some(Era::Release),
        "paper" => Some(Era::Paper),
        "words" => Some(Era::Words),
        _ => None,
    };
    choice("kind of names", names, era, "release, paper and words")
}

#[pyfunction]
pub fn without_password(place: &str) -> String {
    loadstone_store::without_password(place)
}
