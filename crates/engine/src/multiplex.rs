//! HTTP/2: connections that carry several requests at once. A user has one of its own; operations that arrive at
//! a rate share a pool of them.
//!
//! A connection begins as every other one, with the user that needs it first. Once it is known to speak HTTP/2
//! it becomes a [`Link`] of the thread, whose events are its own.

mod answers;
mod asking;
mod files;
mod link;
mod pool;
mod seen;
mod text;

use loadstone_h2::{Fields, StreamKey};
use loadstone_workload::{Http, Program};

pub(crate) use link::LinkKey;
pub(crate) use seen::Protocols;
pub(crate) use text::fields_of;

use link::Links;
use pool::Pool;

/// Requests at once on one connection, at most, if neither the plan nor the server says less: what browsers have,
/// and most servers allow.
const MOST_STREAMS: u32 = 100;

/// How many operations may share one connection.
pub(crate) fn streams_of(program: &Program) -> u32 {
    match program.http {
        Http::One => 1,
        Http::Two => program.load.streams.unwrap_or(MOST_STREAMS).max(1),
    }
}

/// What a thread has for HTTP/2.
#[derive(Debug)]
pub(crate) struct Multiplex {
    links: Links,
    /// Where operations arrive at a rate.
    pools: Vec<Pool>,
    /// Users that wait for a shared connection and may try again.
    ready: Vec<u32>,
    /// The connection whose events are looked at: what is asked on it leaves at their end, together.
    busy: Option<LinkKey>,
    most_streams: u32,
    tickets: u32,
    /// Scratch of requests, and of what leaves.
    fields: Fields,
    out: Vec<u8>,
}

impl Multiplex {
    /// Of a thread with so many shared connections; none unless the plan asks for HTTP/2.
    pub(crate) fn new(program: &Program, shared: usize) -> Option<Box<Self>> {
        if program.http == Http::One {
            return None;
        }
        let most_streams = streams_of(program);
        Some(Box::new(Self {
            links: Links::default(),
            pools: (0..shared).map(|at| Pool::new(at, shared, most_streams)).collect(),
            ready: Vec::new(),
            busy: None,
            most_streams,
            tickets: 0,
            fields: Fields::default(),
            out: Vec::new(),
        }))
    }

    /// Connections that are made.
    pub(crate) fn connections(&self) -> usize {
        self.links.count()
    }
}

/// A request on a stream.
#[derive(Debug)]
pub(crate) struct Flying {
    link: LinkKey,
    stream: StreamKey,
    ticket: u32,
    pub sent: u64,
    /// Which of a page's files it asks for, if it asks for several at once, and where that was redirected.
    pub file: Option<usize>,
    location: Vec<u8>,
}
