//! A disk in a file has one opener at a time, in one process, in two, or in a machine.
#![cfg(feature = "file-device")]

use loadstone_store::vfs::block::FileDevice;

#[test]
fn a_second_opener_is_kept_out_until_the_first_is_gone() {
    let path = std::env::temp_dir().join(format!("loadstone-lock-{}", std::process::id()));
    std::fs::write(&path, [0; 8192]).unwrap();
    let first = FileDevice::open(&path, false).unwrap();
    // Reading the file elsewhere in this process must not give the lock up, as locks of processes do.
    std::fs::read(&path).unwrap();
    let again = FileDevice::open(&path, false);
    assert_eq!(again.err().map(|error| error.kind()), Some(std::io::ErrorKind::WouldBlock));
    drop(first);
    FileDevice::open(&path, false).unwrap();
    std::fs::remove_file(&path).unwrap();
}
