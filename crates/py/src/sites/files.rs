//! A folder of files.

use std::path::Path;
use std::sync::Arc;

use loadstone_files::{Files, Options};
use loadstone_http::Service;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use serde::Deserialize;

use super::Wanted;
use crate::run::seconds;

/// The folder is the place.
pub struct Folder;

impl super::Site for Folder {
    fn name(&self) -> &'static str {
        "files"
    }

    fn open(&self, mut wanted: Wanted<'_>) -> PyResult<Arc<dyn Service>> {
        wanted.without_data(self.name())?;
        let Settings { cache_bytes, valid_s } = wanted.options()?;
        let options = Options { cache_bytes, valid: seconds(valid_s)? };
        let files = Files::open(Path::new(wanted.place), &options);
        Ok(Arc::new(files.map_err(|error| PyOSError::new_err(error.to_string()))?))
    }
}

/// Without these, nothing is kept in memory.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Settings {
    cache_bytes: u64,
    valid_s: f64,
}
