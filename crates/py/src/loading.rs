//! Loading data sets: where they go, what is told meanwhile, how it can fail.

use loadstone_store::Dialect;
use loadstone_web::dataset::{LoadError, Progress as Report};
use pyo3::exceptions::{PyFileExistsError, PyOSError, PyValueError};
use pyo3::prelude::*;

/// Who is told (done, of) while a data set is loaded.
pub type Progress = Option<Py<PyAny>>;

/// Whether a place is a database on a server, by its URL; else it is a folder.
pub fn is_shared(place: &str) -> bool {
    Dialect::of(place) != Dialect::Sqlite
}

/// Runs a loader with the GIL released but for its reports to `progress`; what that raised comes first.
pub fn reporting<T: Send>(
    py: Python<'_>,
    progress: Progress,
    load: impl FnOnce(Report<'_>) -> T + Send,
) -> PyResult<T> {
    let mut raised = None;
    let loaded = py.detach(|| {
        load(&mut |done, total| {
            let Some(progress) = progress.as_ref().filter(|_| raised.is_none()) else { return };
            raised = Python::attach(|py| progress.call1(py, (done, total)).err());
        })
    });
    raised.map_or(Ok(loaded), Err)
}

pub fn load_error(error: LoadError) -> PyErr {
    match error {
        LoadError::Invalid(_) => PyValueError::new_err(error.to_string()),
        LoadError::Exists(_) => PyFileExistsError::new_err(error.to_string()),
        _ => PyOSError::new_err(error.to_string()),
    }
}
