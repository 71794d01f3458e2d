//! The head of a request as name and value pairs.

use libnghttp2_sys::{NGHTTP2_NV_FLAG_NONE, nghttp2_nv};

/// Fields of a request in one buffer: the pseudo-fields first.
#[derive(Debug, Clone, Default)]
pub struct Fields {
    text: Vec<u8>,
    /// Of each field: where its name, and its value behind that, end.
    ends: Vec<(u32, u32)>,
}

impl Fields {
    /// Takes all of them out; the buffers keep their capacity.
    pub fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    /// Adds a field. Its name may be written in any case: on the wire it has small letters.
    pub fn push(&mut self, name: &[u8], value: &[u8]) {
        self.text.extend_from_slice(name);
        let name_end = self.text.len() as u32;
        self.text.extend_from_slice(value);
        self.ends.push((name_end, self.text.len() as u32));
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|(_, value_end)| *value_end as usize));
        starts.zip(&self.ends).map(|(from, &(name_end, value_end))| {
            let (name_end, value_end) = (name_end as usize, value_end as usize);
            (&self.text[from..name_end], &self.text[name_end..value_end])
        })
    }

    /// As nghttp2 takes them. The pointers hold as long as `self` is not changed.
    pub(crate) fn as_pairs(&self, pairs: &mut Vec<nghttp2_nv>) {
        pairs.clear();
        pairs.extend(self.iter().map(|(name, value)| nghttp2_nv {
            // nghttp2 copies both and never writes to them.
            name: name.as_ptr().cast_mut(),
            value: value.as_ptr().cast_mut(),
            namelen: name.len(),
            valuelen: value.len(),
            flags: NGHTTP2_NV_FLAG_NONE as u8,
        }));
    }
}
