//! Markov chains: a model and its questions in, enclosures out.

use loadstone_ctmc as ctmc;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::to_python;

#[pyfunction]
pub fn solve_chain(py: Python<'_>, request_json: &str) -> PyResult<Py<PyAny>> {
    let reply = py.detach(|| ctmc::Request::from_json(request_json).and_then(ctmc::Request::answer));
    to_python(py, &reply.map_err(refused)?)
}

/// A sentence; with the line and the column after it for a mistake in a model's text.
fn refused(error: ctmc::Error) -> PyErr {
    match error {
        ctmc::Error::Text { line, column, message } => PyValueError::new_err((message, line, column)),
        other => PyValueError::new_err(other.to_string()),
    }
}
