//! Laws, random numbers, histograms and intervals. No clock, no allocation per sample, no `std`.

#![no_std]

extern crate alloc;

mod histogram;
mod interval;
mod law;
mod locality;
mod rank;
mod rng;
mod special;
mod username;

pub use histogram::{BUCKETS, Histogram, bucket_of, lower_bound};
pub use interval::{Interval, batch_means, mean_interval, quantile_ranks, wilson};
pub use law::Law;
pub use locality::Locality;
pub use rank::{ExponentialRank, Zipf};
pub use rng::Rng;
pub use username::{Era, push_username, username};
