//! The site as its visitors meet it, by requests and responses, without sockets.

mod visitor;

mod bidding;
mod golden;
mod hostile;
mod pages;
mod public;
mod ratings;
