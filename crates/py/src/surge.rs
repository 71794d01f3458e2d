//! The server of SURGE's file set.

use std::sync::Arc;

use loadstone_surge::{Profile, Surge};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::site::{ServeSettings, Server, choice, config, parse, start};

#[pyfunction]
pub fn serve_surge(
    py: Python<'_>,
    files: u32,
    seed: u64,
    profile: &str,
    options_json: &str,
) -> PyResult<Server> {
    let settings: ServeSettings = parse(options_json)?;
    if settings.is_for_olio() {
        return Err(PyValueError::new_err(
            "options: cache, password, people, full_image and memory are Olio's",
        ));
    }
    let config = config(&settings)?;
    let found = Profile::ALL.into_iter().find(|known| known.name == profile);
    let profile = choice("profile", profile, found, &Profile::ALL.map(|known| known.name).join(" and "))?;
    let surge = py.detach(|| Surge::new(&profile, files, seed)).map_err(PyValueError::new_err)?;
    start(py, config, Arc::new(surge))
}
