"""Dates, passwords, sizes of tags, places on the map, keys."""

from datetime import date
from unittest import TestCase

from olio import caches, dates, passwords
from olio.data import tags
from olio.templatetags.olio import day, east, moment, south, stars

SHA256_ABC = (
    "sha256$30313233343536373839616263646566$a99ba6d991ba28d0cd9a4f738a02020ce790e022a677a948e63d466fd4cc1164"
)


class Dates(TestCase):
    """Days and months."""

    def test_times_are_shown(self) -> None:
        """0 and 12 o'clock are both called 12."""
        self.assertEqual(moment(14190 * 1440 + 915), "03:15 PM - Friday 11/07/2008")
        self.assertEqual((moment(0)[:8], moment(720)[:8]), ("12:00 AM", "12:00 PM"))
        self.assertEqual(day(-1), "12/31/1969")
        self.assertEqual(dates.show_rfc822(date(2008, 10, 22)), "Wed, 22 Oct 2008 00:00:00 GMT")

    def test_days_have_one_spelling(self) -> None:
        """Python knows more of them."""
        self.assertEqual(dates.parse("2008-02-29"), date(2008, 2, 29))
        for text in ("2008-02-30", "20080229", "2008-W09-5", "2008-2-29", ""):
            self.assertIsNone(dates.parse(text))

    def test_the_calendar_ends(self) -> None:
        """Before the first month and after the last there is none."""
        first, last = dates.Month(1, 1), dates.Month(9999, 12)
        self.assertEqual((first.before, last.after), (None, None))
        self.assertEqual((first.weeks[0][1], last.weeks[-1][5]), (date(1, 1, 1), date(9999, 12, 31)))


class Parts(TestCase):
    """Everything else."""

    def test_only_the_password_matches(self) -> None:
        """Unknown forms match nothing."""
        self.assertTrue(passwords.matches(SHA256_ABC, "abc"))
        self.assertTrue(passwords.matches(passwords.hashed("é"), "é"))
        for stored in (SHA256_ABC[:-1], "", "plain", "md5$a$b", "pbkdf2$0$aa$bb", "pbkdf2$x$aa$bb"):
            self.assertFalse(passwords.matches(stored, "abc"), stored)

    def test_tags_have_100_to_250_percent_rounded_up(self) -> None:
        """100 when all are equal."""
        found = tags.sized([{"refcount": count} for count in (97, 98, 120)])
        self.assertEqual([tag["percent"] for tag in found], [100, 107, 250])
        self.assertEqual(tags.sized([{"refcount": 5}])[0]["percent"], 100)

    def test_degrees_fall_on_the_plate(self) -> None:
        """Whatever is stored."""
        self.assertEqual((east("0.5"), east("-179.999999"), east("9999")), (180, 1, 360))
        self.assertEqual((south("66.560556"), south("-33.0000000000"), south("junk")), (24, 123, 90))
        self.assertEqual((stars(0), stars(3)), ("☆☆☆☆☆", "★★★☆☆"))

    def test_keys_suit_memcached(self) -> None:
        """Whatever was searched for."""
        key = caches.short_key("tag:" + "é " * 30, "rows", 1)
        self.assertTrue(len(key) < 250 and key.isascii() and " " not in key)
