//! The program's file: what it is, where its functions are, and what it says of its hardening.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use object::read::elf::{ElfFile64, FileHeader as _};
use object::{Architecture, LittleEndian, Object, ObjectSection, ObjectSymbol, SymbolKind};
use sha2::{Digest, Sha256};

use crate::error::{Error, Kind, Result};

/// Which instructions can be hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Only {
    /// Those of the program's own file, whatever it is linked with at run time.
    Own,
    /// All that it executes from its entry on, libraries included.
    All,
    /// Those of these functions of its own.
    Functions(Vec<String>),
}

/// An executable for x86-64 Linux.
#[derive(Clone, Debug)]
pub struct Program {
    /// Where it is.
    pub path: PathBuf,
    /// SHA-256 of the file, in hexadecimal digits.
    pub digest: String,
    /// What it says of its hardening, such as `ilr cmp`; None of a native one.
    pub hardened: Option<String>,
    /// Whether it has no table of symbols.
    pub stripped: bool,
    /// Address of the counter of corrected faults, as in the file.
    pub(crate) corrected: Option<u64>,
    /// Whether the system chooses where it is in memory.
    pub(crate) movable: bool,
    /// Its entry, as in the file.
    pub(crate) entry: u64,
    /// By address, as in the file: where each function ends, and its name.
    functions: BTreeMap<u64, (u64, String)>,
}

impl Program {
    /// Reads the file. Errors: none there, not executable, not for this processor.
    pub fn read(path: &Path) -> Result<Self> {
        let shown = path.display();
        let bytes = fs::read(path)
            .map_err(|error| Error::new(Kind::Program, format!("`{shown}` cannot be read: {error}")))?;
        if bytes.starts_with(b"#!") {
            return Err(Error::new(
                Kind::Program,
                format!("`{shown}` is a script, not a program in machine code"),
            ));
        }
        let file = ElfFile64::<LittleEndian>::parse(bytes.as_slice())
            .map_err(|_| Error::new(Kind::Program, format!("`{shown}` is no 64-bit ELF program")))?;
        if file.architecture() != Architecture::X86_64 {
            let other = format!("`{shown}` is a program for {:?}, not for x86-64", file.architecture());
            return Err(Error::new(Kind::Machine, other));
        }
        let functions = functions(&file);
        let symbol =
            |name: &str| file.symbols().chain(file.dynamic_symbols()).find(|one| one.name() == Ok(name));
        let hardened = symbol("__loadstone_hardened").and_then(|one| text_at(&file, one.address()));
        Ok(Self {
            path: path.to_owned(),
            digest: Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect(),
            hardened,
            stripped: file.symbols().next().is_none(),
            corrected: symbol("__loadstone_corrected").map(|one| one.address()),
            movable: file.elf_header().e_type(LittleEndian) == object::elf::ET_DYN,
            entry: file.entry(),
            functions,
        })
    }

    /// Where these functions are, as in the file. Errors: the program has no symbols, or not these.
    pub(crate) fn ranges(&self, names: &[String]) -> Result<Vec<(u64, u64)>> {
        let shown = self.path.display();
        if self.functions.is_empty() {
            let message = format!("`{shown}` is stripped: where its functions are is not known");
            return Err(Error::new(Kind::Symbols, message));
        }
        names
            .iter()
            .map(|name| {
                let known = self.functions.iter().find(|(_, (_, own))| own == name);
                let (start, (end, _)) = known.ok_or_else(|| {
                    Error::new(Kind::Symbols, format!("`{shown}` has no function `{name}`"))
                })?;
                Ok((*start, *end))
            })
            .collect()
    }

    /// The function at an address of the file.
    pub(crate) fn function_at(&self, address: u64) -> Option<&str> {
        let (_, (end, name)) = self.functions.range(..=address).next_back()?;
        (address < *end).then_some(name.as_str())
    }
}

fn functions(file: &ElfFile64<'_, LittleEndian>) -> BTreeMap<u64, (u64, String)> {
    let mut found = BTreeMap::new();
    for symbol in file.symbols() {
        let (Ok(name), true) = (symbol.name(), symbol.kind() == SymbolKind::Text && symbol.size() > 0) else {
            continue;
        };
        found.insert(symbol.address(), (symbol.address() + symbol.size(), name.to_owned()));
    }
    found
}

/// The C string at an address.
fn text_at(file: &ElfFile64<'_, LittleEndian>, address: u64) -> Option<String> {
    const LONGEST: usize = 256;
    for section in file.sections() {
        let inside = address.checked_sub(section.address()).filter(|offset| *offset < section.size());
        if let (Some(offset), Ok(data)) = (inside, section.data()) {
            let rest = data.get(usize::try_from(offset).ok()?..)?;
            let end = rest.iter().take(LONGEST).position(|byte| *byte == 0)?;
            return String::from_utf8(rest[..end].to_vec()).ok();
        }
    }
    None
}
