//! Markov chains: a model and its questions in, enclosures out.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use loadstone_ctmc as ctmc;
use pyo3::exceptions::{PyRuntimeError, PyTimeoutError, PyValueError};
use pyo3::prelude::*;

use crate::to_python;

/// How long a signal waits for its handler.
const PATIENCE: Duration = Duration::from_millis(50);

/// Expressions are walked as deep as they are nested.
const STACK_BYTES: usize = 64 << 20;

#[pyfunction]
pub fn solve_chain(py: Python<'_>, request_json: &str) -> PyResult<Py<PyAny>> {
    let request = ctmc::Request::from_json(request_json).map_err(refused)?;
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, mut receiver) = channel();
    let stopped = Arc::clone(&stop);
    let answer = move || sender.send(request.answer_until(stopped));
    let worker = thread::Builder::new().stack_size(STACK_BYTES).spawn(answer)?;
    loop {
        // Python runs the handlers of signals between its own steps only: this thread waits beside the
        // solver.
        let found;
        (receiver, found) = py.detach(move || {
            let found = receiver.recv_timeout(PATIENCE);
            (receiver, found)
        });
        match found {
            Ok(reply) => return to_python(py, &reply.map_err(refused)?),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the solver died"));
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Err(signal) = py.check_signals() {
                    stop.store(true, Ordering::Relaxed);
                    let _ = py.detach(|| worker.join());
                    return Err(signal);
                }
            }
        }
    }
}

/// A sentence; with the line and the column after it for a mistake in a model's text.
fn refused(error: ctmc::Error) -> PyErr {
    match error {
        ctmc::Error::Text { line, column, message } => PyValueError::new_err((message, line, column)),
        ctmc::Error::Stopped(message) => PyTimeoutError::new_err(message),
        other => PyValueError::new_err(other.to_string()),
    }
}
