//! The same entries where the system or the processor has not what injection takes.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Kind, Result};
use crate::outcome::Injection;

fn refused<T>() -> Result<T> {
    Err(Error::new(Kind::Machine, "faults can be injected on Linux on x86-64 only"))
}

/// See the module of the same name for x86-64.
#[derive(Deserialize)]
pub struct Campaign {}
/// See the module of the same name for x86-64.
#[derive(Serialize)]
pub struct Golden {}
/// See the module of the same name for x86-64.
#[derive(Serialize)]
pub struct Traced {}
/// See the module of the same name for x86-64.
pub struct Server {}

#[allow(missing_docs, reason = "as campaign.rs has them")]
impl Campaign {
    pub fn open(_config: &str) -> Result<Self> {
        refused()
    }
    pub fn golden(&self) -> Result<Golden> {
        refused()
    }
    pub fn trace(&self) -> Result<Traced> {
        refused()
    }
    pub fn inject(&self, _index: u64) -> Result<Injection> {
        refused()
    }
    pub fn steps(&self) -> u64 {
        0
    }
    pub fn stop(&self) {}
}

#[allow(missing_docs, reason = "as server.rs has them")]
impl Server {
    pub fn start(_config: &str) -> Result<Self> {
        refused()
    }
    pub fn profile(&self, _steps: u64, _longest_s: f64) -> Result<Vec<(u64, u64)>> {
        refused()
    }
    pub fn arm(&self, _address: u64, _pick: u64) -> Result<()> {
        refused()
    }
    pub fn state(&self) -> Result<serde_json::Value> {
        refused()
    }
    pub fn end(&self, _patience_s: f64) -> Result<serde_json::Value> {
        refused()
    }
    pub fn supports(_path: &Path) -> bool {
        false
    }
}
