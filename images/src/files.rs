//! A folder of files as an image: `LOADSTONE_SITE=FOLDER` when it is built, else `site/`.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::boxed::Box;
use alloc::string::String;

use loadstone_appliance::bare::{Machine, entropy};
use loadstone_files::{Embedded, EmbeddedFile};
use loadstone_http::Service;

loadstone_appliance::image!(open);

/// What the folder held when the image was built.
static FILES: &[EmbeddedFile] = &include!(concat!(env!("OUT_DIR"), "/files.rs"));

fn open(_: &mut Machine) -> Result<Box<dyn Service>, String> {
    let mut boundary = [0; 8];
    entropy(&mut boundary);
    Ok(Box::new(Embedded::new(FILES, u64::from_ne_bytes(boundary))))
}
