//! Injected faults. Errors are `ValueError` with a kind and a sentence.

use loadstone_inject as inject;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::to_python;

#[pyclass(module = "loadstone._core", frozen)]
pub struct Campaign {
    campaign: inject::Campaign,
}

#[pymethods]
impl Campaign {
    #[new]
    fn new(config_json: &str) -> PyResult<Self> {
        Ok(Self { campaign: inject::Campaign::open(config_json).map_err(refused)? })
    }

    fn golden(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        to_python(py, &py.detach(|| self.campaign.golden()).map_err(refused)?)
    }

    fn trace(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        to_python(py, &py.detach(|| self.campaign.trace()).map_err(refused)?)
    }

    fn inject(&self, py: Python<'_>, index: u64) -> PyResult<Py<PyAny>> {
        to_python(py, &py.detach(|| self.campaign.inject(index)).map_err(refused)?)
    }

    fn steps(&self) -> u64 {
        self.campaign.steps()
    }

    fn stop(&self) {
        self.campaign.stop();
    }
}

#[pyclass(module = "loadstone._core")]
pub struct InjectedServer {
    server: inject::Server,
}

#[pymethods]
impl InjectedServer {
    #[new]
    fn new(py: Python<'_>, config_json: &str) -> PyResult<Self> {
        Ok(Self { server: py.detach(|| inject::Server::start(config_json)).map_err(refused)? })
    }

    fn profile(&self, py: Python<'_>, steps: u64, longest_s: f64) -> PyResult<Vec<(u64, u64)>> {
        py.detach(|| self.server.profile(steps, longest_s)).map_err(refused)
    }

    fn arm(&self, py: Python<'_>, address: u64, pick: u64) -> PyResult<()> {
        py.detach(|| self.server.arm(address, pick)).map_err(refused)
    }

    fn state(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        to_python(py, &py.detach(|| self.server.state()).map_err(refused)?)
    }

    fn end(&self, py: Python<'_>, patience_s: f64) -> PyResult<Py<PyAny>> {
        to_python(py, &py.detach(|| self.server.end(patience_s)).map_err(refused)?)
    }
}

fn refused(error: inject::Error) -> PyErr {
    PyValueError::new_err((error.kind.name(), error.message))
}
