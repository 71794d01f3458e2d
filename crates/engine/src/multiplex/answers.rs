//! Streams that are done.

use loadstone_h2::{Answer, Done, Lost};
use loadstone_http::Headers;

use super::link::Owner;
use super::{Flying, LinkKey};
use crate::connect::CLOSING_RACE;
use crate::driver::Driver;
use crate::reader::Whole;
use crate::recorder::{Cause, Counter};
use crate::user::{Fetch, User, Work};

/// How often a request is sent again that the server did not take.
const MOST_AGAIN: u8 = 3;
/// How long one waits before that for the first time, microseconds; then twice as long each time.
const BACK_OFF: u64 = 10_000;

impl Driver<'_> {
    /// Deals with all streams of a link that are done.
    pub(super) fn take_done(&mut self, users: &mut [User], key: LinkKey) {
        while let Some(done) = self.link(key).and_then(|link| link.client.next_done()) {
            let (token, ticket) = ((done.tag >> 32) as usize, done.tag as u32);
            let user = &mut users[token];
            let Some(at) = user.streams.iter().position(|flying| flying.ticket == ticket) else { continue };
            let flying = user.streams.remove(at);
            self.on_done(user, flying, key, done);
        }
    }

    fn on_done(&mut self, user: &mut User, flying: Flying, key: LinkKey, done: Done) {
        if let Some(oldest) = user.streams.first() {
            user.deadline = oldest.sent + user.patience;
        }
        let Some(link) = self.link(key) else { return };
        let (reused, broken) = (link.reused, link.broken);
        link.reused |= done.outcome.is_ok();
        link.answered |= done.outcome.is_ok();
        if matches!(link.owner, Owner::Pool(_)) {
            user.counts.add(Counter::BytesIn, done.received);
            user.counts.add(Counter::BytesOut, done.sent);
        }
        let mut work = self.borrow_work(user);
        if let Some(file) = flying.file {
            work.journey.references.select(file);
        }
        done.first.iter().for_each(|at| self.begins_to_answer(user, *at));
        match done.outcome {
            Ok(()) => self.on_answer(user, &mut work, flying, &done.answer),
            Err(lost) => {
                let untouched = done.answer.is_untouched();
                // As with HTTP/1.1: the server closed the connection because it was idle.
                let raced = reused && untouched && self.now - flying.sent <= CLOSING_RACE;
                self.on_lost(user, &mut work, &flying, &lost, broken.map(|cause| (cause, raced)));
            }
        }
        self.return_work(user, work);
        if let Some(link) = self.link(key) {
            link.client.recycle(done.answer);
        }
    }

    fn on_answer(&mut self, user: &mut User, work: &mut Work, flying: Flying, answer: &Answer) {
        let journey = &mut work.journey;
        if flying.file.is_some() {
            user.redirects = journey.references.redirects();
            journey.location = flying.location;
            user.host = user.at;
        }
        let headers = Headers::new(&answer.head);
        self.incoming(user, journey).learn(answer.status, &headers);
        // Otherwise the second that has just ended would get the request, and the next one the operation.
        self.roll_if_due();
        self.recorder.requests += 1;
        user.counts.add(Counter::Requests, 1);
        let whole = Whole {
            status: answer.status,
            keep_alive: true,
            headers,
            body: &answer.body,
            length: answer.length,
        };
        self.shared.trace.iter().for_each(|trace| trace.answered(&whole, self.now));
        let verdict = self.judge(user, whole, journey);
        match flying.file {
            Some(file) => self.follow_file(user, work, flying.link, file, verdict),
            None => self.follow(user, work, verdict),
        }
    }

    /// There is no whole answer. A request that the server did not take is sent again a few times, one that met a
    /// connection which was just being closed once. `broken`: as what the connection broke, and whether in that
    /// way.
    fn on_lost(
        &mut self,
        user: &mut User,
        work: &mut Work,
        flying: &Flying,
        lost: &Lost,
        broken: Option<(Cause, bool)>,
    ) {
        let (cause, said, most) = match lost {
            Lost::Unprocessed(said) => (broken.map_or(Cause::Http2, |(cause, _)| cause), said, MOST_AGAIN),
            Lost::Ended(said) => {
                let (cause, raced) = broken.unwrap_or((Cause::Http2, false));
                (cause, said, u8::from(raced && matches!(cause, Cause::Closed | Cause::Reset)))
            }
            Lost::Wrong(said) => (Cause::Marker, said, 0),
        };
        let again = match flying.file {
            Some(_) => work.journey.references.again(),
            None => user.again,
        };
        if again >= most {
            self.fail(user, work, cause, said);
            return;
        }
        // Where the connection ends, there is a new one to try; where it goes on, the server has too much to do.
        let refused = matches!(lost, Lost::Unprocessed(_))
            && self.link(flying.link).is_some_and(|link| link.is_usable());
        let wait = refused.then(|| BACK_OFF << again);
        if flying.file.is_some() {
            work.journey.references.ask_again();
            work.journey.refused = work.journey.refused.max(wait);
            self.go_on_fetching(user, work, flying.link);
            return;
        }
        user.again += 1;
        match wait {
            Some(wait) => self.back_off(user, wait),
            None => self.dispatch(user, work),
        }
    }

    /// Whether the user asks for files of a page.
    pub(super) fn fetches_at_once(&self, user: &User, work: &Work) -> bool {
        user.fetch == Fetch::Reference
            && work.journey.location.is_empty()
            && work.journey.references.has_left()
            && self.program.scenario_of(&user.state).pause.is_none()
            && self.shared.trace.is_none()
    }
}
