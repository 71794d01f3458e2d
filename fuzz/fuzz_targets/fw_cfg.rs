//! A device with files that says anything: a file is found or not, within its bound, and nothing panics or
//! goes on for ever.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loadstone_appliance::fw_cfg::{Registers, file};

/// What is behind each number; behind its end zeros.
struct Device {
    items: Vec<(u16, Vec<u8>)>,
    selected: usize,
    at: usize,
}

impl Registers for Device {
    fn select(&mut self, key: u16) {
        self.selected = self.items.iter().position(|(own, _)| *own == key).unwrap_or(self.items.len());
        self.at = 0;
    }

    fn byte(&mut self) -> u8 {
        self.at += 1;
        let selected = self.items.get(self.selected);
        selected.and_then(|(_, bytes)| bytes.get(self.at - 1)).copied().unwrap_or(0)
    }
}

fuzz_target!(|input: (bool, Vec<u8>, Vec<(u16, Vec<u8>)>)| {
    let (is_qemu, directory, mut items) = input;
    items.insert(0, (0x19, directory));
    if is_qemu {
        items.insert(0, (0, b"QEMU".to_vec()));
    }
    let mut device = Device { items, selected: 0, at: 0 };
    if let Some(content) = file(&mut device, "opt/a", 1 << 12) {
        assert!(is_qemu && content.len() <= 1 << 12);
    }
});
