//! The surroundings of a site under test: what it tells its operator is kept, its clock can be moved, and
//! something can happen in the middle of an action.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use loadstone_olio::host::{Host, HostError, StoredFile};

/// What happens before an upload is stored.
type Meanwhile = Box<dyn FnOnce() + Send>;

/// Another host with what tests want to see and do.
pub struct Surroundings {
    host: Arc<dyn Host>,
    reports: Mutex<Vec<String>>,
    passed_s: AtomicU64,
    before_upload: Mutex<Option<Meanwhile>>,
}

impl Surroundings {
    pub fn of(host: Arc<dyn Host>) -> Arc<Self> {
        let (reports, before_upload) = (Mutex::default(), Mutex::default());
        Arc::new(Self { host, reports, passed_s: AtomicU64::new(0), before_upload })
    }

    /// What the operator was told so far.
    pub fn reports(&self) -> Vec<String> {
        self.reports.lock().expect("reports").clone()
    }

    /// Lets time pass.
    pub fn pass(&self, seconds: u64) {
        self.passed_s.fetch_add(seconds, Ordering::Relaxed);
    }

    /// Does this when the next upload is about to be stored.
    pub fn before_upload(&self, meanwhile: impl FnOnce() + Send + 'static) {
        *self.before_upload.lock().expect("a place") = Some(Box::new(meanwhile));
    }
}

impl Host for Surroundings {
    fn now_s(&self) -> u64 {
        self.host.now_s() + self.passed_s.load(Ordering::Relaxed)
    }

    fn entropy(&self, bytes: &mut [u8]) {
        self.host.entropy(bytes);
    }

    fn media_put(&self, name: &str, bytes: &[u8]) -> Result<(), HostError> {
        if let Some(meanwhile) = self.before_upload.lock().expect("a place").take() {
            meanwhile();
        }
        self.host.media_put(name, bytes)
    }

    fn media_get(&self, name: &str) -> Result<Option<StoredFile>, HostError> {
        self.host.media_get(name)
    }

    fn media_remove(&self, name: &str) -> Result<(), HostError> {
        self.host.media_remove(name)
    }

    fn cache_get(&self, key: &str) -> Option<Arc<[u8]>> {
        self.host.cache_get(key)
    }

    fn cache_put(&self, key: &str, value: Arc<[u8]>, ttl_s: u32) {
        self.host.cache_put(key, value, ttl_s);
    }

    fn cache_remove(&self, key: &str) {
        self.host.cache_remove(key);
    }

    fn report(&self, sentence: &str) {
        self.reports.lock().expect("reports").push(sentence.into());
    }
}
