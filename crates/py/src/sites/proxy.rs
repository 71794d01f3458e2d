//! A server that asks another one for each answer.

use std::sync::Arc;

use loadstone_http::Service;
use loadstone_proxy::Proxy;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::Wanted;

/// The other one's URL is the place.
pub struct Upstream;

impl super::Site for Upstream {
    fn name(&self) -> &'static str {
        "proxy"
    }

    fn open(&self, wanted: Wanted<'_>) -> PyResult<Arc<dyn Service>> {
        wanted.without_data(self.name())?;
        wanted.without_options(self.name())?;
        Ok(Arc::new(Proxy::new(wanted.place).map_err(PyValueError::new_err)?))
    }
}
