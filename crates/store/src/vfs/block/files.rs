//! All files of a volume: reading, writing, and when what is written reaches the device.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::super::VfsError;
use super::MountError;
use super::content::{Content, Known};
use super::device::{BLOCK_BYTES, BlockDevice};
use super::page::Page;
use super::sums;
use super::tables::{Change, MOST_FILES, MOST_NAME};
use super::volume::Volume;

const BYTES: u64 = BLOCK_BYTES as u64;
/// Pages of a file that wait in memory at most; a batch that needs more is refused.
const MOST_DIRTY: usize = 256;

/// The files of a mounted device.
pub(super) struct Files {
    pub volume: Volume,
    /// By their ids, which only grow: so few that they are looked through.
    contents: Vec<(u32, Content)>,
    next: u32,
}

impl Files {
    /// Mounts a device.
    // An image calls it once, and its program, which is less small, would take it in.
    #[inline(never)]
    pub(super) fn mount(device: Box<dyn BlockDevice>) -> Result<Self, MountError> {
        let (volume, tables, lists) = Volume::mount(device)?;
        let mut contents = Vec::new();
        for ((index, entry), chunks) in (0u8..).zip(&tables.files).zip(lists) {
            if let Some(entry) = entry {
                contents.push((u32::from(index), Content::mounted(index, entry, chunks)));
            }
        }
        Ok(Self { volume, contents, next: MOST_FILES as u32 })
    }

    /// The file of this name.
    pub(super) fn find(&self, name: &str) -> Option<u32> {
        self.contents.iter().find(|(_, content)| content.is_called(name)).map(|(id, _)| *id)
    }

    /// A handle to a file, which may be made now.
    pub(super) fn open(&mut self, name: Option<&str>, create: bool) -> Result<u32, VfsError> {
        self.volume.is_sound()?;
        if let Some(id) = name.and_then(|name| self.find(name)) {
            self.content(id)?.handles += 1;
            return Ok(id);
        }
        let named = match name {
            Some(_) if !create => return Err(VfsError::NotFound),
            Some(name) if name.is_empty() || name.len() > MOST_NAME => return Err(VfsError::Io),
            Some(name) => Some((self.free_index()?, String::from(name))),
            None => None,
        };
        let id = self.next;
        self.next += 1;
        let mut content = Content::new(named);
        content.handles = 1;
        self.contents.push((id, content));
        Ok(id)
    }

    fn free_index(&self) -> Result<u8, VfsError> {
        let taken = |index: u8| {
            self.contents
                .iter()
                .any(|(_, content)| content.named.as_ref().is_some_and(|(at, _)| *at == index))
        };
        (0..MOST_FILES as u8).find(|index| !taken(*index)).ok_or(VfsError::Full)
    }

    /// A handle less. What nobody has open and nobody can open any more is given up.
    pub(super) fn close(&mut self, id: u32) {
        let Ok(content) = self.content(id) else { return };
        content.handles = content.handles.saturating_sub(1);
        if content.handles > 0 {
            return;
        }
        if content.named.is_none() {
            if let Some(mut content) = self.take(id) {
                content.cut(&mut self.volume, 0);
            }
        } else if !content.is_journal {
            // A close promises nothing; what fails here fails again at the next sync. A journal is about to
            // be deleted.
            let _ = self.commit_point(id);
        }
    }

    /// Removes a file by name; returns when a power cut cannot bring it back.
    pub(super) fn delete(&mut self, name: &str) -> Result<(), VfsError> {
        self.volume.is_sound()?;
        let id = self.find(name).ok_or(VfsError::NotFound)?;
        let (volume, content) = self.both(id)?;
        let unopened = content.handles == 0;
        if content.is_journal && content.known.exists {
            // What it protected must be safe before it goes.
            volume.flush()?;
        }
        if let Some((changes, chunks)) = content.unname(volume) {
            volume.append(&changes, BTreeMap::new())?;
            volume.space.put_after_flush(chunks);
            volume.flush()?;
        }
        if unopened {
            self.take(id);
        }
        Ok(())
    }

    /// Every file with its number.
    pub(super) fn contents(&self) -> impl Iterator<Item = (u32, &Content)> {
        self.contents.iter().map(|(id, content)| (*id, content))
    }

    /// The file with this number.
    pub(super) fn content(&mut self, id: u32) -> Result<&mut Content, VfsError> {
        self.both(id).map(|(_, content)| content)
    }

    fn both(&mut self, id: u32) -> Result<(&mut Volume, &mut Content), VfsError> {
        let found = self.contents.iter_mut().find(|(known, _)| *known == id);
        found.map(|(_, content)| (&mut self.volume, content)).ok_or(VfsError::Io)
    }

    fn take(&mut self, id: u32) -> Option<Content> {
        let at = self.contents.iter().position(|(known, _)| *known == id)?;
        Some(self.contents.remove(at).1)
    }

    /// Reads from `offset` on; returns how many bytes there were.
    pub(super) fn read(&mut self, id: u32, bytes: &mut [u8], offset: u64) -> Result<usize, VfsError> {
        let (volume, content) = self.both(id)?;
        volume.is_sound()?;
        let checked = content.is_checked(volume);
        let length = content.size.saturating_sub(offset).min(bytes.len() as u64) as usize;
        let mut done = 0;
        while done < length {
            let (page, within) = split(offset + done as u64);
            let part = (BLOCK_BYTES - within).min(length - done);
            let out = &mut bytes[done..done + part];
            match content.dirty.get(&page) {
                Some(dirty) => out.copy_from_slice(&dirty.0[within..within + part]),
                None => {
                    let (block, more) = content.place(volume, page);
                    volume.read(block, more, within, out)?;
                    if checked && part == BLOCK_BYTES && !sums::is_right(out, page) {
                        return Err(VfsError::Rot);
                    }
                }
            }
            done += part;
        }
        Ok(length)
    }

    /// Writes at `offset`; into memory, as long as there is room for it.
    pub(super) fn write(&mut self, id: u32, bytes: &[u8], offset: u64) -> Result<(), VfsError> {
        self.volume.is_sound()?;
        let end = offset.checked_add(bytes.len() as u64).ok_or(VfsError::Full)?;
        let before = self.content(id)?.size;
        self.grow(id, offset, end)?;
        let mut done = 0;
        while done < bytes.len() {
            let (page, within) = split(offset + done as u64);
            let part = (BLOCK_BYTES - within).min(bytes.len() - done);
            let target = self.page(id, page, before, part == BLOCK_BYTES)?;
            target.0[within..within + part].copy_from_slice(&bytes[done..done + part]);
            done += part;
            let (volume, content) = self.both(id)?;
            content.stamp(volume, page)?;
            content.size = content.size.max(offset + done as u64);
        }
        Ok(())
    }

    /// Gives blocks to everything up to `end`; what lies between the file's end and `offset` becomes zeros.
    fn grow(&mut self, id: u32, offset: u64, end: u64) -> Result<(), VfsError> {
        let (volume, content) = self.both(id)?;
        if end <= content.size {
            return Ok(());
        }
        content.reserve(volume, end)?;
        let before = content.size;
        if offset > before {
            for page in before / BYTES..offset.div_ceil(BYTES) {
                self.page(id, page, before, false)?;
                let (volume, content) = self.both(id)?;
                content.stamp(volume, page)?;
                content.size = content.size.max(offset.min((page + 1) * BYTES));
            }
        }
        Ok(())
    }

    /// A page to write in. Unless it will be overwritten `wholly` it has what the file has there, whose size
    /// is `size`; behind it, zeros.
    fn page(&mut self, id: u32, page: u64, size: u64, wholly: bool) -> Result<&mut Page, VfsError> {
        let content = self.content(id)?;
        if !content.dirty.contains_key(&page) {
            if content.dirty.len() >= self.most_dirty() {
                self.relieve(id)?;
            }
            let (volume, content) = self.both(id)?;
            let mut fresh = volume.pool.take();
            let start = page * BYTES;
            if !wholly {
                let valid = size.saturating_sub(start).min(BYTES) as usize;
                if valid > 0 {
                    let (block, more) = content.place(volume, page);
                    volume.read(block, more, 0, &mut fresh.0)?;
                    if content.is_checked(volume) && !sums::is_right(&fresh.0, page) {
                        volume.pool.put(fresh);
                        return Err(VfsError::Rot);
                    }
                }
                fresh.0[valid..].fill(0);
            }
            content.dirty.insert(page, fresh);
        }
        self.content(id)?.dirty.get_mut(&page).map(|page| &mut **page).ok_or(VfsError::Io)
    }

    fn most_dirty(&self) -> usize {
        MOST_DIRTY.min(self.volume.record_pages(self.volume.superblock.chunks.min(64)))
    }

    /// Makes room for more dirty pages of a file.
    fn relieve(&mut self, id: u32) -> Result<(), VfsError> {
        let content = self.content(id)?;
        if content.in_batch() {
            // SQLite then writes the transaction again, with a journal.
            return Err(VfsError::Io);
        }
        content.is_spilled = true;
        self.spill(id)
    }

    /// Cuts the file.
    pub(super) fn truncate(&mut self, id: u32, size: u64) -> Result<(), VfsError> {
        let (volume, content) = self.both(id)?;
        volume.is_sound()?;
        if size < content.size {
            content.cut(volume, size);
        }
        Ok(())
    }

    /// Returns when everything written to the file is on the medium.
    pub(super) fn sync(&mut self, id: u32) -> Result<(), VfsError> {
        self.commit_point(id)?;
        self.volume.flush()
    }

    /// Hands everything written to the file to the device, unflushed. As one record if that can be and is of
    /// use: then a power cut leaves all or nothing of it.
    pub(super) fn commit_point(&mut self, id: u32) -> Result<(), VfsError> {
        let atomic = self.volume.superblock.atomic;
        let (volume, content) = self.both(id)?;
        volume.is_sound()?;
        if content.named.is_none() {
            return Ok(());
        }
        self.journal_first(id)?;
        let (volume, content) = self.both(id)?;
        let changes = content.changes();
        if changes.is_empty() && content.dirty.is_empty() {
            content.is_spilled = false;
            return Ok(());
        }
        let fits = content.dirty.len() <= volume.record_pages(changes.len());
        if (content.is_journal || atomic) && fits && !content.is_spilled {
            let pages = Self::take_dirty(volume, content);
            volume.append(&changes, pages)?;
            content.changes_are_known(volume);
            return Ok(());
        }
        self.spill(id)?;
        let (volume, content) = self.both(id)?;
        if content.is_journal {
            // Its size makes the pages count, so they must be there before it.
            volume.flush()?;
        }
        let changes = content.changes();
        if !changes.is_empty() {
            volume.append(&changes, BTreeMap::new())?;
            content.changes_are_known(volume);
        }
        content.is_spilled = false;
        Ok(())
    }

    /// All or nothing of what was written since [`Content::begin_batch`].
    pub(super) fn commit_batch(&mut self, id: u32) -> Result<(), VfsError> {
        self.journal_first(id)?;
        let (volume, content) = self.both(id)?;
        let changes = content.changes();
        if !content.in_batch() || content.dirty.len() > volume.record_pages(changes.len()) {
            return Err(VfsError::Io);
        }
        let pages = Self::take_dirty(volume, content);
        volume.append(&changes, pages)?;
        content.changes_are_known(volume);
        content.end_batch();
        Ok(())
    }

    /// Begins an atomic write.
    pub(super) fn begin_batch(&mut self, id: u32) -> Result<(), VfsError> {
        self.commit_point(id)?;
        self.content(id)?.begin_batch();
        Ok(())
    }

    /// Forgets an atomic write.
    pub(super) fn undo_batch(&mut self, id: u32) -> Result<(), VfsError> {
        let (volume, content) = self.both(id)?;
        content.undo_batch(volume);
        Ok(())
    }

    fn take_dirty(volume: &Volume, content: &mut Content) -> BTreeMap<u64, Box<Page>> {
        let dirty = core::mem::take(&mut content.dirty);
        // Not collected: that sorts a copy first, and the code for it is 3 KB a place.
        let mut pages = BTreeMap::new();
        pages.extend(dirty.into_iter().map(|(page, bytes)| (content.place(volume, page).0, bytes)));
        pages
    }

    /// Writes dirty pages where they belong: in place, or through the log where it has older versions.
    fn spill(&mut self, id: u32) -> Result<(), VfsError> {
        self.journal_first(id)?;
        let (volume, content) = self.both(id)?;
        if content.is_journal {
            Self::hide(volume, content)?;
        }
        let pages = Self::take_dirty(volume, content);
        let (logged, direct): (BTreeMap<_, _>, BTreeMap<_, _>) =
            pages.into_iter().partition(|(block, _)| volume.is_logged(*block));
        let list: Vec<(u64, &Page)> = direct.iter().map(|(block, page)| (*block, &**page)).collect();
        if !list.is_empty() {
            volume.write_in_place(&list)?;
        }
        direct.into_values().for_each(|page| volume.pool.put(page));
        let mut logged = logged.into_iter().peekable();
        while logged.peek().is_some() {
            let mut part = BTreeMap::new();
            part.extend(logged.by_ref().take(volume.record_pages(0)));
            volume.append(&[], part)?;
        }
        Ok(())
    }

    /// Before pages of a database reach the device, what was last done to its journal must be there, and
    /// before that what the journal no longer protects. SQLite sees to that itself by syncs, except when it
    /// takes up a journal after a refused batch, and when it ends one without a sync and then writes a batch.
    fn journal_first(&mut self, id: u32) -> Result<(), VfsError> {
        let content = self.content(id)?;
        let Some((_, name)) = content.named.as_ref().filter(|_| !content.is_journal) else { return Ok(()) };
        let journal = alloc::format!("{name}-journal");
        let waiting = self.find(&journal).filter(|id| {
            self.contents().any(|(known, content)| {
                known == *id
                    && (!content.dirty.is_empty() || content.is_spilled || content.size != content.known.size)
            })
        });
        match waiting {
            Some(journal) if self.volume.superblock.atomic => {
                self.volume.flush()?;
                self.sync(journal)
            }
            _ => Ok(()),
        }
    }

    /// Cuts what a mount would see of a journal to what lies before its dirty pages: in place they are
    /// written bit by bit.
    fn hide(volume: &mut Volume, content: &mut Content) -> Result<(), VfsError> {
        let (Some((index, _)), Some((&first, _))) = (&content.named, content.dirty.first_key_value()) else {
            return Ok(());
        };
        if content.known.exists && first * BYTES < content.known.size {
            let size = first * BYTES;
            volume.append(&[Change::Size(*index, size)], BTreeMap::new())?;
            volume.flush()?;
            content.known = Known { size, ..content.known };
        }
        Ok(())
    }
}

/// The page of an offset, and where in it.
fn split(offset: u64) -> (u64, usize) {
    (offset / BYTES, (offset % BYTES) as usize)
}
