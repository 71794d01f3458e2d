//! Runs of the load engine.

use std::time::Duration;

use loadstone_engine as engine;
use loadstone_workload::{self as workload, Plan};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::to_python;

#[pyclass(module = "loadstone._core")]
pub struct Run {
    run: engine::Run,
}

#[pymethods]
impl Run {
    #[new]
    fn new(py: Python<'_>, plan_json: &str) -> PyResult<Self> {
        let run =
            py.detach(|| engine::Run::start(Plan::from_json(plan_json)?)).map_err(PyValueError::new_err)?;
        Ok(Self { run })
    }

    fn next(&self, py: Python<'_>, timeout_s: f64) -> PyResult<Option<Py<PyAny>>> {
        let timeout = seconds(timeout_s)?;
        match py.detach(|| self.run.next(timeout)) {
            Some(window) => to_python(py, &window).map(Some),
            None => Ok(None),
        }
    }

    fn stop(&self) {
        self.run.stop();
    }

    fn summary(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.run.summary().map(|summary| to_python(py, &summary)).transpose()
    }
}

#[pyfunction]
pub fn expectations(py: Python<'_>, plan_json: &str) -> PyResult<Py<PyAny>> {
    let expectations = Plan::from_json(plan_json)
        .and_then(|plan| workload::expectations(&plan))
        .map_err(PyValueError::new_err)?;
    to_python(py, &expectations)
}

/// Seconds from Python as a duration.
pub fn seconds(value: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(value).map_err(|error| PyValueError::new_err(error.to_string()))
}
