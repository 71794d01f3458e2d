//! SURGE's file set; `surge.files=` and `surge.seed=` as for its image.

use std::path::Path;
use std::sync::Arc;

use loadstone_http::Service;
use loadstone_surge::Profile;

use super::{Site, Words};

/// The set of an image that is told nothing.
const FILES: u32 = 2000;
const SEED: u64 = 1;

/// Made as it starts.
#[derive(Debug)]
pub struct Surge;

impl Site for Surge {
    fn name(&self) -> &'static str {
        "surge"
    }

    fn open(&self, _: &Path, words: &Words) -> Result<Arc<dyn Service>, String> {
        let (files, seed) = (words.parsed("surge.files", FILES)?, words.parsed("surge.seed", SEED)?);
        Ok(Arc::new(loadstone_surge::Surge::new(&Profile::MEASURED, files, seed)?))
    }
}
