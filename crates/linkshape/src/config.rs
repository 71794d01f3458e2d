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
    /// File that gets the counters as JSON, at most once a second and only when they changed.
    #[serde(default)]
    pub counters: Option<PathBuf>,
    /// Seed of losses, jitter and cross-traffic.
    #[serde(default)]
    pub seed: u64,
}

/// One TAP device and the link behind it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Port {
    /// What the counters call it.
    pub name: String,
    /// Name of the device that is made.
    pub device: String,
    /// Network namespace that the device is made in, as a path; the current one when absent.
    #[serde(default)]
    pub netns: Option<PathBuf>,
    /// From the device's host to the switch.
    #[serde(default)]
    pub up: Shape,
    /// From the switch to the device's host.
    #[serde(default)]
    pub down: Shape,
}
