//! A file or device node of this machine as a block device.

use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::vec::Vec;

use rustix::fs::{FileType, Mode, OFlags, fdatasync, fstat, open};
use rustix::io::{Errno, IoSlice, pread, pwritev};

use super::super::VfsError;
use super::device::{BLOCK_BYTES, BlockDevice, is_within};
use super::page::{Page, bytes_of};

/// Parts in one request; the kernel takes 1,024.
const MOST_PARTS: usize = 512;

/// A disk in a file. One process or machine at a time has it.
pub struct FileDevice {
    file: OwnedFd,
    blocks: u64,
    direct: bool,
}

impl FileDevice {
    /// Opens a file or block device, past the machine's page cache if `direct` and its file system allows
    /// that.
    ///
    /// # Errors
    /// As the system refuses; [`Errno::WOULDBLOCK`] when another process or a machine has it, [`Errno::BUSY`]
    /// when the system itself has, because it is mounted or a part of another device.
    pub fn open(path: impl AsRef<Path>, direct: bool) -> Result<Self, Errno> {
        // Without CREATE, Linux minds EXCL with block devices only: it keeps out what is mounted.
        let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::EXCL;
        let open = |flags| open(path.as_ref(), flags, Mode::empty());
        let (file, direct) = match direct.then(|| open(flags | OFlags::DIRECT)) {
            Some(Ok(file)) => (file, true),
            Some(Err(Errno::INVAL)) | None => (open(flags)?, false),
            Some(Err(error)) => return Err(error),
        };
        lock(&file)?;
        let status = fstat(&file)?;
        let bytes = match FileType::from_raw_mode(status.st_mode) {
            FileType::BlockDevice => rustix::fs::seek(&file, rustix::fs::SeekFrom::End(0))?,
            FileType::RegularFile => status.st_size as u64,
            _ => return Err(Errno::NOTBLK),
        };
        Ok(Self { file, blocks: bytes / BLOCK_BYTES as u64, direct })
    }

    /// Whether requests go past the machine's page cache.
    pub fn is_direct(&self) -> bool {
        self.direct
    }

    /// Whether the kernel would refuse memory that begins here.
    fn refuses(&self, bytes: &[u8]) -> bool {
        self.direct && !bytes.as_ptr().addr().is_multiple_of(BLOCK_BYTES)
    }

    fn read_exactly(&self, bytes: &mut [u8], mut offset: u64) -> Result<(), VfsError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let read = match pread(&self.file, &mut *rest, offset) {
                Err(Errno::INTR) => continue,
                Ok(0) | Err(_) => return Err(VfsError::Io),
                Ok(read) => read,
            };
            rest = &mut rest[read..];
            offset += read as u64;
        }
        Ok(())
    }
}

impl BlockDevice for FileDevice {
    fn blocks(&self) -> u64 {
        self.blocks
    }

    fn read(&mut self, first: u64, bytes: &mut [u8]) -> Result<(), VfsError> {
        if !is_within(self.blocks, first, bytes.len()) {
            return Err(VfsError::Io);
        }
        let offset = first * BLOCK_BYTES as u64;
        if !self.refuses(bytes) {
            return self.read_exactly(bytes, offset);
        }
        let mut aligned = std::vec![Page([0; BLOCK_BYTES]); bytes.len() / BLOCK_BYTES];
        self.read_exactly(bytes_of(&mut aligned), offset)?;
        bytes.copy_from_slice(bytes_of(&mut aligned));
        Ok(())
    }

    fn write(&mut self, first: u64, parts: &[&[u8]]) -> Result<(), VfsError> {
        let mut offset = first * BLOCK_BYTES as u64;
        for parts in parts.chunks(MOST_PARTS) {
            let bytes = parts.iter().map(|part| part.len()).sum();
            if !is_within(self.blocks, offset / BLOCK_BYTES as u64, bytes) {
                return Err(VfsError::Io);
            }
            let mut aligned: Vec<Vec<Page>> = Vec::new();
            for part in parts.iter().filter(|part| self.refuses(part)) {
                let mut copy = std::vec![Page([0; BLOCK_BYTES]); part.len() / BLOCK_BYTES];
                bytes_of(&mut copy).copy_from_slice(part);
                aligned.push(copy);
            }
            let mut copies = aligned.iter_mut();
            let slices: Vec<IoSlice<'_>> = parts
                .iter()
                .map(|part| match self.refuses(part).then(|| copies.next()).flatten() {
                    Some(copy) => IoSlice::new(bytes_of(copy)),
                    None => IoSlice::new(part),
                })
                .collect();
            write_all(&self.file, slices, offset)?;
            offset += bytes as u64;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), VfsError> {
        fdatasync(&self.file).map_err(|_| VfsError::Io)
    }

    fn discard(&mut self, first: u64, blocks: u64) -> Result<(), VfsError> {
        let hole = rustix::fs::FallocateFlags::PUNCH_HOLE | rustix::fs::FallocateFlags::KEEP_SIZE;
        let (offset, length) = (first * BLOCK_BYTES as u64, blocks * BLOCK_BYTES as u64);
        // Where it cannot be done the room stays taken, which is all that follows.
        let _ = rustix::fs::fallocate(&self.file, hole, offset, length);
        Ok(())
    }
}

/// Keeps everybody else out, until the file is closed: with the kind of lock that QEMU takes on a machine's
/// disk (on single bytes, with `flock` it would not collide), of the open file and not of the process.
fn lock(file: &OwnedFd) -> Result<(), Errno> {
    // SAFETY: all fields are numbers; zero is the whole file, from its beginning.
    let mut whole: libc::flock = unsafe { core::mem::zeroed() };
    whole.l_type = libc::F_WRLCK as _;
    whole.l_whence = libc::SEEK_SET as _;
    // SAFETY: the file is open, and `whole` lives through the call.
    if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const whole) } == 0 {
        return Ok(());
    }
    match Errno::from_io_error(&std::io::Error::last_os_error()) {
        Some(Errno::ACCESS) | None => Err(Errno::WOULDBLOCK),
        Some(error) => Err(error),
    }
}

/// Writes all slices; after a short write what is left begins with a whole slice or the call fails.
fn write_all(file: &OwnedFd, slices: Vec<IoSlice<'_>>, mut offset: u64) -> Result<(), VfsError> {
    let mut rest = &slices[..];
    while !rest.is_empty() {
        let mut written = match pwritev(file, rest, offset) {
            Err(Errno::INTR) => continue,
            Ok(0) | Err(_) => return Err(VfsError::Io),
            Ok(written) => written,
        };
        offset += written as u64;
        while let Some(slice) = rest.first().filter(|slice| slice.len() <= written) {
            written -= slice.len();
            rest = &rest[1..];
        }
        if written > 0 {
            return Err(VfsError::Io);
        }
    }
    Ok(())
}
