//! Addresses, users and friendships.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use loadstone_stats::{Rng, username};
use loadstone_store::Result;
use loadstone_web::password::{self, SALT_BYTES};

use super::author::Person;
use super::sink::{Sink, Stream};
use super::text;

/// No address lies beyond the polar circles.
const POLAR_CIRCLE_MILLIONTHS: i64 = 66_560_556;
const HALF_TURN_MILLIONTHS: i64 = 180_000_000;
/// Oldest users and events, in days before today; latest events, in days after it.
pub(super) const SPAN_DAYS: i64 = 540;
const MINUTES_A_DAY: i64 = 1440;

const INSERT_ADDRESS: &str = "INSERT INTO address VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
const INSERT_USER: &str = "INSERT INTO user VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)";
const INSERT_FRIENDSHIP: &str = "INSERT INTO friendship VALUES (?, ?, ?)";

pub(super) fn load(sink: &mut Sink<'_>) -> Result<()> {
    let accounts = sink.options.accounts;
    for id in 1..=accounts {
        address(sink, id)?;
    }
    for id in 1..=accounts {
        user(sink, id)?;
    }
    for id in 1..=accounts {
        friendships(sink, id)?;
    }
    Ok(())
}

fn address(sink: &mut Sink<'_>, id: u64) -> Result<()> {
    let rng = &mut sink.stream(Stream::Address, id);
    let address = sink.author.address(rng);
    let latitude = text::degrees(rng, POLAR_CIRCLE_MILLIONTHS);
    let longitude = text::degrees(rng, HALF_TURN_MILLIONTHS);
    sink.counts.address += 1;
    let row = [
        (id as i64).into(),
        (&address.street1).into(),
        address.street2.as_deref().into(),
        (&address.city).into(),
        (&address.state).into(),
        (&address.zip).into(),
        (&address.country).into(),
        (&latitude).into(),
        (&longitude).into(),
    ];
    sink.insert(INSERT_ADDRESS, &row)
}

fn user(sink: &mut Sink<'_>, id: u64) -> Result<()> {
    let rng = &mut sink.stream(Stream::User, id);
    let Person { firstname, lastname, mail_host } = sink.author.person(rng);
    let email = format!("{firstname}_{lastname}@{mail_host}").to_ascii_lowercase();
    let telephone = text::telephone(rng);
    let timezone = text::timezone(rng);
    let summary = sink.author.about(rng);
    let address_id = rng.range_inclusive(1, sink.options.accounts as i64);
    let created_at = past_minute(rng, sink.options.base_day.0);
    // The salts of a reproducible data set are reproducible; its passwords are public anyway.
    let mut salt = [0; SALT_BYTES];
    salt[..8].copy_from_slice(&rng.next_u64().to_be_bytes());
    salt[8..].copy_from_slice(&rng.next_u64().to_be_bytes());
    let password = password::hash(sink.options.password, &id.to_string(), &salt);
    let username = username(id, sink.options.names);
    sink.counts.user += 1;
    let row = [
        (id as i64).into(),
        (&username).into(),
        (&password).into(),
        (&firstname).into(),
        (&lastname).into(),
        (&email).into(),
        (&telephone).into(),
        timezone.into(),
        (&summary).into(),
        address_id.into(),
        created_at.into(),
        created_at.into(),
    ];
    sink.insert(INSERT_USER, &row)
}

fn friendships(sink: &mut Sink<'_>, id: u64) -> Result<()> {
    let rng = &mut sink.stream(Stream::Friendship, id);
    let count = rng.range_inclusive(2, 28) as usize;
    let (id, accounts) = (id as i64, sink.options.accounts as i64);
    let friends =
        distinct(rng, count, |rng| Some(rng.range_inclusive(1, accounts)).filter(|&friend| friend != id));
    // Every second one is accepted, in the order of the draws, so that requests wait for answers.
    let mut friends: Vec<_> = friends.into_iter().zip([false, true].into_iter().cycle()).collect();
    friends.sort_unstable();
    sink.counts.friendship += friends.len() as u64;
    for (friend, accepted) in friends {
        sink.insert(INSERT_FRIENDSHIP, &[id.into(), friend.into(), accepted.into()])?;
    }
    Ok(())
}

/// Draws until `count` different values have come; `draw` may refuse a value.
pub(super) fn distinct(rng: &mut Rng, count: usize, draw: impl Fn(&mut Rng) -> Option<i64>) -> Vec<i64> {
    let mut values = Vec::with_capacity(count);
    while values.len() < count {
        match draw(rng) {
            Some(value) if !values.contains(&value) => values.push(value),
            _ => {}
        }
    }
    values
}

/// Midnight of a day 0..=540 days before `base_day`, in minutes.
pub(super) fn past_minute(rng: &mut Rng, base_day: i32) -> i64 {
    (i64::from(base_day) - rng.range_inclusive(0, SPAN_DAYS)) * MINUTES_A_DAY
}
