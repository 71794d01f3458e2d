//! Names that are fit to be shown: of users, and of places.

use loadstone_stats::{Era, username};
use pyo3::prelude::*;

#[pyfunction]
pub fn usernames(first: u64, count: u64) -> Vec<String> {
    (first..first.saturating_add(count)).map(|id| username(id, Era::Release)).collect()
}

#[pyfunction]
pub fn without_password(place: &str) -> String {
    loadstone_store::without_password(place)
}
