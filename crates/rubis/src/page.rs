//! Pages as pure functions of what they show: no database, no request, no clock.

pub(crate) mod about;
pub(crate) mod auth;
pub(crate) mod browse;
pub(crate) mod done;
pub(crate) mod forms;
pub(crate) mod home;
pub(crate) mod item;
pub(crate) mod layout;
pub(crate) mod list;
pub(crate) mod trouble;
pub(crate) mod user;
