//! The site as its visitors meet it, by requests and responses, without sockets.

#[path = "../../../web/tests/support/ledger.rs"]
mod ledger;
mod visitor;

mod bidding;
mod every_page;
mod golden;
mod hostile;
mod pages;
mod public;
mod ratings;
