//! Pages as pure functions of what they show: no database, no request, no clock.
//!
//! Every page is laid out by [`layout`]; a module a page, and one for each part that several pages share.
//! Sections that answer Ajax requests on their own (`calendar`, `attendees`, `tags`, `comments`,
//! `friendship`) are functions of their own, so that the fragment is byte for byte the part of the page.

pub(crate) mod assets;
pub(crate) mod calendar;
pub(crate) mod error;
pub(crate) mod event;
pub(crate) mod event_form;
pub(crate) mod event_list;
pub(crate) mod event_parts;
pub(crate) mod friends;
pub(crate) mod home;
pub(crate) mod layout;
pub(crate) mod login;
pub(crate) mod map;
pub(crate) mod people;
pub(crate) mod person;
pub(crate) mod rss;
pub(crate) mod user_form;
