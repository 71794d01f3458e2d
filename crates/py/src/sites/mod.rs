//! What can be served, each a value of one kind in a module of its own; [`ALL`] is where they are registered.

mod files;
mod olio;
mod people;
mod proxy;
mod rubis;
mod surge;

use std::sync::Arc;

use loadstone_http::Service;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::loading::Progress;
pub use olio::olio_files;

use crate::server::{ContainerSettings, Server, choice, config, parse, start};

/// Everything that is served, by its name in `app`.
const ALL: [&dyn Site; 5] = [&files::Folder, &olio::Site, &proxy::Upstream, &rubis::Site, &surge::Site];

/// Rows by table.
type Rows = Vec<(&'static str, u64)>;

/// Something that can be served: a built-in site, or one of the smaller servers.
trait Site: Sync {
    /// What it is called.
    fn name(&self) -> &'static str;

    /// Creates the data set that `data` (JSON) describes in `place`: a folder, a database's URL or
    /// `block:PATH`.
    fn load(&self, _: Python<'_>, _place: &str, _data: &str, _replace: bool, _: Progress) -> PyResult<Rows> {
        Err(PyValueError::new_err(format!("`{}` has no data set to load", self.name())))
    }

    /// The service on what is in the wanted place. Called with the GIL released.
    fn open(&self, wanted: Wanted<'_>) -> PyResult<Arc<dyn Service>>;
}

/// What is to be served, and how.
struct Wanted<'w> {
    /// A folder, a database's URL, `block:PATH`, or whatever else the site means by it.
    place: &'w str,
    /// Options of the site's own.
    options: Value,
    /// The data set to make as it starts, instead of one in `place`.
    data: Option<Value>,
    /// Whether clients speak TLS with the server itself.
    tls: bool,
}

impl Wanted<'_> {
    /// The site's own options; absent ones are its defaults.
    fn options<T: DeserializeOwned + Default>(&mut self) -> PyResult<T> {
        let options = self.options.take();
        if options.is_null() { Ok(T::default()) } else { understood(options) }
    }

    /// The data set to make as it starts.
    fn data<T: DeserializeOwned>(&mut self) -> PyResult<Option<T>> {
        self.data.take().map(understood).transpose()
    }

    /// Refuses options of its own, of one that has none.
    fn without_options(&self, name: &str) -> PyResult<()> {
        let said = self.options.as_object().and_then(|options| options.keys().next());
        let Some(key) = said else { return Ok(()) };
        Err(PyValueError::new_err(format!("options: `{name}` has no `{key}`")))
    }

    /// Refuses a data set, of one that makes none as it starts.
    fn without_data(&self, name: &str) -> PyResult<()> {
        if self.data.is_none() {
            return Ok(());
        }
        Err(PyValueError::new_err(format!("options: `{name}` makes no data as it starts")))
    }
}

/// Options of a server: what is served, and the container around it.
#[derive(Deserialize)]
struct Asked {
    app: String,
    #[serde(default)]
    site: Value,
    data: Option<Value>,
    #[serde(flatten)]
    container: Value,
}

#[pyfunction]
#[pyo3(signature = (app, place, data_json, replace, progress))]
pub fn load<'py>(
    py: Python<'py>,
    app: &str,
    place: &str,
    data_json: &str,
    replace: bool,
    progress: Progress,
) -> PyResult<Bound<'py, PyDict>> {
    let rows = PyDict::new(py);
    for (table, count) in named(app)?.load(py, place, data_json, replace, progress)? {
        rows.set_item(table, count)?;
    }
    Ok(rows)
}

#[pyfunction]
pub fn serve(py: Python<'_>, place: &str, options_json: &str) -> PyResult<Server> {
    let asked: Asked = parse(options_json)?;
    let site = named(&asked.app)?;
    let settings: ContainerSettings = understood(asked.container)?;
    let config = config(&settings)?;
    let wanted = Wanted { place, options: asked.site, data: asked.data, tls: settings.has_tls() };
    let service = py.detach(|| site.open(wanted))?;
    start(py, config, service)
}

fn named(app: &str) -> PyResult<&'static dyn Site> {
    let found = ALL.into_iter().find(|site| site.name() == app);
    choice("application", app, found, &ALL.map(Site::name).join(", "))
}

fn understood<T: DeserializeOwned>(options: Value) -> PyResult<T> {
    T::deserialize(options).map_err(|error| PyValueError::new_err(format!("options: {error}")))
}
