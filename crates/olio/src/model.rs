//! What the pages show, as read from the database.

use alloc::string::String;
use alloc::vec::Vec;

use loadstone_web::dates::{Day, Moment};

/// The person who looks at a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Viewer {
    pub id: i64,
    pub username: String,
    /// The next events that they attend, at most three.
    pub upcoming: Vec<EventLink>,
    /// Friendship requests that wait for their answer.
    pub requests: i64,
}

/// An event in a short list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EventLink {
    pub id: i64,
    pub title: String,
    pub when: Moment,
}

/// An event in a list of events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EventItem {
    pub id: i64,
    pub title: String,
    pub summary: String,
    pub when: Moment,
    pub created: Day,
    pub city: String,
    pub creator_id: i64,
    pub creator: String,
}

/// One page of a list; `more` tells whether another page follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listing<T> {
    pub items: Vec<T>,
    pub page: u32,
    pub more: bool,
}

/// A tag and how many events carry it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TagCount {
    pub name: String,
    pub count: i64,
}

/// An address; the coordinates are decimals as stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Address {
    pub street1: String,
    pub street2: String,
    pub city: String,
    pub state: String,
    pub zip: String,
    pub country: String,
    pub latitude: String,
    pub longitude: String,
}

/// Everything of an event that is the same for every viewer, but its lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    pub id: i64,
    pub title: String,
    pub summary: String,
    pub description: String,
    pub telephone: String,
    pub timezone: String,
    pub when: Moment,
    pub creator_id: i64,
    pub creator: String,
    pub address: Address,
    /// Whether there is a picture of its own.
    pub has_image: bool,
    /// Whether there is a document, served as `e<id>l.pdf`.
    pub has_document: bool,
}

/// Someone in a list of people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PersonLink {
    pub id: i64,
    pub username: String,
}

/// Who attends an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Attendees {
    pub count: i64,
    /// At most [`Attendees::SHOWN`], by id; the viewer is not among them.
    pub others: Vec<PersonLink>,
    /// Whether the viewer attends.
    pub viewer_attends: bool,
}

impl Attendees {
    /// How many names a page shows.
    pub(crate) const SHOWN: usize = 20;
}

/// A comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Comment {
    pub id: i64,
    pub author_id: i64,
    pub author: String,
    pub text: String,
    pub rating: i64,
    pub created: Moment,
}

/// A person, as their page shows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Person {
    pub id: i64,
    pub username: String,
    pub firstname: String,
    pub lastname: String,
    pub email: String,
    pub telephone: String,
    pub timezone: String,
    pub summary: String,
    pub address: Address,
    /// Whether there is a picture of their own.
    pub has_image: bool,
}

/// How the viewer and a person stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// It is the viewer, or there is none.
    Same,
    /// Strangers.
    None,
    /// Friends.
    Friends,
    /// The viewer has asked.
    Asked,
    /// The person has asked the viewer.
    AskedBy,
}
