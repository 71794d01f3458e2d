//! Who answers for a folder.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use loadstone_http::{Handler, Request, Response};

use crate::answer::{Found, answer, only_reads, refuse};
use crate::shelf::Shelf;

/// One worker's handler.
pub(crate) struct Clerk {
    shelf: Arc<Shelf>,
    boundary: String,
}

impl Clerk {
    pub fn new(shelf: Arc<Shelf>) -> Self {
        let random = || RandomState::new().build_hasher().finish();
        Self { shelf, boundary: format!("{:016x}{:016x}", random(), random()) }
    }
}

impl Handler for Clerk {
    fn handle(&mut self, request: &Request<'_>, response: &mut Response) {
        if !only_reads(request, response) {
            return;
        }
        match self.shelf.find(request.path) {
            Ok(entry) => {
                let (plain, gzip) = (&entry.plain, entry.gzip.as_ref());
                let found = Found { plain, gzip, media_type: &entry.media_type };
                answer(&found, &self.boundary, request, response);
            }
            Err(absence) => refuse(absence, request, response),
        }
    }
}
