//! What the guest can serve, each a value of one kind in a module of its own; [`ALL`] is where they are
//! registered.

mod files;
mod olio;
mod rubis;
mod surge;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use loadstone_http::Service;

/// Everything that can be served, by its name in `app=`.
pub static ALL: [&dyn Site; 4] = [&files::Files, &surge::Surge, &olio::Olio, &rubis::Rubis];

/// A site, or a folder of files.
pub trait Site: Debug + Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// The service on the data in `folder`.
    ///
    /// # Errors
    /// A sentence when the data are not there, or a word is none.
    fn open(&self, folder: &Path, words: &Words) -> Result<Arc<dyn Service>, String>;
}

/// Words of the command line that are for the site, as `NAME.KEY=VALUE`.
#[derive(Debug, Clone, Default)]
pub struct Words(pub BTreeMap<String, String>);

impl Words {
    /// What a word says; `default` where it is not said.
    ///
    /// # Errors
    /// A sentence when it cannot be.
    pub fn parsed<T: FromStr>(&self, key: &str, default: T) -> Result<T, String> {
        let Some(value) = self.0.get(key) else { return Ok(default) };
        value.parse().map_err(|_| format!("`{key}` cannot be `{value}`"))
    }
}
