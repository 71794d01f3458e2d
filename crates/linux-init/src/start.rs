//! What a first process finds undone: the kernel's own file systems, drivers, the disk.

use std::ffi::CStr;
use std::fs::{self, File};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::mount::{MountFlags, mount};
use rustix::system::finit_module;

/// Modules in the order to load them, a line each; the initramfs has it beside them.
const ORDER: &str = "/modules/order";
/// The only disk.
pub const DISK: &str = "/dev/vda";
/// Within which a device is there once its driver is.
const DEVICE_APPEARS: Duration = Duration::from_secs(10);

/// Mounts `/dev`, `/proc`, `/sys` and a `/tmp` in memory.
///
/// # Errors
/// A sentence.
pub fn mount_system() -> Result<(), String> {
    for (kind, place) in [("devtmpfs", "/dev"), ("proc", "/proc"), ("sysfs", "/sys"), ("tmpfs", "/tmp")] {
        mount_at(kind, kind, place, MountFlags::empty())?;
    }
    Ok(())
}

/// Loads the modules of QEMU's devices.
///
/// # Errors
/// A sentence that names the module.
pub fn load_drivers() -> Result<(), String> {
    let order = fs::read_to_string(ORDER).map_err(|error| format!("{ORDER}: {error}"))?;
    for name in order.split_ascii_whitespace() {
        let path = format!("/modules/{name}.ko");
        let file = File::open(&path).map_err(|error| format!("{path}: {error}"))?;
        match finit_module(&file, c"", 0) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(format!("{path}: {error}")),
        }
    }
    Ok(())
}

/// Mounts the disk's ext4 at `place`.
///
/// # Errors
/// A sentence when there is no disk, or no ext4 on it.
pub fn mount_disk(place: &str) -> Result<(), String> {
    wait_for(DISK)?;
    fs::create_dir_all(place).map_err(|error| format!("{place}: {error}"))?;
    // Access times would be writes that no other side of the comparison makes.
    mount_at("ext4", DISK, place, MountFlags::NOATIME)
}

/// Returns when a device is there.
///
/// # Errors
/// A sentence when it does not come.
pub fn wait_for(device: &str) -> Result<(), String> {
    let begun = Instant::now();
    while !Path::new(device).exists() {
        if begun.elapsed() > DEVICE_APPEARS {
            return Err(format!("there is no {device}"));
        }
        sleep(Duration::from_millis(1));
    }
    Ok(())
}

fn mount_at(kind: &str, what: &str, place: &str, flags: MountFlags) -> Result<(), String> {
    mount(what, place, kind, flags, None::<&CStr>)
        .map_err(|error| format!("cannot mount {what} at {place}: {error}"))
}
