//! SURGE's files as an image. `surge.files=2000` and `surge.seed=1` on the command line choose the set.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

use loadstone_appliance::bare::Machine;
use loadstone_http::Service;
use loadstone_surge::{Profile, Surge};

loadstone_appliance::image!(open);

/// Larger files are made while they are sent: the largest have 64 MiB.
const WHOLE: u32 = 16 * 1024;

fn open(machine: &mut Machine) -> Result<Box<dyn Service>, String> {
    let number = |key: &str, default: u64| match machine.args.app(key) {
        None => Ok(default),
        Some(value) => value.parse().map_err(|_| format!("{key} is no number: {value}")),
    };
    let files = u32::try_from(number("surge.files", 2000)?).map_err(|_| "surge.files is too large")?;
    let surge = Surge::new(&Profile::MEASURED, files, number("surge.seed", 1)?)?;
    Ok(Box::new(surge.in_parts_above(WHOLE)))
}
