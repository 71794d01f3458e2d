"""Which request means what."""

from __future__ import annotations

from django.urls import path, register_converter

from olio.routing import Id, on
from olio.views import comments, events, friends, home, people, session

register_converter(Id, "id")

handler400 = "olio.views.errors.bad_request"
handler403 = "olio.views.errors.forbidden"
handler404 = "olio.views.errors.not_found"
handler500 = "olio.views.errors.broken"

urlpatterns = [
    path("", on(get=home.home)),
    path("events", on(post=events.create)),
    path("events/tag_search", on(get=home.tagged)),
    path("events/tagged", on(get=home.tagged)),
    path("events/new", on(get=events.new)),
    path("events/rss", on(get=home.feed)),
    path("events/update_calendar", on(get=home.calendar)),
    path("events/<id:event>", on(get=events.show, put=events.update, delete=events.delete)),
    path("events/<id:event>/edit", on(get=events.edit)),
    path("events/<id:event>/attend", on(post=events.attend)),
    path("events/<id:event>/unattend", on(post=events.unattend)),
    path("events/<id:event>/tag", on(put=events.add_tags, post=events.add_tags)),
    path("events/<id:event>/comments", on(post=comments.create)),
    path("events/<id:event>/comments/<id:comment>", on(put=comments.update, delete=comments.delete)),
    path("events/<id:event>/comments/<id:comment>/edit", on(get=comments.edit)),
    path("users", on(get=people.search, post=people.create)),
    path("users/login", on(get=session.form, post=session.login)),
    path("users/logout", on(get=session.logout)),
    path("users/search", on(get=people.search)),
    path("users/new", on(get=people.new)),
    path("users/check_name", on(post=people.check_name)),
    path("users/<id:person>", on(get=people.show, put=people.update, delete=people.delete)),
    path("users/<id:person>/edit", on(get=people.edit)),
    path("users/<id:person>/posted_events", on(get=people.posted)),
    path("users/<id:person>/upcoming_events", on(get=people.upcoming)),
    path("users/<id:person>/requests", on(get=friends.requests)),
    path("users/<id:person>/friends", on(get=friends.listing, post=friends.ask)),
    path("users/<id:person>/friends/<id:friend>", on(put=friends.approve, delete=friends.end)),
    path("geocoder/geocode", on(get=home.geocode)),
]
