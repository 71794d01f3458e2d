//! Ethernet frames, as far as a switch reads them.

/// A hardware address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mac(pub [u8; 6]);

impl Mac {
    /// Broadcast or multicast: the lowest bit of the first byte (IEEE 802-2014, 8.2).
    pub fn is_group(self) -> bool {
        self.0[0] & 1 == 1
    }
}

/// The addresses of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// To whom.
    pub destination: Mac,
    /// From whom; never a group.
    pub source: Mac,
}

/// Addresses and type: what every frame has.
const HEADER_BYTES: usize = 14;

impl Header {
    /// Reads a header; None for a frame that no switch may forward: cut off, or sent by a group.
    ///
    /// ```
    /// use loadstone_linkshape::Header;
    /// let frame = [&[0xff; 6][..], &[2, 0, 0, 0, 0, 1], &[8, 0]].concat();
    /// assert!(Header::parse(&frame).unwrap().destination.is_group());
    /// assert_eq!(Header::parse(&frame[..13]), None);
    /// ```
    pub fn parse(frame: &[u8]) -> Option<Self> {
        if frame.len() < HEADER_BYTES {
            return None;
        }
        let destination = Mac(*frame.first_chunk()?);
        let source = Mac(*frame[6..].first_chunk()?);
        (!source.is_group()).then_some(Self { destination, source })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Header;

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(frame in prop::collection::vec(any::<u8>(), 0..64)) {
            match Header::parse(&frame) {
                Some(header) => {
                    prop_assert_eq!(&header.destination.0[..], &frame[..6]);
                    prop_assert_eq!(&header.source.0[..], &frame[6..12]);
                }
                None => prop_assert!(frame.len() < 14 || frame[6] & 1 == 1),
            }
        }
    }
}
