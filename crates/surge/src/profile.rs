//! The laws with their parameters: as measured of SURGE's own output, or as its authors published them.

use loadstone_stats::{Law, Rng};

/// Largest file, bytes: a Pareto tail has no end, memory has. It is drawn once in some thousands of tail
/// files.
const LARGEST: f64 = 64.0 * 1024.0 * 1024.0;

/// What a file set and its use look like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Profile {
    /// Its name.
    pub name: &'static str,
    /// Sizes of the files.
    pub sizes: Sizes,
    /// Share of files that are pages with references.
    pub base_share: f64,
    /// Share of files that are pages without; the rest is what pages refer to.
    pub single_share: f64,
    /// References of a page that has any, before they are cut to whole numbers.
    pub references: Law,
    /// Sizes of what is asked for, which decide what sizes are popular; none: size and popularity are
    /// independent.
    pub requested: Option<Requested>,
}

/// Sizes of files in bytes: log-normal up to `split`, Pareto from there on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sizes {
    /// Least size.
    pub least: f64,
    /// Where the tail begins.
    pub split: f64,
    /// Share of files below `split`.
    pub body_share: f64,
    /// Mean of the logarithm of sizes in the body.
    pub mu: f64,
    /// Standard deviation of that logarithm.
    pub sigma: f64,
    /// The tail's index.
    pub alpha: f64,
}

/// Sizes of what is asked for, in bytes: a Pareto law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Requested {
    /// Least size.
    pub least: f64,
    /// The tail's index.
    pub alpha: f64,
}

impl Requested {
    /// The size that this share of requests stays below.
    pub fn quantile(&self, share: f64) -> f64 {
        self.least * libm::pow(1.0 - share, -1.0 / self.alpha)
    }
}

impl Profile {
    /// What SURGE's generator gave, measured. The law of references is the Pareto law that has the measured
    /// mean of 3.5 objects a page and the measured 12 % of pages with more than five. Sizes by popularity
    /// were not measured.
    pub const MEASURED: Self = Self {
        name: "measured",
        sizes: Sizes { least: 75.0, split: 133_000.0, body_share: 0.967, mu: 8.00, sigma: 1.48, alpha: 1.36 },
        base_share: 0.30,
        single_share: 0.32,
        references: Law::Pareto { scale: 1.8, shape: 1.364, max: 132.0 },
        requested: None,
    };

    /// The parameters of the paper of 1998, as they are remembered; nobody compared them with the paper.
    pub const SURGE_1998: Self = Self {
        name: "surge-1998",
        sizes: Sizes { least: 75.0, split: 133_000.0, body_share: 0.93, mu: 9.357, sigma: 1.318, alpha: 1.1 },
        base_share: 0.30,
        single_share: 0.32,
        references: Law::Pareto { scale: 1.0, shape: 2.43, max: 132.0 },
        requested: Some(Requested { least: 1000.0, alpha: 1.0 }),
    };

    /// All of them.
    pub const ALL: [Self; 2] = [Self::MEASURED, Self::SURGE_1998];
}

impl Sizes {
    /// Draws a size.
    pub fn sample(&self, rng: &mut Rng) -> u32 {
        let size = if rng.chance(self.body_share) {
            let body = Law::LogNormal { mu: self.mu, sigma: self.sigma, max: f64::MAX };
            loop {
                let size = body.sample(rng);
                if (self.least..self.split).contains(&size) {
                    break size;
                }
            }
        } else {
            Law::Pareto { scale: self.split, shape: self.alpha, max: LARGEST }.sample(rng)
        };
        size as u32
    }
}
