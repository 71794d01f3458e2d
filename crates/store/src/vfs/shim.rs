//! Wraps a [`Vfs`] into the table of C functions that SQLite calls.
//!
//! Two facts carry the safety of this file. SQLite passes back the `sqlite3_vfs` that was registered, whose
//! `pAppData` is a leaked `Box<dyn Vfs>`; and it calls file functions only with memory that `open` filled,
//! from one thread at a time for each file. A panic in an implementation aborts: `extern "C"` functions do
//! not unwind.

use alloc::boxed::Box;
use alloc::ffi::CString;
use alloc::string::String;
use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr;
use core::time::Duration;

use libsqlite3_sys as ffi;

use super::{Characteristics, Control, Lock, Vfs, VfsError, VfsFile};
use crate::{Error, Result};

/// Longest file name, with its terminating NUL.
const PATH_BYTES: c_int = 512;
/// What SQLite may assume to be written as a whole or not at all.
const SECTOR_BYTES: c_int = 4096;
/// Milliseconds from the start of the Julian calendar (SQLite's epoch) to 1970.
const JULIAN_1970_MS: i64 = 210_866_760_000_000;

/// A file control of our own: gets a place for an int, how many bytes of each page the file wants for itself.
pub(crate) const RESERVED_BYTES: c_int = 0x4c53_5256;

/// Makes `vfs` known to SQLite under `name`, for the rest of the process.
///
/// # Errors
/// When the name is taken or holds a NUL byte.
pub fn register(name: &str, vfs: impl Vfs) -> Result<()> {
    let name = CString::new(name).map_err(|_| Error::misuse("a VFS name holds a NUL byte", ""))?;
    // SAFETY: the name is NUL-terminated; the call only searches.
    if unsafe { !ffi::sqlite3_vfs_find(name.as_ptr()).is_null() } {
        return Err(Error::misuse("a VFS of this name is registered already", ""));
    }
    let vfs: Box<Box<dyn Vfs>> = Box::new(Box::new(vfs));
    let table = Box::new(ffi::sqlite3_vfs {
        iVersion: 2,
        szOsFile: size_of::<File>() as c_int,
        mxPathname: PATH_BYTES,
        pNext: ptr::null_mut(),
        zName: name.into_raw(),
        pAppData: Box::into_raw(vfs).cast(),
        xOpen: Some(open),
        xDelete: Some(delete),
        xAccess: Some(access),
        xFullPathname: Some(full_pathname),
        xDlOpen: None,
        xDlError: None,
        xDlSym: None,
        xDlClose: None,
        xRandomness: Some(randomness),
        xSleep: Some(sleep),
        xCurrentTime: Some(current_time),
        xGetLastError: Some(last_error),
        xCurrentTimeInt64: Some(current_time_i64),
        xSetSystemCall: None,
        xGetSystemCall: None,
        xNextSystemCall: None,
    });
    // SAFETY: the table and everything it points to are leaked, so they outlive every use.
    match unsafe { ffi::sqlite3_vfs_register(Box::into_raw(table), 0) } {
        ffi::SQLITE_OK => Ok(()),
        code => Err(Error::from_code(code)),
    }
}

/// SQLite's `sqlite3_file`, followed by ours. SQLite allocates it.
#[repr(C)]
struct File {
    base: ffi::sqlite3_file,
    file: Box<dyn VfsFile>,
    /// Name of a file that goes away when closed.
    doomed: Option<(String, &'static dyn Vfs)>,
}

static METHODS: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    // Version 1 has neither shared memory nor memory mapping.
    iVersion: 1,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: None,
    xShmLock: None,
    xShmBarrier: None,
    xShmUnmap: None,
    xFetch: None,
    xUnfetch: None,
};

/// # Safety
/// `table` was registered by [`register`].
unsafe fn vfs(table: *mut ffi::sqlite3_vfs) -> &'static dyn Vfs {
    // SAFETY: `pAppData` is the leaked box, never changed or freed.
    unsafe { &**(*table).pAppData.cast::<Box<dyn Vfs>>() }
}

/// # Safety
/// `file` was filled by [`open`], not closed since, and no other reference to it is in use.
unsafe fn file<'f>(file: *mut ffi::sqlite3_file) -> &'f mut dyn VfsFile {
    // SAFETY: promised by the caller; `File` begins with `sqlite3_file`.
    unsafe { &mut *(*file.cast::<File>()).file }
}

/// # Safety
/// `name` is null or NUL-terminated and lives for `'n`.
unsafe fn text<'n>(name: *const c_char) -> core::result::Result<Option<&'n str>, VfsError> {
    if name.is_null() {
        return Ok(None);
    }
    // SAFETY: promised by the caller.
    unsafe { CStr::from_ptr(name) }.to_str().map(Some).map_err(|_| VfsError::NotFound)
}

unsafe extern "C" fn open(
    table: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    place: *mut ffi::sqlite3_file,
    flags: c_int,
    flags_out: *mut c_int,
) -> c_int {
    // SAFETY: SQLite passes its registered table, a name that lives through the call, `szOsFile` bytes for
    // the file, aligned for any type, and null or a place for the flags. A null `pMethods` tells it that
    // there is nothing to close.
    unsafe {
        (*place).pMethods = ptr::null();
        let vfs = vfs(table);
        let Ok(name) = text(name) else { return ffi::SQLITE_CANTOPEN };
        let file = match vfs.open(name, flags & ffi::SQLITE_OPEN_CREATE != 0) {
            Ok(file) => file,
            Err(VfsError::Full) => return ffi::SQLITE_FULL,
            Err(_) => return ffi::SQLITE_CANTOPEN,
        };
        let doomed = (flags & ffi::SQLITE_OPEN_DELETEONCLOSE != 0).then_some(name).flatten();
        let doomed = doomed.map(|name| (String::from(name), vfs));
        let base = ffi::sqlite3_file { pMethods: &raw const METHODS };
        place.cast::<File>().write(File { base, file, doomed });
        if !flags_out.is_null() {
            *flags_out = flags;
        }
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn delete(table: *mut ffi::sqlite3_vfs, name: *const c_char, _durably: c_int) -> c_int {
    // SAFETY: as in `open`.
    let outcome = unsafe { text(name).and_then(|name| vfs(table).delete(name.unwrap_or_default())) };
    match outcome {
        Ok(()) => ffi::SQLITE_OK,
        Err(VfsError::NotFound) => ffi::SQLITE_IOERR_DELETE_NOENT,
        Err(_) => ffi::SQLITE_IOERR_DELETE,
    }
}

unsafe extern "C" fn access(
    table: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    _question: c_int,
    answer: *mut c_int,
) -> c_int {
    // SAFETY: as in `open`; `answer` is a place for the answer. Every file that exists may be read and
    // written, so the three questions have one answer.
    unsafe {
        let exists = matches!(text(name), Ok(Some(name)) if vfs(table).exists(name));
        *answer = c_int::from(exists);
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn full_pathname(
    _table: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    capacity: c_int,
    out: *mut c_char,
) -> c_int {
    // SAFETY: `name` is NUL-terminated and `out` has room for `capacity` bytes. There are no folders: a
    // name is its own full name.
    unsafe {
        let bytes = CStr::from_ptr(name).to_bytes_with_nul();
        if usize::try_from(capacity).unwrap_or(0) < bytes.len() {
            return ffi::SQLITE_CANTOPEN;
        }
        ptr::copy_nonoverlapping(bytes.as_ptr().cast(), out, bytes.len());
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn randomness(table: *mut ffi::sqlite3_vfs, length: c_int, out: *mut c_char) -> c_int {
    // SAFETY: `out` has room for `length` bytes; they are made valid before a slice refers to them.
    unsafe {
        let bytes = usize::try_from(length).unwrap_or(0);
        out.write_bytes(0, bytes);
        vfs(table).randomness(core::slice::from_raw_parts_mut(out.cast(), bytes));
    }
    length
}

unsafe extern "C" fn sleep(table: *mut ffi::sqlite3_vfs, micros: c_int) -> c_int {
    // SAFETY: as in `open`.
    unsafe { vfs(table).sleep(Duration::from_micros(u64::try_from(micros).unwrap_or(0))) };
    micros
}

unsafe extern "C" fn current_time(table: *mut ffi::sqlite3_vfs, days: *mut f64) -> c_int {
    // SAFETY: as in `open`; `days` is a place for the answer.
    unsafe { *days = (vfs(table).now_ms() + JULIAN_1970_MS) as f64 / 86_400_000.0 };
    ffi::SQLITE_OK
}

unsafe extern "C" fn current_time_i64(
    table: *mut ffi::sqlite3_vfs,
    millis: *mut ffi::sqlite3_int64,
) -> c_int {
    // SAFETY: as in `current_time`.
    unsafe { *millis = vfs(table).now_ms() + JULIAN_1970_MS };
    ffi::SQLITE_OK
}

unsafe extern "C" fn last_error(_table: *mut ffi::sqlite3_vfs, _length: c_int, _out: *mut c_char) -> c_int {
    0
}

unsafe extern "C" fn close(place: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: filled by `open`; SQLite does not use it again, so its content is moved out.
    let File { file, doomed, .. } = unsafe { place.cast::<File>().read() };
    drop(file);
    match doomed.map(|(name, vfs)| vfs.delete(&name)) {
        None | Some(Ok(()) | Err(VfsError::NotFound)) => ffi::SQLITE_OK,
        Some(Err(_)) => ffi::SQLITE_IOERR_DELETE,
    }
}

unsafe extern "C" fn read(
    place: *mut ffi::sqlite3_file,
    out: *mut c_void,
    length: c_int,
    offset: i64,
) -> c_int {
    let (Ok(length), Ok(offset)) = (usize::try_from(length), u64::try_from(offset)) else {
        return ffi::SQLITE_IOERR_READ;
    };
    // SAFETY: `place` is open; `out` has room for `length` bytes, which are zeroed before a slice refers to
    // them. SQLite wants zeros behind a short read as well.
    let outcome = unsafe {
        out.cast::<u8>().write_bytes(0, length);
        file(place).read_at(core::slice::from_raw_parts_mut(out.cast(), length), offset)
    };
    match outcome {
        Ok(read) if read == length => ffi::SQLITE_OK,
        Ok(_) => ffi::SQLITE_IOERR_SHORT_READ,
        Err(VfsError::Rot) => ffi::SQLITE_IOERR_DATA,
        Err(_) => ffi::SQLITE_IOERR_READ,
    }
}

unsafe extern "C" fn write(
    place: *mut ffi::sqlite3_file,
    data: *const c_void,
    length: c_int,
    offset: i64,
) -> c_int {
    let (Ok(length), Ok(offset)) = (usize::try_from(length), u64::try_from(offset)) else {
        return ffi::SQLITE_IOERR_WRITE;
    };
    // SAFETY: `place` is open; `data` is readable for `length` bytes.
    let outcome = unsafe { file(place).write_at(core::slice::from_raw_parts(data.cast(), length), offset) };
    status(outcome, ffi::SQLITE_IOERR_WRITE)
}

unsafe extern "C" fn truncate(place: *mut ffi::sqlite3_file, size: i64) -> c_int {
    let Ok(size) = u64::try_from(size) else { return ffi::SQLITE_IOERR_TRUNCATE };
    // SAFETY: `place` is open.
    status(unsafe { file(place).truncate(size) }, ffi::SQLITE_IOERR_TRUNCATE)
}

unsafe extern "C" fn sync(place: *mut ffi::sqlite3_file, _how: c_int) -> c_int {
    // SAFETY: `place` is open.
    status(unsafe { file(place).sync() }, ffi::SQLITE_IOERR_FSYNC)
}

unsafe extern "C" fn file_size(place: *mut ffi::sqlite3_file, size: *mut ffi::sqlite3_int64) -> c_int {
    // SAFETY: `place` is open; `size` is a place for the answer.
    unsafe {
        match file(place).size().map(i64::try_from) {
            Ok(Ok(bytes)) => *size = bytes,
            _ => return ffi::SQLITE_IOERR_FSTAT,
        }
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn lock(place: *mut ffi::sqlite3_file, level: c_int) -> c_int {
    // SAFETY: `place` is open.
    match unsafe { file(place).lock(lock_level(level)) } {
        Ok(true) => ffi::SQLITE_OK,
        Ok(false) => ffi::SQLITE_BUSY,
        Err(_) => ffi::SQLITE_IOERR_LOCK,
    }
}

unsafe extern "C" fn unlock(place: *mut ffi::sqlite3_file, level: c_int) -> c_int {
    // SAFETY: `place` is open.
    status(unsafe { file(place).unlock(lock_level(level)) }, ffi::SQLITE_IOERR_UNLOCK)
}

unsafe extern "C" fn check_reserved_lock(place: *mut ffi::sqlite3_file, answer: *mut c_int) -> c_int {
    // SAFETY: `place` is open; `answer` is a place for the answer.
    unsafe {
        match file(place).is_reserved() {
            Ok(reserved) => *answer = c_int::from(reserved),
            Err(_) => return ffi::SQLITE_IOERR_CHECKRESERVEDLOCK,
        }
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn file_control(place: *mut ffi::sqlite3_file, op: c_int, arg: *mut c_void) -> c_int {
    let (control, failure) = match op {
        ffi::SQLITE_FCNTL_BEGIN_ATOMIC_WRITE => (Control::BeginAtomic, ffi::SQLITE_IOERR_BEGIN_ATOMIC),
        ffi::SQLITE_FCNTL_COMMIT_ATOMIC_WRITE => (Control::CommitAtomic, ffi::SQLITE_IOERR_COMMIT_ATOMIC),
        ffi::SQLITE_FCNTL_ROLLBACK_ATOMIC_WRITE => {
            (Control::RollbackAtomic, ffi::SQLITE_IOERR_ROLLBACK_ATOMIC)
        }
        ffi::SQLITE_FCNTL_SYNC => (Control::CommitPoint, ffi::SQLITE_IOERR_WRITE),
        RESERVED_BYTES => {
            // SAFETY: `place` is open; only this crate asks, with a place for an int.
            unsafe { *arg.cast::<c_int>() = file(place).characteristics().reserved_bytes.into() };
            return ffi::SQLITE_OK;
        }
        _ => return ffi::SQLITE_NOTFOUND,
    };
    // SAFETY: `place` is open.
    match unsafe { file(place).control(control) } {
        Ok(false) => ffi::SQLITE_NOTFOUND,
        outcome => status(outcome.map(drop), failure),
    }
}

unsafe extern "C" fn sector_size(_place: *mut ffi::sqlite3_file) -> c_int {
    SECTOR_BYTES
}

unsafe extern "C" fn device_characteristics(place: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: `place` is open.
    let Characteristics { batch_atomic, safe_append, powersafe_overwrite, .. } =
        unsafe { file(place).characteristics() };
    let bit = |holds: bool, bit: c_int| if holds { bit } else { 0 };
    bit(batch_atomic, ffi::SQLITE_IOCAP_BATCH_ATOMIC)
        | bit(safe_append, ffi::SQLITE_IOCAP_SAFE_APPEND)
        | bit(powersafe_overwrite, ffi::SQLITE_IOCAP_POWERSAFE_OVERWRITE)
}

fn lock_level(level: c_int) -> Lock {
    match level {
        ffi::SQLITE_LOCK_NONE => Lock::None,
        ffi::SQLITE_LOCK_SHARED => Lock::Shared,
        ffi::SQLITE_LOCK_RESERVED => Lock::Reserved,
        ffi::SQLITE_LOCK_PENDING => Lock::Pending,
        _ => Lock::Exclusive,
    }
}

fn status(outcome: core::result::Result<(), VfsError>, failure: c_int) -> c_int {
    match outcome {
        Ok(()) => ffi::SQLITE_OK,
        Err(VfsError::Full) => ffi::SQLITE_FULL,
        Err(_) => failure,
    }
}
