//! What is to be fetched for a page: one after the other, or several at once.

/// Files of a page in its order, and how far they are.
#[derive(Debug, Default)]
pub(crate) struct References {
    paths: Vec<u8>,
    items: Vec<Reference>,
    /// The one that is spoken of.
    at: usize,
    /// From here on nothing was asked for.
    untouched: usize,
    /// Below that, those to ask for again.
    again: Vec<usize>,
    /// Not fetched yet.
    left: usize,
}

/// One of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reference {
    path_end: usize,
    /// Hash of the path.
    pub address: u64,
    /// A style sheet or script that a warm cache may hold.
    pub cached: bool,
    fetched: bool,
    redirects: u8,
    /// How often it was asked for once more.
    again: u8,
}

impl References {
    pub(crate) fn clear(&mut self) {
        self.paths.clear();
        self.items.clear();
        self.again.clear();
        (self.at, self.untouched, self.left) = (0, 0, 0);
    }

    pub(crate) fn push(&mut self, path: &[u8], address: u64, cached: bool) {
        self.paths.extend_from_slice(path);
        let path_end = self.paths.len();
        self.items.push(Reference { path_end, address, cached, fetched: false, redirects: 0, again: 0 });
        self.left += 1;
    }

    /// Whether any are not fetched yet.
    pub(crate) fn has_left(&self) -> bool {
        self.left > 0
    }

    /// The one that is spoken of, and its path.
    pub(crate) fn current(&self) -> Option<(Reference, &[u8])> {
        let item = self.items.get(self.at)?;
        let start = self.at.checked_sub(1).map_or(0, |before| self.items[before].path_end);
        Some((*item, &self.paths[start..item.path_end]))
    }

    /// It was fetched; the next one that was not is spoken of.
    pub(crate) fn advance(&mut self) {
        if let Some(item) = self.items.get_mut(self.at) {
            self.left -= usize::from(!item.fetched);
            item.fetched = true;
        }
        while self.items.get(self.at).is_some_and(|item| item.fetched) {
            self.at += 1;
        }
    }

    /// Takes the next one to ask for beside others; it is spoken of.
    pub(crate) fn take(&mut self) -> Option<usize> {
        let taken = self.again.pop().or_else(|| {
            let from = self.untouched;
            let next = (from..self.items.len()).find(|at| !self.items[*at].fetched)?;
            self.untouched = next + 1;
            Some(next)
        })?;
        self.at = taken;
        Some(taken)
    }

    /// One that was taken will be asked for again.
    pub(crate) fn put_back(&mut self, taken: usize) {
        self.again.push(taken);
    }

    /// From now on this one is spoken of.
    pub(crate) fn select(&mut self, taken: usize) {
        self.at = taken;
    }

    /// All that are not fetched are asked for one after the other from now on.
    pub(crate) fn rewind(&mut self) {
        self.at = self.items.iter().position(|item| !item.fetched).unwrap_or(self.items.len());
    }

    /// Redirects that were followed for the one that is spoken of.
    pub(crate) fn redirects(&self) -> u8 {
        self.items.get(self.at).map_or(0, |item| item.redirects)
    }

    /// So many are, now.
    pub(crate) fn redirected(&mut self, redirects: u8) {
        if let Some(item) = self.items.get_mut(self.at) {
            item.redirects = redirects;
        }
    }

    /// How often the one that is spoken of was asked for once more.
    pub(crate) fn again(&self) -> u8 {
        self.items.get(self.at).map_or(u8::MAX, |item| item.again)
    }

    /// Has it asked for once more.
    pub(crate) fn ask_again(&mut self) {
        if let Some(item) = self.items.get_mut(self.at) {
            item.again += 1;
            self.again.push(self.at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> References {
        let mut references = References::default();
        for path in ["/a", "/bb", "/c"] {
            references.push(path.as_bytes(), path.len() as u64, false);
        }
        references
    }

    fn current(references: &References) -> Option<&str> {
        references.current().map(|(_, path)| std::str::from_utf8(path).unwrap())
    }

    #[test]
    fn one_after_the_other() {
        let mut references = three();
        let mut seen = Vec::new();
        while let Some(path) = current(&references) {
            seen.push(path.to_owned());
            assert!(references.has_left());
            references.advance();
        }
        assert_eq!(seen, ["/a", "/bb", "/c"]);
        assert!(!references.has_left());
    }

    #[test]
    fn several_at_once_and_the_rest_in_turn() {
        let mut references = three();
        assert_eq!((references.take(), references.take()), (Some(0), Some(1)));
        references.select(1);
        assert_eq!(current(&references), Some("/bb"));
        references.advance();
        // The first comes to nothing and is asked for once more, the third not at all yet.
        references.select(0);
        references.ask_again();
        assert_eq!((references.take(), references.again()), (Some(0), 1));
        references.rewind();
        assert_eq!(current(&references), Some("/a"));
        references.advance();
        assert_eq!(current(&references), Some("/c"), "what was fetched is passed over");
        references.advance();
        assert!(!references.has_left() && references.take().is_none());
    }
}
