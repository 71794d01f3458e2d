"""Who sent a request: session, token, and who is logged in."""

from __future__ import annotations

import hmac
import re
import secrets
from functools import cached_property

from django.http import HttpRequest

from olio.data import sessions
from olio.facts import facts
from olio.messages import MESSAGES, Message

SESSION = "ls"
"""Name of the session's cookie."""
NOTICE = "notice"
"""Name of the cookie that carries a message to the next page."""

_SESSION_ID = re.compile("[0-9a-f]{32}")


def fresh_session() -> str:
    """A session id that nobody can know."""
    return secrets.token_hex(16)


def token_of(session: str) -> str:
    """The token of a session's forms: another site can neither read the cookie nor compute it."""
    return hmac.new(facts().key, session.encode(), "sha256").hexdigest()


class Visit:
    """One request's sender."""

    def __init__(self, request: HttpRequest) -> None:
        """Reads the cookies; nobody is looked up yet."""
        known = request.COOKIES.get(SESSION, "")
        self.is_fresh = not _SESSION_ID.fullmatch(known)
        self.session = fresh_session() if self.is_fresh else known
        self.token = token_of(self.session)
        accepted = request.headers.get("Accept", "").split(",")
        self.wants_fragment = any(kind.strip().lower() == "text/javascript" for kind in accepted)
        self.notice_code = request.COOKIES.get(NOTICE, "")

    @property
    def notice(self) -> Message | None:
        """The message that the last action left for this page."""
        return MESSAGES.get(self.notice_code)

    @cached_property
    def viewer(self) -> sessions.Viewer | None:
        """Who is logged in; asks the database once."""
        return None if self.is_fresh else sessions.viewer(self.session)

    @property
    def viewer_id(self) -> int:
        """The viewer's id; 0 for nobody."""
        return self.viewer.id if self.viewer else 0

    def has_token(self, request: HttpRequest) -> bool:
        """Whether the form carries this session's token, as a field or (scripts) as a header field."""
        sent = request.params.get("authenticity_token") or request.headers.get("X-CSRF-Token", "")
        return not self.is_fresh and hmac.compare_digest(sent.encode(), self.token.encode())
