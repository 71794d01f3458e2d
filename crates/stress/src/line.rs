//! Results as lines of JSON.

use alloc::format;
use alloc::string::String;
use core::fmt::Write;

/// An object that is being written.
pub struct Line(String);

impl Line {
    /// Begins with the result's name.
    pub fn new(name: &str) -> Self {
        Self(String::from("{")).text("name", name)
    }

    /// Adds text.
    pub fn text(mut self, key: &str, value: &str) -> Self {
        self.key(key);
        self.0.push('"');
        for char in value.chars() {
            match char {
                '"' | '\\' => self.0.extend(['\\', char]),
                // JSON allows no control characters in text.
                '\0'..='\x1f' => self.0.push_str(&format!("\\u{:04x}", char as u32)),
                _ => self.0.push(char),
            }
        }
        self.0.push('"');
        self
    }

    /// Adds a number.
    pub fn number(mut self, key: &str, value: u64) -> Self {
        self.key(key);
        // Writing to a string cannot fail.
        let _ = write!(self.0, "{value}");
        self
    }

    /// The line.
    pub fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }

    fn key(&mut self, key: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.extend(["\"", key, "\":"]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        let line = Line::new("a\"b\\c\n").number("n", u64::MAX).end();
        assert_eq!(line, "{\"name\":\"a\\\"b\\\\c\\u000a\",\"n\":18446744073709551615}");
    }
}
