//! One request with what is known about its sender.

use alloc::string::String;

use loadstone_http::Request;
use loadstone_web::params::Params;
use loadstone_web::token;

use crate::data::sessions;
use crate::failure::Failure;
use crate::message::Message;
use crate::model::Viewer;
use crate::site::{Site, fresh_session};

/// Name of the session's cookie.
pub(crate) const SESSION: &str = "ls";
/// Name of the cookie that proves that a browser has been logged in under a name.
pub(crate) const KNOWN: &str = "known";
/// Name of the cookie that carries a message to the next page.
pub(crate) const NOTICE: &str = "notice";

/// A request and its sender.
pub(crate) struct Visit<'r> {
    pub request: &'r Request<'r>,
    pub params: Params<'r>,
    /// The session id: the cookie's, or a fresh one.
    pub session: String,
    /// Whether the browser does not know the session id yet.
    pub is_fresh: bool,
    /// Token of this session's forms.
    pub token: String,
    /// Who is logged in.
    pub viewer: Option<Viewer>,
    /// The message that the last action left for this page.
    pub notice: Option<Message>,
    /// Whether the sender wants the changed part of the page only.
    pub wants_fragment: bool,
}

impl<'r> Visit<'r> {
    /// Reads the request; the viewer is not looked up yet.
    pub(crate) fn new(site: &Site, request: &'r Request<'r>) -> Result<Self, Failure> {
        let params = Params::read(request)?;
        Ok(Self {
            params,
            notice: request.cookie(NOTICE).and_then(Message::parse),
            ..Self::unread(site, request)
        })
    }

    /// A visit without parameters, for the page about a request that could not be read.
    pub(crate) fn unread(site: &Site, request: &'r Request<'r>) -> Self {
        let known = request.cookie(SESSION).filter(|id| token::is_id(id));
        let session = known.map_or_else(|| fresh_session(&*site.host), String::from);
        Self {
            request,
            params: Params::default(),
            token: site.key.token(&session),
            session,
            is_fresh: known.is_none(),
            viewer: None,
            notice: None,
            wants_fragment: request.headers.lists("accept", "text/javascript"),
        }
    }

    /// Finds out who is logged in. A browser that has no session yet is nobody.
    pub(crate) fn find_viewer(&mut self, site: &Site) -> Result<(), Failure> {
        if !self.is_fresh {
            self.viewer = sessions::viewer(&site.db, &self.session, site.host.now_s(), site.today)?;
        }
        Ok(())
    }

    /// Whether the form carries this session's token, as a field or (scripts) as a header field.
    pub(crate) fn has_token(&self) -> bool {
        let field = self.params.get("authenticity_token");
        let sent = if field.is_empty() { self.request.header("x-csrf-token").unwrap_or("") } else { field };
        !self.is_fresh && token::same(sent, &self.token)
    }

    /// The viewer of an action that needs one.
    pub(crate) fn needs_viewer(&self) -> Result<&Viewer, Failure> {
        self.viewer.as_ref().ok_or(Failure::LoginNeeded)
    }

    /// The viewer's id, for what only marks their own things.
    pub(crate) fn viewer_id(&self) -> Option<i64> {
        self.viewer.as_ref().map(|viewer| viewer.id)
    }
}
