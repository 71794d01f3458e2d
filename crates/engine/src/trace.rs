//! What one user asked for and was told, in full, for people who look for a scenario's mistakes.

use std::sync::{Mutex, PoisonError};

use loadstone_workload::{Program, Remembered};
use serde::Serialize;

use crate::reader::Whole;
use crate::record::CAUSES;
use crate::recorder::{Cause, SECOND};
use crate::user::{Fetch, User};

/// Most bytes of a request or of a body that are kept.
const MOST_SHOWN: usize = 64 << 10;

/// A request and what came of it.
#[derive(Debug, Clone, Serialize)]
pub struct Exchange {
    /// Name of the operation.
    pub operation: String,
    /// Which session, which operation of it, and which step of that, from 1.
    pub session: u32,
    /// As above.
    pub number: u32,
    /// As above.
    pub step: u32,
    /// It was asked for because the step's page refers to it.
    pub file: bool,
    /// Scheme and host that were asked, if these are not the target's own.
    pub origin: String,
    /// The request as it was sent, up to 64 KiB; files that are uploaded are left out.
    pub request: String,
    /// When it was sent, seconds of the run.
    pub sent_s: f64,
    /// From there to the whole answer, or to the failure.
    pub took_s: f64,
    /// From when it was sent to the first byte of the answer; none when nothing came.
    pub first_byte_s: Option<f64>,
    /// Status of the answer; none when none came whole.
    pub status: Option<u16>,
    /// Its field lines.
    pub head: String,
    /// Its body, up to 64 KiB; empty for files of pages.
    pub body: String,
    /// Bytes of the whole body.
    pub body_bytes: u64,
    /// Extractions of the step that found nothing, by their place in the step.
    pub not_found: Vec<u32>,
    /// `done`, `redirect`, `files`, `wait`, `renew` or `failed`.
    pub outcome: &'static str,
    /// Why the operation failed: one of [`CAUSES`], and a sentence.
    pub cause: Option<&'static str>,
    /// As above.
    pub said: Option<String>,
    /// What the user knows afterwards.
    pub remembered: Remembered,
}

/// The exchanges of a user that nobody has taken yet.
#[derive(Debug, Default)]
pub(crate) struct Trace(Mutex<Exchanges>);

#[derive(Debug, Default)]
struct Exchanges {
    /// Sessions that have begun.
    sessions: u32,
    /// Not decided yet.
    under_way: Option<Exchange>,
    done: Vec<Exchange>,
}

impl Trace {
    /// An operation begins.
    pub(crate) fn begun(&self, user: &User) {
        self.change(|all| all.sessions += u32::from(user.session.operations == 1));
    }

    /// A request is about to be sent; one that broke off unanswered is forgotten.
    pub(crate) fn asked(&self, program: &Program, user: &User, now: u64) {
        self.change(|all| all.under_way = Some(all.blank(program, user, now)));
    }

    /// This is it.
    pub(crate) fn wrote(&self, request: &[u8]) {
        self.change(|all| {
            if let Some(exchange) = &mut all.under_way {
                exchange.request = shown(request);
            }
        });
    }

    /// The first byte of its answer came at `at`.
    pub(crate) fn began(&self, at: u64) {
        self.change(|all| {
            if let Some(exchange) = &mut all.under_way {
                exchange.first_byte_s = Some(at as f64 / SECOND as f64 - exchange.sent_s);
            }
        });
    }

    /// Its answer came whole.
    pub(crate) fn answered(&self, whole: &Whole<'_>, now: u64) {
        self.change(|all| {
            if let Some(exchange) = &mut all.under_way {
                exchange.took_s = now as f64 / SECOND as f64 - exchange.sent_s;
                exchange.status = Some(whole.status);
                exchange.head = shown(whole.headers.as_bytes());
                exchange.body = shown(whole.body);
                exchange.body_bytes = whole.length;
            }
        });
    }

    /// A message is about to be sent, or awaited.
    pub(crate) fn talked(&self, program: &Program, user: &User, message: &[u8], now: u64) {
        self.asked(program, user, now);
        self.wrote(message);
    }

    /// A message came that was as expected.
    pub(crate) fn heard(&self, message: &[u8], now: u64) {
        self.change(|all| {
            if let Some(exchange) = &mut all.under_way {
                exchange.took_s = now as f64 / SECOND as f64 - exchange.sent_s;
                exchange.body = shown(message);
                exchange.body_bytes = message.len() as u64;
            }
        });
    }

    /// What was looked for in it, and a bit for each of the first 64 that was there.
    pub(crate) fn extracted(&self, wanted: usize, found: u64) {
        self.change(|all| {
            if let Some(exchange) = &mut all.under_way {
                exchange.not_found = (0..wanted.min(64) as u32).filter(|n| found >> n & 1 == 0).collect();
            }
        });
    }

    /// What followed from it.
    pub(crate) fn decided(&self, program: &Program, user: &User, outcome: &'static str) {
        self.change(|all| {
            if let Some(mut exchange) = all.under_way.take() {
                exchange.outcome = outcome;
                exchange.remembered = program.remembered(&user.state);
                all.done.push(exchange);
            }
        });
    }

    /// The operation failed, also before anything was sent.
    pub(crate) fn failed(&self, program: &Program, user: &User, now: u64, cause: Cause, said: &str) {
        self.change(|all| {
            let mut exchange = all.under_way.take().unwrap_or_else(|| all.blank(program, user, now));
            if exchange.status.is_none() {
                exchange.took_s = now as f64 / SECOND as f64 - exchange.sent_s;
            }
            exchange.outcome = "failed";
            exchange.cause = Some(CAUSES[cause as usize]);
            exchange.said = Some(said.into());
            exchange.remembered = program.remembered(&user.state);
            all.done.push(exchange);
        });
    }

    /// Hands out what was decided since the last call, in order.
    pub(crate) fn take(&self) -> Vec<Exchange> {
        self.change(|all| std::mem::take(&mut all.done))
    }

    fn change<T>(&self, change: impl FnOnce(&mut Exchanges) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Exchanges {
    fn blank(&self, program: &Program, user: &User, now: u64) -> Exchange {
        Exchange {
            operation: program.operations[user.operation].name.clone(),
            session: self.sessions,
            number: user.session.operations,
            step: user.step as u32 + 1,
            file: user.fetch == Fetch::Reference,
            origin: if user.host == 0 { String::new() } else { program.places[user.host].origin() },
            request: String::new(),
            sent_s: now as f64 / SECOND as f64,
            took_s: 0.0,
            first_byte_s: None,
            status: None,
            head: String::new(),
            body: String::new(),
            body_bytes: 0,
            not_found: Vec::new(),
            outcome: "done",
            cause: None,
            said: None,
            remembered: Remembered::default(),
        }
    }
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(MOST_SHOWN)]).into_owned()
}
