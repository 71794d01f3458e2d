//! Certificates and keys in PEM. What is wrong with a file is told by name, line and cause.

use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::words::told;

/// Of a file of certificates or keys; the bundle of all public authorities has a quarter of a megabyte.
const LARGEST_FILE: u64 = 16 << 20;

/// The authorities in `text`, which is the content of `file`.
///
/// # Errors
/// As [`certificates`].
pub fn roots(file: &str, text: &str) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    for (line, certificate) in certificates(file, text)? {
        roots.add(certificate).map_err(|why| format!("{file}:{line}: {}", told(&why)))?;
    }
    Ok(roots)
}

/// The certificates in `text`, which is the content of `file`, each with its line.
///
/// # Errors
/// A sentence that names the file and its line; a file without any is one.
pub fn certificates(file: &str, text: &str) -> Result<Vec<(usize, CertificateDer<'static>)>, String> {
    let found = sections(file, text)?
        .into_iter()
        .filter(|section| section.kind == "CERTIFICATE")
        .map(|section| Ok((section.line, section.parse(file, CertificateDer::from_pem_slice)?)))
        .collect::<Result<Vec<_>, String>>()?;
    if found.is_empty() {
        return Err(format!("{}: there is no certificate in it (`-----BEGIN CERTIFICATE-----`)", file));
    }
    Ok(found)
}

/// The first private key in `text`, which is the content of `file`.
///
/// # Errors
/// As [`certificates`], and a key that is encrypted.
pub fn private_key(file: &str, text: &str) -> Result<PrivateKeyDer<'static>, String> {
    let sections = sections(file, text)?;
    match sections.iter().find(|section| section.kind.ends_with("PRIVATE KEY")) {
        Some(locked) if locked.kind.starts_with("ENCRYPTED") => Err(format!(
            "{}:{}: the key is encrypted; `openssl pkey -in {} -out plain.pem` takes the pass phrase off",
            file, locked.line, file
        )),
        Some(key) => key.parse(file, PrivateKeyDer::from_pem_slice),
        None => Err(format!("{}: there is no private key in it (`-----BEGIN PRIVATE KEY-----`)", file)),
    }
}

/// From a BEGIN line to its END line.
struct Section {
    kind: String,
    /// Of its BEGIN line, from 1.
    line: usize,
    text: String,
}

impl Section {
    fn parse<T>(
        &self,
        file: &str,
        parser: impl Fn(&[u8]) -> Result<T, rustls::pki_types::pem::Error>,
    ) -> Result<T, String> {
        parser(self.text.as_bytes()).map_err(|_| {
            format!("{}:{}: the {} is not valid base64", file, self.line, self.kind.to_lowercase())
        })
    }
}

fn sections(file: &str, text: &str) -> Result<Vec<Section>, String> {
    let mut found: Vec<Section> = Vec::new();
    let mut open: Option<(String, usize, String)> = None;
    for (index, line) in text.lines().enumerate() {
        let at = index + 1;
        if let Some(kind) = mark(line, "-----BEGIN ") {
            if let Some((kind, begun, _)) = &open {
                return Err(format!("{}:{at}: the {} of line {begun} has no end", file, kind.to_lowercase()));
            }
            open = Some((kind.to_owned(), at, String::new()));
        }
        if let Some((_, _, body)) = &mut open {
            body.push_str(line);
            body.push('\n');
        }
        if let Some(kind) = mark(line, "-----END ") {
            let Some((begun, at, text)) = open.take().filter(|(begun, ..)| begun == kind) else {
                return Err(format!(
                    "{}:{at}: the end of a {} that did not begin",
                    file,
                    kind.to_lowercase()
                ));
            };
            found.push(Section { kind: begun, line: at, text });
        }
    }
    match open {
        Some((kind, at, _)) => Err(format!("{}:{at}: the {} has no end", file, kind.to_lowercase())),
        None => Ok(found),
    }
}

fn mark<'a>(line: &'a str, prefix: &str) -> Option<&'a str> {
    line.trim_end().strip_prefix(prefix)?.strip_suffix("-----")
}

/// The text of a file of certificates or keys.
///
/// # Errors
/// A sentence that names the file.
pub fn read(file: &str) -> Result<String, String> {
    let told = |why: std::io::Error| format!("{file}: the file cannot be read: {why}");
    let size = std::fs::metadata(file).map_err(told)?.len();
    if size > LARGEST_FILE {
        return Err(format!("{file}: the file is larger than 16 MiB"));
    }
    std::fs::read_to_string(file).map_err(told)
}
