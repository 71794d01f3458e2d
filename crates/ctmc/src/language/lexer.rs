//! Characters to tokens, each with its place.

use crate::error::{Error, Result};

/// Line and column, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// Line.
    pub line: usize,
    /// Column, in characters.
    pub column: usize,
}

impl Place {
    /// An error here.
    pub fn error(self, message: impl Into<String>) -> Error {
        Error::Text { line: self.line, column: self.column, message: message.into() }
    }
}

/// What a token is.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A name or a keyword.
    Name(String),
    /// A whole number.
    Int(i64),
    /// A number with a point or an exponent.
    Real(f64),
    /// A text in double quotes.
    Text(String),
    /// An operator or a bracket.
    Sign(&'static str),
    /// The end of the text.
    End,
}

/// A token and where it begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it begins.
    pub place: Place,
}

/// Longer signs first: `<=>` is not `<=` and `>`.
const SIGNS: [&str; 31] = [
    "<=>", "->", "=>", "<=", ">=", "!=", "..", "(", ")", "[", "]", "{", "}", ":", ";", ",", "'", "=", "<",
    ">", "&", "|", "!", "+", "-", "*", "/", "?", "^", "%", "@",
];

/// The tokens of `text`, ended by `Kind::End`. Errors: a character that starts none, an open quote.
pub fn tokens(text: &str) -> Result<Vec<Token>> {
    let mut lexer = Lexer { rest: text, place: Place { line: 1, column: 1 } };
    let mut found = Vec::new();
    loop {
        lexer.skip_blanks();
        let place = lexer.place;
        let kind = lexer.token()?;
        let end = kind == Kind::End;
        found.push(Token { kind, place });
        if end {
            return Ok(found);
        }
    }
}

struct Lexer<'a> {
    rest: &'a str,
    place: Place,
}

impl<'a> Lexer<'a> {
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        for character in taken.chars() {
            if character == '\n' {
                self.place = Place { line: self.place.line + 1, column: 1 };
            } else {
                self.place.column += 1;
            }
        }
        self.rest = rest;
        taken
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|character| !wanted(character)).unwrap_or(self.rest.len());
        self.take(end)
    }

    fn skip_blanks(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if !self.rest.starts_with("//") {
                return;
            }
            self.take_while(|character| character != '\n');
        }
    }

    fn token(&mut self) -> Result<Kind> {
        let place = self.place;
        let Some(first) = self.rest.chars().next() else { return Ok(Kind::End) };
        if first.is_ascii_alphabetic() || first == '_' {
            let name = self.take_while(|character| character.is_ascii_alphanumeric() || character == '_');
            return Ok(Kind::Name(name.to_owned()));
        }
        if first.is_ascii_digit()
            || (first == '.' && self.rest[1..].starts_with(|next: char| next.is_ascii_digit()))
        {
            return self.number(place);
        }
        if first == '"' {
            self.take(1);
            let text = self.take_while(|character| character != '"' && character != '\n');
            if !self.rest.starts_with('"') {
                return Err(place.error("this quote is never closed"));
            }
            self.take(1);
            return Ok(Kind::Text(text.to_owned()));
        }
        match SIGNS.iter().find(|sign| self.rest.starts_with(**sign)) {
            Some(sign) => {
                self.take(sign.len());
                Ok(Kind::Sign(sign))
            }
            None => Err(place.error(format!("`{first}` means nothing here"))),
        }
    }

    fn number(&mut self, place: Place) -> Result<Kind> {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let mut length = digits(self.rest);
        // `0..3` is a range, `0.3` a number.
        if self.rest[length..].starts_with('.') && !self.rest[length..].starts_with("..") {
            length += 1 + digits(&self.rest[length + 1..]);
        }
        let exponent = &self.rest[length..];
        if exponent.starts_with(['e', 'E']) {
            let sign = usize::from(exponent[1..].starts_with(['+', '-']));
            let count = digits(&exponent[1 + sign..]);
            if count > 0 {
                length += 1 + sign + count;
            }
        }
        let text = self.take(length);
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            return text.parse().map(Kind::Int).map_err(|_| place.error(format!("{text} is too large")));
        }
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Kind::Real(value)),
            _ => Err(place.error(format!("{text} is too large"))),
        }
    }
}
