//! What `run` is told: its ports and their shapes, as JSON.

use std::path::PathBuf;

use serde::Deserialize;

use crate::shape::Shape;

/// One switch.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Ports in the order of the counters.
    pub ports: Vec<Port>,
    /// File that gets the counters as JSON, at most once a second and only when they changed. Beside it, in
    /// the same folder, is the socket `switch.sock` that takes changes.
    #[serde(default)]
    pub counters: Option<PathBuf>,
    /// Seed of losses, jitter and cross-traffic.
    #[serde(default)]
    pub seed: u64,
}

/// One TAP device and the link behind it.
#[derive(Debug, Clone, Deserialize)]
pub struct Port {
    /// Name of the device that is made, in the namespace of the switch.
    pub device: String,
    /// The link.
    #[serde(flatten)]
    pub link: Link,
}

/// The link of a port.
#[derive(Debug, Clone, Deserialize)]
pub struct Link {
    /// What the counters call the port.
    pub name: String,
    /// From the device's host to the switch.
    #[serde(default)]
    pub up: Shape,
    /// From the switch to the device's host.
    #[serde(default)]
    pub down: Shape,
    /// Whether it is cut: nothing passes in either direction.
    #[serde(default)]
    pub cut: bool,
}

impl Link {
    /// A sentence about the first number that means nothing.
    pub fn check(&self) -> Result<(), String> {
        for shape in [&self.up, &self.down] {
            shape.check().map_err(|error| format!("port `{}`: {error}", self.name))?;
        }
        Ok(())
    }
}
