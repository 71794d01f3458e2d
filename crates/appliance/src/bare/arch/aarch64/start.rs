//! What the hypervisor tells: a device tree at the beginning of RAM.

use core::slice;

use super::{clock, console, devices, interrupts, paging, power};
use crate::bare::{LINE, begin, refuse};
use crate::device_tree::Board;

/// QEMU puts the tree before an image that leaves it room; it is this long at most.
const TREE: usize = 1 << 20;

/// Called by the first instructions.
pub extern "C" fn start() -> ! {
    interrupts::catch_exceptions();
    let tree = core::ptr::with_exposed_provenance(paging::RAM_START as usize);
    // SAFETY: RAM between its beginning and the image, which is mapped and not written to so far.
    let tree = unsafe { slice::from_raw_parts(tree, TREE) };
    let Some(board) = Board::read(tree) else { refuse("there is no device tree at the beginning of RAM") };
    let places = [board.console.map(|(base, _)| base), board.clock, board.files];
    let controller = board.controller.unwrap_or_else(|| refuse("there is no interrupt controller (GICv3)"));
    let virtio = board.virtio.0[..board.virtio.1].iter().map(|(base, _)| *base);
    if places.into_iter().flatten().chain(controller).chain(virtio).any(|place| !paging::has_devices(place)) {
        refuse("a device lies where none is mapped");
    }
    power::set_call(board.calls_by_smc);
    if let Some((base, line)) = board.console {
        console::start(base);
        interrupts::set_console(line);
    }
    board.clock.into_iter().for_each(clock::set_place);
    #[cfg(feature = "tls")]
    board.files.into_iter().for_each(super::fw_cfg::set_place);
    interrupts::set_controller(controller);
    devices::keep(&board);
    paging::set_end(board.ram_end());
    let ram = board.ram;
    // The tree lies where the heap will be.
    let mut line = [0; LINE];
    let Some(copy) = line.get_mut(..board.line.len()) else { refuse("the command line is too long") };
    copy.copy_from_slice(board.line);
    begin(core::str::from_utf8(copy).unwrap_or_else(|_| refuse("the command line is no UTF-8")), &ram)
}
