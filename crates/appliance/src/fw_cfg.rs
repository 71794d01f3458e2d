//! Files that QEMU has for its guest (`-fw_cfg name=…,file=…`): a directory and their contents, a byte at a
//! time behind a number that selects what is read.

use alloc::vec::Vec;

/// What every such device answers first, and the numbers of that and of the directory.
const SIGNATURE: [u8; 4] = *b"QEMU";
const SIGNATURE_KEY: u16 = 0;
const DIRECTORY_KEY: u16 = 0x19;
/// Bytes of a file's name, filled up with zeros.
const NAME: usize = 56;
/// Most files that are looked at: QEMU's own are some twenty.
const MOST_FILES: u32 = 1024;

/// The device's two registers.
pub trait Registers {
    /// Selects what is read from now on, from its beginning.
    fn select(&mut self, key: u16);

    /// The next byte of it; behind its end zeros.
    fn byte(&mut self) -> u8;
}

/// The content of the file of that name, if there is one of at most `most` bytes.
pub fn file(device: &mut impl Registers, name: &str, most: usize) -> Option<Vec<u8>> {
    device.select(SIGNATURE_KEY);
    if bytes(device) != SIGNATURE {
        return None;
    }
    device.select(DIRECTORY_KEY);
    let count = u32::from_be_bytes(bytes(device));
    let (size, key) = (0..count.min(MOST_FILES)).find_map(|_| {
        let size = u32::from_be_bytes(bytes(device));
        let [key @ .., _, _] = bytes::<4>(device);
        let found: [u8; NAME] = bytes(device);
        let end = found.iter().position(|byte| *byte == 0).unwrap_or(NAME);
        (&found[..end] == name.as_bytes()).then_some((size as usize, u16::from_be_bytes(key)))
    })?;
    if size > most {
        return None;
    }
    device.select(key);
    Some((0..size).map(|_| device.byte()).collect())
}

fn bytes<const COUNT: usize>(device: &mut impl Registers) -> [u8; COUNT] {
    core::array::from_fn(|_| device.byte())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device with these files behind the numbers from 0x20 on.
    struct Files<'a> {
        files: &'a [(&'a str, &'a [u8])],
        signature: [u8; 4],
        selected: Vec<u8>,
        at: usize,
    }

    impl Registers for Files<'_> {
        fn select(&mut self, key: u16) {
            self.at = 0;
            self.selected = match key {
                SIGNATURE_KEY => self.signature.to_vec(),
                DIRECTORY_KEY => {
                    let mut all = (self.files.len() as u32).to_be_bytes().to_vec();
                    for (number, (name, content)) in self.files.iter().enumerate() {
                        all.extend((content.len() as u32).to_be_bytes());
                        all.extend((0x20 + number as u16).to_be_bytes());
                        all.extend([0; 2]);
                        all.extend(name.bytes().chain(core::iter::repeat(0)).take(NAME));
                    }
                    all
                }
                _ => self.files[usize::from(key - 0x20)].1.to_vec(),
            };
        }

        fn byte(&mut self) -> u8 {
            self.at += 1;
            self.selected.get(self.at - 1).copied().unwrap_or(0)
        }
    }

    #[test]
    fn files_are_found_by_their_names() {
        let long = "opt/".repeat(NAME / 4);
        let files: &[(&str, &[u8])] = &[("opt/a/b", b"other"), ("opt/a", b"content"), (&long, b"named")];
        let mut device = Files { files, signature: SIGNATURE, selected: Vec::new(), at: 0 };
        assert_eq!(file(&mut device, "opt/a", 100).as_deref(), Some(&b"content"[..]));
        assert_eq!(file(&mut device, &long, 5).as_deref(), Some(&b"named"[..]));
        assert_eq!(file(&mut device, "opt/a", 6), None, "it is too long");
        assert_eq!(file(&mut device, "opt", 100), None);
        device.signature = [0xff; 4];
        assert_eq!(file(&mut device, "opt/a", 100), None, "there is no such device");
    }
}
