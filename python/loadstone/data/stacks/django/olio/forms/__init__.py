"""The forms of the site, as Django's forms with fields of our own."""

from olio.forms.comment import CommentForm
from olio.forms.event import EventForm
from olio.forms.person import PersonForm

__all__ = ["CommentForm", "EventForm", "PersonForm"]
