//! Which request means what.

use loadstone_http::Method;

/// A page or an action. Numbers are ids from the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route<'a> {
    Home,
    LoginForm,
    Login,
    Logout,
    /// Events with a tag; the path is kept because pagers link to it.
    Tagged(&'a str),
    Event(i64),
    EventNew,
    EventCreate,
    EventEdit(i64),
    EventUpdate(i64),
    EventDelete(i64),
    Attend(i64),
    Unattend(i64),
    AddTags(i64),
    CommentCreate(i64),
    CommentEdit(i64, i64),
    CommentUpdate(i64, i64),
    CommentDelete(i64, i64),
    Calendar,
    Rss,
    People,
    PersonNew,
    PersonCreate,
    CheckName,
    Person(i64),
    PersonEdit(i64),
    PersonUpdate(i64),
    PersonDelete(i64),
    Posted(i64),
    Upcoming(i64),
    Friends(i64),
    Requests(i64),
    FriendRequest(i64),
    FriendApprove(i64, i64),
    FriendEnd(i64, i64),
    Geocode,
    Media(&'a str),
    Static,
}

/// Why there is no route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoRoute {
    /// Nothing at this path.
    NotFound,
    /// Something, but not with this method; the allowed ones as the `Allow` field lists them.
    MethodNotAllowed(&'static str),
}

impl<'a> Route<'a> {
    /// The route of a method and a path. HEAD has become GET before.
    pub(crate) fn find(method: Method, path: &'a str) -> Result<Self, NoRoute> {
        let mut segments = ["", "", "", "", ""];
        let mut count = 0;
        for segment in path.strip_prefix('/').unwrap_or(path).split('/') {
            *segments.get_mut(count).ok_or(NoRoute::NotFound)? = segment;
            count += 1;
        }
        match segments[0] {
            "" if count == 1 => only(Method::Get, method, Self::Home),
            "events" => Self::events(method, path, &segments[1..count]),
            "users" => Self::users(method, &segments[1..count]),
            "geocoder" if segments[1..count] == ["geocode"] => only(Method::Get, method, Self::Geocode),
            "media" if count == 2 => only(Method::Get, method, Self::Media(segments[1])),
            _ if path.starts_with(crate::statics::PREFIX) => only(Method::Get, method, Self::Static),
            _ => Err(NoRoute::NotFound),
        }
    }

    fn events(method: Method, path: &'a str, rest: &[&str]) -> Result<Self, NoRoute> {
        match *rest {
            [] => only(Method::Post, method, Self::EventCreate),
            ["tag_search" | "tagged"] => only(Method::Get, method, Self::Tagged(path)),
            ["new"] => only(Method::Get, method, Self::EventNew),
            ["rss"] => only(Method::Get, method, Self::Rss),
            ["update_calendar"] => only(Method::Get, method, Self::Calendar),
            [event] => {
                let event = id(event)?;
                match method {
                    Method::Get => Ok(Self::Event(event)),
                    Method::Put => Ok(Self::EventUpdate(event)),
                    Method::Delete => Ok(Self::EventDelete(event)),
                    _ => Err(NoRoute::MethodNotAllowed("GET, HEAD, PUT, DELETE")),
                }
            }
            [event, action] => {
                let event = id(event)?;
                match action {
                    "edit" => only(Method::Get, method, Self::EventEdit(event)),
                    "attend" => only(Method::Post, method, Self::Attend(event)),
                    "unattend" => only(Method::Post, method, Self::Unattend(event)),
                    "tag" if matches!(method, Method::Put | Method::Post) => Ok(Self::AddTags(event)),
                    "tag" => Err(NoRoute::MethodNotAllowed("PUT, POST")),
                    "comments" => only(Method::Post, method, Self::CommentCreate(event)),
                    _ => Err(NoRoute::NotFound),
                }
            }
            [event, "comments", comment] => {
                let (event, comment) = (id(event)?, id(comment)?);
                match method {
                    Method::Put => Ok(Self::CommentUpdate(event, comment)),
                    Method::Delete => Ok(Self::CommentDelete(event, comment)),
                    _ => Err(NoRoute::MethodNotAllowed("PUT, DELETE")),
                }
            }
            [event, "comments", comment, "edit"] => {
                only(Method::Get, method, Self::CommentEdit(id(event)?, id(comment)?))
            }
            _ => Err(NoRoute::NotFound),
        }
    }

    fn users(method: Method, rest: &[&str]) -> Result<Self, NoRoute> {
        match *rest {
            [] => match method {
                Method::Get => Ok(Self::People),
                Method::Post => Ok(Self::PersonCreate),
                _ => Err(NoRoute::MethodNotAllowed("GET, HEAD, POST")),
            },
            ["login"] => match method {
                Method::Get => Ok(Self::LoginForm),
                Method::Post => Ok(Self::Login),
                _ => Err(NoRoute::MethodNotAllowed("GET, HEAD, POST")),
            },
            ["logout"] => only(Method::Get, method, Self::Logout),
            ["search"] => only(Method::Get, method, Self::People),
            ["new"] => only(Method::Get, method, Self::PersonNew),
            ["check_name"] => only(Method::Post, method, Self::CheckName),
            [person] => {
                let person = id(person)?;
                match method {
                    Method::Get => Ok(Self::Person(person)),
                    Method::Put => Ok(Self::PersonUpdate(person)),
                    Method::Delete => Ok(Self::PersonDelete(person)),
                    _ => Err(NoRoute::MethodNotAllowed("GET, HEAD, PUT, DELETE")),
                }
            }
            [person, list] => {
                let person = id(person)?;
                match (list, method) {
                    ("friends", Method::Post) => Ok(Self::FriendRequest(person)),
                    ("friends", Method::Get) => Ok(Self::Friends(person)),
                    ("friends", _) => Err(NoRoute::MethodNotAllowed("GET, HEAD, POST")),
                    ("edit", _) => only(Method::Get, method, Self::PersonEdit(person)),
                    ("posted_events", _) => only(Method::Get, method, Self::Posted(person)),
                    ("upcoming_events", _) => only(Method::Get, method, Self::Upcoming(person)),
                    ("requests", _) => only(Method::Get, method, Self::Requests(person)),
                    _ => Err(NoRoute::NotFound),
                }
            }
            [person, "friends", friend] => {
                let (person, friend) = (id(person)?, id(friend)?);
                match method {
                    Method::Put => Ok(Self::FriendApprove(person, friend)),
                    Method::Delete => Ok(Self::FriendEnd(person, friend)),
                    _ => Err(NoRoute::MethodNotAllowed("PUT, DELETE")),
                }
            }
            _ => Err(NoRoute::NotFound),
        }
    }

    /// Whether the request changes something and therefore needs the token of a form.
    pub(crate) fn changes_state(self) -> bool {
        matches!(
            self,
            Self::Login
                | Self::EventCreate
                | Self::EventUpdate(_)
                | Self::EventDelete(_)
                | Self::Attend(_)
                | Self::Unattend(_)
                | Self::AddTags(_)
                | Self::CommentCreate(_)
                | Self::CommentUpdate(..)
                | Self::CommentDelete(..)
                | Self::PersonCreate
                | Self::PersonUpdate(_)
                | Self::PersonDelete(_)
                | Self::FriendRequest(_)
                | Self::FriendApprove(..)
                | Self::FriendEnd(..)
        )
    }
}

impl Route<'_> {
    /// Whether the route may have changed something when it succeeds.
    pub(crate) fn changes(self) -> bool {
        self.changes_state() || self == Self::Logout
    }

    /// Whether the route reads the database, with more than a single statement, and writes nothing.
    pub(crate) fn only_reads(self) -> bool {
        self.knows_viewer() && !self.changes()
    }

    /// Whether the answer depends on who is logged in.
    pub(crate) fn knows_viewer(self) -> bool {
        !matches!(self, Self::Rss | Self::Geocode | Self::CheckName | Self::Media(_) | Self::Static)
    }
}

/// The route, when the method is the only one that its path has.
fn only<'a>(wanted: Method, method: Method, route: Route<'a>) -> Result<Route<'a>, NoRoute> {
    if method == wanted {
        return Ok(route);
    }
    Err(NoRoute::MethodNotAllowed(if wanted == Method::Get { "GET, HEAD" } else { "POST" }))
}

/// An id from 1, in plain decimal: `007` and `+7` would be second names for the same page.
fn id(segment: &str) -> Result<i64, NoRoute> {
    let plain = !segment.starts_with('0') && segment.bytes().all(|byte| byte.is_ascii_digit());
    segment.parse().ok().filter(|_| plain).ok_or(NoRoute::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_methods_find_their_route() {
        use Method::{Delete, Get, Post, Put};
        for (method, path, route) in [
            (Get, "/", Route::Home),
            (Get, "/events/12", Route::Event(12)),
            (Get, "/events/tagged", Route::Tagged("/events/tagged")),
            (Post, "/events/12/tag", Route::AddTags(12)),
            (Put, "/events/12/tag", Route::AddTags(12)),
            (Delete, "/events/1/comments/2", Route::CommentDelete(1, 2)),
            (Get, "/events/1/comments/2/edit", Route::CommentEdit(1, 2)),
            (Put, "/users/3/friends/4", Route::FriendApprove(3, 4)),
            (Post, "/users/3/friends", Route::FriendRequest(3)),
            (Get, "/media/e1t.jpg", Route::Media("e1t.jpg")),
        ] {
            assert_eq!(Route::find(method, path), Ok(route), "{path}");
        }
    }

    #[test]
    fn ids_have_one_spelling() {
        for path in [
            "/events/0",
            "/events/007",
            "/events/+7",
            "/events/-7",
            "/events/7x",
            "/events/",
            "/events/99999999999999999999",
        ] {
            assert_eq!(Route::find(Method::Get, path), Err(NoRoute::NotFound), "{path}");
        }
    }

    #[test]
    fn other_paths_and_methods_are_told_apart() {
        for path in
            ["/x", "/users/1/x", "/events/1/comments/2/edit/3", "/media", "/geocoder", "//", "/events/1/x"]
        {
            assert_eq!(Route::find(Method::Get, path), Err(NoRoute::NotFound), "{path}");
        }
        for (method, path) in [
            (Method::Post, "/"),
            (Method::Get, "/events"),
            (Method::Post, "/events/1"),
            (Method::Get, "/events/1/attend"),
            (Method::Patch, "/users"),
            (Method::Options, "/events/rss"),
        ] {
            assert!(matches!(Route::find(method, path), Err(NoRoute::MethodNotAllowed(_))), "{path}");
        }
    }
}
