"""The part of the walk that changes the site in every way, as a member, by forms and by scripts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from visitor import Answer, Visitor

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40
DOCUMENT = b"%PDF-1.4\n" + b"x" * 3000

ADDRESS = [
    ("address[street1]", "1 Main St"),
    ("address[street2]", ""),
    ("address[city]", "Ærø"),
    ("address[state]", "CA"),
    ("address[zip]", "94704"),
    ("address[country]", "USA"),
]
EVENT = [
    ("event[title]", "Ünïcode & <b>markup</b> 🎷"),
    ("event[summary]", "it's 'quoted' \\ and \"more\""),
    ("event[description]", "100 % _sure_\r\nsecond line; DROP TABLE event; --"),
    ("event[telephone]", "001-555-123-4567"),
    ("event[timezone]", "London"),
    *((f"event[event_timestamp({i}i)]", value) for i, value in enumerate(["2008", "11", "7", "19", "30"], 1)),
    *ADDRESS,
    ("tag_list", "jazz Rock zebra_1"),
]
PERSON = [
    ("user[username]", "new_person"),
    ("user[password]", "secret"),
    ("user[password_confirmation]", "secret"),
    ("user[firstname]", "Émile"),
    ("user[lastname]", "O'Neil <i>"),
    ("user[email]", "e@example.org"),
    ("user[telephone]", "001-555-123-4567"),
    ("user[timezone]", "London"),
    ("user[summary]", "short & sweet"),
    *ADDRESS,
]
Fields = list[tuple[str, str]]


def change(visitor: Visitor, names: Sequence[str]) -> None:
    """Acts as member 3, whose password is `3`, then as a new member."""
    visitor.log_in(names[2], "3")
    _forms(visitor)
    _events(visitor)
    _wrong_events(visitor)
    _attendance(visitor)
    _comments(visitor)
    _others(visitor)
    _friends(visitor)
    _profile(visitor, names)
    visitor.get("/users/logout", status=302, wants={"location": "/"})
    visitor.get("/", has=["Not logged in"])
    _membership(visitor, names)


def _with(fields: Fields, **changed: str) -> Fields:
    """The form with some fields replaced, by the last word of their names."""
    return [
        (name, changed.get(re.split(r"[\[\]]", name)[-2] if "[" in name else name, value))
        for name, value in fields
    ]


def _id(visitor: Visitor, answer: Answer, kind: str) -> str:
    found = re.search(rf"/{kind}/(\d+)", answer.header("location"))
    if not found:
        visitor.faults.append(f"{answer.step} {answer.request}: does not lead to a page of {kind}")
    return found[1] if found else "0"


def _upload(visitor: Visitor, path: str, fields: Fields, files: dict[str, bytes], **wanted: object) -> Answer:
    parts = b""
    for name, value in [*fields, ("authenticity_token", visitor.token)]:
        parts += f'--edge\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
    for name, data in files.items():
        parts += f'--edge\r\nContent-Disposition: form-data; name="{name}"; filename="x"\r\n\r\n'.encode()
        parts += data + b"\r\n"
    kind = "multipart/form-data; boundary=edge"
    return visitor.ask("POST", path, body=parts + b"--edge--\r\n", kind=kind, **wanted)  # type: ignore[arg-type]


def _forms(visitor: Visitor) -> None:
    visitor.get("/events/new", page="event-new", has=['name="event[title]"'])
    visitor.get("/users/3", page="person", key="person:3")
    visitor.get("/users/3/edit", page="profile")
    visitor.get("/users/3/requests", page="requests", key="requests:3")
    visitor.get("/users/4/requests", status=403)
    visitor.get("/users/4/edit", status=403)
    visitor.get("/users/login", page="login")


def _events(visitor: Visitor) -> None:
    made = visitor.post("/events", EVENT, status=303)
    event = _id(visitor, made, "events")
    visitor.get(
        f"/events/{event}",
        page="event",
        has=[
            "Event was successfully created.",
            "Ünïcode &amp; &lt;b&gt;markup&lt;/b&gt; 🎷",
            "Ærø",
            "zebra_1",
        ],
        lacks=["<b>markup"],
    )
    visitor.get(f"/events/{event}", lacks=["successfully"])
    visitor.get(f"/events/{event}/edit", page="event-edit", has=["Ünïcode &amp; &lt;b&gt;markup"])
    visitor.get("/?zip=94704", page="home", has=[f"/events/{event}"])
    visitor.get("/?day=2008-11-07", page="home", has=[f"/events/{event}"])
    visitor.get("/?order=created", page="home", has=[f"/events/{event}"])
    visitor.get("/events/tagged?tag=zebra_1", page="tag", has=[f"/events/{event}"])
    visitor.get("/events/rss", has=[f"/events/{event}"])
    visitor.get("/users/3/posted_events", has=[f"/events/{event}"])
    changed = [*_with(EVENT, title="Zwölf", tag_list="jazz only"), ("_method", "put")]
    visitor.post(f"/events/{event}", changed, status=303, wants={"location": f"/events/{event}"})
    visitor.get(f"/events/{event}", has=["Event was successfully updated.", "Zwölf"])
    visitor.ask("PUT", f"/events/{event}", fields=_with(EVENT, title="Dreizehn"), status=303)
    visitor.get(f"/events/{event}", has=["Dreizehn"])
    for tags in ("fresh more", "jazz", "-", "_"):
        visitor.ask("PUT", f"/events/{event}/tag", fields=[("tag_list", tags)], status=303)
        visitor.fragment("PUT", f"/events/{event}/tag", [("tag_list", tags)], has=['id="tags"'])
    visitor.get("/events/tagged?tag=fresh", has=[f"/events/{event}"])
    visitor.ask("PUT", f"/events/{event}/tag", fields=[("tag_list", "<b>")], status=303)
    visitor.get(f"/events/{event}", has=["No tag was added"], lacks=["<b>"])
    _files(visitor, event)
    visitor.post(f"/events/{event}", [("_method", "delete")], status=303)
    visitor.get(f"/events/{event}", status=404)
    visitor.get("/events/tagged?tag=fresh", lacks=[f'/events/{event}"'])
    visitor.get(f"/media/e{event}.jpg", status=404)


def _files(visitor: Visitor, event: str) -> None:
    fields = [*EVENT, ("_method", "put")]
    _upload(
        visitor, f"/events/{event}", fields, {"event_image": PICTURE, "event_document": DOCUMENT}, status=303
    )
    visitor.get(f"/events/{event}", has=[f"/media/e{event}"])
    for name, content in (
        (f"e{event}.jpg", PICTURE),
        (f"e{event}t.jpg", PICTURE),
        (f"e{event}l.pdf", DOCUMENT),
    ):
        if visitor.get(f"/media/{name}", wants={"x-content-type-options": "nosniff"}).body != content:
            visitor.faults.append(f"/media/{name} is not what was uploaded")
    visitor.get(f"/events/{event}/edit", page="event-edit")
    wrong = {"event_image": b"<html>no picture</html>"}
    _upload(visitor, f"/events/{event}", fields, wrong, status=422, page="event-edit")


def _wrong_events(visitor: Visitor) -> None:
    visitor.get("/events/new", page="event-new")
    for field, value in (
        ("title", ""),
        ("title", "x" * 101),
        ("summary", "y" * 101),
        ("description", "z" * 501),
        ("description", ""),
        ("telephone", "abc"),
        ("telephone", "12"),
        ("zip", ""),
        ("street1", ""),
        ("city", "é" * 56),
        ("country", ""),
        ("tag_list", "a" * 31),
        ("tag_list", " ".join(f"t{n}" for n in range(21))),
        ("event_timestamp(2i)", "13"),
        ("event_timestamp(3i)", "x"),
    ):
        visitor.post(
            "/events", _with(EVENT, **{field: value}), status=422, page="event-new", lacks=["<b>markup"]
        )
    visitor.post("/events", [], status=422, page="event-new", has=["Please correct the fields marked below."])
    visitor.post("/events", _with(EVENT, title="nul\0"), status=400)
    visitor.post("/events", EVENT, status=403, sent=False)
    visitor.ask("POST", "/events", body=b"%zz=1&&&=&a", status=403)


def _attendance(visitor: Visitor) -> None:
    visitor.get("/events/1", page="event")
    for action in ("unattend", "attend", "attend", "unattend"):
        visitor.fragment("POST", f"/events/1/{action}", has=['id="attendees"'])
    visitor.post("/events/1/attend", status=303, wants={"location": "/events/1"})
    visitor.get("/events/1", has=["You are attending"])
    visitor.post("/events/1/unattend", status=303, wants={"location": "/events/1"})
    visitor.get("/events/1", has=["You are no longer on the list."])
    visitor.post("/events/9999/attend", status=404)
    visitor.fragment("POST", "/events/9999/attend", status=404)
    visitor.get("/users/3/upcoming_events", page="upcoming")


def _comments(visitor: Visitor) -> None:
    text = "Grüße 🎷 \\' -- <script>alert(1)</script>"
    visitor.post("/events/1/comments", [("comment", text), ("rating", "4")], status=303)
    page = visitor.get("/events/1", has=["Your comment was added.", "Grüße 🎷", "&lt;script&gt;alert(1)"])
    found = re.findall(r"/events/1/comments/(\d+)/edit", page.text)
    own = found[-1] if found else "0"
    visitor.get(f"/events/1/comments/{own}/edit", page="comment-edit", has=["Grüße"])
    changed = [("comment", "second thoughts"), ("rating", "1")]
    visitor.ask("PUT", f"/events/1/comments/{own}", fields=changed, status=303)
    visitor.get("/events/1", has=["second thoughts"], lacks=["Grüße"])
    visitor.fragment(
        "PUT", f"/events/1/comments/{own}", [("comment", "third"), ("rating", "5")], has=['id="comments"']
    )
    visitor.fragment("POST", "/events/1/comments", [("comment", "fourth"), ("rating", "2")], has=["fourth"])
    for comment, rating in (("", "3"), ("x" * 2501, "3"), ("fine", "0"), ("fine", "6"), ("fine", "x")):
        visitor.post("/events/1/comments", [("comment", comment), ("rating", rating)], status=422)
    visitor.get("/events/1/comments/1/edit", status=403)
    visitor.ask("DELETE", "/events/1/comments/1", status=403)
    visitor.ask("DELETE", "/events/2/comments/99999", status=404)
    visitor.ask("DELETE", f"/events/1/comments/{own}", status=303)
    visitor.get("/events/1", has=["Your comment was deleted.", "fourth"], lacks=["third"])


def _others(visitor: Visitor) -> None:
    """What belongs to somebody else."""
    for method, path in (
        ("PUT", "/events/2"),
        ("DELETE", "/events/2"),
        ("PUT", "/users/4"),
        ("DELETE", "/users/4"),
    ):
        visitor.ask(method, path, fields=EVENT, status=403)
    visitor.get("/events/2/edit", status=403)
    visitor.ask("PUT", "/events/9999", fields=EVENT, status=404)


def _friends(visitor: Visitor) -> None:
    people = visitor.get("/users?page=2", page="people")
    assert people.body
    for friend in (5, 9, 77):
        visitor.post(f"/users/{friend}/friends", status=303)
    visitor.get("/users/3/requests", page="requests")
    visitor.fragment("POST", "/users/78/friends", has=["friendship-78"])
    for action in ("revoke", "reject", "remove"):
        fields = [("friend_action", action)]
        visitor.fragment("DELETE", "/users/3/friends/78", fields, has=["friendship-78"])
    visitor.ask("DELETE", "/users/3/friends/5", fields=[("friend_action", "remove")], status=303)
    visitor.ask("PUT", "/users/3/friends/110", status=303)
    visitor.ask("PUT", "/users/4/friends/3", status=403)
    visitor.post("/users/3/friends", status=403)
    visitor.post("/users/9999/friends", status=404)
    for page in (1, 2, 3):
        visitor.get(f"/users/3/friends?page={page}", page="friends")
    visitor.get("/users/3/requests", page="requests")


def _profile(visitor: Visitor, names: Sequence[str]) -> None:
    visitor.get("/users/3/edit", page="profile")
    mine = [*_with(PERSON, username=names[2], password="", password_confirmation=""), ("_method", "put")]
    visitor.post("/users/3", mine, status=303, wants={"location": "/users/3"})
    visitor.get("/users/3", has=["Your profile was updated.", "Émile", "O&#39;Neil &lt;i&gt;"], lacks=["<i>"])
    for query in ("é", "É", "o'n", "emile"):
        visitor.get(
            f"/users/search?query={''.join(f'%{byte:02X}' for byte in query.encode())}", page="people"
        )
    for field, value in (("email", "x"), ("firstname", ""), ("telephone", "x"), ("summary", "s" * 2501)):
        visitor.post("/users/3", _with(mine, **{field: value}), status=422, page="profile")
    _upload(visitor, "/users/3", mine, {"user_image": PICTURE}, status=303)
    visitor.get("/users/3", has=["/media/p3t.jpg"])
    visitor.get("/media/p3.jpg")


def _membership(visitor: Visitor, names: Sequence[str]) -> None:
    visitor.get("/users/new", page="register")
    for field, value in (
        *(
            ("username", ""),
            ("username", "u" * 26),
            ("password", ""),
            ("email", "e@"),
        ),
        *(("password_confirmation", "other"), ("lastname", "l" * 26), ("timezone", ""), ("telephone", "1")),
    ):
        visitor.post("/users", _with(PERSON, **{field: value}), status=422, page="register")
    made = visitor.post("/users", PERSON, status=303)
    person = _id(visitor, made, "users")
    visitor.get(f"/users/{person}", page="person", has=["Succeeded in creating user.", "new_person"])
    # Names that are taken come last: a database server may use up an id for each refusal.
    visitor.post("/users", PERSON, status=422, page="register")
    visitor.post("/users", _with(PERSON, username=names[0]), status=422, page="register")
    visitor.log_in("new_person", "secret")
    for part in ("friends", "posted_events", "upcoming_events", "requests"):
        visitor.get(f"/users/{person}/{part}")
    visitor.get(f"/users/{person}/edit", page="profile")
    visitor.post(f"/users/{person}", [("_method", "delete")], status=303)
    visitor.get(f"/users/{person}", status=404)
    visitor.get("/", page="home", has=["Not logged in"])
    fields = [("users[username]", "new_person"), ("users[password]", "secret")]
    visitor.get("/users/login", page="login")
    visitor.post("/users/login", fields, status=422, page="login")
