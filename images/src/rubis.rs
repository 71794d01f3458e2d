//! RUBiS as an image, its database on the disk. Words on the command line: those of `images::database`, and
//! `rubis.rules`, `rubis.url` as for Olio.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::sync::Arc;

use images::database::{Place, decimal, word};
use loadstone_appliance::bare::{self, Machine, clock};
use loadstone_http::Service;
use loadstone_rubis::loader::{self, LoadOptions};
use loadstone_rubis::origin::Origin;
use loadstone_rubis::rules::Rules;
use loadstone_rubis::{Host, Options, Rubis};

loadstone_appliance::image!(open);

fn open(machine: &mut Machine) -> Result<Box<dyn Service>, String> {
    let place = Place::open(machine, "rubis.db", decimal, |db, scale, progress| {
        let load = loader::load(db, &LoadOptions::new(scale), &mut |done, of| progress(done, of));
        load.map(drop).map_err(|error| error.to_string())
    })?;
    let args = &machine.args;
    let options = Options {
        store: place.options,
        rules: word(args, "rubis.rules", Rules::default(), Rules::parse)?,
        origin: word(args, "rubis.url", Origin::default(), |url| Origin::new(Some(url), false, None).ok())?,
        ..Options::new(place.name)
    };
    Ok(Box::new(Rubis::open(options, Arc::new(Bare))?))
}

/// Clock, entropy and console of the machine.
struct Bare;

impl Host for Bare {
    fn now_s(&self) -> u64 {
        clock::unix_s()
    }

    fn entropy(&self, bytes: &mut [u8]) {
        bare::entropy(bytes);
    }

    fn report(&self, sentence: &str) {
        loadstone_appliance::log!("rubis: {sentence}");
    }
}
