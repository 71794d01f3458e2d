//! Where the keys of a TOML text stand.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

#[pyfunction]
pub fn toml_lines<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyDict>> {
    let (tables, _) = DeTable::parse_recoverable(text);
    let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect();
    let mut walk = Walk { newlines, path: Vec::new(), lines: PyDict::new(py) };
    walk.table(tables.get_ref())?;
    Ok(walk.lines)
}

/// `path` leads to what is looked at.
struct Walk<'py> {
    newlines: Vec<usize>,
    path: Vec<Bound<'py, PyAny>>,
    lines: Bound<'py, PyDict>,
}

impl<'py> Walk<'py> {
    fn table(&mut self, table: &DeTable<'_>) -> PyResult<()> {
        for (key, value) in table {
            self.entry(key.get_ref().as_ref(), key.span().start, value)?;
        }
        Ok(())
    }

    fn entry(
        &mut self,
        name: impl IntoPyObjectExt<'py>,
        at: usize,
        value: &Spanned<DeValue<'_>>,
    ) -> PyResult<()> {
        let py = self.lines.py();
        self.path.push(name.into_bound_py_any(py)?);
        let line = self.newlines.partition_point(|newline| *newline < at) + 1;
        self.lines.set_item(PyTuple::new(py, &self.path)?, line)?;
        match value.get_ref() {
            DeValue::Table(table) => self.table(table)?,
            DeValue::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.entry(index, item.span().start, item)?;
                }
            }
            _ => {}
        }
        self.path.pop();
        Ok(())
    }
}
