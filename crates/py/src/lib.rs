//! The seam between Rust and Python: converts, releases the GIL, maps errors; no logic.
//!
//! `python/loadstone/_core.pyi` documents every item for its callers.
#![allow(missing_docs, reason = "the stub file is the documentation that Python reads")]

mod chain;
mod disk;
mod disk_copy;
mod hooks;
mod inject;
mod leave;
mod loading;
mod names;
mod network;
mod positions;
mod run;
mod server;
mod sites;
mod watch;
mod yardstick;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyModule;
use serde::Serialize;

/// A serialisable value as plain Python data.
fn to_python<T: Serialize>(py: Python<'_>, value: &T) -> PyResult<Py<PyAny>> {
    let text = serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(py.import("json")?.call_method1("loads", (text,))?.unbind())
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<run::Run>()?;
    module.add_class::<hooks::Answer>()?;
    module.add_class::<server::Server>()?;
    module.add_class::<inject::Campaign>()?;
    module.add_class::<inject::InjectedServer>()?;
    module.add_class::<yardstick::Yardstick>()?;
    module.add_function(wrap_pyfunction!(chain::solve_chain, module)?)?;
    module.add_function(wrap_pyfunction!(disk::format_disk, module)?)?;
    module.add_function(wrap_pyfunction!(disk_copy::check_disk, module)?)?;
    module.add_function(wrap_pyfunction!(disk_copy::export_database, module)?)?;
    module.add_function(wrap_pyfunction!(disk_copy::restore_disk, module)?)?;
    module.add_function(wrap_pyfunction!(leave::watch_signals, module)?)?;
    module.add_function(wrap_pyfunction!(leave::signal_noticed, module)?)?;
    module.add_function(wrap_pyfunction!(leave::signal_handlers, module)?)?;
    module.add_function(wrap_pyfunction!(leave::end_children_if_asked, module)?)?;
    module.add_function(wrap_pyfunction!(network::run_switch, module)?)?;
    module.add_function(wrap_pyfunction!(positions::toml_lines, module)?)?;
    module.add_function(wrap_pyfunction!(run::expectations, module)?)?;
    module.add_function(wrap_pyfunction!(run::check_css_selector, module)?)?;
    module.add_function(wrap_pyfunction!(run::check_json_path, module)?)?;
    module.add_function(wrap_pyfunction!(run::json_texts, module)?)?;
    module.add_function(wrap_pyfunction!(run::check_tls, module)?)?;
    module.add_function(wrap_pyfunction!(run::merge_windows, module)?)?;
    module.add_function(wrap_pyfunction!(names::usernames, module)?)?;
    module.add_function(wrap_pyfunction!(sites::olio_files, module)?)?;
    module.add_function(wrap_pyfunction!(names::without_password, module)?)?;
    module.add_function(wrap_pyfunction!(sites::load, module)?)?;
    module.add_function(wrap_pyfunction!(sites::serve, module)?)?;
    Ok(())
}
