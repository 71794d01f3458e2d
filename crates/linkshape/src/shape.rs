//! What one direction of a link does to frames, as numbers that people write.

use serde::Deserialize;

/// How the delay of frames scatters around its mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Jitter {
    /// Normal, cut off at no delay.
    #[default]
    Normal,
    /// Uniform.
    Uniform,
    /// A shortest delay and an exponential time on top of it, as queues make.
    Exponential,
}

/// One direction of a link. The default shapes nothing.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Shape {
    /// Mean delay, milliseconds.
    pub delay_ms: f64,
    /// Standard deviation of the delay, milliseconds.
    pub jitter_ms: f64,
    /// Law of the delay.
    pub law: Jitter,
    /// Share of frames that vanish on the wire.
    pub loss: f64,
    /// Rate in megabits of Ethernet frames (14 bytes of header, no preamble) a second; unlimited when absent.
    pub rate_mbit: Option<f64>,
    /// Depth of the token bucket: what an idle link passes at once. 0 is a wire, which sends bit by bit.
    pub burst_kib: f64,
    /// Longest wait of a frame for the wire; what would wait longer is dropped.
    pub queue_ms: f64,
    /// Rate of other people's traffic through the same queue: Poisson arrivals of full frames.
    pub cross_mbit: f64,
}

impl Default for Shape {
    fn default() -> Self {
        Self {
            delay_ms: 0.0,
            jitter_ms: 0.0,
            law: Jitter::Normal,
            loss: 0.0,
            rate_mbit: None,
            burst_kib: 0.0,
            queue_ms: 50.0,
            cross_mbit: 0.0,
        }
    }
}

impl Shape {
    /// A sentence about the first number that means nothing.
    pub fn check(&self) -> Result<(), String> {
        let numbers = [
            ("delay_ms", self.delay_ms),
            ("jitter_ms", self.jitter_ms),
            ("loss", self.loss),
            ("burst_kib", self.burst_kib),
            ("queue_ms", self.queue_ms),
            ("cross_mbit", self.cross_mbit),
        ];
        for (name, value) in numbers {
            // An hour in milliseconds, a terabit: beyond them nanoseconds in 64 bits stop being safe.
            if !(0.0..=3.6e6).contains(&value) {
                return Err(format!("`{name}` is {value}, must be between 0 and 3.6e6"));
            }
        }
        if self.loss > 1.0 {
            return Err(format!("`loss` is {}, must be at most 1", self.loss));
        }
        match self.rate_mbit {
            Some(rate) if !(1e-3..=1e6).contains(&rate) => {
                Err(format!("`rate_mbit` is {rate}, must be between 0.001 and 1e6"))
            }
            Some(rate) if self.cross_mbit >= rate => {
                Err(format!("`cross_mbit` is {}, must be less than the rate {rate}", self.cross_mbit))
            }
            None if self.cross_mbit > 0.0 => Err("`cross_mbit` needs a `rate_mbit` to share".into()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Shape;

    #[test]
    fn numbers_without_meaning_are_refused() {
        let refused = [
            Shape { delay_ms: -1.0, ..Shape::default() },
            Shape { jitter_ms: f64::NAN, ..Shape::default() },
            Shape { loss: 1.5, ..Shape::default() },
            Shape { rate_mbit: Some(0.0), ..Shape::default() },
            Shape { cross_mbit: 1.0, ..Shape::default() },
            Shape { rate_mbit: Some(1.0), cross_mbit: 1.0, ..Shape::default() },
        ];
        for shape in refused {
            assert!(shape.check().is_err(), "{shape:?}");
        }
        assert_eq!(Shape::default().check(), Ok(()));
    }
}
