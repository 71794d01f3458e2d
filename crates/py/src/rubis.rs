//! RUBiS: its data sets and its server.

use std::path::Path;
use std::sync::Arc;

use loadstone_rubis::loader::{self, LoadOptions};
use loadstone_rubis::{Options, Rubis};
use loadstone_store as store;
use loadstone_web::dates::Day;
use loadstone_web::system::System;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;

use crate::disk::Disk;
use crate::people::passwords;
use crate::site::{
    ServeSettings, Server, choice, config, is_shared, load_error, parse, reporting, rows, start,
};

/// Options of the loader; absent ones are the loader's defaults.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
pub struct LoadSettings {
    seed: Option<u64>,
    base_day: Option<String>,
    /// RUBiS's tables in a server's database make room.
    replace: bool,
}

#[pyfunction]
#[pyo3(signature = (place, scale, options_json, progress))]
pub fn load_rubis<'py>(
    py: Python<'py>,
    place: &str,
    scale: f64,
    options_json: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let settings: LoadSettings = parse(options_json)?;
    let options = load_options(scale, &settings)?;
    let disk = Disk::open(place)?;
    let loaded = reporting(py, progress, |report| {
        if let Some(disk) = &disk {
            loader::create_on(&disk.options(store::Access::Create), &options, report)
        } else if is_shared(place) {
            loader::create_shared(place, settings.replace, &options, report)
        } else {
            loader::create(place, &options, report)
        }
    })?;
    rows(py, &loaded.map_err(load_error)?.tables())
}

fn load_options(scale: f64, settings: &LoadSettings) -> PyResult<LoadOptions> {
    let mut options = LoadOptions::new(scale);
    options.seed = settings.seed.unwrap_or(options.seed);
    if let Some(day) = &settings.base_day {
        options.base_day = choice("day", day, Day::parse(day), "days such as 2008-10-22")?;
    }
    Ok(options)
}

#[pyfunction]
pub fn serve_rubis(py: Python<'_>, place: &str, options_json: &str) -> PyResult<Server> {
    let settings: ServeSettings = parse(options_json)?;
    if settings.is_for_olio_alone() {
        return Err(PyValueError::new_err("options: cache, full_image and memory are Olio's"));
    }
    let config = config(&settings)?;
    let mut options = site_options(place)?;
    options.passwords = passwords(settings.password.as_deref())?;
    options.rules = settings.people.rules()?;
    options.origin = settings.people.origin(settings.has_tls())?;
    let open = || Rubis::open(options, Arc::new(System::new()?));
    let rubis = py.detach(open).map_err(PyOSError::new_err)?;
    start(py, config, Arc::new(rubis))
}

fn site_options(place: &str) -> PyResult<Options> {
    Ok(if let Some(store) = Disk::keep(place, store::Access::ReadWrite)? {
        Options { store, ..Options::new(loader::DATABASE) }
    } else if is_shared(place) {
        Options::new(place)
    } else {
        let mut options = Options::new(Path::new(place).join(loader::DATABASE).to_string_lossy());
        // A mistyped folder must not become an empty database.
        options.store.access = store::Access::ReadWrite;
        options
    })
}
