//! Olio as an image, its database and uploads on the disk. Words on the command line: those of `images::database`,
//! and `olio.profile`, `olio.media`, `olio.cache`, `olio.full_image`, `olio.rules`, `olio.url` as the options
//! of `loadstone serve olio`, but that the rules are a benchmark's where nothing is said.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::time::Duration;

use images::database::{Place, decimal, word};
use loadstone_appliance::args::Args;
use loadstone_appliance::bare::{self, Machine, clock};
use loadstone_http::Service;
use loadstone_olio::host::{Surroundings, TableHost};
use loadstone_olio::loader::{self, LoadOptions, Profile};
use loadstone_olio::origin::Origin;
use loadstone_olio::rules::Rules;
use loadstone_olio::{CacheLevel, Olio, Options};

loadstone_appliance::image!(open);

/// The share of the free heap that rows, fragments, pages and uploads may take.
const CACHE_SHARE: usize = 16;
/// What pages, pictures and static files take, beside what is open.
const LEAST_FREE: usize = 1 << 20;

fn open(machine: &mut Machine) -> Result<Box<dyn Service>, String> {
    let settings = Settings::read(&machine.args)?;
    let place = Place::open(
        machine,
        "olio.db",
        |text| text.parse().ok(),
        |db, accounts, progress| {
            let options =
                LoadOptions { media_scale: settings.media, ..LoadOptions::new(accounts, settings.profile) };
            loader::load(db, &options, &mut |done, of| progress(done, of))
                .map(drop)
                .map_err(|error| error.to_string())
        },
    )?;
    let surroundings = Surroundings {
        now_s: clock::unix_s,
        uptime: || Duration::from_micros(clock::monotonic_us()),
        entropy: bare::entropy,
        report: |sentence| loadstone_appliance::log!("olio: {sentence}"),
    };
    let host = TableHost::new(place.name, &place.options, bare::heap().free() / CACHE_SHARE, surroundings);
    let host = Arc::new(host.map_err(|error| error.to_string())?);
    let kept = Arc::clone(&host);
    machine.callbacks.on_relocate(move || kept.drop_caches());
    let options = Options {
        store: place.options,
        cache: settings.cache,
        full_image: settings.full_image,
        rules: settings.rules,
        origin: settings.origin,
        ..Options::new(place.name)
    };
    let olio = Olio::open(options, host)?;
    let free = bare::heap().free();
    if free < LEAST_FREE {
        return Err(format!(
            "out of memory: {} KiB are free, pages and pictures need at least {}",
            free >> 10,
            LEAST_FREE >> 10
        ));
    }
    Ok(Box::new(olio))
}

/// What the command line says about the site.
struct Settings {
    profile: Profile,
    media: f64,
    cache: CacheLevel,
    full_image: bool,
    rules: Rules,
    origin: Origin,
}

impl Settings {
    fn read(args: &Args) -> Result<Self, String> {
        Ok(Self {
            profile: word(args, "olio.profile", Profile::Cloudstone2008, Profile::parse)?,
            media: word(args, "olio.media", 1.0, decimal)?,
            cache: word(args, "olio.cache", CacheLevel::None, CacheLevel::parse)?,
            full_image: word(args, "olio.full_image", false, |text| text.parse().ok())?,
            rules: word(args, "olio.rules", Rules::default(), Rules::parse)?,
            origin: word(args, "olio.url", Origin::default(), |url| {
                Origin::new(Some(url), false, None).ok()
            })?,
        })
    }
}
