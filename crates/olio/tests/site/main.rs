//! The whole site through its handler: every route, refusal, form and cache, on a small loaded data set.

mod authorization;
mod browser;
mod caching;
mod events;
mod every_page;
mod files;
mod golden;
mod hostile;
#[path = "../../../web/tests/support/ledger.rs"]
mod ledger;
mod markup;
mod pages;
mod people;
mod public;
mod races;
mod replicas;
mod security;
mod surroundings;
