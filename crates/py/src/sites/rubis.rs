//! RUBiS: its data sets and its service.

use std::path::Path;
use std::sync::Arc;

use loadstone_http::Service;
use loadstone_rubis::loader::{self, LoadOptions, Texts};
use loadstone_rubis::{Options, Rubis};
use loadstone_store as store;
use loadstone_web::dates::Day;
use loadstone_web::system::System;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use serde::Deserialize;

use super::people::{PeopleSettings, passwords};
use super::{Rows, Wanted};
use crate::disk::Disk;
use crate::loading::{Progress, is_shared, load_error, reporting};
use crate::server::{choice, parse};

/// The auction site.
pub struct Site;

impl super::Site for Site {
    fn name(&self) -> &'static str {
        "rubis"
    }

    fn load(
        &self,
        py: Python<'_>,
        place: &str,
        data: &str,
        replace: bool,
        progress: Progress,
    ) -> PyResult<Rows> {
        let options = load_options(&parse(data)?)?;
        let disk = Disk::open(place)?;
        let loaded = reporting(py, progress, |report| {
            if let Some(disk) = &disk {
                loader::create_on(&disk.options(store::Access::Create), &options, report)
            } else if is_shared(place) {
                loader::create_shared(place, replace, &options, report)
            } else {
                loader::create(place, &options, report)
            }
        })?;
        Ok(loaded.map_err(load_error)?.tables().to_vec())
    }

    fn open(&self, mut wanted: Wanted<'_>) -> PyResult<Arc<dyn Service>> {
        wanted.without_data(self.name())?;
        let settings: Settings = wanted.options()?;
        let mut options = site_options(wanted.place)?;
        options.passwords = passwords(settings.password.as_deref())?;
        options.rules = settings.people.rules()?;
        options.origin = settings.people.origin(wanted.tls)?;
        let host = Arc::new(System::new().map_err(PyOSError::new_err)?);
        Ok(Arc::new(Rubis::open(options, host).map_err(PyOSError::new_err)?))
    }
}

/// Options of the site; absent ones are its defaults.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Settings {
    password: Option<String>,
    people: PeopleSettings,
}

/// What a data set is made from; what is absent is the loader's default.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LoadSettings {
    scale: f64,
    seed: Option<u64>,
    base_day: Option<String>,
    texts: Option<String>,
}

fn load_options(settings: &LoadSettings) -> PyResult<LoadOptions> {
    let mut options = LoadOptions::new(settings.scale);
    options.seed = settings.seed.unwrap_or(options.seed);
    if let Some(day) = &settings.base_day {
        options.base_day = choice("day", day, Day::parse(day), "days such as 2008-10-22")?;
    }
    if let Some(texts) = &settings.texts {
        options.texts = choice("kind of texts", texts, Texts::parse(texts), "letters and words")?;
    }
    Ok(options)
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
