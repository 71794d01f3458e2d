//! SURGE's file set, made as it starts.

use std::sync::Arc;

use loadstone_http::Service;
use loadstone_surge::{Profile, Surge};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Deserialize;

use super::Wanted;
use crate::server::choice;

/// The file set.
pub struct Site;

impl super::Site for Site {
    fn name(&self) -> &'static str {
        "surge"
    }

    fn open(&self, mut wanted: Wanted<'_>) -> PyResult<Arc<dyn Service>> {
        wanted.without_options(self.name())?;
        let made: Option<Made> = wanted.data()?;
        let made = made.ok_or_else(|| PyValueError::new_err("options: `data` says which files to make"))?;
        let found = Profile::ALL.into_iter().find(|known| known.name == made.profile);
        let names = Profile::ALL.map(|known| known.name).join(" and ");
        let profile = choice("profile", &made.profile, found, &names)?;
        Ok(Arc::new(Surge::new(&profile, made.files, made.seed).map_err(PyValueError::new_err)?))
    }
}

/// What the set is made from.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Made {
    files: u32,
    seed: u64,
    profile: String,
}
