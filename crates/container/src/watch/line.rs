//! One line of the access log, in either format. Whatever a client sent, it cannot forge or break a line.

use std::io::Write;
use std::net::IpAddr;
use std::time::{SystemTime, UNIX_EPOCH};

use loadstone_http::{Request, format_date};

use super::version_name;

/// How the access log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LogFormat {
    /// The Common Log Format with referrer and user agent ("combined"), and the microseconds taken at the
    /// end.
    #[default]
    Common,
    /// An object in JSON.
    Json,
}

impl LogFormat {
    /// Every format.
    pub const ALL: [Self; 2] = [Self::Common, Self::Json];

    /// Its name in configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Common => "common",
            Self::Json => "json",
        }
    }
}

/// What a client asked, as far as the log repeats it: parts of one buffer, so that keeping it costs one
/// allocation.
#[derive(Debug)]
pub(super) struct Asked {
    /// Method and version; none when it was not a request; `target` is then its beginning.
    kind: Option<(&'static str, &'static str)>,
    text: Vec<u8>,
    target: usize,
    referrer: Option<usize>,
    agent: Option<usize>,
}

impl Asked {
    pub fn request(request: &Request<'_>) -> Self {
        let referrer = request.headers.get_bytes("referer");
        let agent = request.headers.get_bytes("user-agent");
        let parts = [request.target.as_bytes(), referrer.unwrap_or_default(), agent.unwrap_or_default()];
        Self {
            kind: Some((request.method.as_str(), version_name(request.version))),
            text: parts.concat(),
            target: request.target.len(),
            referrer: referrer.map(<[u8]>::len),
            agent: agent.map(<[u8]>::len),
        }
    }

    pub fn nonsense(first_line: &[u8]) -> Self {
        let (text, target) = (first_line.to_vec(), first_line.len());
        Self { kind: None, text, target, referrer: None, agent: None }
    }

    fn target(&self) -> &[u8] {
        &self.text[..self.target]
    }

    fn referrer(&self) -> Option<&[u8]> {
        self.referrer.map(|length| &self.text[self.target..self.target + length])
    }

    fn agent(&self) -> Option<&[u8]> {
        self.agent.map(|length| &self.text[self.text.len() - length..])
    }
}

/// What a line says.
#[derive(Debug)]
pub(super) struct Entry {
    pub client: Option<IpAddr>,
    pub ended: SystemTime,
    pub took_us: u64,
    pub status: u16,
    pub body_bytes: u64,
    pub asked: Asked,
}

impl Entry {
    /// Appends the line with its end.
    pub fn write(&self, format: LogFormat, out: &mut Vec<u8>) {
        let written = match format {
            LogFormat::Common => self.write_common(out),
            LogFormat::Json => self.write_json(out),
        };
        written.unwrap_or_else(|error| unreachable!("a vector takes what is written to it: {error}"));
    }

    fn write_common(&self, out: &mut Vec<u8>) -> std::io::Result<()> {
        self.write_client(out, "-")?;
        let (date, _) = self.date();
        // From `Sun, 06 Nov 1994 08:49:37 GMT`.
        write!(out, " - - [{}/{}/{}:{} +0000] \"", &date[5..7], &date[8..11], &date[12..16], &date[17..25])?;
        match self.asked.kind {
            Some((method, version)) => {
                write!(out, "{method} ")?;
                escape(self.asked.target(), out)?;
                write!(out, " {version}")?;
            }
            None if self.asked.target().is_empty() => out.push(b'-'),
            None => escape(self.asked.target(), out)?,
        }
        write!(out, "\" {} {} \"", self.status, self.body_bytes)?;
        escape(self.asked.referrer().unwrap_or(b"-"), out)?;
        out.extend_from_slice(b"\" \"");
        escape(self.asked.agent().unwrap_or(b"-"), out)?;
        writeln!(out, "\" {}", self.took_us)
    }

    fn write_json(&self, out: &mut Vec<u8>) -> std::io::Result<()> {
        let (date, micros) = self.date();
        let month = 1 + "JanFebMarAprMayJunJulAugSepOctNovDec".find(&date[8..11]).map_or(0, |at| at / 3);
        let (year, day, time) = (&date[12..16], &date[5..7], &date[17..25]);
        write!(out, "{{\"time\":\"{year}-{month:02}-{day}T{time}.{micros:06}Z\",\"client\":\"")?;
        self.write_client(out, "")?;
        out.push(b'"');
        let text = |name: &str, value: &[u8], out: &mut Vec<u8>| {
            write!(out, ",\"{name}\":")?;
            quote(value, out)
        };
        match self.asked.kind {
            Some((method, version)) => {
                text("method", method.as_bytes(), out)?;
                text("target", self.asked.target(), out)?;
                text("version", version.as_bytes(), out)?;
            }
            None => text("malformed", self.asked.target(), out)?,
        }
        write!(out, ",\"status\":{},\"body_bytes\":{}", self.status, self.body_bytes)?;
        write!(out, ",\"took_us\":{}", self.took_us)?;
        for (name, value) in [("referrer", self.asked.referrer()), ("agent", self.asked.agent())] {
            if let Some(value) = value {
                text(name, value, out)?;
            }
        }
        writeln!(out, "}}")
    }

    fn write_client(&self, out: &mut Vec<u8>, unknown: &str) -> std::io::Result<()> {
        match self.client {
            Some(client) => write!(out, "{client}"),
            None => write!(out, "{unknown}"),
        }
    }

    /// The date as in a header, and the microseconds of its second.
    fn date(&self) -> (String, u32) {
        let since = self.ended.duration_since(UNIX_EPOCH).unwrap_or_default();
        let date = format_date(since.as_secs());
        (String::from_utf8_lossy(&date).into_owned(), since.subsec_micros())
    }
}

/// As Apache does: quotes and backslashes get a backslash, everything but printable ASCII becomes `\xHH`.
fn escape(bytes: &[u8], out: &mut Vec<u8>) -> std::io::Result<()> {
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b' '..=b'~' => out.push(byte),
            _ => write!(out, "\\x{byte:02x}")?,
        }
    }
    Ok(())
}

/// A string of JSON. Bytes that are not UTF-8 become U+FFFD.
fn quote(bytes: &[u8], out: &mut Vec<u8>) -> std::io::Result<()> {
    out.push(b'"');
    for char in String::from_utf8_lossy(bytes).chars() {
        match char {
            '"' | '\\' => write!(out, "\\{char}")?,
            // Besides what JSON asks for, what ends a line or moves the cursor of a terminal.
            '\0'..='\x1f' | '\x7f'..='\u{9f}' | '\u{2028}' | '\u{2029}' => {
                write!(out, "\\u{:04x}", u32::from(char))?;
            }
            _ => write!(out, "{char}")?,
        }
    }
    out.push(b'"');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use loadstone_http::{Headers, Method};
    use std::time::Duration;

    fn line(format: LogFormat, asked: Asked) -> String {
        let mut out = Vec::new();
        let entry = Entry {
            client: Some("192.0.2.7".parse().unwrap()),
            ended: UNIX_EPOCH + Duration::from_micros(784_111_777_000_042),
            took_us: 153,
            status: 200,
            body_bytes: 12,
            asked,
        };
        entry.write(format, &mut out);
        String::from_utf8(out).unwrap()
    }

    fn asked(headers: &'static [u8]) -> Asked {
        let request = Request { headers: Headers::new(headers), ..Request::new(Method::Get, "/a?b=\"c\"") };
        Asked::request(&request)
    }

    #[test]
    fn lines_tell_what_was_asked_and_answered() {
        let headers = b"User-Agent: wget\r\nReferer: http://x/\r\n";
        assert_eq!(
            line(LogFormat::Common, asked(headers)),
            "192.0.2.7 - - [06/Nov/1994:08:49:37 +0000] \"GET /a?b=\\\"c\\\" HTTP/1.1\" 200 12 \"http://x/\" \"wget\" 153\n"
        );
        assert_eq!(
            line(LogFormat::Json, asked(headers)),
            "{\"time\":\"1994-11-06T08:49:37.000042Z\",\"client\":\"192.0.2.7\",\"method\":\"GET\",\
             \"target\":\"/a?b=\\\"c\\\"\",\"version\":\"HTTP/1.1\",\"status\":200,\"body_bytes\":12,\"took_us\":153,\
             \"referrer\":\"http://x/\",\"agent\":\"wget\"}\n"
        );
    }

    #[test]
    fn hostile_bytes_stay_within_their_field() {
        let evil = b"User-Agent: a\"b\\c\x1b[2J\xff\xc3\xa9\r\n";
        let common = line(LogFormat::Common, asked(evil));
        assert!(common.ends_with(" \"-\" \"a\\\"b\\\\c\\x1b[2J\\xff\\xc3\\xa9\" 153\n"), "{common}");
        let json = line(LogFormat::Json, asked(evil));
        assert!(json.ends_with(",\"agent\":\"a\\\"b\\\\c\\u001b[2J\u{fffd}é\"}\n"), "{json}");
        let nonsense = || Asked::nonsense(b"\x16\x03\n\"x");
        assert!(line(LogFormat::Common, nonsense()).contains("] \"\\x16\\x03\\x0a\\\"x\" 200"));
        assert!(line(LogFormat::Json, nonsense()).contains(",\"malformed\":\"\\u0016\\u0003\\u000a\\\"x\","));
        assert!(line(LogFormat::Common, Asked::nonsense(b"")).contains("] \"-\" 200"));
    }
}
