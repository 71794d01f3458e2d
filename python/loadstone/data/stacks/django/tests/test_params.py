"""What a request carries."""

from unittest import TestCase

from django.core.exceptions import BadRequest
from django.test import RequestFactory
from olio.params import Params, short, whole


def params(path: str = "/", body: bytes = b"", kind: str = "application/x-www-form-urlencoded") -> Params:
    """The parameters of a POST."""
    request = RequestFactory().generic("POST", path, body, kind)
    request.body_length = len(body)
    return Params(request)


class Parameters(TestCase):
    """Names, values, bounds."""

    def test_names_lose_their_wrapping_and_bodies_win_over_queries(self) -> None:
        """`user[name]` is `name`."""
        found = params("/x?user%5Bname%5D=query&page=7", b"name=+body%0D%0A&_method=PUT")
        self.assertEqual((found.get("name"), found.raw("name")), ("body", " body\n"))
        self.assertEqual((found.page, found.method("POST"), found.method("GET")), (7, "PUT", "GET"))
        self.assertEqual(short("event[event_timestamp(1i)]"), "event_timestamp(1i)")

    def test_multipart_forms_are_read_for_every_method(self) -> None:
        """Empty files do not count."""
        body = b"".join(
            b'--B\r\nContent-Disposition: form-data; name="%b"%b\r\n\r\n%b\r\n' % part
            for part in (
                (b"a", b'; filename=""', b""),
                (b"b", b'; filename="x"', b"xyz"),
                (b"user[c]", b"", b"q\x01r"),
            )
        )
        found = params(body=body + b"--B--\r\n", kind="multipart/form-data; boundary=B")
        self.assertEqual((list(found.files), found.get("c")), (["b"], "qr"))

    def test_what_cannot_be_read_is_refused(self) -> None:
        """NUL, too long, too many."""
        for query in ("a=%00", "a=" + "x" * 16385, "&".join(["a=1"] * 257)):
            with self.assertRaises(BadRequest):
                params(f"/?{query}")

    def test_numbers_are_plain_digits(self) -> None:
        """Nothing that could be read in two ways."""
        self.assertEqual([whole(text) for text in ("0", "007")], [0, 7])
        for text in ("", "+1", "-1", "1.0", "1_000", "٣", "9" * 20):
            self.assertIsNone(whole(text), text)
