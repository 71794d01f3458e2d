//! Uploads: what may come in.

use alloc::format;
use alloc::string::String;

/// What a file should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A picture.
    Image,
    /// A small picture.
    Thumbnail,
    /// A document.
    Document,
}

impl Kind {
    const fn max_kib(self) -> usize {
        match self {
            Self::Image | Self::Document => 4096,
            Self::Thumbnail => 128,
        }
    }
}

/// The media type that the first bytes of a file tell; names and declared types are not believed.
pub(crate) fn sniff(data: &[u8]) -> Option<&'static str> {
    const SIGNATURES: [(&[u8], &str); 5] = [
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"%PDF-", "application/pdf"),
    ];
    SIGNATURES.iter().find(|(signature, _)| data.starts_with(signature)).map(|(_, media_type)| *media_type)
}

/// Whether a file may come in; otherwise a sentence for its form.
pub(crate) fn check(data: &[u8], kind: Kind) -> Result<(), String> {
    if data.len() > kind.max_kib() * 1024 {
        return Err(format!("This file is larger than {} KiB.", kind.max_kib()));
    }
    match (kind, sniff(data)) {
        (Kind::Document, Some("application/pdf")) => Ok(()),
        (Kind::Document, _) => Err(String::from("This is no PDF document.")),
        (_, Some("image/jpeg" | "image/png" | "image/gif")) => Ok(()),
        _ => Err(String::from("This is no JPEG, PNG or GIF picture.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_their_first_bytes() {
        assert!(check(b"\xff\xd8\xff\xe0rest", Kind::Image).is_ok());
        assert!(check(b"\x89PNG\r\n\x1a\nrest", Kind::Thumbnail).is_ok());
        assert!(check(b"%PDF-1.4", Kind::Document).is_ok());
        for (data, kind) in [
            (&b"<svg onload=alert(1)>"[..], Kind::Image),
            (b"%PDF-1.4", Kind::Image),
            (b"\xff\xd8\xff", Kind::Document),
            (b"GIF8", Kind::Image),
            (b"", Kind::Image),
        ] {
            assert!(check(data, kind).is_err(), "{data:?}");
        }
    }

    #[test]
    fn sizes_are_limited() {
        let mut data = alloc::vec![0; 128 * 1024];
        data[..6].copy_from_slice(b"GIF89a");
        assert!(check(&data, Kind::Thumbnail).is_ok());
        data.push(0);
        assert!(check(&data, Kind::Thumbnail).is_err());
        assert!(check(&data, Kind::Image).is_ok());
    }
}
