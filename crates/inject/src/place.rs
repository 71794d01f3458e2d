//! Where a fault can be: the registers and flags that an instruction writes.

use iced_x86::{
    Decoder, DecoderOptions, Formatter, Instruction, InstructionInfoFactory, IntelFormatter, Mnemonic,
    OpAccess, Register, RflagsBits,
};

/// The six flags that instructions compute.
const FLAGS: u32 =
    RflagsBits::OF | RflagsBits::SF | RflagsBits::ZF | RflagsBits::AF | RflagsBits::CF | RflagsBits::PF;

/// Bits of the register of flags, by iced's names for them.
const FLAG_BITS: [(u32, u32); 6] = [
    (RflagsBits::CF, 0),
    (RflagsBits::PF, 2),
    (RflagsBits::AF, 4),
    (RflagsBits::ZF, 6),
    (RflagsBits::SF, 7),
    (RflagsBits::OF, 11),
];

/// A place that keeps bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A general register, by the number that instructions have for it (`rax` 0, `rsp` 4, `r15` 15).
    General(u8),
    /// A vector register, `xmm0` to `xmm15` or its wider forms.
    Vector(u8),
    /// The flags.
    Flags,
}

/// Bits of one place that an instruction writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Where they are.
    pub place: Place,
    /// Their numbers.
    pub bits: Vec<u32>,
}

/// What the instruction at the beginning of `code` writes; empty for one that writes neither registers nor
/// flags, and for bytes that are no instruction.
///
/// A write to `eax` is one of all 64 bits, as the processor does it; one of `al` is eight. Registers that
/// only the instruction's kind writes count, too, but not the stack pointer that `push`, `call` and their
/// like move, nor what a system call leaves behind. Vector registers count as wide as the instruction names
/// them. Masks, x87, MMX and registers from 16 on are left out.
pub fn targets(code: &[u8], address: u64) -> Vec<Target> {
    let instruction = decoded(code, address);
    if instruction.is_invalid() || instruction.mnemonic() == Mnemonic::Syscall {
        return Vec::new();
    }
    let mut factory = InstructionInfoFactory::new();
    let mut found: Vec<Target> = Vec::new();
    for used in factory.info(&instruction).used_registers() {
        let writes = matches!(
            used.access(),
            OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite
        );
        let moves_stack =
            instruction.is_stack_instruction() && used.register().full_register() == Register::RSP;
        if let Some(target) = bits_of(used.register()).filter(|_| writes && !moves_stack) {
            match found.iter_mut().find(|known| known.place == target.place) {
                Some(known) if known.bits.len() < target.bits.len() => *known = target,
                Some(_) => {}
                None => found.push(target),
            }
        }
    }
    let flags =
        FLAGS & (instruction.rflags_written() | instruction.rflags_cleared() | instruction.rflags_set());
    if flags != 0 {
        let bits = FLAG_BITS.iter().filter(|(name, _)| flags & name != 0).map(|(_, bit)| *bit).collect();
        found.push(Target { place: Place::Flags, bits });
    }
    found
}

/// The instruction in words.
pub fn spelled(code: &[u8], address: u64) -> String {
    let mut text = String::new();
    IntelFormatter::new().format(&decoded(code, address), &mut text);
    text
}

impl Place {
    /// `rax`, `xmm3`, `flags`.
    pub fn name(self) -> String {
        const GENERAL: [&str; 16] = [
            "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13",
            "r14", "r15",
        ];
        match self {
            Self::General(number) => GENERAL[usize::from(number)].to_owned(),
            Self::Vector(number) => format!("xmm{number}"),
            Self::Flags => "flags".to_owned(),
        }
    }
}

fn decoded(code: &[u8], address: u64) -> Instruction {
    Decoder::with_ip(64, code, address, DecoderOptions::NONE).decode()
}

fn bits_of(register: Register) -> Option<Target> {
    let number = u8::try_from(register.number()).ok()?;
    if register.is_gpr() {
        let first =
            if matches!(register, Register::AH | Register::BH | Register::CH | Register::DH) { 8 } else { 0 };
        let wide = if register.is_gpr32() { 64 } else { register.size() as u32 * 8 };
        let general = u8::try_from(register.full_register().number()).ok()?;
        return Some(Target { place: Place::General(general), bits: (first..first + wide).collect() });
    }
    if register.is_vector_register() && number < 16 {
        return Some(Target {
            place: Place::Vector(number),
            bits: (0..register.size() as u32 * 8).collect(),
        });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide(code: &[u8]) -> Vec<(String, usize)> {
        targets(code, 0x1000).into_iter().map(|one| (one.place.name(), one.bits.len())).collect()
    }

    #[test]
    fn what_an_instruction_writes_and_how_wide() {
        let of = |register: &str, bits| (register.to_owned(), bits);
        // mov eax, 1: the upper half is written with zeros.
        assert_eq!(wide(&[0xb8, 1, 0, 0, 0]), [of("rax", 64)]);
        // add rax, rbx
        assert_eq!(wide(&[0x48, 0x01, 0xd8]), [of("rax", 64), of("flags", 6)]);
        // mov al, 1 and mov ah, 1
        assert_eq!(wide(&[0xb0, 1]), [of("rax", 8)]);
        assert_eq!(targets(&[0xb4, 1], 0)[0].bits, (8..16).collect::<Vec<_>>());
        // cmp rax, rbx writes flags only; mov [rax], rbx and jmp write nothing that can be hit.
        assert_eq!(wide(&[0x48, 0x39, 0xd8]), [of("flags", 6)]);
        assert_eq!(wide(&[0x48, 0x89, 0x18]), []);
        assert_eq!(wide(&[0xeb, 0xfe]), []);
        // push rax moves the stack pointer only; pop rax writes rax; sub rsp, 8 names it.
        assert_eq!(wide(&[0x50]), []);
        assert_eq!(wide(&[0x58]), [of("rax", 64)]);
        assert_eq!(wide(&[0x48, 0x83, 0xec, 8]), [of("rsp", 64), of("flags", 6)]);
        // mul rbx writes two registers that it does not name.
        let both = wide(&[0x48, 0xf7, 0xe3]);
        assert!(both.contains(&of("rax", 64)) && both.contains(&of("rdx", 64)), "{both:?}");
        // inc leaves the carry alone.
        assert_eq!(wide(&[0x48, 0xff, 0xc0]), [of("rax", 64), of("flags", 5)]);
        // addpd xmm1, xmm2; cmovz rax, rbx
        assert_eq!(wide(&[0x66, 0x0f, 0x58, 0xca]), [of("xmm1", 128)]);
        assert_eq!(wide(&[0x48, 0x0f, 0x44, 0xc3]), [of("rax", 64)]);
        // syscall, and no instruction
        assert_eq!(wide(&[0x0f, 0x05]), []);
        assert_eq!(wide(&[0x06]), []);
    }
}
