"""Questions to the database that the pages of one data set do not tell apart."""

import time
from unittest import TestCase

from django.db import connection
from olio import models
from olio.data import friends, sessions
from olio.data.friends import Relation
from olio.models import Address, Friendship, Session, User

from . import FOLDER

TABLES = (models.Address, models.User, models.Friendship, models.Session)


def setUpModule() -> None:
    """Makes the tables, of which the loader's have more."""
    (FOLDER / "olio.db").touch()
    with connection.schema_editor() as editor:
        for table in TABLES:
            editor.create_model(table)
    home = Address.objects.create(
        street1="", city="", state="", zip="", country="", latitude="", longitude=""
    )
    texts = dict.fromkeys(
        ("password", "firstname", "lastname", "email", "telephone", "timezone", "summary"), ""
    )
    for person in range(1, 6):
        User.objects.create(
            id=person, username=f"p{person}", address=home, has_image=0, created_at=0, updated_at=0, **texts
        )


def tearDownModule() -> None:
    """Takes the database away."""
    connection.close()
    (FOLDER / "olio.db").unlink()


class Friends(TestCase):
    """Requests, answered and not, both ways."""

    def setUp(self) -> None:
        """2 and 3 ask 1, who has asked 3 and been accepted; 1 asks 4, and 5 as well as 5 asks 1."""
        Friendship.objects.all().delete()
        for user, friend, accepted in ((2, 1, 0), (3, 1, 0), (1, 3, 1), (1, 4, 0), (1, 5, 0), (5, 1, 0)):
            Friendship.objects.create(user_id=user, friend_id=friend, accepted=accepted)

    def test_requests_of_friends_do_not_wait(self) -> None:
        """Nor do own ones to people who have asked as well."""
        self.assertEqual([person["id"] for person in friends.incoming(1)], [2, 5])
        self.assertEqual([person["id"] for person in friends.outgoing(1)], [4])

    def test_a_session_counts_what_waits(self) -> None:
        """As the page of requests does; an ended session is nobody's."""
        now = int(time.time())
        for name, end in (("living", now + 60), ("ended", now - 1)):
            Session.objects.create(id=name, user_id=1, requests=0, next_events="", created_s=0, expires_s=end)
        viewer = sessions.viewer("living")
        assert viewer
        self.assertEqual((viewer.id, viewer.username, viewer.requests, viewer.upcoming), (1, "p1", 2, []))
        self.assertIsNone(sessions.viewer("ended"))

    def test_who_has_been_asked_and_asks_becomes_a_friend(self) -> None:
        """And ends it for both."""
        self.assertIs(friends.relation(1, 2), Relation.ASKED_BY)
        self.assertIs(friends.request(1, 2), Relation.FRIENDS)
        self.assertEqual([person["id"] for person in friends.first(1, 9)], [2, 3])
        self.assertEqual(friends.listing(2, 1).items, [{"id": 1, "username": "p1"}])
        self.assertTrue(friends.remove(2, 1))
        self.assertIs(friends.relation(1, 2), Relation.NONE)
        self.assertFalse(friends.approve(1, 2) or friends.reject(1, 2) or friends.remove(1, 2))
