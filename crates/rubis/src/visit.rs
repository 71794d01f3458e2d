//! One request with what is known about its sender.

use alloc::format;
use alloc::string::String;

use loadstone_http::{Request, Response, SetCookie};
use loadstone_web::params::Params;
use loadstone_web::{password, token};

use crate::data::users;
use crate::failure::Failure;
use crate::model::Viewer;
use crate::site::Site;

/// Name of the session's cookie.
const SESSION: &str = "rs";
/// Name of the cookie that says who is logged in: `ID.NICKNAME.EXPIRY.PROOF`.
const WHO: &str = "who";
/// How long somebody stays logged in: a day.
const LIFE_S: u64 = 24 * 3600;

/// A request and its sender.
pub(crate) struct Visit<'r> {
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
}

impl<'r> Visit<'r> {
    /// Reads the request.
    pub(crate) fn new(site: &Site, request: &'r Request<'r>) -> Result<Self, Failure> {
        Ok(Self { params: Params::read(request)?, ..Self::unread(site, request) })
    }

    /// A visit without parameters, for the page about a request that could not be read.
    pub(crate) fn unread(site: &Site, request: &'r Request<'r>) -> Self {
        let known = request.cookie(SESSION).filter(|id| token::is_id(id));
        let session = known.map_or_else(|| site.fresh_session(), String::from);
        let viewer =
            request.cookie(WHO).filter(|_| known.is_some()).and_then(|who| read(site, &session, who));
        let token = site.key.token(&session);
        let (params, is_fresh) = (Params::default(), known.is_none());
        Self { params, session, is_fresh, token, viewer, who: None }
    }

    /// Whether the form carries this session's token.
    pub(crate) fn has_token(&self) -> bool {
        !self.is_fresh && token::same(self.params.get("authenticity_token"), &self.token)
    }

    /// Who the form says they are, by nickname and password, or who is logged in when it says nothing. None when they
    /// do not belong together, or nobody is logged in.
    pub(crate) fn identify(&mut self, site: &Site) -> Result<Option<Viewer>, Failure> {
        let nickname = self.params.get("nickname");
        if nickname.is_empty() {
            return Ok(self.viewer.clone());
        }
        let password = self.params.raw("password");
        let found = users::credentials(&site.db, nickname)?;
        if found.is_none() {
            // As much work as for a known name, so that the time does not tell whether a name exists.
            let salt = &[0; password::SALT_BYTES];
            core::hint::black_box(password::hash(site.options.passwords, password, salt));
        }
        let Some((id, _)) = found.filter(|(_, stored)| password::verify(stored, password)) else {
            return Ok(None);
        };
        self.log_in(site, Viewer { id, nickname: String::from(nickname) });
        Ok(self.viewer.clone())
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

    /// Nobody is logged in any more, and the session's forms are void.
    pub(crate) fn log_out(&mut self, site: &Site) {
        self.session = site.fresh_session();
        self.is_fresh = true;
        self.token = site.key.token(&self.session);
        self.who = Some(String::new());
        self.viewer = None;
    }

    /// Writes the cookies that have changed.
    pub(crate) fn cookies(&self, response: &mut Response) {
        let cookie = |name, value| SetCookie { http_only: true, ..SetCookie::new(name, value) };
        if self.is_fresh {
            response.set_cookie(&cookie(SESSION, &self.session));
        }
        if let Some(who) = &self.who {
            let gone = who.is_empty().then_some(0);
            response.set_cookie(&SetCookie { max_age_s: gone.or(Some(LIFE_S as i64)), ..cookie(WHO, who) });
        }
    }
}

/// The proof that this site has made a claim, for this session. Tokens of forms prove session ids, which have no colon.
fn proof(site: &Site, session: &str, claim: &str) -> String {
    site.key.token(&format!("{session}:{claim}"))
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
