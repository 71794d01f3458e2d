//! Which files there are and which chunks hold them, as the device knows it.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::MountError;
use super::device::BLOCK_BYTES;

/// Files at most.
pub(super) const MOST_FILES: usize = 64;
/// Chunks at most: a larger device has larger chunks.
pub(super) const MOST_CHUNKS: usize = 8192;
/// Longest name, bytes.
pub(super) const MOST_NAME: usize = 240;
const FILE_BYTES: usize = 256;
const CHUNK_BYTES: usize = 8;
/// Blocks of the tables at most.
pub(super) const TABLES_BLOCKS: usize = (MOST_FILES * FILE_BYTES + MOST_CHUNKS * CHUNK_BYTES) / BLOCK_BYTES;

/// Whether a file of this name protects a transaction of another one: it comes and goes.
pub(super) fn is_journal(name: &str) -> bool {
    name.ends_with("-journal")
}

/// A file of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub name: String,
    /// Bytes.
    pub size: u64,
}

/// Who owns a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Owner {
    /// Index of the file.
    pub file: u8,
    /// Which chunk of the file it is.
    pub position: u32,
}

/// One change of the tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    /// A file, new or with another size.
    File(u8, Entry),
    /// No file at this index any more.
    Gone(u8),
    /// The file's size in bytes.
    Size(u8, u64),
    /// A chunk has an owner, or none.
    Chunk(u32, Option<Owner>),
}

/// All files and chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tables {
    pub files: Vec<Option<Entry>>,
    pub chunks: Vec<Option<Owner>>,
}

impl Tables {
    /// No files.
    pub(super) fn new(chunks: usize) -> Self {
        Self { files: vec![None; MOST_FILES], chunks: vec![None; chunks] }
    }

    /// Applies a change; false when it names what cannot be.
    pub(super) fn apply(&mut self, change: &Change) -> bool {
        match change {
            Change::File(index, entry) => self.set(*index, Some(entry.clone())),
            Change::Gone(index) => self.set(*index, None),
            Change::Size(index, size) => match self.files.get_mut(usize::from(*index)) {
                // A log that is repeated may speak of files that newer tables do not have; it then also says
                // that they went.
                Some(place) => {
                    if let Some(entry) = place {
                        entry.size = *size;
                    }
                    true
                }
                None => false,
            },
            Change::Chunk(chunk, owner) => match self.chunks.get_mut(*chunk as usize) {
                Some(place) => {
                    *place = *owner;
                    true
                }
                None => false,
            },
        }
    }

    fn set(&mut self, index: u8, entry: Option<Entry>) -> bool {
        self.files.get_mut(usize::from(index)).map(|place| *place = entry).is_some()
    }

    /// The chunks of each file in their order.
    ///
    /// # Errors
    /// When a chunk has no file, two are in one place, or a file is larger than its chunks.
    pub(super) fn files_chunks(&self, chunk_blocks: u64) -> Result<Vec<Vec<u32>>, MountError> {
        let wrong = MountError::Damaged("the tables of files and chunks contradict each other");
        let mut lists = vec![Vec::new(); MOST_FILES];
        for (chunk, owner) in (0u32..).zip(&self.chunks) {
            let Some(owner) = owner else { continue };
            let file = usize::from(owner.file);
            if self.files.get(file).is_none_or(Option::is_none) {
                return Err(wrong);
            }
            lists[file].push((owner.position, chunk));
        }
        let mut ordered = Vec::with_capacity(MOST_FILES);
        for (mut list, entry) in lists.into_iter().zip(&self.files) {
            list.sort_unstable();
            let room = list.len() as u64 * chunk_blocks * BLOCK_BYTES as u64;
            let in_order = (0u32..).zip(&list).all(|(index, (position, _))| index == *position);
            if !in_order || entry.as_ref().is_some_and(|entry| entry.size > room) {
                return Err(wrong);
            }
            ordered.push(list.into_iter().map(|(_, chunk)| chunk).collect());
        }
        Ok(ordered)
    }

    /// Appends the tables' bytes.
    pub(super) fn encode(&self, bytes: &mut Vec<u8>) {
        for entry in &self.files {
            let start = bytes.len();
            if let Some(entry) = entry {
                bytes.push(entry.name.len() as u8);
                bytes.extend_from_slice(&entry.size.to_le_bytes());
                bytes.extend_from_slice(entry.name.as_bytes());
            }
            bytes.resize(start + FILE_BYTES, 0);
        }
        for owner in &self.chunks {
            let (file, position) = owner.map_or((0, 0), |owner| (u32::from(owner.file) + 1, owner.position));
            bytes.extend_from_slice(&file.to_le_bytes());
            bytes.extend_from_slice(&position.to_le_bytes());
        }
    }

    /// Reads what [`Tables::encode`] made.
    pub(super) fn decode(bytes: &[u8], chunks: usize) -> Result<Self, MountError> {
        let wrong = MountError::Damaged("the tables of files and chunks cannot be read");
        let (files, rest) = bytes.split_at_checked(MOST_FILES * FILE_BYTES).ok_or(wrong)?;
        let owners = rest.get(..chunks * CHUNK_BYTES).ok_or(wrong)?;
        let mut tables = Self::new(chunks);
        for (place, bytes) in tables.files.iter_mut().zip(files.chunks_exact(FILE_BYTES)) {
            let length = usize::from(bytes[0]);
            if length > 0 {
                let name = bytes[9..].get(..length).and_then(|name| core::str::from_utf8(name).ok());
                let size = u64::from_le_bytes(bytes[1..9].try_into().unwrap_or_default());
                *place = Some(Entry { name: name.ok_or(wrong)?.into(), size });
            }
        }
        for (place, bytes) in tables.chunks.iter_mut().zip(owners.chunks_exact(CHUNK_BYTES)) {
            let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap_or_default());
            if let Some(file) = word(0).checked_sub(1) {
                let file = u8::try_from(file).map_err(|_| wrong)?;
                *place = Some(Owner { file, position: word(4) });
            }
        }
        Ok(tables)
    }
}
