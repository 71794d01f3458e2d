//! Events with their tags, attendance and comments; and the tags, whose use is known only then.

use alloc::vec;
use alloc::vec::Vec;

use loadstone_stats::{ExponentialRank, username};
use loadstone_store::Result;

use super::author::Announcement;
use super::people::{SPAN_DAYS, distinct, past_minute};
use super::sink::{Sink, Stream};
use super::text;

/// Mean rank of a tag that an event gets, as a share of all tags.
const TAG_SCALE: f64 = 0.1;

const INSERT_EVENT: &str = "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, 1, ?, ?, ?, 0, 0, 0)";
const INSERT_TAG: &str = "INSERT INTO tag VALUES (?, ?, ?)";
const INSERT_EVENT_TAG: &str = "INSERT INTO event_tag VALUES (?, ?)";
const INSERT_ATTENDANCE: &str = "INSERT INTO attendance VALUES (?, ?)";
const INSERT_COMMENT: &str = "INSERT INTO comment VALUES (?, ?, ?, ?, ?, ?, ?)";

pub(super) fn load(sink: &mut Sink<'_>) -> Result<()> {
    let events = sink.options.events();
    for id in 1..=events {
        event(sink, id)?;
    }
    let mut uses = vec![0_i64; sink.options.tags() as usize];
    for id in 1..=events {
        event_tags(sink, id, &mut uses)?;
    }
    tags(sink, &uses)?;
    for id in 1..=events {
        attendance(sink, id)?;
    }
    for id in 1..=events {
        comments(sink, id)?;
    }
    Ok(())
}

fn event(sink: &mut Sink<'_>, id: u64) -> Result<()> {
    let rng = &mut sink.stream(Stream::Event, id);
    let (accounts, today) = (sink.options.accounts as i64, sink.options.base_day.0);
    let Announcement { title, summary, description } = sink.author.announcement(rng);
    let telephone = text::telephone(rng);
    let timezone = text::timezone(rng);
    let user_id = rng.range_inclusive(1, accounts);
    let address_id = rng.range_inclusive(1, accounts);
    let day = i64::from(today) + rng.range_inclusive(0, SPAN_DAYS);
    let hour = rng.range_inclusive(7, 21);
    let quarter = rng.range_inclusive(0, 3);
    let created_at = past_minute(rng, today);
    sink.counts.event += 1;
    let row = [
        (id as i64).into(),
        (&title).into(),
        (&summary).into(),
        (&description).into(),
        (&telephone).into(),
        timezone.into(),
        user_id.into(),
        address_id.into(),
        ((day * 24 + hour) * 60 + quarter * 15).into(),
        day.into(),
        created_at.into(),
    ];
    sink.insert(INSERT_EVENT, &row)
}

fn event_tags(sink: &mut Sink<'_>, id: u64, uses: &mut [i64]) -> Result<()> {
    let rng = &mut sink.stream(Stream::EventTag, id);
    let law = ExponentialRank { count: uses.len() as u64, scale: TAG_SCALE };
    let count = rng.range_inclusive(1, 7) as usize;
    let mut tags = distinct(rng, count, |rng| Some(law.sample(rng) as i64));
    tags.sort_unstable();
    sink.counts.event_tag += tags.len() as u64;
    for tag in tags {
        uses[tag as usize - 1] += 1;
        sink.insert(INSERT_EVENT_TAG, &[(id as i64).into(), tag.into()])?;
    }
    Ok(())
}

fn tags(sink: &mut Sink<'_>, uses: &[i64]) -> Result<()> {
    for (id, &uses) in (1..).zip(uses) {
        let name = username(id, sink.options.names);
        sink.counts.tag += 1;
        sink.insert(INSERT_TAG, &[(id as i64).into(), (&name).into(), uses.into()])?;
    }
    Ok(())
}

fn attendance(sink: &mut Sink<'_>, id: u64) -> Result<()> {
    let rng = &mut sink.stream(Stream::Attendance, id);
    let accounts = sink.options.accounts as i64;
    let count = rng.range_inclusive(10, 100) as usize;
    let mut users: Vec<i64> = distinct(rng, count, |rng| Some(rng.range_inclusive(1, accounts)));
    users.sort_unstable();
    sink.counts.attendance += users.len() as u64;
    for user in users {
        sink.insert(INSERT_ATTENDANCE, &[(id as i64).into(), user.into()])?;
    }
    Ok(())
}

fn comments(sink: &mut Sink<'_>, event: u64) -> Result<()> {
    let rng = &mut sink.stream(Stream::Comment, event);
    let accounts = sink.options.accounts as i64;
    let count = rng.range_inclusive(0, 20);
    let created_at = past_minute(rng, sink.options.base_day.0);
    for _ in 0..count {
        let user = rng.range_inclusive(1, accounts);
        let rating = rng.range_inclusive(2, 5);
        let text = sink.author.comment(rng);
        sink.counts.comment += 1;
        let id = sink.counts.comment as i64;
        let row = [
            id.into(),
            (event as i64).into(),
            user.into(),
            (&text).into(),
            rating.into(),
            created_at.into(),
            created_at.into(),
        ];
        sink.insert(INSERT_COMMENT, &row)?;
    }
    Ok(())
}
