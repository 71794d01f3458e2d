//! Continuous-time Markov chains: build, transient, stationary, rewards, first passage.
//!
//! Every answer is an enclosure: two numbers between which the truth lies, rounding, underflow and truncation
//! included (`rounding.rs` counts them for all methods). The rates of a chain are taken as the exact values
//! of their binary numbers. The methods are made for dependability, where the interesting number is a few
//! seconds of a year: nothing is found by subtracting it from 1, so it keeps its digits.

mod answer;
mod budget;
mod chain;
mod closed;
mod dense;
mod double;
mod doubling;
mod elimination;
mod enclosure;
mod error;
mod explicit;
mod factor;
mod forgetting;
mod hitting;
mod horizon;
mod implicit;
mod incomplete;
mod kept;
mod krylov;
mod language;
#[doc(hidden)]
pub mod large;
mod lumping;
mod memory;
mod model;
mod ordering;
mod passage;
mod poisson;
mod product;
mod projection;
mod question;
mod request;
mod rounding;
mod session;
mod settled;
mod slices;
mod stationary;
mod structure;
mod sweep;
mod transient;
mod uniformization;
mod walking;
mod write;

pub use answer::{Answer, Distribution, Method};
pub use budget::Budget;
pub use chain::{Chain, Transition};
pub use enclosure::Enclosure;
pub use error::{Error, Result};
pub use explicit::read_explicit;
pub use horizon::Options;
pub use language::{Reading, read_prism};
pub use model::{Model, Variables};
pub use passage::{passage_by, passage_mean};
pub use question::{Ask, Figure};
pub use request::{Reply, Request};
pub use stationary::{Cycle, cycle, long_run, stationary};
pub use transient::{accumulated, distribution_at, reward_at};
pub use write::{write_lab, write_prism, write_srew, write_tra};
