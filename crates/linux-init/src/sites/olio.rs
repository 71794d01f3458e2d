//! The social-events site.

use std::path::Path;
use std::sync::Arc;

use loadstone_http::Service;
use loadstone_olio::Options;
use loadstone_olio::host::FileHost;
use loadstone_olio::loader::{DATABASE, UPLOADS};
use loadstone_store::Access;

use super::{Site, Words};

/// As much as an image's site keeps.
const CACHE_BYTES: usize = 4 << 20;

/// With its uploads in files.
#[derive(Debug)]
pub struct Olio;

impl Site for Olio {
    fn name(&self) -> &'static str {
        "olio"
    }

    fn open(&self, folder: &Path, _: &Words) -> Result<Arc<dyn Service>, String> {
        let host = FileHost::new(folder.join(UPLOADS), CACHE_BYTES).map_err(|error| error.to_string())?;
        let mut options = Options::new(folder.join(DATABASE).to_string_lossy());
        options.store.access = Access::ReadWrite;
        Ok(Arc::new(loadstone_olio::Olio::open(options, Arc::new(host))?))
    }
}
