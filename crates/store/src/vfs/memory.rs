//! Files in memory, shared by all connections of the process.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use super::{Lock, LockTable, Vfs, VfsError, VfsFile};
use crate::mutex::Mutex;

/// A whole database in memory that several connections use at once, with the locks of real files.
///
/// Nothing survives the process. What one instance holds is freed only with the process, because a
/// registered VFS stays registered.
#[derive(Default)]
pub struct MemoryVfs {
    files: Files,
}

impl MemoryVfs {
    /// An empty place.
    pub fn new() -> Self {
        Self::default()
    }
}

/// A database and its journal: so few that they are looked through.
struct Files(Mutex<Vec<(String, Arc<Mutex<Content>>)>>);

impl Default for Files {
    fn default() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

impl Vfs for MemoryVfs {
    fn open(&self, name: Option<&str>, create: bool) -> Result<Box<dyn VfsFile>, VfsError> {
        let fresh = || Arc::new(Mutex::new(Content::default()));
        let content = match name {
            None => fresh(),
            Some(name) => {
                let mut files = self.files.0.lock();
                match files.iter().find(|(found, _)| found == name) {
                    Some((_, content)) => content.clone(),
                    None if create => {
                        files.push((name.into(), fresh()));
                        files[files.len() - 1].1.clone()
                    }
                    None => return Err(VfsError::NotFound),
                }
            }
        };
        Ok(Box::new(MemoryFile { content, held: Lock::None }))
    }

    fn delete(&self, name: &str) -> Result<(), VfsError> {
        let mut files = self.files.0.lock();
        let at = files.iter().position(|(found, _)| found == name).ok_or(VfsError::NotFound)?;
        files.swap_remove(at);
        Ok(())
    }

    fn exists(&self, name: &str) -> bool {
        self.files.0.lock().iter().any(|(found, _)| found == name)
    }
}

/// Content grows by chunks, so that a growing file is never copied.
const CHUNK: usize = 64 * 1024;

#[derive(Default)]
struct Content {
    chunks: Vec<Box<[u8]>>,
    size: usize,
    locks: LockTable,
}

impl Content {
    fn read(&self, bytes: &mut [u8], offset: usize) -> usize {
        let end = self.size.min(offset.saturating_add(bytes.len()));
        let mut at = offset;
        while at < end {
            let chunk = &self.chunks[at / CHUNK][at % CHUNK..];
            let length = chunk.len().min(end - at);
            bytes[at - offset..][..length].copy_from_slice(&chunk[..length]);
            at += length;
        }
        end.saturating_sub(offset)
    }

    fn write(&mut self, bytes: &[u8], offset: usize) -> Result<(), VfsError> {
        let end = offset.checked_add(bytes.len()).ok_or(VfsError::Full)?;
        while self.chunks.len() * CHUNK < end {
            self.chunks.push(vec![0; CHUNK].into());
        }
        let mut at = offset;
        while at < end {
            let chunk = &mut self.chunks[at / CHUNK][at % CHUNK..];
            let length = chunk.len().min(end - at);
            chunk[..length].copy_from_slice(&bytes[at - offset..][..length]);
            at += length;
        }
        self.size = self.size.max(end);
        Ok(())
    }

    fn truncate(&mut self, size: usize) {
        if size >= self.size {
            return;
        }
        self.size = size;
        self.chunks.truncate(size.div_ceil(CHUNK));
        // What is cut off must read as zeros if a later write leaves it as a gap.
        if let Some(last) = self.chunks.last_mut()
            && !size.is_multiple_of(CHUNK)
        {
            last[size % CHUNK..].fill(0);
        }
    }
}

struct MemoryFile {
    content: Arc<Mutex<Content>>,
    held: Lock,
}

impl VfsFile for MemoryFile {
    fn read_at(&mut self, bytes: &mut [u8], offset: u64) -> Result<usize, VfsError> {
        Ok(self.content.lock().read(bytes, position(offset)?))
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> Result<(), VfsError> {
        self.content.lock().write(bytes, position(offset)?)
    }

    fn truncate(&mut self, size: u64) -> Result<(), VfsError> {
        self.content.lock().truncate(position(size)?);
        Ok(())
    }

    fn sync(&mut self) -> Result<(), VfsError> {
        Ok(())
    }

    fn size(&mut self) -> Result<u64, VfsError> {
        Ok(self.content.lock().size as u64)
    }

    fn lock(&mut self, level: Lock) -> Result<bool, VfsError> {
        Ok(self.content.lock().locks.raise(&mut self.held, level))
    }

    fn unlock(&mut self, level: Lock) -> Result<(), VfsError> {
        self.content.lock().locks.lower(&mut self.held, level);
        Ok(())
    }

    fn is_reserved(&mut self) -> Result<bool, VfsError> {
        Ok(self.content.lock().locks.is_reserved())
    }
}

impl Drop for MemoryFile {
    fn drop(&mut self) {
        self.content.lock().locks.lower(&mut self.held, Lock::None);
    }
}

fn position(offset: u64) -> Result<usize, VfsError> {
    usize::try_from(offset).map_err(|_| VfsError::Full)
}
