//! A folder of files.

use std::path::Path;
use std::sync::Arc;

use loadstone_files::Options;
use loadstone_http::Service;

use super::{Site, Words};

/// The folder as it is.
#[derive(Debug)]
pub struct Files;

impl Site for Files {
    fn name(&self) -> &'static str {
        "files"
    }

    fn open(&self, folder: &Path, _: &Words) -> Result<Arc<dyn Service>, String> {
        let files = loadstone_files::Files::open(folder, &Options::default());
        Ok(Arc::new(files.map_err(|error| format!("{}: {error}", folder.display()))?))
    }
}
