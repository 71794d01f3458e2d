//! A service of someone's own, from a crate in another folder: `loadstone image build FOLDER` writes the
//! program around it, which calls [`open`].

use alloc::boxed::Box;
use alloc::string::String;

use loadstone_appliance::bare::{self, Machine, clock};
use loadstone_application::{Host, Open, Surroundings};
use loadstone_http::Service;

/// Opens the application on the machine. It gets the command line's words for applications.
///
/// # Errors
/// As [`Surroundings::open`].
pub fn open(machine: &mut Machine, name: &str, open: Open) -> Result<Box<dyn Service>, String> {
    let host = Host {
        now_s: clock::unix_s,
        entropy: bare::entropy,
        report: |sentence| loadstone_appliance::log!("{sentence}"),
    };
    #[cfg(feature = "own-database")]
    {
        use crate::database::{WORDS, found};
        let words = machine.args.app.iter().filter(|(key, _)| !WORDS.contains(&key.as_str())).cloned();
        let words: alloc::vec::Vec<_> = words.collect();
        Surroundings::new(name, words, host, || {
            let options = found(machine)?;
            Ok(loadstone_application::Database::new(alloc::format!("{name}.db"), options))
        })
        .open(open)
    }
    #[cfg(not(feature = "own-database"))]
    Surroundings::new(name, machine.args.app.iter().cloned(), host).open(open)
}
