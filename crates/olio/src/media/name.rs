//! Names of pictures and documents: a class and an id, nothing else.

use alloc::format;
use alloc::string::String;

/// The size classes, in the order of [`Class::ALL`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// `e<id>.jpg`.
    EventImage,
    /// `e<id>t.jpg`.
    EventThumbnail,
    /// `e<id>l.pdf`.
    EventDocument,
    /// `p<id>.jpg`.
    PersonImage,
    /// `p<id>t.jpg`.
    PersonThumbnail,
}

impl Class {
    /// All classes.
    pub const ALL: [Self; 5] = [
        Self::EventImage,
        Self::EventThumbnail,
        Self::EventDocument,
        Self::PersonImage,
        Self::PersonThumbnail,
    ];

    /// Media type of the class's master. An upload may be another kind of picture under the same name.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::EventDocument => "application/pdf",
            _ => "image/jpeg",
        }
    }

    pub(crate) fn is_of_person(self) -> bool {
        matches!(self, Self::PersonImage | Self::PersonThumbnail)
    }

    pub(super) fn is_thumbnail(self) -> bool {
        matches!(self, Self::EventThumbnail | Self::PersonThumbnail)
    }

    /// The picture that a thumbnail shows.
    pub(super) fn full(self) -> Option<Self> {
        match self {
            Self::EventThumbnail => Some(Self::EventImage),
            Self::PersonThumbnail => Some(Self::PersonImage),
            _ => None,
        }
    }

    /// Name of the class's master.
    pub(super) fn file_name(self) -> String {
        let (before, after) = self.affixes();
        format!("{before}{after}")
    }

    fn affixes(self) -> (&'static str, &'static str) {
        match self {
            Self::EventImage => ("e", ".jpg"),
            Self::EventThumbnail => ("e", "t.jpg"),
            Self::EventDocument => ("e", "l.pdf"),
            Self::PersonImage => ("p", ".jpg"),
            Self::PersonThumbnail => ("p", "t.jpg"),
        }
    }
}

/// A name. What it is made of cannot spell a path.
///
/// ```
/// use loadstone_olio::media::{Class, Name};
/// let name = Name::parse("e12t.jpg").unwrap();
/// assert_eq!((name.class, name.id, name.text().as_str()), (Class::EventThumbnail, 12, "e12t.jpg"));
/// assert_eq!(Name::parse("e012t.jpg"), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name {
    /// Which size class.
    pub class: Class,
    /// Id of the event or person, from 1.
    pub id: u64,
}

impl Name {
    /// Reads a name in its one spelling: no sign, no leading zero, no other case.
    pub fn parse(text: &str) -> Option<Self> {
        Class::ALL.into_iter().find_map(|class| {
            let (prefix, suffix) = class.affixes();
            let digits = text.strip_prefix(prefix)?.strip_suffix(suffix)?;
            // `parse` alone would take a plus sign and leading zeros.
            let canonical = digits.bytes().all(|c| c.is_ascii_digit()) && !digits.starts_with('0');
            let id = digits.parse().ok().filter(|_| canonical)?;
            Some(Self { class, id })
        })
    }

    /// The name as text.
    pub fn text(self) -> String {
        let (prefix, suffix) = self.class.affixes();
        format!("{prefix}{}{suffix}", self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::{Class, Name};

    #[test]
    fn every_class_comes_back() {
        for class in Class::ALL {
            for id in [1, 10, u64::MAX] {
                let name = Name { class, id };
                assert_eq!(Name::parse(&name.text()), Some(name));
            }
        }
    }

    #[test]
    fn nothing_else_is_a_name() {
        for text in [
            "",
            "e.jpg",
            "e0.jpg",
            "e01.jpg",
            "e+1.jpg",
            "e-1.jpg",
            "e1.JPG",
            "E1.jpg",
            "e1.jpg ",
            " e1.jpg",
            "e1.png",
            "p1l.pdf",
            "e1l.jpg",
            "e1t.pdf",
            "../e1.jpg",
            "e1/../2.jpg",
            "e1.jpg\0",
            "e1\n.jpg",
            "e٣.jpg",
            "e18446744073709551616.jpg",
            "x1.jpg",
        ] {
            assert_eq!(Name::parse(text), None, "{text:?}");
        }
    }
}
