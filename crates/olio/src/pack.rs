//! Rows as bytes, for the shared cache.
//!
//! Only this program reads what it wrote, so there is no version; a value that does not read back counts
//! as not there.

use alloc::string::String;
use alloc::vec::Vec;

use loadstone_web::dates::{Day, Moment};

use crate::model::{Address, Event, EventItem, Listing, TagCount};

/// A value that can be kept as bytes.
pub(crate) trait Pack: Sized {
    /// Appends the value.
    fn pack(&self, out: &mut Vec<u8>);

    /// Takes a value from the front of `from`; `None` when there is none.
    fn unpack(from: &mut &[u8]) -> Option<Self>;
}

impl Pack for i64 {
    fn pack(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let (bytes, rest) = from.split_first_chunk()?;
        *from = rest;
        Some(Self::from_le_bytes(*bytes))
    }
}

impl Pack for bool {
    fn pack(&self, out: &mut Vec<u8>) {
        i64::from(*self).pack(out);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        Some(i64::unpack(from)? != 0)
    }
}

impl Pack for u32 {
    fn pack(&self, out: &mut Vec<u8>) {
        i64::from(*self).pack(out);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        i64::unpack(from)?.try_into().ok()
    }
}

impl Pack for String {
    fn pack(&self, out: &mut Vec<u8>) {
        (self.len() as i64).pack(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let length = usize::try_from(i64::unpack(from)?).ok()?;
        let (text, rest) = from.split_at_checked(length)?;
        *from = rest;
        Some(core::str::from_utf8(text).ok()?.into())
    }
}

impl Pack for Day {
    fn pack(&self, out: &mut Vec<u8>) {
        i64::from(self.0).pack(out);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        i64::unpack(from)?.try_into().ok().map(Self)
    }
}

impl Pack for Moment {
    fn pack(&self, out: &mut Vec<u8>) {
        self.minutes().pack(out);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        Some(Self::from_minutes(i64::unpack(from)?))
    }
}

impl<T: Pack> Pack for Vec<T> {
    fn pack(&self, out: &mut Vec<u8>) {
        (self.len() as i64).pack(out);
        for item in self {
            item.pack(out);
        }
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        (0..i64::unpack(from)?).map(|_| T::unpack(from)).collect()
    }
}

impl<T: Pack> Pack for Option<T> {
    fn pack(&self, out: &mut Vec<u8>) {
        self.is_some().pack(out);
        if let Some(value) = self {
            value.pack(out);
        }
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        if bool::unpack(from)? { T::unpack(from).map(Some) } else { Some(None) }
    }
}

/// Packs a structure field by field, in the order given.
macro_rules! pack_fields {
    ($($kind:ident { $($field:ident),* })*) => {$(
        impl Pack for $kind {
            fn pack(&self, out: &mut Vec<u8>) {
                $(self.$field.pack(out);)*
            }

            fn unpack(from: &mut &[u8]) -> Option<Self> {
                Some(Self { $($field: Pack::unpack(from)?),* })
            }
        }
    )*};
}

pack_fields! {
    TagCount { name, count }
    EventItem { id, title, summary, when, created, city, creator_id, creator }
    Address { street1, street2, city, state, zip, country, latitude, longitude }
    Event { id, title, summary, description, telephone, timezone, when, creator_id, creator, address, has_image, has_document }
}

impl<T: Pack> Pack for Listing<T> {
    fn pack(&self, out: &mut Vec<u8>) {
        self.items.pack(out);
        self.page.pack(out);
        self.more.pack(out);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        Some(Self { items: Pack::unpack(from)?, page: Pack::unpack(from)?, more: Pack::unpack(from)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event() -> Event {
        let text = |s: &str| String::from(s);
        Event {
            id: 7,
            title: text("a"),
            summary: text(""),
            description: text("déjà <vu>"),
            telephone: text("1"),
            timezone: text("UTC"),
            when: Moment::from_minutes(12_345_678),
            creator_id: -1,
            creator: text("c"),
            address: Address { city: text("x"), ..Address::default() },
            has_image: false,
            has_document: true,
        }
    }

    #[test]
    fn values_read_back() {
        let mut bytes = Vec::new();
        Some(event()).pack(&mut bytes);
        assert_eq!(<Option<Event>>::unpack(&mut &bytes[..]), Some(Some(event())));
    }

    #[test]
    fn cut_values_count_as_absent() {
        let mut bytes = Vec::new();
        alloc::vec![event(), event()].pack(&mut bytes);
        for length in 0..bytes.len() {
            assert_eq!(<Vec<Event>>::unpack(&mut &bytes[..length]), None);
        }
    }
}
