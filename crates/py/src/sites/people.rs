//! What a site with users is told of them, and of the way to it.

use loadstone_web::origin::Origin;
use loadstone_web::password::Scheme;
use loadstone_web::rules::Rules;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Deserialize;

use crate::server::choice;

/// Options of both sites; absent ones are a benchmark's.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
pub struct PeopleSettings {
    rules: Option<String>,
    public_url: Option<String>,
    hsts_s: Option<u32>,
}

impl PeopleSettings {
    /// For whom the site runs.
    pub fn rules(&self) -> PyResult<Rules> {
        let Some(name) = &self.rules else { return Ok(Rules::default()) };
        choice("set of rules", name, Rules::parse(name), "benchmark and public")
    }

    /// Where people find the site; `tls`: whether it speaks TLS itself.
    pub fn origin(&self, tls: bool) -> PyResult<Origin> {
        Origin::new(self.public_url.as_deref(), tls, self.hsts_s).map_err(PyValueError::new_err)
    }
}

/// How new passwords are hashed, where it is said.
pub fn passwords(scheme: Option<&str>) -> PyResult<Option<Scheme>> {
    let parse = |scheme| choice("password scheme", scheme, Scheme::parse(scheme), "sha256 and pbkdf2:ROUNDS");
    scheme.map(parse).transpose()
}
