//! Where the linker has put the image (`images/link.ld`), and what each of its pages is for: what is code
//! cannot be written, what is data cannot be run, and below the stack and at address 0 there is nothing.

use core::ops::Range;

/// Bytes of a page.
pub const PAGE: u64 = 4096;

unsafe extern "C" {
    static image_start: u8;
    static text_end: u8;
    static rodata_end: u8;
    static stack_guard: u8;
    static stack_bottom: u8;
    static stack_top: u8;
    static image_end: u8;
}

/// The address of a label that the linker defines.
macro_rules! label {
    ($name:ident) => {
        (&raw const $name).addr() as u64
    };
}

/// What may be done with a page.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Rights {
    /// Nothing: there is none.
    None,
    /// It is read and run.
    Run,
    /// It is read.
    Read,
    /// It is read and written.
    Write,
}

/// Where the image lies.
pub fn image() -> Range<u64> {
    label!(image_start)..label!(image_end)
}

/// Where its code lies.
pub fn text() -> Range<usize> {
    label!(image_start) as usize..label!(text_end) as usize
}

/// Where its stack lies.
pub fn stack() -> Range<usize> {
    label!(stack_bottom) as usize..label!(stack_top) as usize
}

/// What may be done with the page at this address.
pub fn rights(page: u64) -> Rights {
    if page == 0 || page == label!(stack_guard) {
        Rights::None
    } else if (label!(image_start)..label!(text_end)).contains(&page) {
        Rights::Run
    } else if (label!(text_end)..label!(rodata_end)).contains(&page) {
        Rights::Read
    } else {
        Rights::Write
    }
}

/// What is known of an address that could not be used, to be written behind it.
pub fn what_is_at(address: u64) -> &'static str {
    if address < PAGE {
        return ": nothing is at zero";
    }
    if (label!(stack_guard)..label!(stack_bottom)).contains(&address) {
        return ": the stack has overflowed";
    }
    if (label!(image_start)..label!(rodata_end)).contains(&address) {
        return ": code and constants cannot be written";
    }
    ""
}
