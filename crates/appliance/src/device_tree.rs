//! A flattened device tree (Devicetree Specification, chapter 5): where the hypervisor has put the parts of a
//! machine. Read with bounds before there is a heap; what does not fit its own lengths is no tree.

use crate::memory::{RANGES, Ram};

const MAGIC: u32 = 0xd00d_feed;
/// What follows in the structure block.
const BEGIN: u32 = 1;
const END: u32 = 2;
const PROPERTY: u32 = 3;
const NOTHING: u32 = 4;
const LAST: u32 = 9;
/// Bytes of the header that are read.
const HEADER: usize = 40;
/// Most virtio devices that are told apart: QEMU has places for so many.
pub const PLACES: usize = 32;

/// A device: where its registers are, and its interrupt line.
pub type Place = (u64, u32);

/// What the library OS uses of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Board<'a> {
    /// The command line.
    pub line: &'a [u8],
    /// RAM; ranges that are not used are empty.
    pub ram: [Ram; RANGES],
    /// A serial port (PL011).
    pub console: Option<Place>,
    /// A real-time clock (PL031).
    pub clock: Option<u64>,
    /// An interrupt controller (GICv3): its distributor, and the first redistributor.
    pub controller: Option<[u64; 2]>,
    /// The hypervisor's files (fw_cfg).
    pub files: Option<u64>,
    /// Places of virtio devices, the first so many.
    pub virtio: ([Place; PLACES], usize),
    /// Whether the firmware is called by `smc`, and not by `hvc`.
    pub calls_by_smc: bool,
}

/// What is known of a node of the first level when it ends.
#[derive(Clone, Copy, Default)]
struct Node<'a> {
    name: &'a [u8],
    kind: &'a [u8],
    registers: &'a [u8],
    interrupts: &'a [u8],
    method: &'a [u8],
}

impl<'a> Board<'a> {
    /// Reads a tree. None when it is none, or counts addresses in other than two words of 32 bits.
    ///
    /// ```
    /// assert_eq!(loadstone_appliance::device_tree::Board::read(b"no tree"), None);
    /// ```
    pub fn read(blob: &'a [u8]) -> Option<Self> {
        if blob.len() < HEADER || word(blob, 0)? != MAGIC {
            return None;
        }
        let blob = blob.get(..word(blob, 4)? as usize)?;
        let (structure, strings) = (word(blob, 8)? as usize, word(blob, 12)? as usize);
        let (mut at, mut depth) = (structure, 0_usize);
        let (mut board, mut node) = (Self::default(), Node::default());
        loop {
            let token = word(blob, at)?;
            at += 4;
            match token {
                BEGIN => {
                    let name = text(blob, at)?;
                    at = (at + name.len() + 1).next_multiple_of(4);
                    depth += 1;
                    if depth == 2 {
                        node = Node { name, ..Node::default() };
                    }
                }
                PROPERTY => {
                    let (length, name) = (word(blob, at)? as usize, word(blob, at + 4)? as usize);
                    let value = blob.get(at + 8..(at + 8).checked_add(length)?)?;
                    at = (at + 8 + length).next_multiple_of(4);
                    match (depth, text(blob, strings.checked_add(name)?)?) {
                        (1, b"#address-cells" | b"#size-cells") if word(value, 0)? != 2 => return None,
                        (2, b"compatible") => node.kind = value,
                        (2, b"reg") => node.registers = value,
                        (2, b"interrupts") => node.interrupts = value,
                        (2, b"method") => node.method = value,
                        (2, b"bootargs") => board.line = text(value, 0)?,
                        _ => {}
                    }
                }
                END => {
                    if depth == 2 {
                        board.take(&node);
                    }
                    depth = depth.checked_sub(1)?;
                }
                NOTHING => {}
                LAST => return Some(board),
                _ => return None,
            }
        }
    }

    /// Where RAM ends.
    pub fn ram_end(&self) -> u64 {
        self.ram.iter().map(|(base, size)| base.saturating_add(*size)).max().unwrap_or(0)
    }

    /// Keeps what a node tells.
    fn take(&mut self, node: &Node<'a>) {
        if node.name.starts_with(b"memory@") {
            for range in node.registers.chunks_exact(16) {
                if let (Some(slot), Some(ram)) =
                    (self.ram.iter_mut().find(|(_, size)| *size == 0), pair(range, 0))
                {
                    *slot = ram;
                }
            }
            return;
        }
        let address = pair(node.registers, 0).map(|(base, _)| base);
        // The first word of three is the kind of the line, and those of devices are 0.
        let place = || Some((address?, word(node.interrupts, 4)?));
        for kind in node.kind.split(|byte| *byte == 0) {
            match kind {
                b"arm,pl011" => self.console = self.console.or(place()),
                b"arm,pl031" => self.clock = self.clock.or(address),
                b"qemu,fw-cfg-mmio" => self.files = self.files.or(address),
                b"arm,psci" => self.calls_by_smc = node.method.starts_with(b"smc"),
                b"arm,gic-v3" => {
                    let redistributor = pair(node.registers, 16).map(|(base, _)| base);
                    self.controller = address.zip(redistributor).map(|(one, other)| [one, other]);
                }
                b"virtio,mmio" => {
                    let (places, count) = &mut self.virtio;
                    if let (Some(slot), Some(found)) = (places.get_mut(*count), place()) {
                        *slot = found;
                        *count += 1;
                    }
                }
                _ => {}
            }
        }
    }
}

/// The number of 32 bits at `at`.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(word.try_into().ok()?))
}

/// Address and size at `at`.
fn pair(bytes: &[u8], at: usize) -> Option<(u64, u64)> {
    let wide = |at| Some(u64::from(word(bytes, at)?) << 32 | u64::from(word(bytes, at + 4)?));
    Some((wide(at)?, wide(at + 8)?))
}

/// The text at `at`, which ends in a zero.
fn text(bytes: &[u8], at: usize) -> Option<&[u8]> {
    let rest = bytes.get(at..)?;
    rest.get(..rest.iter().position(|byte| *byte == 0)?)
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    /// A tree under construction.
    #[derive(Default)]
    struct Tree {
        structure: Vec<u8>,
        strings: Vec<u8>,
    }

    impl Tree {
        fn words(&mut self, words: &[u32]) {
            self.structure.extend(words.iter().flat_map(|word| word.to_be_bytes()));
        }

        fn padded(&mut self, bytes: &[u8]) {
            self.structure.extend(bytes);
            self.structure.resize(self.structure.len().next_multiple_of(4), 0);
        }

        fn property(&mut self, name: &str, value: &[u8]) {
            self.words(&[PROPERTY, value.len() as u32, self.strings.len() as u32]);
            self.padded(value);
            self.strings.extend(name.bytes().chain([0]));
        }

        fn numbers(&mut self, name: &str, words: &[u32]) {
            let value: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
            self.property(name, &value);
        }

        fn node(&mut self, name: &str, kind: &str, registers: &[u32], line: u32) {
            self.words(&[BEGIN]);
            self.padded((name.to_string() + "\0").as_bytes());
            self.property("compatible", kind.as_bytes());
            self.numbers("reg", registers);
            self.numbers("interrupts", &[0, line, 1]);
            self.words(&[END, NOTHING]);
        }

        fn blob(mut self) -> Vec<u8> {
            self.words(&[END, LAST]);
            let strings = HEADER + self.structure.len();
            let header = [MAGIC, (strings + self.strings.len()) as u32, HEADER as u32, strings as u32];
            let mut blob: Vec<u8> = header.iter().flat_map(|word| word.to_be_bytes()).collect();
            blob.resize(HEADER, 0);
            blob.extend(self.structure);
            blob.extend(self.strings);
            blob
        }
    }

    fn tree(cells: u32) -> Tree {
        let mut tree = Tree::default();
        tree.words(&[BEGIN, 0]);
        tree.numbers("#address-cells", &[cells]);
        tree.numbers("#size-cells", &[2]);
        tree
    }

    /// A machine as QEMU's `virt` tells of it.
    fn virt() -> Vec<u8> {
        let mut tree = tree(2);
        tree.node("psci", "arm,psci-1.0\0arm,psci\0", &[], 0);
        tree.node("memory@40000000", "", &[0, 0x4000_0000, 1, 0x0100_0000], 0);
        tree.node("intc@8000000", "arm,gic-v3\0", &[0, 0x0800_0000, 0, 0x1_0000, 0, 0x080a_0000, 0, 9], 0);
        tree.node("pl011@9000000", "arm,pl011\0arm,primecell\0", &[0, 0x0900_0000, 0, 0x1000], 1);
        tree.node("pl031@9010000", "arm,pl031\0", &[0, 0x0901_0000, 0, 0x1000], 2);
        tree.node("fw-cfg@9020000", "qemu,fw-cfg-mmio\0", &[0, 0x0902_0000, 0, 0x18], 0);
        for number in 0..40 {
            tree.node("virtio_mmio", "virtio,mmio\0", &[0, 0x0a00_0000 + number * 0x200, 0, 0x200], number);
        }
        tree.words(&[BEGIN]);
        tree.padded(b"chosen\0");
        tree.property("bootargs", b"ip=10.0.2.15/24 port=80\0");
        tree.words(&[END]);
        tree.blob()
    }

    #[test]
    fn the_parts_of_a_machine_are_found() {
        let blob = virt();
        let board = Board::read(&blob).unwrap();
        assert_eq!(board.line, b"ip=10.0.2.15/24 port=80");
        assert_eq!((board.ram[0], board.ram[1]), ((0x4000_0000, 0x1_0100_0000), (0, 0)));
        assert_eq!(board.ram_end(), 0x1_4100_0000);
        assert_eq!((board.console, board.clock), (Some((0x0900_0000, 1)), Some(0x0901_0000)));
        assert_eq!((board.files, board.controller), (Some(0x0902_0000), Some([0x0800_0000, 0x080a_0000])));
        assert_eq!((board.virtio.1, board.virtio.0[31]), (PLACES, (0x0a00_3e00, 31)));
        assert!(!board.calls_by_smc);
    }

    #[test]
    fn what_is_no_such_tree_is_refused() {
        assert_eq!(Board::read(&[]), None);
        assert_eq!(Board::read(&[0; 100]), None);
        assert_eq!(Board::read(&tree(1).blob()), None, "addresses of one word");
        let empty = tree(2).blob();
        assert_eq!(Board::read(&empty), Some(Board::default()));
        for length in 0..empty.len() {
            assert_eq!(Board::read(&empty[..length]), None, "cut at {length}");
        }
    }

    proptest! {
        #[test]
        fn damage_never_leads_out_of_it(at in 0_usize..1000, value: u32, cut in 0_usize..4000) {
            let mut blob = virt();
            blob[4 * at..4 * at + 4].copy_from_slice(&value.to_be_bytes());
            // Found or not: it ends, within its bytes.
            let _ = Board::read(&blob);
            let _ = Board::read(&blob[..cut.min(blob.len())]);
        }
    }
}
