"""What `start` is told."""

from unittest import TestCase

from olio.environment import Wrong, read

from . import SETTINGS


class Environment(TestCase):
    """Variables."""

    def test_urls_are_decoded(self) -> None:
        """Users and passwords are percent-encoded."""
        database = read(SETTINGS | {"OLIO_DATABASE": "mysql://o%40:p%2Fw@db:3307/olio"}).database
        self.assertEqual(database["ENGINE"], "django.db.backends.mysql")
        found = [database[name] for name in ("USER", "PASSWORD", "HOST", "PORT", "NAME")]
        self.assertEqual(found, ["o@", "p/w", "db", "3307", "olio"])

    def test_copies_are_urls_like_the_databases(self) -> None:
        """As many as there are; none by default."""
        urls = "mysql://o@a/olio,mysql://o@b:3307/olio"
        found = read(SETTINGS | {"OLIO_DATABASE": "mysql://o@db/olio", "OLIO_READ_DATABASES": urls})
        self.assertEqual([copy["HOST"] for copy in found.read_databases], ["a", "b"])
        self.assertEqual(read(SETTINGS).read_databases, ())

    def test_levels_include_each_other(self) -> None:
        """`action` keeps parts of pages, and no whole pages."""
        environment = read(SETTINGS | {"OLIO_CACHE": "action"})
        self.assertEqual(
            [environment.keeps(level) for level in ("query", "action", "page")], [True, True, False]
        )

    def test_what_is_wrong_is_named(self) -> None:
        """Each refusal names its variable."""
        for name, value in (
            ("OLIO_DATABASE", ""),
            ("OLIO_DATABASE", "oracle://a/b"),
            ("OLIO_DATABASE", "postgres://host:x/name"),
            ("OLIO_DATABASE", "postgres:///name"),
            ("OLIO_READ_DATABASES", "mysql://o@copy/olio,nothing"),
            ("OLIO_READ_DATABASES", "mysql://o@copy/olio"),
            ("OLIO_FILES", "/nowhere"),
            ("OLIO_STATE", "/nowhere"),
            ("OLIO_PORT", "70000"),
            ("OLIO_WORKERS", "0"),
            ("OLIO_CACHE", "all"),
            ("OLIO_CACHE_STORE", "memcached://host"),
            ("OLIO_PUBLIC_URL", "olio.example"),
            ("OLIO_PUBLIC_URL", "https://olio.example/below"),
        ):
            with self.subTest(name=name, value=value), self.assertRaisesRegex(Wrong, name):
                read(SETTINGS | {name: value})
