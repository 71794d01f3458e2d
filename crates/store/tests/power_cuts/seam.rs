//! A registered VFS whose files can be exchanged: SQLite keeps a VFS for ever, a mount ends with the power.

use std::sync::{Arc, Mutex, PoisonError};

use loadstone_store::vfs::{Characteristics, Control, Lock, Vfs, VfsError, VfsFile};

#[derive(Clone, Default)]
pub struct Seam(Arc<Mutex<Option<Arc<dyn Vfs>>>>);

impl Seam {
    pub fn set(&self, vfs: Option<Arc<dyn Vfs>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = vfs;
    }

    fn get(&self) -> Result<Arc<dyn Vfs>, VfsError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone().ok_or(VfsError::Io)
    }
}

impl Vfs for Seam {
    fn open(&self, name: Option<&str>, create: bool) -> Result<Box<dyn VfsFile>, VfsError> {
        self.get()?.open(name, create)
    }

    fn delete(&self, name: &str) -> Result<(), VfsError> {
        self.get()?.delete(name)
    }

    fn exists(&self, name: &str) -> bool {
        self.get().is_ok_and(|vfs| vfs.exists(name))
    }
}

/// A mutant: claims that transactions are atomic, and leaves it at that.
pub struct Careless<V>(pub V);

impl<V: Vfs> Vfs for Careless<V> {
    fn open(&self, name: Option<&str>, create: bool) -> Result<Box<dyn VfsFile>, VfsError> {
        Ok(Box::new(CarelessFile(self.0.open(name, create)?)))
    }

    fn delete(&self, name: &str) -> Result<(), VfsError> {
        self.0.delete(name)
    }

    fn exists(&self, name: &str) -> bool {
        self.0.exists(name)
    }
}

struct CarelessFile(Box<dyn VfsFile>);

impl VfsFile for CarelessFile {
    fn read_at(&mut self, bytes: &mut [u8], offset: u64) -> Result<usize, VfsError> {
        self.0.read_at(bytes, offset)
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> Result<(), VfsError> {
        self.0.write_at(bytes, offset)
    }

    fn truncate(&mut self, size: u64) -> Result<(), VfsError> {
        self.0.truncate(size)
    }

    fn sync(&mut self) -> Result<(), VfsError> {
        self.0.sync()
    }

    fn size(&mut self) -> Result<u64, VfsError> {
        self.0.size()
    }

    fn lock(&mut self, level: Lock) -> Result<bool, VfsError> {
        self.0.lock(level)
    }

    fn unlock(&mut self, level: Lock) -> Result<(), VfsError> {
        self.0.unlock(level)
    }

    fn is_reserved(&mut self) -> Result<bool, VfsError> {
        self.0.is_reserved()
    }

    fn characteristics(&self) -> Characteristics {
        Characteristics { batch_atomic: true, ..self.0.characteristics() }
    }

    fn control(&mut self, _: Control) -> Result<bool, VfsError> {
        Ok(true)
    }
}
