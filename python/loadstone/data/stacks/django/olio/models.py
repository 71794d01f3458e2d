"""The tables, which the loader makes and all stacks share. Times are minutes and days since 1970-01-01.

The database itself deletes what hangs on a deleted row, so Django does nothing about it.
"""

from __future__ import annotations

from django.db import models
from django.db.models import DO_NOTHING, BigIntegerField, CompositePrimaryKey, ForeignKey, TextField


class Meta(models.Model):
    """What the data set says about itself."""

    name = TextField(primary_key=True)
    value = TextField()

    class Meta:
        """The table."""

        managed = False
        db_table = "meta"


class Address(models.Model):
    """An address; coordinates are decimals as text."""

    street1 = TextField()
    street2 = TextField(null=True)
    city = TextField()
    state = TextField()
    zip = TextField()
    country = TextField()
    latitude = TextField()
    longitude = TextField()

    class Meta:
        """The table."""

        managed = False
        db_table = "address"


class User(models.Model):
    """A person."""

    username = TextField(unique=True)
    password = TextField()
    firstname = TextField()
    lastname = TextField()
    email = TextField()
    telephone = TextField()
    timezone = TextField()
    summary = TextField()
    address = ForeignKey(Address, DO_NOTHING)
    has_image = BigIntegerField()
    created_at = BigIntegerField()
    updated_at = BigIntegerField()

    class Meta:
        """The table."""

        managed = False
        db_table = "user"


class Event(models.Model):
    """An event."""

    title = TextField()
    summary = TextField()
    description = TextField()
    telephone = TextField()
    timezone = TextField()
    user = ForeignKey(User, DO_NOTHING)
    address = ForeignKey(Address, DO_NOTHING)
    has_image = BigIntegerField()
    has_document = BigIntegerField()
    event_timestamp = BigIntegerField()
    event_date = BigIntegerField()
    created_at = BigIntegerField()
    total_score = BigIntegerField(default=0)
    num_votes = BigIntegerField(default=0)
    disabled = BigIntegerField(default=0)

    class Meta:
        """The table."""

        managed = False
        db_table = "event"


class Tag(models.Model):
    """A tag; `refcount` says how many events carry it."""

    name = TextField(unique=True)
    refcount = BigIntegerField()

    class Meta:
        """The table."""

        managed = False
        db_table = "tag"


class EventTag(models.Model):
    """A tag of an event."""

    pk = CompositePrimaryKey("event_id", "tag_id")
    event = ForeignKey(Event, DO_NOTHING)
    tag = ForeignKey(Tag, DO_NOTHING)

    class Meta:
        """The table."""

        managed = False
        db_table = "event_tag"


class Attendance(models.Model):
    """Somebody attends an event."""

    pk = CompositePrimaryKey("event_id", "user_id")
    event = ForeignKey(Event, DO_NOTHING)
    user = ForeignKey(User, DO_NOTHING)

    class Meta:
        """The table."""

        managed = False
        db_table = "attendance"


class Comment(models.Model):
    """A comment with its stars."""

    event = ForeignKey(Event, DO_NOTHING)
    user = ForeignKey(User, DO_NOTHING)
    comment = TextField()
    rating = BigIntegerField()
    created_at = BigIntegerField()
    updated_at = BigIntegerField()

    class Meta:
        """The table."""

        managed = False
        db_table = "comment"


class Friendship(models.Model):
    """`user` has asked `friend`; accepted, they are friends both ways."""

    pk = CompositePrimaryKey("user_id", "friend_id")
    user = ForeignKey(User, DO_NOTHING, related_name="asked")
    friend = ForeignKey(User, DO_NOTHING, related_name="asked_by")
    accepted = BigIntegerField()

    class Meta:
        """The table."""

        managed = False
        db_table = "friendship"


class Session(models.Model):
    """A log-in. `next_events` holds ids between commas; times are seconds since 1970 by the wall clock."""

    id = TextField(primary_key=True)
    user = ForeignKey(User, DO_NOTHING)
    requests = BigIntegerField()
    next_events = TextField()
    created_s = BigIntegerField()
    expires_s = BigIntegerField()

    class Meta:
        """The table."""

        managed = False
        db_table = "session"


class Upload(models.Model):
    """An uploaded file; without bytes it was taken away. `stamp` grows with every change of any of them."""

    name = TextField(primary_key=True)
    stamp = BigIntegerField(unique=True)
    bytes = models.BinaryField(null=True)

    class Meta:
        """The table."""

        managed = False
        db_table = "upload"
