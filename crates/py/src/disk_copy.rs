//! Copies of the databases on disks, and checks of them.

use loadstone_store::vfs::block::Listed;
use loadstone_store::{Access, Db, Error, Options, copy_database};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::disk::Disk;

/// Most sentences about one database.
const MOST: usize = 100;

/// What was found of a database: its name, its bytes, and what is wrong with it.
type Found = (String, u64, Vec<String>);

#[pyfunction]
pub fn check_disk(py: Python<'_>, path: &str) -> PyResult<Vec<Found>> {
    py.detach(|| {
        let disk = Disk::open_at(path)?;
        let databases = databases(&disk);
        databases.map(|Listed { name, bytes, .. }| Ok((name.clone(), bytes, faults(&disk, &name)))).collect()
    })
}

/// What SQLite and the checksums find. Reading every page is what checks them.
fn faults(disk: &Disk, name: &str) -> Vec<String> {
    let checked = || -> Result<Vec<String>, Error> {
        let db = Db::open(name, &disk.options(Access::ReadWrite))?;
        let mut found = Vec::new();
        db.query("PRAGMA integrity_check(100)", &[], |row| {
            found.extend(row.opt_text(0)?.filter(|text| *text != "ok").map(str::to_owned));
            Ok(())
        })?;
        db.query("PRAGMA foreign_key_check", &[], |row| {
            if found.len() < MOST {
                let table = row.opt_text(0)?.unwrap_or("a table");
                found.push(format!("{table} refers to a row that is not there"));
            }
            Ok(())
        })?;
        Ok(found)
    };
    checked().unwrap_or_else(|error| vec![error.message])
}

#[pyfunction]
pub fn export_database(py: Python<'_>, path: &str, name: Option<&str>, to: &str) -> PyResult<String> {
    py.detach(|| {
        let disk = Disk::open_at(path)?;
        let names: Vec<String> = databases(&disk).map(|listed| listed.name).collect();
        let name = match (name, &names[..]) {
            (None, [only]) => only.clone(),
            (Some(name), _) if names.iter().any(|there| there == name) => name.to_owned(),
            _ => {
                let there = if names.is_empty() { "none".into() } else { names.join(", ") };
                return Err(PyValueError::new_err(format!("name one of the databases on the disk: {there}")));
            }
        };
        let copied = copy_database(&name, &disk.options(Access::ReadWrite), to, None);
        copied.map_err(|error| trouble(&name, &error))?;
        Ok(name)
    })
}

#[pyfunction]
pub fn restore_disk(py: Python<'_>, from: &str, name: Option<&str>, path: &str) -> PyResult<Vec<String>> {
    py.detach(|| {
        let target = Disk::open_at(path)?;
        let copy = |from: &str, options: &Options, name: &str| {
            copy_database(from, options, name, Some(target.vfs())).map_err(|error| trouble(name, &error))
        };
        if let Some(name) = name {
            // Read only: what is restored from stays as it is.
            let options = Options { access: Access::ReadOnly, ..Options::default() };
            copy(from, &options, name)?;
            return Ok(vec![name.to_owned()]);
        }
        let source = Disk::open_at(from)?;
        let names: Vec<String> = databases(&source).map(|listed| listed.name).collect();
        names.iter().try_for_each(|name| copy(name, &source.options(Access::ReadWrite), name))?;
        Ok(names)
    })
}

fn databases(disk: &Disk) -> impl Iterator<Item = Listed> {
    disk.list().into_iter().filter(|listed| listed.is_database)
}

fn trouble(name: &str, error: &Error) -> PyErr {
    PyValueError::new_err(format!("{name}: {}", error.message))
}
