//! The files of a page, several at once, as browsers fetch them over HTTP/2.

use super::LinkKey;
use crate::driver::Driver;
use crate::judge::Verdict;
use crate::recorder::Cause;
use crate::user::{User, Work};

impl Driver<'_> {
    /// Asks for as many of the files that are left as may be asked for at once.
    pub(super) fn fetch_files(&mut self, user: &mut User, work: &mut Work, key: LinkKey) {
        user.host = user.at;
        let Some(most) = self.multiplex.as_ref().map(|all| all.most_streams as usize) else { return };
        while user.streams.len() < most
            && self.link(key).is_some_and(|link| link.is_usable())
            && let Some(file) = work.journey.references.take(user.at)
        {
            work.journey.location.clear();
            if !self.ask(user, work, key, Some(file)) {
                work.journey.references.put_back(file);
                break;
            }
        }
        match user.streams.first() {
            Some(oldest) => {
                user.deadline = oldest.sent + user.patience;
                self.pump(user, key);
            }
            None => self.dispatch(user, work),
        }
    }

    /// Does what the answer to a request for `file`, one of several, says.
    pub(super) fn follow_file(
        &mut self,
        user: &mut User,
        work: &mut Work,
        key: LinkKey,
        file: usize,
        verdict: Verdict,
    ) {
        let journey = &mut work.journey;
        match verdict {
            // Of files nothing is renewed.
            Verdict::Done | Verdict::Fetch | Verdict::Renew => {}
            Verdict::Redirect => {
                journey.references.redirected(user.redirects);
                if user.host != user.at {
                    if !journey.references.move_to(file, user.host, &journey.location) {
                        let said = "its redirects to other hosts are too long";
                        return self.fail(user, work, Cause::Status, said);
                    }
                } else {
                    self.ask_again(user, work, key, file);
                }
            }
            Verdict::Wait(wait) => {
                journey.references.put_back(file);
                journey.wait = journey.wait.max(Some(wait));
            }
            Verdict::Fail(cause, said) => return self.fail(user, work, cause, &said),
        }
        work.journey.location.clear();
        self.go_on_fetching(user, work, key);
    }

    /// Asks for a file where it was redirected to.
    fn ask_again(&mut self, user: &mut User, work: &mut Work, key: LinkKey, file: usize) {
        let usable = self.link(key).is_some_and(|link| link.is_usable());
        // Without a connection it begins anew with the others, from where the page leads.
        if usable && self.ask(user, work, key, Some(file)) {
            self.pump(user, key);
        } else {
            work.journey.references.put_back(file);
        }
    }

    /// Asks for further files; when all have come, the step is done.
    pub(super) fn go_on_fetching(&mut self, user: &mut User, work: &mut Work, key: LinkKey) {
        let idle = user.streams.is_empty();
        if idle {
            self.turn_to_file(user, &mut work.journey);
        }
        match work.journey.wait {
            Some(wait) if idle => {
                work.journey.wait = None;
                self.put_off(user, wait);
            }
            Some(_) => {}
            None if work.journey.refused.is_some() => {
                if idle && let Some(wait) = work.journey.refused.take() {
                    self.pause(user, wait);
                }
            }
            None if idle && !work.journey.references.has_left() => self.step_done(user, work),
            None if idle => self.issue(user, work),
            None if work.journey.references.has_left() => self.fetch_files(user, work, key),
            None => {}
        }
    }
}
