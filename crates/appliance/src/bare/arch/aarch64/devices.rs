//! Where devices are that the command line does not tell of: the device tree does.

use crate::args::Args;
use crate::device_tree::{Board, PLACES, Place};
use crate::one_cpu::OneCpu;

static VIRTIO: OneCpu<([Place; PLACES], usize)> = OneCpu::new(([(0, 0); PLACES], 0));

/// Keeps what the tree says.
pub(super) fn keep(board: &Board<'_>) {
    // SAFETY: nothing else is using it.
    *unsafe { VIRTIO.get() } = board.virtio;
}

/// Adds the places of virtio devices, most of which are empty.
pub fn tell(args: &mut Args) {
    // SAFETY: as before.
    let (places, count) = unsafe { VIRTIO.get() };
    args.mmio.extend(&places[..*count]);
}
