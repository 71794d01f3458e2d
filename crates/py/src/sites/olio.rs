//! Olio: its data sets and its service.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use loadstone_http::Service;
use loadstone_olio::dates::Day;
use loadstone_olio::host::{FileHost, Host, HostError, MemoryHost, SharedHost};
use loadstone_olio::loader::{self, LoadOptions, Profile};
use loadstone_olio::{CacheLevel, Olio, Options, media, statics};
use loadstone_store as store;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use serde::Deserialize;

use super::people::{PeopleSettings, passwords};
use super::{Rows, Wanted};
use crate::disk::Disk;
use crate::loading::{Progress, is_shared, load_error, reporting};
use crate::names::era;
use crate::server::{choice, parse};

/// Bytes of rows, fragments and pages that a site keeps at most.
const CACHE_BYTES: usize = 64 << 20;
/// Bytes of uploads that a site in memory takes.
const MEMORY_UPLOAD_BYTES: usize = 4 << 30;
/// Name of the VFS behind a site in memory; a process serves one.
const MEMORY_VFS: &str = "memory";

/// The social-events site.
pub struct Site;

impl super::Site for Site {
    fn name(&self) -> &'static str {
        "olio"
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
        let settings: Settings = wanted.options()?;
        let (mut options, host) = match wanted.data()? {
            Some(data) => in_memory(&data)?,
            None => in_place(wanted.place)?,
        };
        if let Some(level) = &settings.cache {
            options.cache =
                choice("cache level", level, CacheLevel::parse(level), "none, query, fragment and page")?;
        }
        options.passwords = passwords(settings.password.as_deref())?;
        options.rules = settings.people.rules()?;
        options.origin = settings.people.origin(wanted.tls)?;
        options.full_image = settings.full_image;
        if !settings.replicas.is_empty() && !is_shared(wanted.place) {
            return Err(PyValueError::new_err("replicas are of a database that several servers share"));
        }
        options.replicas = settings.replicas;
        Ok(Arc::new(Olio::open(options, host).map_err(PyOSError::new_err)?))
    }
}

/// Writes the site's static files and the masters of its pictures into `folder`, which is made.
#[pyfunction]
pub fn olio_files(py: Python<'_>, folder: &str, profile: &str, media_scale: f64) -> PyResult<()> {
    let known = Profile::parse(profile).filter(|one| !one.has_own_pictures());
    let shared = Profile::ALL.into_iter().filter(|one| !one.has_own_pictures());
    let names = shared.map(Profile::name).collect::<Vec<_>>().join(" and ");
    let profile = choice("profile with shared pictures", profile, known, &names)?;
    if !(media_scale > 0.0 && media_scale <= 100.0) {
        return Err(PyValueError::new_err(format!(
            "a media scale of {media_scale} is not above 0 and at most 100"
        )));
    }
    let place = Path::new(folder);
    py.detach(|| {
        let (fixed, media) = (place.join("static"), place.join("media"));
        fs::create_dir_all(&fixed)?;
        fs::create_dir_all(&media)?;
        for (name, file) in statics::files() {
            fs::write(fixed.join(name), &file.bytes)?;
        }
        for (name, bytes) in media::masters(profile, media_scale) {
            fs::write(media.join(name), bytes)?;
        }
        Ok(())
    })
}

/// Options of the site; absent ones are its defaults.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Settings {
    cache: Option<String>,
    password: Option<String>,
    people: PeopleSettings,
    full_image: bool,
    /// URLs of the database's copies.
    replicas: Vec<String>,
}

/// What a data set is made from; what is absent is the loader's default.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LoadSettings {
    accounts: u64,
    profile: String,
    seed: Option<u64>,
    base_day: Option<String>,
    media_scale: Option<f64>,
    password: Option<String>,
    #[serde(default)]
    minimal_indexes: bool,
    names: Option<String>,
}

fn load_options(settings: &LoadSettings) -> PyResult<LoadOptions> {
    let profile = Profile::parse(&settings.profile);
    let known = Profile::ALL.map(Profile::name).join(", ");
    let profile = choice("profile", &settings.profile, profile, &known)?;
    let mut options = LoadOptions::new(settings.accounts, profile);
    options.seed = settings.seed.unwrap_or(options.seed);
    options.media_scale = settings.media_scale.unwrap_or(options.media_scale);
    options.minimal_indexes = settings.minimal_indexes;
    if let Some(day) = &settings.base_day {
        options.base_day = choice("day", day, Day::parse(day), "days such as 2008-10-22")?;
    }
    if let Some(scheme) = passwords(settings.password.as_deref())? {
        options.password = scheme;
    }
    if let Some(names) = &settings.names {
        options.names = era(names)?;
    }
    Ok(options)
}

/// On files, on a database server or on a disk.
fn in_place(place: &str) -> PyResult<(Options, Arc<dyn Host>)> {
    // A disk without a data set must not get an empty database.
    let disk = Disk::keep(place, store::Access::ReadWrite)?;
    if let Some(store) = &disk {
        loader::make_uploads_on(store).map_err(load_error)?;
    }
    if disk.is_some() || is_shared(place) {
        let mut options = Options::new(if disk.is_some() { loader::DATABASE } else { place });
        options.store = disk.unwrap_or(options.store);
        let place = options.database.clone();
        let host = SharedHost::new(&place, options.store.clone(), CACHE_BYTES).map_err(host_error)?;
        return Ok((options, Arc::new(host)));
    }
    let folder = Path::new(place);
    let mut options = Options::new(folder.join(loader::DATABASE).to_string_lossy());
    // A mistyped folder must not become an empty database.
    options.store.access = store::Access::ReadWrite;
    let uploads = folder.join(loader::UPLOADS);
    Ok((options, Arc::new(FileHost::new(uploads, CACHE_BYTES).map_err(host_error)?)))
}

/// With a data set made in memory.
fn in_memory(data: &LoadSettings) -> PyResult<(Options, Arc<dyn Host>)> {
    loader::create_in_memory(MEMORY_VFS, &load_options(data)?, &mut |_, _| ()).map_err(load_error)?;
    let mut options = Options::new(loader::DATABASE);
    options.store = store::Options { vfs: Some(MEMORY_VFS.into()), ..store::Options::memory() };
    Ok((options, Arc::new(MemoryHost::new(MEMORY_UPLOAD_BYTES, CACHE_BYTES).map_err(host_error)?)))
}

fn host_error(error: HostError) -> PyErr {
    PyOSError::new_err(error.to_string())
}
