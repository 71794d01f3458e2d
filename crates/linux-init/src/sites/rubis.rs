//! The auction site.

use std::path::Path;
use std::sync::Arc;

use loadstone_http::Service;
use loadstone_rubis::Options;
use loadstone_rubis::loader::DATABASE;
use loadstone_store::Access;
use loadstone_web::system::System;

use super::{Site, Words};

/// On the database in the folder.
#[derive(Debug)]
pub struct Rubis;

impl Site for Rubis {
    fn name(&self) -> &'static str {
        "rubis"
    }

    fn open(&self, folder: &Path, _: &Words) -> Result<Arc<dyn Service>, String> {
        let mut options = Options::new(folder.join(DATABASE).to_string_lossy());
        options.store.access = Access::ReadWrite;
        Ok(Arc::new(loadstone_rubis::Rubis::open(options, Arc::new(System::new()?))?))
    }
}
