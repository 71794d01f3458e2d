"""The part of the walk that changes nothing: pages, lists, errors, methods, header fields, files."""

from __future__ import annotations

from collections.abc import Sequence

from visitor import Visitor

FILES = ("/static/style.css", "/static/site.js", "/static/brand.png", "/static/map.js", "/favicon.ico")


def read(visitor: Visitor, names: Sequence[str]) -> None:
    """Everything that somebody who is not logged in can see. `names` are the user names of ids 1, 2, …"""
    _home(visitor)
    _events(visitor, names)
    _people(visitor, names)
    _feeds(visitor)
    _nothing_there(visitor)
    _wrong_method(visitor)
    _not_logged_in(visitor)
    _heads(visitor)
    _files(visitor)


def _home(visitor: Visitor) -> None:
    visitor.get(
        "/", page="home", key="home:page=1;order=date;zip=;day=", has=["Not logged in", "October 2008"]
    )
    for page in range(1, 11):
        visitor.get(f"/?page={page}", page="home")
    for page in ("0", "-1", "x", "1e3", "999999", "99999999999999999999"):
        visitor.get(f"/?page={page}", page="home")
    for order in ("created", "date", "nonsense", ""):
        visitor.get(f"/?order={order}", page="home")
    for page in (2, 9):
        visitor.get(
            f"/?page={page}&order=created", page="home", key=f"home:page={page};order=created;zip=;day="
        )
    for day in ("2008-10-22", "2008-10-23", "2008-12-31", "2009-02-28"):
        visitor.get(f"/?day={day}", page="home", key=f"home:page=1;order=date;zip=;day={day}")
    for day in ("2008-02-30", "yesterday", "2008-13-01", "%00"):
        visitor.get(f"/?day={day}", page="home" if day != "%00" else "", status=200 if day != "%00" else 400)
    for code in ("00000", "%C3%A9", "1%27%20OR%201=1"):
        visitor.get(f"/?zip={code}", page="home", lacks=['<img src="/media/e'])
    visitor.get("/?zip=%3Cscript%3E", page="home", lacks=["<script>", "=<script"])


def _events(visitor: Visitor, names: Sequence[str]) -> None:
    for event in (1, 2, 3, 17, 45, 89, 90):
        visitor.get(f"/events/{event}", page="event", key=f"event:{event}", has=["Attendees (", "Tags"])
    for tag in (names[0], names[5], names[20]):
        visitor.get(f"/events/tagged?tag={tag}", page="tag", key=f"tag:{tag};page=1")
        visitor.get(f"/events/tag_search?tag={tag}&submit=Search+Tags", page="tag", key=f"tag:{tag};page=1")
    for page in (2, 3, 500):
        visitor.get(f"/events/tagged?tag={names[0]}&page={page}", page="tag")
    for tag in ("nobodysaidthis", "%25", "_", "%C3%A9", "a%20b", "%3Cb%3E%26%22%27", ""):
        visitor.get(f"/events/tagged?tag={tag}", page="tag", lacks=["<b>&", "&\"'"])
    for year, month in ((2008, 10), (2008, 12), (2009, 2), (2008, 2), (2007, 1)):
        visitor.get(
            f"/events/update_calendar?year={year}&month={month}", page="home", has=[f" {year}</caption>"]
        )
        visitor.fragment("GET", f"/events/update_calendar?year={year}&month={month}", has=['id="calendar"'])
    for odd in ("year=2008&month=13", "year=x&month=1", "", "year=99999999999&month=1"):
        visitor.get(f"/events/update_calendar?{odd}", page="home")


def _people(visitor: Visitor, names: Sequence[str]) -> None:
    for person in (1, 2, 60, 120):
        visitor.get(f"/users/{person}", page="person", key=f"person:{person}", has=[names[person - 1]])
        visitor.get(f"/users/{person}/friends", page="friends", key=f"friends:{person};page=1")
        visitor.get(f"/users/{person}/posted_events", page="posted", key=f"posted:{person};page=1")
        visitor.get(f"/users/{person}/upcoming_events", page="upcoming", key=f"upcoming:{person};page=1")
    for part in ("friends", "posted_events", "upcoming_events"):
        for page in (2, 99):
            visitor.get(f"/users/7/{part}?page={page}")
    for page in (1, 2, 3, 77):
        visitor.get(
            f"/users?page={page}", page="people", key=f"people:query=;page={page}" if page < 4 else ""
        )
    for query in (
        "a",
        "A",
        names[9],
        names[9].upper(),
        "zzzzzz",
        "%25",
        "_",
        "%5C",
        "q%27--",
        "%C3%A9",
        "%20",
    ):
        visitor.get(f"/users/search?query={query}", page="people")
    visitor.get(
        "/users/search?query=%3Cimg+src=x%3E", page="people", lacks=["<img src=x>"], has=["&lt;img src=x"]
    )
    visitor.get("/users/login", page="login")
    visitor.get("/users/new", page="register")
    for name, free in ((names[0], False), ("certainly_free", True), ("", False), ("<b>", False)):
        said = visitor.fragment(
            "POST", "/users/check_name", [("name", name)], sent=False, has=['id="name-check"']
        )
        assert said.body or not free


def _feeds(visitor: Visitor) -> None:
    visitor.get("/events/rss", has=["<rss", "</rss>"], wants={"content-type": "application/rss+xml"})
    place = "street=1+Main+St&city=Berkeley&state=CA&zip=94704"
    visitor.get(f"/geocoder/geocode?{place}", has=["Berkeley"], wants={"content-type": "xml"})
    visitor.get("/geocoder/geocode?street=%3C%26%3E&city=&state=&zip=", lacks=["<&>"])
    visitor.get("/geocoder/geocode")


def _nothing_there(visitor: Visitor) -> None:
    for path in (
        *("/nope", "/events/0", "/events/007", "/events/9999", "/events/-1", "/events/1x", "/events/1/nope"),
        *("/events/99999999999999999999", "/users/9999", "/users/0", "/users/9999/friends", "//", "/events/"),
        *("/media/e9999.jpg", "/media/x.jpg", "/media/..%2Folio.db", "/static/nope.css", "/static/"),
        *("/%2e%2e/%2e%2e/etc/passwd", "/events/1/comments/1/edit/2", "/geocoder", "/Events/1"),
    ):
        visitor.get(path, status=404)
    visitor.get("/events/1%00", status=404)
    visitor.get("/?zip=%00", status=400)
    visitor.get("/?" + "a=1&" * 300, status=400)


def _wrong_method(visitor: Visitor) -> None:
    for method, path, allowed in (
        ("POST", "/", "GET, HEAD"),
        ("PUT", "/events/rss", "GET, HEAD"),
        ("DELETE", "/events/update_calendar", "GET, HEAD"),
        ("GET", "/events", "POST"),
        ("GET", "/events/1/attend", "POST"),
        ("GET", "/events/1/tag", "PUT, POST"),
        ("POST", "/events/1", "GET, HEAD, PUT, DELETE"),
        ("PATCH", "/users", "GET, HEAD, POST"),
        ("PUT", "/users/3/friends", "GET, HEAD, POST"),
        ("GET", "/users/3/friends/4", "PUT, DELETE"),
        ("DELETE", "/static/style.css", "GET, HEAD"),
        ("POST", "/media/e1.jpg", "GET, HEAD"),
    ):
        visitor.ask(method, path, status=405, wants={"allow": allowed}, sent=False)


def _not_logged_in(visitor: Visitor) -> None:
    visitor.get("/", page="home")
    for path in (
        "/events/new",
        "/events/1/edit",
        "/users/1/edit",
        "/users/1/requests",
        "/events/1/comments/1/edit",
    ):
        visitor.get(path, status=303, wants={"location": "/users/login"})
    for method, path in (
        *(("POST", "/events/1/attend"), ("POST", "/events/1/comments"), ("PUT", "/events/1/tag")),
        *(("DELETE", "/events/1"), ("PUT", "/users/1"), ("POST", "/users/2/friends"), ("POST", "/events")),
    ):
        visitor.ask(method, path, status=303, wants={"location": "/users/login"})
        visitor.fragment(method, path, status=403)
        visitor.ask(method, path, status=403, sent=False)
    wrong = [("users[username]", "nobody"), ("users[password]", "wrong")]
    visitor.post("/users/login", wrong, status=422, page="login", has=["do not belong together"])
    visitor.post("/users/login", status=422, page="login")
    visitor.post("/users/login", wrong, status=403, sent=False)


def _heads(visitor: Visitor) -> None:
    for path in ("/", "/events/1", "/users/1", "/events/rss", *FILES, "/media/e1.jpg"):
        whole = visitor.get(path)
        short = visitor.ask("HEAD", path)
        assert not short.body
        if short.header("content-length") != str(len(whole.body)):
            visitor.faults.append(f"{short.step} {short.request}: another length than GET")
    visitor.ask("HEAD", "/nope", status=404)
    accepts = {"Accept-Encoding": "gzip, br", "Accept-Language": "de", "Accept": "*/*"}
    visitor.get("/events/1", head=accepts, page="event")
    visitor.get("/events/1", head={"Cookie": "ls=forged; notice=<b>; ls=twice"}, page="event", lacks=["<b>"])
    visitor.get("/", head={"Cookie": "notice=user-created"}, has=["Succeeded in creating user."])


def _files(visitor: Visitor) -> None:
    for path in (
        *FILES,
        "/media/e1.jpg",
        "/media/e1t.jpg",
        "/media/e1l.pdf",
        "/media/p1.jpg",
        "/media/p120t.jpg",
    ):
        tag = visitor.get(path).header("etag")
        visitor.get(path, head={"If-None-Match": tag}, status=304, wants={"etag": tag})
        visitor.get(path, head={"If-None-Match": '"another"'}, wants={"etag": tag})
    since = visitor.get("/media/p1t.jpg").header("last-modified")
    visitor.get("/media/p1t.jpg", head={"If-Modified-Since": since}, status=304)
    visitor.get("/media/p1t.jpg", head={"If-Modified-Since": "Sat, 01 Jan 2000 00:00:00 GMT"})
    visitor.get("/media/p1t.jpg", head={"If-Modified-Since": "never"})
