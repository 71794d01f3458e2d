//! The switch of a lab.

use loadstone_linkshape as linkshape;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

#[pyfunction]
pub fn run_switch(py: Python<'_>, config_json: &str) -> PyResult<()> {
    py.detach(|| linkshape::run(config_json)).map_err(|error| match error {
        linkshape::Error::Config(sentence) => PyValueError::new_err(sentence),
        system @ linkshape::Error::System(..) => PyOSError::new_err(system.to_string()),
    })
}
