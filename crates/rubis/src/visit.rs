//! One request with what is known about its sender.

use alloc::format;
use alloc::string::String;

use loadstone_http::{Request, Response, SetCookie};
use loadstone_web::params::Params;
use loadstone_web::{password, token};

use crate::data::{ended, users};
use crate::failure::Failure;
use crate::model::Viewer;
use crate::site::Site;

/// Name of the session's cookie.
const SESSION: &str = "rs";
/// Name of the cookie that says who is logged in: `ID.NICKNAME.EXPIRY.PROOF`.
const WHO: &str = "who";
/// How long somebody stays logged in: a day.
const LIFE_S: u64 = 24 * 3600;

/// Name of the cookie that proves that a browser has been logged in under a name, and for how long: a year.
const KNOWN: &str = "known";
const KNOWN_S: i64 = 365 * 24 * 3600;

/// Who somebody turned out to be.
pub(crate) enum Who {
    Is(Viewer),
    /// Nickname and password do not belong together, or nobody is logged in.
    Nobody,
    /// The password was not looked at; the seconds after which it may be.
    TooManyTries(u64),
}

/// A request and its sender.
pub(crate) struct Visit<'r> {
    request: &'r Request<'r>,
    pub params: Params<'r>,
    /// The session id: the cookie's, or a fresh one.
    session: String,
    /// Whether the browser does not know the session id yet.
    is_fresh: bool,
    /// Token of this session's forms.
    pub token: String,
    /// Who is logged in.
    pub viewer: Option<Viewer>,
    /// What the browser is to remember of a log-in that has just happened.
    who: Option<String>,
    /// The proof that it has been logged in under this name.
    known: Option<String>,
}

impl<'r> Visit<'r> {
    /// Reads the request.
    pub(crate) fn new(site: &Site, request: &'r Request<'r>) -> Result<Self, Failure> {
        let mut visit = Self { params: Params::read(request)?, ..Self::unread(site, request) };
        visit.confirm(site)?;
        Ok(visit)
    }

    /// A visit without parameters, for the page about a request that failed: it must not fail in turn.
    pub(crate) fn failed(site: &Site, request: &'r Request<'r>) -> Self {
        let mut visit = Self::unread(site, request);
        if visit.confirm(site).is_err() {
            visit.viewer = None;
        }
        visit
    }

    fn unread(site: &Site, request: &'r Request<'r>) -> Self {
        let known = request.cookie(SESSION).filter(|id| token::is_id(id));
        let session = known.map_or_else(|| site.fresh_session(), String::from);
        let viewer =
            request.cookie(WHO).filter(|_| known.is_some()).and_then(|who| read(site, &session, who));
        let token = site.key.token(&session);
        let (params, is_fresh) = (Params::default(), known.is_none());
        Self { request, params, session, is_fresh, token, viewer, who: None, known: None }
    }

    /// Sees whether the session has ended before its time. A benchmark's sites do not look: no page of theirs
    /// pays for it.
    fn confirm(&mut self, site: &Site) -> Result<(), Failure> {
        let looks = self.viewer.is_some() && site.options.rules.are_public();
        if looks && ended::has(&site.db, &ended_proof(site, &self.session))? {
            self.viewer = None;
        }
        Ok(())
    }

    /// Whether the form carries this session's token.
    pub(crate) fn has_token(&self) -> bool {
        !self.is_fresh && token::same(self.params.get("authenticity_token"), &self.token)
    }

    /// Who the form says they are, by nickname and password, or who is logged in when it says nothing.
    pub(crate) fn identify(&mut self, site: &Site) -> Result<Who, Failure> {
        let nickname = self.params.get("nickname");
        if nickname.is_empty() {
            return Ok(self.viewer.clone().map_or(Who::Nobody, Who::Is));
        }
        let mut attempt = None;
        if let Some(attempts) = &site.attempts {
            match attempts.begin(nickname, self.request.cookie(KNOWN), site.host.now_s()) {
                Ok(counted) => attempt = Some((attempts, counted)),
                Err(wait_s) => return Ok(Who::TooManyTries(wait_s)),
            }
        }
        let found = users::credentials(&site.db, nickname)?;
        let stored = found.as_ref().map(|(_, stored)| stored.as_str());
        let is_right = password::check(site.options.passwords(), stored, self.params.raw("password"));
        let Some((id, _)) = found.filter(|_| is_right) else { return Ok(Who::Nobody) };
        if let Some((attempts, attempt)) = attempt {
            attempts.succeeded(&attempt);
            self.known = Some(attempts.proof(nickname));
        }
        let viewer = Viewer { id, nickname: String::from(nickname) };
        self.log_in(site, viewer.clone());
        Ok(Who::Is(viewer))
    }

    /// Begins a session under an id that nobody could have known before.
    pub(crate) fn log_in(&mut self, site: &Site, viewer: Viewer) {
        self.session = site.fresh_session();
        self.is_fresh = true;
        self.token = site.key.token(&self.session);
        let claim = format!("{}.{}.{}", viewer.id, viewer.nickname, site.host.now_s() + LIFE_S);
        self.who = Some(format!("{claim}.{}", proof(site, &self.session, &claim)));
        self.viewer = Some(viewer);
    }

    /// Nobody is logged in any more, and the session's forms are void. Where the rules are those for people,
    /// it ends for every copy of its cookies.
    pub(crate) fn log_out(&mut self, site: &Site) -> Result<(), Failure> {
        if self.viewer.is_some() && site.options.rules.are_public() {
            let now_s = site.host.now_s();
            let (until_s, now_s) = ((now_s + LIFE_S) as i64, now_s as i64);
            ended::add(&site.db, &ended_proof(site, &self.session), until_s, now_s)?;
        }
        self.session = site.fresh_session();
        self.is_fresh = true;
        self.token = site.key.token(&self.session);
        self.who = Some(String::new());
        self.viewer = None;
        Ok(())
    }

    /// Writes the cookies that have changed.
    pub(crate) fn cookies(&self, site: &Site, response: &mut Response) {
        let origin = &site.options.origin;
        if self.is_fresh {
            response.set_cookie(&origin.cookie(SESSION, &self.session));
        }
        if let Some(known) = &self.known {
            response.set_cookie(&SetCookie { max_age_s: Some(KNOWN_S), ..origin.cookie(KNOWN, known) });
        }
        if let Some(who) = &self.who {
            let gone = who.is_empty().then_some(0);
            response.set_cookie(&SetCookie {
                max_age_s: gone.or(Some(LIFE_S as i64)),
                ..origin.cookie(WHO, who)
            });
        }
    }
}

/// The proof that this site has made a claim, for this session. Tokens of forms prove session ids, which have
/// no colon.
fn proof(site: &Site, session: &str, claim: &str) -> String {
    site.key.token(&format!("{session}:{claim}"))
}

/// What stands for a session among those that have ended: whoever reads the table learns no session's id.
fn ended_proof(site: &Site, session: &str) -> String {
    site.key.token(&format!("ended:{session}"))
}

/// Who a cookie proves to be logged in.
fn read(site: &Site, session: &str, who: &str) -> Option<Viewer> {
    let (claim, given) = who.rsplit_once('.')?;
    if !token::same(given, &proof(site, session, claim)) {
        return None;
    }
    let mut parts = claim.split('.');
    let (id, nickname, expiry) = (parts.next()?, parts.next()?, parts.next()?);
    let is_over = expiry.parse::<u64>().ok()? <= site.host.now_s();
    (!is_over).then_some(Viewer { id: id.parse().ok()?, nickname: nickname.into() })
}
