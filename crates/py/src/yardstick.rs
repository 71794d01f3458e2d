//! The engine's fixed piece of work.

use std::sync::Mutex;

use pyo3::prelude::*;

/// As the stub file says.
#[pyclass(frozen)]
pub struct Yardstick(Mutex<loadstone_engine::Yardstick>);

#[pymethods]
impl Yardstick {
    #[new]
    fn new() -> Self {
        Self(Mutex::new(loadstone_engine::Yardstick::new()))
    }

    fn measure(&self) -> (f64, f64) {
        let reading = self.0.lock().expect("no measurement panics").measure();
        (reading.compute_us, reading.memory_us)
    }
}
