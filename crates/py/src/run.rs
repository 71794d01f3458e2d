//! Runs of the load engine.

use std::sync::Arc;
use std::time::Duration;

use loadstone_engine as engine;
use loadstone_workload::{self as workload, Plan};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::hooks::Hooks;
use crate::to_python;

#[pyclass(module = "loadstone._core")]
pub struct Run {
    run: engine::Run,
}

#[pymethods]
impl Run {
    #[new]
    #[pyo3(signature = (plan_json, start_at_s = None, *, traced = false, functions = Vec::new()))]
    fn new(
        py: Python<'_>,
        plan_json: &str,
        start_at_s: Option<f64>,
        traced: bool,
        functions: Vec<Py<PyAny>>,
    ) -> PyResult<Self> {
        let at = start_at_s.map(seconds).transpose()?;
        let plan = py.detach(|| Plan::from_json(plan_json)).map_err(refused)?;
        if functions.len() != plan.functions.len() {
            let (wanted, there) = (plan.functions.len(), functions.len());
            return Err(PyValueError::new_err(format!("the plan calls {wanted} functions, and has {there}")));
        }
        let beginning = engine::Beginning { at, traced, functions: Some(Arc::new(Hooks(functions))) };
        let run = py.detach(|| engine::Run::begin(plan, beginning)).map_err(PyValueError::new_err)?;
        Ok(Self { run })
    }

    fn next(&self, py: Python<'_>, timeout_s: f64) -> PyResult<Option<Py<PyAny>>> {
        let timeout = seconds(timeout_s)?;
        match py.detach(|| self.run.next(timeout)) {
            Some(window) => to_python(py, &window).map(Some),
            None => Ok(None),
        }
    }

    #[pyo3(signature = (load, at_s = None))]
    fn change(&self, load: f64, at_s: Option<f64>) -> PyResult<f64> {
        self.run.change(load, at_s).map_err(PyValueError::new_err)
    }

    fn may_change(&self, load: f64) -> PyResult<()> {
        self.run.may_change(load).map_err(PyValueError::new_err)
    }

    fn exchanges(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        to_python(py, &self.run.exchanges())
    }

    fn examples(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        to_python(py, &self.run.examples())
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
    // Walks with a memory are simulated: seconds.
    let expectations =
        py.detach(|| Plan::from_json(plan_json).and_then(|plan| workload::expectations(&plan)));
    to_python(py, &expectations.map_err(refused)?)
}

/// What is wrong with a CSS selector.
#[pyfunction]
pub fn check_css_selector(selector: &str) -> PyResult<()> {
    workload::CssSelector::parse(selector).map(drop).map_err(refused)
}

/// What is wrong with a path into JSON.
#[pyfunction]
pub fn check_json_path(path: &str) -> PyResult<()> {
    workload::JsonPath::parse(path).map(drop).map_err(refused)
}

/// What a path leads to in each text, up to the first that has nothing there; and what is wrong with that.
#[pyfunction]
pub fn json_texts(py: Python<'_>, path: &str, texts: Vec<String>) -> PyResult<(Vec<String>, Option<String>)> {
    let path = workload::JsonPath::parse(path).map_err(refused)?;
    Ok(py.detach(|| path.texts(&texts)))
}

/// What is wrong with the files of a plan's `target.tls`.
#[pyfunction]
pub fn check_tls(py: Python<'_>, tls_json: &str, host: &str) -> PyResult<()> {
    let tls = serde_json::from_str(tls_json).map_err(|error| PyValueError::new_err(error.to_string()))?;
    py.detach(|| engine::check_tls(&tls, host)).map_err(PyValueError::new_err)
}

/// What is wrong with a plan, as a sentence.
fn refused(error: workload::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

#[pyfunction]
pub fn merge_windows(py: Python<'_>, windows_json: &str) -> PyResult<Py<PyAny>> {
    let merged = py.detach(|| serde_json::from_str::<Vec<engine::Window>>(windows_json).map(engine::merged));
    to_python(py, &merged.map_err(|error| PyValueError::new_err(error.to_string()))?)
}

/// Seconds from Python as a duration.
pub fn seconds(value: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(value).map_err(|error| PyValueError::new_err(error.to_string()))
}
