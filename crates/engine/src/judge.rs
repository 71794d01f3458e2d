//! What a whole answer means: a redirect, a fault, or success and what the page refers to.

use loadstone_http::{Headers, Method};
use loadstone_workload::{Answer, CompiledStep, Tree};

use crate::address::resolve;
use crate::clock::micros;
use crate::coding::{Content, is_coded};
use crate::cookies::{Cookies, Origin};
use crate::driver::Driver;
use crate::reader::Whole;
use crate::recorder::{Cause, Counter};
use crate::user::{Fetch, Journey, Renewal, User, Work};

/// Most redirects in a row that are followed.
const MAX_REDIRECTS: u8 = 5;

/// The status of a request without valid credentials: of one with a token that has expired, for example
/// (RFC 6750 §3.1).
const UNAUTHORIZED: u16 = 401;

/// What to do after an answer.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// Send the request for where the answer leads.
    Redirect,
    /// Fetch what the page refers to next.
    Fetch,
    /// Send the request again after this number of microseconds, because the server asked for that.
    Wait(u64),
    /// The step was refused: take those that renew what it was refused for, and then this one again.
    Renew,
    /// The step is done.
    Done,
    /// The operation failed, and why.
    Fail(Cause, String),
}

impl Verdict {
    /// Its name in a trace; a failure is told by itself.
    fn traced(&self) -> Option<&'static str> {
        match self {
            Self::Redirect => Some("redirect"),
            Self::Fetch => Some("files"),
            Self::Wait(_) => Some("wait"),
            Self::Renew => Some("renew"),
            Self::Done => Some("done"),
            Self::Fail(..) => None,
        }
    }
}

/// Whether a status sends the client elsewhere.
pub(crate) fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// What a step's values are taken from.
pub(crate) struct Received<'a> {
    pub headers: Headers<'a>,
    pub body: &'a [u8],
    cookies: &'a Cookies,
    origin: &'a Origin,
    tree: &'a Tree,
}

impl<'a> Received<'a> {
    /// `tree`: that of the answer, if it has one already.
    pub(crate) fn new(whole: &Whole<'a>, cookies: &'a Cookies, origin: &'a Origin, tree: &'a Tree) -> Self {
        Self { headers: whole.headers, body: whole.body, cookies, origin, tree }
    }
}

impl Answer for Received<'_> {
    fn body(&self) -> &[u8] {
        self.body
    }

    fn tree(&self) -> &Tree {
        self.tree
    }

    fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers.get_bytes(name)
    }

    fn cookie(&self, name: &str) -> Option<&[u8]> {
        self.cookies.get(name, self.origin)
    }
}

impl<'p> Driver<'p> {
    /// The step that a user is in.
    pub(crate) fn step_of(&self, user: &User) -> &'p CompiledStep {
        &self.program.operations[user.operation].steps[user.step]
    }

    /// Judges an answer. Changes what the user remembers, but sends nothing.
    pub(crate) fn judge(&mut self, user: &mut User, whole: Whole<'_>, journey: &mut Journey) -> Verdict {
        user.counts.add(Counter::BodyBytes, whole.length);
        if let Some(wait) = self.is_put_off(user, whole.status) {
            return Verdict::Wait(wait);
        }
        let follows = user.fetch == Fetch::Reference || self.step_of(user).redirects;
        if follows && is_redirect(whole.status) && !journey.announced.is_empty() {
            if user.redirects == MAX_REDIRECTS {
                return Verdict::Fail(Cause::Status, format!("more than {MAX_REDIRECTS} redirects"));
            }
            if self.redirect(user, whole.status, journey) {
                return Verdict::Redirect;
            }
        }
        let mut content = std::mem::take(&mut self.content);
        let verdict = match user.fetch {
            Fetch::Step => self.judge_step(user, whole, journey, &mut content),
            Fetch::Reference => self.judge_file(user, whole, journey, &mut content),
        };
        self.content = content;
        verdict
    }

    /// Judges the answer for a file of a page; of a style sheet, what it refers to is listed.
    fn judge_file<'a>(
        &mut self,
        user: &mut User,
        mut whole: Whole<'a>,
        journey: &mut Journey,
        content: &'a mut Content,
    ) -> Verdict {
        if whole.status == 200 && journey.references.is_sheet() {
            let coding = whole.headers.get_bytes("content-encoding").unwrap_or_default();
            if is_coded(coding) {
                match content.of(coding, whole.body) {
                    Ok(body) => whole.body = body,
                    Err(said) => return Verdict::Fail(Cause::Marker, said.into()),
                }
                whole.length = whole.body.len() as u64;
            }
            if is_css(&whole.headers)
                && let Err(said) = self.plan_style(user, whole.body, journey)
            {
                return Verdict::Fail(Cause::Marker, said);
            }
        }
        user.counts.add(Counter::ContentBytes, whole.length);
        judge_reference(user, &whole, journey)
    }

    /// Judges the answer to a step's own request by its content, which is decompressed if anything asks for it.
    fn judge_step<'a>(
        &mut self,
        user: &mut User,
        mut whole: Whole<'a>,
        journey: &mut Journey,
        content: &'a mut Content,
    ) -> Verdict {
        let step = self.step_of(user);
        let coding = whole.headers.get_bytes("content-encoding").unwrap_or_default();
        let mut malformed = None;
        if (step.reads_body || step.expect.measures()) && is_coded(coding) {
            let decoded = content.of(coding, whole.body);
            // What cannot be read has no text; a wrong status tells more.
            whole.body = decoded.as_ref().map_or(&[], |body| body);
            malformed = decoded.err();
            whole.length = whole.body.len() as u64;
        }
        user.counts.add(Counter::ContentBytes, whole.length);
        user.state.status = whole.status;
        if is_refused(step, user, whole.status) {
            return Verdict::Renew;
        }
        // For right and wrong answers: rules are made for answers that report an error.
        user.ruled = self.program.rule(whole.body, &user.state, &mut self.scratch).or(user.ruled);
        let tree = Tree::default();
        if let Some((cause, said)) = self.find_fault(step, user, &whole, &tree, malformed) {
            return Verdict::Fail(cause, said);
        }
        let answer = Received::new(&whole, &user.browser.cookies, self.requests.origin(user.host), &tree);
        let taken = self.program.extract(step, user.host, &answer, &mut user.state, &mut self.scratch);
        self.shared.trace.iter().for_each(|trace| trace.extracted(step.extract.len(), taken.found));
        if let Some(name) = taken.missing {
            return Verdict::Fail(Cause::Extract, format!("`{name}` was not found in the answer"));
        }
        user.state.flags = (user.state.flags | step.set) & !step.unset;
        if step.keeps_answer {
            self.keep_answer(user, &whole);
        }
        if step.page {
            self.plan_references(user, whole.body, journey);
        }
        if journey.references.current().is_some() { Verdict::Fetch } else { Verdict::Done }
    }

    /// Does what a verdict says.
    pub(crate) fn follow(&mut self, user: &mut User, work: &mut Work, verdict: Verdict) {
        if let (Some(trace), Some(outcome)) = (&self.shared.trace, verdict.traced()) {
            trace.decided(self.program, user, outcome);
        }
        if matches!(verdict, Verdict::Redirect | Verdict::Wait(_) | Verdict::Fetch | Verdict::Renew) {
            self.go_on_promptly();
        }
        if user.file.is_some() {
            return self.follow_lane(user, work, verdict);
        }
        match verdict {
            Verdict::Redirect => self.issue(user, work),
            Verdict::Wait(wait) => self.put_off(user, wait),
            Verdict::Renew => self.renew(user, work),
            Verdict::Fetch => {
                if user.fetch == Fetch::Step {
                    user.step_answered = self.now;
                    user.setup.of_answer = user.setup.spent();
                }
                user.fetch = Fetch::Reference;
                user.method = Method::Get;
                user.redirects = 0;
                work.journey.location.clear();
                if self.fan_out(user, work) {
                    return;
                }
                if let Some((next, _)) = work.journey.references.current() {
                    user.host = next.host();
                }
                match &self.program.scenario_of(&user.state).pause {
                    Some(law) => {
                        let pause = micros(law.sample(&mut user.state.rng));
                        self.pause(user, pause);
                    }
                    None => self.issue(user, work),
                }
            }
            Verdict::Done => self.step_done(user, work),
            Verdict::Fail(cause, said) => self.fail(user, work, cause, &said),
        }
    }

    /// Turns to where an answer leads; false when that is on a host that the plan does not name.
    fn redirect(&mut self, user: &mut User, status: u16, journey: &mut Journey) -> bool {
        let [mut page, mut target] = std::mem::take(&mut self.paths);
        page.clear();
        match journey.references.current() {
            Some((_, path)) if user.fetch == Fetch::Reference && journey.location.is_empty() => {
                page.extend_from_slice(path);
            }
            _ => self.page_path(user, journey, &mut page),
        }
        let host = resolve(&journey.announced, &page, &self.program.places, user.host, &mut target);
        journey.announced.clear();
        let ours = !target.is_empty();
        if ours {
            journey.location.clear();
            journey.location.extend_from_slice(&target);
            user.redirects += 1;
            user.host = host;
            // Browsers turn all but GET and HEAD into GET at 301 and 302 too (RFC 9110 §15.4).
            if status <= 303 && user.method != Method::Head {
                user.method = Method::Get;
            }
        }
        self.paths = [page, target];
        ours
    }

    /// `malformed`: what is wrong with the coding of the body.
    fn find_fault(
        &mut self,
        step: &CompiledStep,
        user: &User,
        whole: &Whole<'_>,
        tree: &Tree,
        malformed: Option<&str>,
    ) -> Option<(Cause, String)> {
        if !step.expect.status.contains(&whole.status) {
            let expected: Vec<String> = step.expect.status.iter().map(u16::to_string).collect();
            return Some((
                Cause::Status,
                format!("status {}, expected {}", whole.status, expected.join(" or ")),
            ));
        }
        if let Some(said) = malformed {
            return Some((Cause::Marker, said.into()));
        }
        let answer = Received::new(whole, &user.browser.cookies, self.requests.origin(user.host), tree);
        let fault = step.expect.find_fault(&answer, whole.length, &user.state, &mut self.scratch);
        fault.map(|said| (Cause::Marker, said)).or_else(|| self.is_slow(step, user))
    }

    /// A right answer that took longer than its step may.
    pub(crate) fn is_slow(&self, step: &CompiledStep, user: &User) -> Option<(Cause, String)> {
        let (within, took) = (step.expect.within_us?, self.now - user.step_began);
        let seconds = |us: u64| us as f64 / 1e6;
        (took > within).then(|| {
            (
                Cause::Slow,
                format!("answered after {:.3} s, expected within {} s", seconds(took), seconds(within)),
            )
        })
    }
}

/// Whether a step is refused for what other steps can renew, and were not yet asked to.
fn is_refused(step: &CompiledStep, user: &User, status: u16) -> bool {
    status == UNAUTHORIZED
        && step.renewal.is_some()
        && user.renewal == Renewal::None
        && !step.expect.status.contains(&status)
}

/// Whether browsers take an answer for a style sheet: one of another type they do not look at.
fn is_css(headers: &Headers<'_>) -> bool {
    let Some(kind) = headers.get_bytes("content-type") else { return true };
    kind.get(..8).is_some_and(|kind| kind.eq_ignore_ascii_case(b"text/css"))
}

fn judge_reference(user: &mut User, whole: &Whole<'_>, journey: &mut Journey) -> Verdict {
    let Some((reference, _)) = journey.references.current() else { return Verdict::Done };
    match whole.status {
        200 if reference.cached => user.counts.add(Counter::CachedFull, 1),
        200 => {
            user.counts.add(Counter::Images, 1);
            user.counts.add(Counter::ImageBytes, whole.length);
        }
        304 if reference.cached && user.browser.warm => user.counts.add(Counter::Cached304, 1),
        status => return Verdict::Fail(Cause::Status, format!("status {status}, expected 200")),
    }
    if !user.browser.has_seen(reference.address) {
        user.browser.saw(reference.address);
    }
    journey.references.advance();
    if journey.references.current().is_some() { Verdict::Fetch } else { Verdict::Done }
}
