//! Functions in Python that steps of a scenario call.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use loadstone_engine::{Answered, Asked, Functions};
use loadstone_http::Headers;
use loadstone_workload::MOST_RETURNED;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyString};

/// Characters of what a function raised that are told.
const MOST_TOLD: usize = 300;

/// The functions of a plan, in its order.
#[derive(Debug)]
pub struct Hooks(pub Vec<Py<PyAny>>);

impl Functions for Hooks {
    fn call(&self, asked: &Asked<'_>, began: &mut Instant) -> Result<Vec<Vec<u8>>, String> {
        let called = Python::try_attach(|py| {
            // The interpreter runs one of its threads at a time: until now this one waited for its turn.
            *began = Instant::now();
            call(self.0[asked.function].bind(py), asked)
        });
        called.unwrap_or_else(|| Err("Python is about to end".into()))
    }
}

/// The latest answer, as a function is given it.
#[pyclass(frozen, module = "loadstone._core")]
pub struct Answer(Arc<Answered>);

#[pymethods]
impl Answer {
    #[getter]
    fn status(&self) -> u16 {
        self.0.status
    }

    #[getter]
    fn headers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let headers = Headers::new(&self.0.head);
        let found = PyDict::new(py);
        for (name, _) in headers.iter() {
            let name = String::from_utf8_lossy(name);
            let all: Vec<Cow<'_, str>> = headers.all(&name).map(String::from_utf8_lossy).collect();
            found.set_item(name.to_ascii_lowercase(), all.join(", "))?;
        }
        Ok(found)
    }

    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.body)
    }

    #[getter]
    fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0.body)
    }
}

fn call(function: &Bound<'_, PyAny>, asked: &Asked<'_>) -> Result<Vec<Vec<u8>>, String> {
    let returned = given(function.py(), asked).and_then(|given| function.call((), Some(&given)));
    let returned = returned.map_err(|error| told(function, &error))?;
    if returned.is_none() && asked.returns.is_empty() {
        return Ok(Vec::new());
    }
    let Ok(values) = returned.cast::<PyDict>() else {
        return Err(format!("it returned {}, not a dictionary", kind_of(&returned)));
    };
    let taken = asked.returns.iter().map(|name| match values.get_item(name.as_str()) {
        Ok(Some(value)) => text_of(name, &value),
        _ => Err(format!("`{name}` is not in what it returned")),
    });
    let taken = taken.collect::<Result<Vec<_>, _>>()?;
    if values.len() > taken.len() {
        let is_known = |key: &String| asked.returns.contains(key);
        let keys = values.keys().iter().map(|key| key.to_string()).collect::<Vec<_>>();
        let odd = keys.into_iter().find(|key| !is_known(key)).unwrap_or_default();
        return Err(format!("it returned `{odd}`, which `returns` does not have"));
    }
    Ok(taken)
}

fn given<'py>(py: Python<'py>, asked: &Asked<'_>) -> PyResult<Bound<'py, PyDict>> {
    let given = PyDict::new(py);
    for (name, text) in asked.parameters.iter().zip(asked.arguments) {
        given.set_item(PyString::intern(py, name), String::from_utf8_lossy(text))?;
    }
    if asked.wants_answer {
        given.set_item(intern!(py, "answer"), asked.answer.clone().map(Answer))?;
    }
    Ok(given)
}

/// A value that a function returned, as the text that templates have for it.
fn text_of(name: &str, value: &Bound<'_, PyAny>) -> Result<Vec<u8>, String> {
    let text = if let Ok(text) = value.cast::<PyString>() {
        text.to_cow().map(|text| text.as_bytes().to_vec()).map_err(|_| format!("`{name}` is not Unicode"))?
    } else if let Ok(bytes) = value.cast::<PyBytes>() {
        bytes.as_bytes().to_vec()
    } else if let Ok(truth) = value.cast::<PyBool>() {
        truth.is_true().to_string().into_bytes()
    } else if value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>() {
        value.to_string().into_bytes()
    } else {
        return Err(format!("`{name}` is {}; a value is a text, a number or bytes", kind_of(value)));
    };
    if text.len() > MOST_RETURNED {
        return Err(format!("`{name}` has {} bytes, and a value at most {MOST_RETURNED}", text.len()));
    }
    Ok(text)
}

/// What a function raised: `ValueError: the account is empty (sign.py, line 6)`.
fn told(function: &Bound<'_, PyAny>, error: &PyErr) -> String {
    let py = function.py();
    let kind = error.get_type(py).name().map_or("an error".into(), |name| name.to_string());
    let words = error.value(py).str().map_or_else(|_| String::new(), |words| words.to_string());
    let words: String = words.chars().take(MOST_TOLD).collect();
    let place = place_of(function, error).map(|place| format!(" ({place})")).unwrap_or_default();
    if words.is_empty() { format!("{kind}{place}") } else { format!("{kind}: {words}{place}") }
}

/// The innermost line of the function's own file that it passed, or else the innermost of all.
fn place_of(function: &Bound<'_, PyAny>, error: &PyErr) -> Option<String> {
    let own = function.getattr("__code__").and_then(|code| code.getattr("co_filename"));
    let own: Option<String> = own.and_then(|file| file.extract()).ok();
    let mut at = error.traceback(function.py()).map(Bound::into_any);
    let mut found: Option<(String, u32)> = None;
    while let Some(entry) = at {
        let file = entry.getattr("tb_frame").and_then(|frame| frame.getattr("f_code"));
        let file: String = file.and_then(|code| code.getattr("co_filename")?.extract()).ok()?;
        let line: u32 = entry.getattr("tb_lineno").and_then(|line| line.extract()).ok()?;
        let is_own = own.as_ref() == Some(&file);
        if is_own || found.as_ref().is_none_or(|(before, _)| own.as_ref() != Some(before)) {
            found = Some((file, line));
        }
        at = entry.getattr("tb_next").ok().filter(|next| !next.is_none());
    }
    let (file, line) = found?;
    let name = Path::new(&file).file_name()?.to_string_lossy().into_owned();
    Some(format!("{name}, line {line}"))
}

fn kind_of(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or("something".into(), |name| name.to_string())
}
