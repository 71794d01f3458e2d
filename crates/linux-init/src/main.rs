//! The first and only process of a Linux guest: loads the drivers of QEMU's devices, gives the network its
//! address, mounts the disk, and serves an application with the container. It is what the study `appliance`
//! compares images with.
//!
//! What to do stands on the kernel's command line, as words `key=value` ([`settings`]). As an ordinary
//! program it takes the same words as arguments and leaves the machine as it is.

mod application;
mod network;
mod power;
mod settings;
mod sites;
mod start;

use std::process::{ExitCode, id};
use std::{fs, panic};

use power::End;
use settings::{DiskUse, Settings};

fn main() -> ExitCode {
    if id() == 1 {
        power::off(as_first_process())
    }
    let words: Vec<_> = std::env::args().skip(1).collect();
    match Settings::parse(words.iter().map(String::as_str)).and_then(|settings| application::run(&settings)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("guest: {sentence}");
            ExitCode::from(2)
        }
    }
}

fn as_first_process() -> End {
    let usual = panic::take_hook();
    // The kernel panics when its first process ends, and says nothing of why.
    panic::set_hook(Box::new(move |info| {
        usual(info);
        power::off(End::Panic)
    }));
    match boot() {
        Ok(()) => End::Clean,
        Err(sentence) => {
            eprintln!("guest: {sentence}");
            End::Refused
        }
    }
}

fn boot() -> Result<(), String> {
    start::mount_system()?;
    let line = fs::read_to_string("/proc/cmdline").map_err(|error| format!("/proc/cmdline: {error}"))?;
    let settings = Settings::parse(line.split_ascii_whitespace())?;
    start::load_drivers()?;
    if let Some(address) = settings.address {
        network::configure("eth0", address, settings.gateway)?;
    }
    match settings.disk {
        DiskUse::None => {}
        DiskUse::Raw => start::wait_for(start::DISK)?,
        DiskUse::Ext4 => start::mount_disk(&settings.folder)?,
    }
    application::run(&settings)
}
