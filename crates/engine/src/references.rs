//! What is to be fetched for a page: one after the other, or several at once.

use crate::record::MOST_REFERENCE_BYTES;

/// Files of a page in its order, and how far they are.
#[derive(Debug, Default)]
pub(crate) struct References {
    paths: Vec<u8>,
    items: Vec<Reference>,
    /// The one that is spoken of.
    at: usize,
    /// Before this one, all were asked for.
    untouched: usize,
    /// Not fetched yet.
    left: usize,
    /// Addresses of all that the page refers to, also of what is not fetched for it,
    known: Vec<u64>,
    /// and how many references were looked at, and how long they are.
    pub looked_at: usize,
    pub bytes: usize,
}

/// One of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reference {
    from: usize,
    to: usize,
    /// Hash of its address.
    pub address: u64,
    /// A style sheet or script that a warm cache may hold.
    pub cached: bool,
    /// A style sheet that is looked at, and how many sheets lead to it.
    pub sheet: Option<u8>,
    /// Its host, by its place.
    host: u16,
    /// It was asked for beside others.
    asked: bool,
    fetched: bool,
    redirects: u8,
    /// How often it was asked for once more.
    again: u8,
}

impl References {
    pub(crate) fn clear(&mut self) {
        self.paths.clear();
        self.items.clear();
        self.known.clear();
        (self.at, self.untouched, self.left, self.looked_at, self.bytes) = (0, 0, 0, 0, 0);
    }

    /// Addresses that were told.
    pub(crate) fn known(&self) -> &[u64] {
        &self.known
    }

    pub(crate) fn know(&mut self, address: u64) {
        self.known.push(address);
    }

    /// Whether the one that is spoken of is a style sheet that is looked at.
    pub(crate) fn is_sheet(&self) -> bool {
        self.items.get(self.at).is_some_and(|item| item.sheet.is_some())
    }

    pub(crate) fn push(&mut self, path: &[u8], host: usize, address: u64, cached: bool, sheet: Option<u8>) {
        let from = self.paths.len();
        self.paths.extend_from_slice(path);
        self.items.push(Reference {
            from,
            to: self.paths.len(),
            address,
            cached,
            sheet,
            host: host as u16,
            asked: false,
            fetched: false,
            redirects: 0,
            again: 0,
        });
        self.left += 1;
    }

    /// Whether any are not fetched yet.
    pub(crate) fn has_left(&self) -> bool {
        self.left > 0
    }

    /// The one that is spoken of, and its path.
    pub(crate) fn current(&self) -> Option<(Reference, &[u8])> {
        let item = self.items.get(self.at)?;
        Some((*item, &self.paths[item.from..item.to]))
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

    /// Takes the next one of a host to ask for beside others; it is spoken of.
    pub(crate) fn take(&mut self, host: usize) -> Option<usize> {
        self.take_where(|its| its == host)
    }

    /// Takes the next one whose host may be asked, as [`References::take`] does.
    pub(crate) fn take_where(&mut self, may_ask: impl Fn(usize) -> bool) -> Option<usize> {
        self.pass_over();
        let ours = |item: &Reference| !item.fetched && !item.asked && may_ask(item.host());
        let taken = self.untouched + self.items[self.untouched..].iter().position(ours)?;
        self.items[taken].asked = true;
        self.at = taken;
        Some(taken)
    }

    /// One that was taken will be asked for again.
    pub(crate) fn put_back(&mut self, taken: usize) {
        self.items[taken].asked = false;
        self.untouched = self.untouched.min(taken);
    }

    /// One that was taken is at `path` on another host, and will be asked for there; false when there is no room
    /// to remember that.
    pub(crate) fn move_to(&mut self, taken: usize, host: usize, path: &[u8]) -> bool {
        if self.paths.len() + path.len() > 2 * MOST_REFERENCE_BYTES {
            return false;
        }
        let from = self.paths.len();
        self.paths.extend_from_slice(path);
        let item = &mut self.items[taken];
        (item.from, item.to, item.host) = (from, self.paths.len(), host as u16);
        self.put_back(taken);
        true
    }

    /// The next one to ask for, while none is asked for, is spoken of; its host.
    pub(crate) fn turn(&mut self) -> Option<usize> {
        self.pass_over();
        let next = self.items.get(self.untouched)?;
        self.at = self.untouched;
        Some(next.host())
    }

    fn pass_over(&mut self) {
        let done = |item: &Reference| item.fetched || item.asked;
        while self.items.get(self.untouched).is_some_and(done) {
            self.untouched += 1;
        }
    }

    /// From now on this one is spoken of.
    pub(crate) fn select(&mut self, taken: usize) {
        self.at = taken;
    }

    /// All of a host that are not fetched are asked for one after the other from now on.
    pub(crate) fn rewind(&mut self, host: usize) {
        let next = self.items.iter().position(|item| !item.fetched && item.host() == host);
        self.at = next.unwrap_or(self.items.len());
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
            self.put_back(self.at);
        }
    }
}

impl Reference {
    pub(crate) fn host(&self) -> usize {
        usize::from(self.host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> References {
        let mut references = References::default();
        for path in ["/a", "/bb", "/c"] {
            references.push(path.as_bytes(), usize::from(path == "/bb"), path.len() as u64, false, None);
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
    fn several_of_a_host_at_once_and_the_rest_in_turn() {
        let mut references = three();
        assert_eq!((references.take(0), references.take(0), references.take(0)), (Some(0), Some(2), None));
        references.select(2);
        assert_eq!(current(&references), Some("/c"));
        references.advance();
        // The first comes to nothing and is asked for once more, the other host's not at all yet.
        references.select(0);
        references.ask_again();
        assert_eq!((references.take(0), references.again()), (Some(0), 1));
        assert_eq!((references.turn(), current(&references)), (Some(1), Some("/bb")));
        assert!(references.move_to(1, 2, b"/moved") && references.take(1).is_none());
        assert_eq!((references.turn(), current(&references)), (Some(2), Some("/moved")));
        assert!(!references.move_to(1, 2, &[b'x'; 2 * MOST_REFERENCE_BYTES]));
        references.rewind(0);
        assert_eq!(current(&references), Some("/a"));
        references.advance();
        assert_eq!(current(&references), Some("/moved"), "what was fetched is passed over");
        references.advance();
        assert!(!references.has_left() && references.take(2).is_none() && references.turn().is_none());
    }
}
