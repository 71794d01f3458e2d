"""What forms take and what they say."""

from unittest import TestCase
from unittest.mock import patch

from django.core.files.uploadedfile import SimpleUploadedFile
from olio.forms import CommentForm, EventForm, PersonForm
from olio.forms.fields import tags_of
from olio.forms.person import is_username
from olio.params import Short

EVENT = {
    "title": " T ",
    "description": "d",
    "telephone": "001-555-1234",
    "tag_list": "b, a b",
    "street1": "1 Main St",
    "city": "Ærø",
    "zip": "94704",
    "country": "USA",
} | {f"event_timestamp({n}i)": value for n, value in enumerate(("2008", "11", "7", "19", "30"), 1)}


class Forms(TestCase):
    """Rules of fields."""

    def test_an_event_is_read(self) -> None:
        """Texts are trimmed, tags are a sorted set, times are minutes."""
        form = EventForm(Short(EVENT), {})
        self.assertTrue(form.is_valid(), form.errors)
        found = form.cleaned_data
        self.assertEqual((found["title"], found["timezone"], found["tag_list"]), ("T", "UTC", ["a", "b"]))
        self.assertEqual(found["event_timestamp"], 14190 * 1440 + 19 * 60 + 30)
        self.assertEqual((found["address"]["city"], found["has_image"]), ("Ærø", False))

    def test_each_field_complains_once(self) -> None:
        """The first complaint is the one that is shown."""
        wrong = EVENT | {"title": "x" * 101, "telephone": "a" * 21, "event_timestamp(3i)": "31"}
        errors = EventForm(Short(wrong | {"zip": " "}), {}).errors
        self.assertEqual(errors["title"][0], "At most 100 characters, please.")
        self.assertEqual(errors["telephone"][0], "At most 20 characters, please.")
        self.assertEqual(errors["event_timestamp"], ["There is no such day and time."])
        self.assertEqual(errors["zip"], ["Please fill this in."])

    def test_wrong_times_come_back_within_their_ranges(self) -> None:
        """As far as they are numbers."""
        entered = EVENT | {
            "event_timestamp(1i)": "0",
            "event_timestamp(2i)": "13",
            "event_timestamp(3i)": "x",
        }
        self.assertEqual(EventForm(Short(entered), {})["event_timestamp"].value(), [1, 12, 1, 19, 30])

    def test_passwords_are_repeated(self) -> None:
        """And are not trimmed."""
        entered = Short({"password": " a", "password_confirmation": "a"})
        errors = PersonForm(entered, {}, registering=True).errors
        self.assertEqual(errors["password_confirmation"], ["The two passwords are not the same."])
        self.assertNotIn("password", errors)
        self.assertNotIn("password", PersonForm(Short(), {}, registering=False).errors)

    def test_files_are_read_again(self) -> None:
        """As a change is that met another one."""
        picture = SimpleUploadedFile("x", b"\xff\xd8\xff picture")
        for _ in range(2):
            form = EventForm(Short(EVENT), {"event_image": picture})
            self.assertTrue(form.is_valid(), form.errors)
            self.assertEqual(form.cleaned_data["event_image"], b"\xff\xd8\xff picture")

    def test_stars(self) -> None:
        """1 to 5."""
        for rating, good in (
            ("1", True),
            ("5", True),
            ("0", False),
            ("6", False),
            ("x", False),
            (None, False),
        ):
            form = CommentForm(Short({"comment": "c", "rating": rating}))
            self.assertEqual(form.is_valid(), good, rating)

    def test_names_and_tags(self) -> None:
        """Letters of every script, and few marks."""
        self.assertTrue(is_username("a_b") and is_username("Zoë.7"))
        self.assertFalse(any(map(is_username, ("", "a b", "<b>", "x" * 26))))
        self.assertEqual(tags_of(" b a_1,  B,a_1 ", 20), ["B", "a_1", "b"])
        for text in ("ok <script>", "x" * 31, " ".join(f"t{n}" for n in range(21))):
            self.assertIsNone(tags_of(text, 20))

    def test_fields_are_shown_as_they_are_sent(self) -> None:
        """A line with what is wrong about it, escaped as every stack does."""
        with patch("olio.forms.event.facts"):
            line = EventForm(Short(EVENT | {"title": "it's <b>"}), {})["title"].as_field_group()
        self.assertIn('name="event[title]" value="it&#39;s &lt;b&gt;" maxlength="100" required>', line)
